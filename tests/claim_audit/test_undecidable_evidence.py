"""Evidence that a checker must not guess at: a metric without rows, a list inside a JSON file."""

import json

import pytest

import assay

LINE = {
    "doc_id": 0,
    "doc": {},
    "target": "a",
    "resps": [],
    "filtered_resps": [],
    "filter": "none",
    "metrics": ["acc", "mcc"],
}
RESULTS = {
    "results": {
        "t": {
            "acc,none": 0.75,
            "acc_stderr,none": 0.25,
            "mcc,none": 0.7439,
            "mcc_stderr,none": 0.0785,
        }
    },
    "groups": {"g": {"acc,none": 0.6151, "acc_stderr,none": 0.01}},
    "configs": {
        "t": {
            "metric_list": [
                {"metric": "acc", "aggregation": "mean"},
                {"metric": "mcc", "aggregation": "matthews_corrcoef"},
            ]
        }
    },
    "versions": {"t": 1},
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "log").mkdir()
    (tmp_path / "log/results_T.json").write_text(json.dumps(RESULTS))
    lines = [{**LINE, "doc_id": n, "acc": float(n > 0), "mcc": [0, 1]} for n in range(4)]
    (tmp_path / "log/samples_t_T.jsonl").write_text("\n".join(map(json.dumps, lines)))
    value = {
        "models": {"a": {"auc": 0.5}, "b": {"auc": 0.7}},
        "rows": [{"id": 1}, {"id": 2}, {"id": 3}],
    }
    (tmp_path / "r.json").write_text(json.dumps(value))
    (tmp_path / "list.json").write_text(json.dumps(value["rows"]))
    return tmp_path


def checked(folder, text, claim):
    page = folder / "page.md"
    page.write_text(f"It is {text} <!-- claim: {claim} -->.")
    (one,) = assay.claims(page).claims
    return one


@pytest.mark.parametrize(
    ("text", "args", "verdict"),
    [
        ("0.744", 'metric="mcc,none"', "holds"),
        ("0.754", 'metric="mcc,none"', "fails"),
        ("0.744", 'metric="mcc" task="t"', "holds"),
        ("0.744 \u00b1 0.079", 'metric="mcc,none"', "holds"),
        ("0.744 \u00b1 0.097", 'metric="mcc,none"', "fails"),
        ("0.0785", 'metric="mcc_stderr,none"', "holds"),
        ("0.615", 'metric="acc,none" task="g"', "holds"),
        ("0.651", 'metric="acc,none" task="g"', "fails"),
        ("0.75", 'metric="acc,none"', "holds"),
        ("0.7", 'metric="bleu"', "fails"),
    ],
)
def test_a_metric_that_no_rows_give_is_taken_as_reported(folder, text, args, verdict):
    one = checked(folder, text, f'log_metric_equals path="log" {args}')
    assert one.verdict == verdict
    if "mcc" in args or '"g"' in args:
        assert "as reported, not computed again" in one.evidence.where
    if "bleu" in args:
        assert "acc,none, acc_stderr,none, mcc,none" in one.evidence.why


@pytest.mark.parametrize(
    ("text", "args", "verdict"),
    [
        ("3", 'path="r.json"', "unverifiable"),
        ("3", 'path="r.json" key_path="rows"', "holds"),
        ("2", 'path="r.json" key_path="models"', "holds"),
        ("3", 'path="list.json"', "unverifiable"),
        ("3", 'path="list.json" key_path="$"', "holds"),
        ("4", 'path="list.json" key_path="$"', "fails"),
        ("3", 'path="r.json" key_path="models.a"', "fails"),
    ],
)
def test_the_rows_of_a_json_file_are_named(folder, text, args, verdict):
    assert checked(folder, text, f'aggregate_equals {args} statistic="count"').verdict == verdict


def test_a_file_that_is_compared_with_itself_shows_nothing(folder):
    claim = 'file_byte_equals path_a="r.json" path_b="{}" expected=true'
    assert checked(folder, "so", claim.format("log/../r.json")).verdict == "unverifiable"
    (folder / "copy.json").write_bytes((folder / "r.json").read_bytes())
    assert checked(folder, "so", claim.format("copy.json")).verdict == "holds"
