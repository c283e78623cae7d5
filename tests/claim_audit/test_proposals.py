"""What `scan --patch` proposes, and what it leaves to the reader because it may be chance."""

import json

import pytest

import assay

RESULTS = {
    "results": {"t": {"acc,none": 0.7512, "acc_stderr,none": 0.25}},
    "configs": {"t": {"metric_list": [{"metric": "acc", "aggregation": "mean"}]}},
    "versions": {"t": 1},
}
LINE = {"doc": {}, "target": "a", "resps": [], "filtered_resps": [], "filter": "none",
        "metrics": ["acc"]}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    value = {"auc": {"value": 0.8938, "low": 0.8301, "high": 0.9452}, "abstain_pct": 7.25,
             "seeds": 5, "removed": 2311, "epochs": 12, "latency_ms": 88.42}  # fmt: skip
    (tmp_path / "r.json").write_text(json.dumps(value))
    (tmp_path / "items.csv").write_text("id,score\na,0.914\nb,0.412\nc,0.615\n")
    (tmp_path / "log").mkdir()
    (tmp_path / "log/results_T.json").write_text(json.dumps(RESULTS))
    lines = [{**LINE, "doc_id": n, "acc": value} for n, value in enumerate((1.0, 0.5024))]
    (tmp_path / "log/samples_t_T.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return tmp_path


def proposed(folder, text):
    page = folder / "page.md"
    page.write_text(f"{text}\n")
    found = assay.scan_claims(page, root=folder, write=True)
    written = page.read_text()
    if found.proposed:
        assert assay.claims(page, root=folder).favourable
    return written.split("<!--")[0].strip(), written


@pytest.mark.parametrize(
    "text",
    ["It has five seeds.", "It has 5 seeds.", "Without it the best is 0.914.",
     "It is 0.894 [0.831, 0.945]."],
)  # fmt: skip
def test_what_may_match_by_chance_is_not_proposed(folder, text):
    assert "<!--" not in proposed(folder, text)[1]


def test_the_end_of_a_column_is_proposed_where_the_sentence_names_it(folder):
    assert 'statistic="max"' in proposed(folder, "The largest score is 0.914.")[1]


def test_an_interval_is_proposed_as_one_claim(folder):
    before, written = proposed(folder, "The AUC is 0.894 [0.830, 0.945] on it.")
    assert before.endswith("0.945]") and written.count("<!--") == 1
    assert 'result_number_equals path="r.json" number="auc"' in written


def test_a_metric_of_a_log_is_proposed_by_its_log(folder):
    written = proposed(folder, "The acc of task t in the log is 0.7512 there.")[1]
    assert 'log_metric_equals path="log" task="t" metric="acc,none"' in written


def test_a_share_is_looked_up_in_per_cent_too(folder):
    assert "percent=true" in proposed(folder, "It does abstain in 7.25 % of cases.")[1]


def test_the_comment_stands_behind_the_unit(folder):
    assert "88.42 ms <!--" in proposed(folder, "The latency is 88.42 ms here.")[1]


def test_exchanged_digits_are_named_and_not_proposed(folder):
    page = folder / "page.md"
    page.write_text("We removed 2,113 of them.\n")
    (one,) = assay.scan_claims(page, root=folder).uncovered
    assert [(found.value, found.match) for found in one.candidates] == [(2311, "near")]
    assert "<!--" not in proposed(folder, "We removed 2,113 of them.")[1]
