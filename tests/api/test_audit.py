import json
import pickle

import numpy as np
import pandas
import polars
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
    said = f"record '{first}', field 'score': expected a finite number, got 'high'"
    for scores in ({"mine": {**texts, first: "high"}}, {**texts, first: "high"}):
        with pytest.raises(assay.SpecError, match=said):
            methods_of(scores)


def test_scores_may_be_percentages_which_is_said(auc):
    texts = [f"{value:.0f}%" for value in SCORES.values()]
    audit = assay.confounds(DARK, scores={"mine": texts}, joint=False)
    assert audit.methods[0].auc == pytest.approx(auc)
    said = [caveat.message for caveat in audit.caveats if caveat.code == "read-as"]
    assert len(said) == 1 and "mine: percentages, " in said[0]
    with pytest.raises(assay.SpecError, match="holds both percentages"):
        methods_of({"mine": [0.5, *texts[1:]]})


def test_a_score_column_of_the_data_is_read_as_compare_reads_it(tmp_path):
    lines = [f"Is {n} odd?;So it is {n}.;{n % 2};0,{n % 2}{n:02}" for n in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["question;response;label;Conf", *lines]))
    audit = assay.confounds(tmp_path / "a.csv", score="Conf", joint=False)
    assert audit.methods[0].auc == 1.0
    assert [one.message for one in audit.caveats if one.code == "read-as"] == [
        "Scores that are texts are read as numbers. Conf: with decimal commas."
    ]
    commas = "\n".join(line.replace(";0,", ',"0,').replace(";", ",") + '"' for line in lines)
    (tmp_path / "b.csv").write_text(f"question,response,label,Conf\n{commas}\n")
    with pytest.raises(assay.SpecError, match=r"line 2, field 'Conf'.*got '0,000'") as error:
        assay.confounds(tmp_path / "b.csv", score="Conf", joint=False)
    assert "separated by semicolons" in error.value.hint


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
        (
            pandas.Series([1.0]),
            "scores in a Series whose index is not the ids of the records: 0 is",
        ),
        (pandas.Series([1.0, 2.0], index=["darkcore-001"] * 2), '"darkcore-001" 2 times'),
        (np.array([1.0]), "1 scores, but darkcore has 108 records"),
        (np.ones((108, 2)), "scores in ndarray of shape 108x2, expected one number a record"),
        ([1.0, 2.0], "2 scores, but darkcore has 108 records"),
        ({"nobody": 1.0}, 'whose keys are not the ids of the records: "nobody" is none'),
        ({"m": object()}, "got object, which holds no rows"),
        ([{"id": "darkcore-001"}], "the scores, row 1: no column 'score'"),
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
    assert {"letters", "lambda"} <= {one.name for one in several.features}
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
        assert "and 15 more methods: methods has all of them" in text
    assert audit.signature in str(audit)
    two = assay.confounds(DARK, scores={f"m{n}": SCORES for n in range(2)}, joint=False)
    assert "more method" not in str(two)


def test_a_feature_that_tells_something_is_not_called_inert():
    audit = assay.confounds(DARK, joint=False)
    under = [(row["flag"], row["low"] > 0.5) for row in audit.to_rows() if row["auc"] < 0.70]
    assert set(under) == {(None, True), ("inert", False)}
    assert {each["flag"] for each in audit.to_dict()["features"]} >= {"inert"}


WORDS = [f"w{i:03d}" for i in range(300)]


def confounded(n=240):
    """A frame whose positives are longer, under foreign column names and a shuffled index."""
    rng = np.random.default_rng(1)
    rows = [
        {
            "prompt": f"What {' '.join(rng.choice(WORDS, 6))}?",
            "completion": " ".join(
                rng.choice(WORDS, int(rng.integers(4, 12) + 3 * (i % 2 and rng.random() < 0.7)))
            ),
            "verdict": "wrong" if i % 2 else "right",
        }
        for i in range(n)
    ]
    return pandas.DataFrame(rows, index=rng.permutation(n))


NAMED = {
    "question": "prompt",
    "response": "completion",
    "label": "verdict",
    "positive": "wrong",
}


def test_a_balanced_subset_is_taken_by_position_as_rows_or_as_a_benchmark():
    frame = confounded()
    balanced = assay.balance(frame, **NAMED)
    assert balanced.achieved and 0 < balanced.kept < len(frame)
    chosen = frame.iloc[balanced.positions]
    assert balanced.rows() == chosen.to_dict(orient="records")
    assert [int(name) - 1 for name in balanced.records] == balanced.positions
    audits = [assay.confounds(chosen, **NAMED), assay.confounds(balanced)]
    for audit in audits:
        assert audit.joint.auc == balanced.after.joint
        assert (audit.verdict, audit.because) == (balanced.verdict, balanced.because)
    kept = assay.load_benchmark(balanced)
    assert [item.id for item in kept.items] == list(balanced.records)
    assert kept.digest != assay.load_benchmark(frame, **NAMED).digest
    assert "balanced subset of frame" in str(audits[1])
    assert assay.run("oracle:word_length", balanced).benchmark.digest == kept.digest
    again = pickle.loads(pickle.dumps(balanced))  # noqa: S301 - our own bytes
    assert again == balanced and again.rows() == balanced.rows()


def test_positions_count_the_rows_that_were_left_out():
    frame = confounded()
    frame.iloc[0, 1] = None
    balanced = assay.balance(frame, missing="exclude", **NAMED)
    assert 0 not in balanced.positions
    assert balanced.rows() == frame.iloc[balanced.positions].to_dict(orient="records")


def test_the_rows_of_a_file_that_changed_are_refused(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
    balanced = assay.balance(path, positive="class != truth")
    assert balanced.rows() == [PAIRS[place] for place in balanced.positions]
    path.write_text(json.dumps(PAIRS[0]) + "\n")
    with pytest.raises(assay.errors.DigestMismatch, match="has changed"):
        balanced.rows()


def test_a_failed_repair_says_so_and_gives_no_rows():
    rows = [
        {"question": f"q{i}", "response": "word " * (9 if i % 2 else 1), "label": i % 2}
        for i in range(60)
    ]
    failed = assay.balance(rows)
    assert not failed.achieved
    assert "\nnot balanced for the declared surface" in str(failed)
    assert "last tried: AUC" in str(failed) and "confounds on it" not in str(failed)
    assert failed.to_dict()["positions"] == [] and failed.verdict is None
    uses = (failed.rows, lambda: failed.positions, lambda: assay.confounds(failed))
    for use in (*uses, lambda: assay.load_benchmark(failed)):
        with pytest.raises(assay.SpecError, match="There is no balanced subset"):
            use()


def test_a_cell_that_writes_a_subset_can_be_run_again(tmp_path):
    out = tmp_path / "new" / "out.jsonl"
    for _ in range(2):
        assay.balance("minimal-pairs", out=out, overwrite=True)
    with pytest.raises(assay.SpecError) as refused:
        assay.balance("minimal-pairs", out=out)
    assert "`overwrite=True`" in refused.value.__notes__[0]


def test_scores_may_be_arrays_and_series(auc):
    values = np.array(list(SCORES.values()))
    assert methods_of(values) == methods_of(polars.Series(values)) == {"scores": auc}
    assert methods_of(pandas.Series(values)) == {"scores": auc}
    by_id = pandas.Series(SCORES).sample(frac=1.0, random_state=1)
    assert methods_of(by_id) == {"scores": auc}
    several = {"one": by_id, "two": values, "three": pandas.Series(values)}
    assert methods_of(several) == dict.fromkeys(several, auc)
    assert methods_of({"id": np.array(list(SCORES)), "score": values}) == {"rows": auc}


def test_the_index_of_a_series_is_never_ignored():
    frame = confounded().assign(judge=range(240))
    expected = assay.confounds(frame, scores=list(range(240)), joint=False, **NAMED).methods[0].auc
    found = assay.confounds(frame, scores=frame["judge"], joint=False, **NAMED).methods[0].auc
    assert found == expected
    mixed = frame["judge"].sample(frac=1.0, random_state=2)
    found = assay.confounds(frame, scores=mixed, joint=False, **NAMED).methods[0].auc
    assert found == expected
    balanced = assay.balance(frame, **NAMED)
    both = [
        assay.confounds(balanced, scores=scores, joint=False).methods[0].auc
        for scores in (frame["judge"], frame["judge"].iloc[balanced.positions])
    ]
    assert both[0] == both[1]


def test_a_column_of_the_data_may_hold_the_scores(tmp_path):
    frame = confounded().assign(judge=[i % 7 for i in range(240)])
    named = {**NAMED, "joint": False}
    expected = assay.confounds(frame, scores=frame["judge"].to_list(), **named).methods[0].auc
    for data in (frame, frame.to_dict(orient="records")):
        audit = assay.confounds(data, score="judge", **named)
        assert [(m.name, m.auc) for m in audit.methods] == [("judge", expected)]
    frame.to_csv(tmp_path / "mine.csv", index=False)
    found = assay.confounds(tmp_path / "mine.csv", score=["judge"], **named).methods
    assert found[0].auc == expected
    with pytest.raises(assay.SpecError, match="no column 'does_not_exist' to take scores from"):
        assay.confounds(frame, score="does_not_exist", **named)
    with pytest.raises(assay.SpecError) as refused:
        assay.confounds(frame, scores="judge", **named)
    assert '`score="judge"`' in refused.value.__notes__[0]
    balanced = assay.balance(frame, **NAMED)
    kept = frame.iloc[balanced.positions]
    both = [
        assay.confounds(balanced, score="judge", joint=False),
        assay.confounds(balanced, scores=kept["judge"].to_numpy(), joint=False),
        assay.confounds(kept, score="judge", **named),
    ]
    assert len({audit.methods[0].auc for audit in both}) == 1


def test_a_printed_audit_counts_scores_that_are_missing_and_has_a_row_for_each_method():
    first, second, *_ = SCORES
    gaps = {**SCORES, first: None, second: float("nan")}
    audit = assay.confounds(DARK, scores={"mine": gaps}, joint=False)
    for text in (str(audit), audit._repr_html_()):
        assert "without 2 records that have no score" in text
    row = audit.to_rows()[0]
    assert (row["kind"], row["name"], row["unscored"]) == ("method", "mine", 2)
    assert row["auc"] == audit.methods[0].auc
    assert ">mine</td>" in audit._repr_html_()
    assert len({tuple(row) for row in audit.to_rows()}) == 1
    assert {row["kind"] for row in assay.confounds(DARK, joint=False).to_rows()} == {"feature"}


def test_a_feature_of_ones_own_is_mentioned_even_if_it_tells_nothing():
    def flat(response):
        return 1.0

    audit = assay.confounds(DARK, joint=False, feature=flat)
    assert "flat (yours) alone: AUC 0.500" in str(audit)
    assert [row["name"] for row in audit.to_rows() if row["kind"] == "own feature"] == ["flat"]


def test_too_few_records_are_said_to_be_too_few_and_how_many_it_takes():
    audit = assay.confounds(confounded(8), **NAMED)
    assert audit.verdict == "undecided"
    assert audit.because.startswith(
        "too few records: 4 positive and 4 negative; a verdict needs at least 10 of each"
    )
    assert "without the joint surface model" in assay.confounds(DARK, joint=False).because


def test_faults_are_printed_as_sentences_with_a_count_and_a_remedy():
    frame = confounded()
    frame.iloc[:3, 1] = None
    said = str(assay.confounds(frame, joint=False, **NAMED))
    assert "empty-response: Blank responses: 3. Give these records a response, or drop" in said
    assert "fault of the data: empty-response" not in said
