import json

import numpy as np
import pandas
import pytest

import assay
from assay.benchmark.bundled import FOLDER

PAIRS = [json.loads(line) for line in (FOLDER / "minimal-pairs.jsonl").read_text().splitlines()]
DARK = assay.load_benchmark("darkcore")
SCORES = {item.id: float(len(item.response)) for item in DARK.items}


def methods_of(scores, **named):
    return {
        m.name: m.auc for m in assay.confounds(DARK, scores=scores, joint=False, **named).methods
    }


@pytest.fixture(scope="module")
def auc():
    return methods_of(SCORES)["scores"]


def test_scores_may_be_by_id_in_order_rows_or_a_frame(auc, tmp_path):
    rows = [{"id": name, "score": score} for name, score in SCORES.items()]
    frame = pandas.DataFrame(rows)
    (tmp_path / "judge.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert methods_of(list(SCORES.values())) == {"scores": auc}
    assert methods_of({name: np.float32(score) for name, score in SCORES.items()}) == {
        "scores": auc
    }
    assert methods_of(rows) == {"rows": auc}
    assert methods_of(frame) == {"frame": auc}
    assert methods_of({"id": list(SCORES), "score": list(SCORES.values())}) == {"rows": auc}
    assert methods_of(frame.rename(columns={"score": "p"}), score="p") == {"p": auc}
    assert methods_of(tmp_path / "judge.jsonl") == {"judge": auc}
    named = {"one": frame, "two": SCORES, "three": str(tmp_path / "judge.jsonl")}
    assert methods_of(named) == dict.fromkeys(named, auc)
    assert methods_of([frame, frame]) == {"frame": auc, "frame 2": auc}
    assert methods_of({}) == methods_of([]) == methods_of(None) == {}


def test_scores_may_be_texts_as_csv_reads_them(auc):
    texts = {name: f" {score}" for name, score in SCORES.items()}
    assert methods_of(texts) == {"scores": auc}
    assert methods_of({"mine": texts, "theirs": list(texts.values())}) == {
        "mine": auc,
        "theirs": auc,
    }
    first = next(iter(SCORES))
    audit = assay.confounds(DARK, scores={"mine": {**texts, first: ""}}, joint=False)
    assert audit.methods[0].unscored == 1
    said = f"the score of record '{first}' is the text 'high', expected a number"
    for scores in ({"mine": {**texts, first: "high"}}, {**texts, first: "high"}):
        with pytest.raises(assay.SpecError, match=said):
            methods_of(scores)


def test_scores_may_be_runs(auc, tmp_path):
    run = assay.run("oracle:char_length", DARK, save=tmp_path / "run")
    assert methods_of(run) == {"oracle:char_length": auc}
    assert methods_of([run, tmp_path / "run"]) == {
        "oracle:char_length": auc,
        str(tmp_path / "run"): auc,
    }


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (pandas.Series([1.0]), "scores in Series: nothing says which record each belongs to"),
        (np.array([1.0]), "scores in ndarray"),
        ([1.0, 2.0], "2 scores, but darkcore has 108 records"),
        ({"nobody": 1.0}, "the scores, row 1: id 'nobody' is not in the benchmark"),
        ({"m": object()}, "got object, which holds no rows"),
        ([{"id": "darkcore-001"}], "the rows, row 1: no column 'score'"),
        (["nowhere.jsonl"], "no scores at 'nowhere.jsonl'"),
        (["a.jsonl", "a.jsonl"], "`scores=a.jsonl` is given twice"),
        ({next(iter(SCORES)): float("inf")}, "row 1, column 'score': inf is not a finite number"),
        (3, "got int, which holds no rows"),
    ],
)
def test_scores_of_no_record_are_refused(scores, said):
    with pytest.raises(assay.SpecError, match=said):
        methods_of(scores)


def test_a_missing_score_leaves_its_record_unscored():
    first = next(iter(SCORES))
    audit = assay.confounds(DARK, scores={**SCORES, first: None}, joint=False)
    assert audit.methods[0].unscored == 1


def test_scores_by_id_hold_where_the_records_are_numbered():
    rows = [{"question": str(i), "label": i % 2} for i in range(40)]
    scores = {str(number): number % 3 for number in range(40, 0, -1)}
    audits = [
        assay.confounds(rows, scores=scores, joint=False, **named)
        for named in ({}, {"ids": "none"})
    ]
    assert audits[0].methods == audits[1].methods


def test_a_feature_may_be_a_function():
    def letters(response):
        return len(response)

    def broken(response):
        raise ValueError("no")

    audit = assay.confounds(DARK, joint=False, feature=letters)
    both = {one.name: one.auc for one in audit.features if one.on == "response"}
    assert both["letters"] == both["char_length"]
    several = assay.confounds(DARK, joint=False, feature=[letters, lambda question: 1.0])
    assert {"letters", "<lambda>"} <= {one.name for one in several.features}
    with pytest.raises(assay.errors.MethodRaised, match=r"record darkcore-.*ValueError: no"):
        assay.confounds(DARK, joint=False, feature=broken)


def test_a_frame_is_balanced_and_its_subset_written(tmp_path):
    frame = pandas.DataFrame(PAIRS).assign(other=range(len(PAIRS)))
    words = {"positive": "class != truth"}
    balanced = assay.balance(frame, out=tmp_path / "out.jsonl", **words)
    assert balanced.achieved
    kept = frame[frame["id"].isin(balanced.records)]
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert written == kept.to_dict(orient="records")
    assert balanced == assay.balance("minimal-pairs")


def test_what_cannot_be_written_is_refused_before_anything_is_fitted(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.api.audit.balancing.balance", lambda *a, **k: pytest.fail("fitted"))
    words = {"positive": "class != truth"}
    with pytest.raises(assay.SpecError, match="rows in memory are written as one JSON object"):
        assay.balance(PAIRS, out=tmp_path / "out.csv", **words)
    (tmp_path / "there.jsonl").touch()
    with pytest.raises(assay.SpecError, match="already exists"):
        assay.balance(PAIRS, out=str(tmp_path / "there.jsonl"), **words)


def test_a_printed_audit_says_how_many_methods_it_does_not_show():
    audit = assay.confounds(DARK, scores={f"m{n}": SCORES for n in range(21)}, joint=False)
    for text in (str(audit), audit._repr_html_()):
        assert "and 19 more methods: methods has all of them" in text
    assert audit.signature in str(audit)
    two = assay.confounds(DARK, scores={f"m{n}": SCORES for n in range(2)}, joint=False)
    assert "more method" not in str(two)


def test_a_feature_that_tells_something_is_not_called_inert():
    audit = assay.confounds(DARK, joint=False)
    under = [(row["flag"], row["low"] > 0.5) for row in audit.to_rows() if row["auc"] < 0.70]
    assert set(under) == {(None, True), ("inert", False)}
    assert {each["flag"] for each in audit.to_dict()["features"]} >= {"inert"}
