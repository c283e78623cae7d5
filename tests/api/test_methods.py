import json

import pandas
import pytest
from helpers.studies import a_study

import assay
from assay.benchmark.bundled import FOLDER

ROWS = [json.loads(line) for line in (FOLDER / "darkcore.jsonl").read_text().splitlines()]
FRAME = pandas.DataFrame(ROWS)
WORDS = {"positive": "class != truth"}


def letters(question, response):
    return len(response)


def test_a_function_runs_here_and_the_scorecard_says_so():
    card = assay.try_method(letters)
    assert card.isolation == "trusted"
    assert "trusted-code" in [caveat.code for caveat in card.caveats]
    assert card.bars == assay.try_method("oracle:char_length").bars


def test_a_learner_may_be_handed_over():
    class Mean:
        def fit(self, examples):
            positives = sum(example["target"] for example in examples)
            return lambda question, response: positives / len(examples)

    assert assay.run(Mean(), "darkcore", task="detection").folds is not None


def test_the_run_and_its_scorecard_are_saved(tmp_path):
    card = assay.try_method("constant", bars="v1", save=str(tmp_path / "kept"))
    assert assay.score(tmp_path / "kept", bars="v1") == card
    assert len(list((tmp_path / "kept/scorecards").iterdir())) == 1
    again = assay.run("constant", save=tmp_path / "again")
    assert assay.load_run(tmp_path / "again").records == again.records


def test_a_run_knows_its_data_unless_they_were_in_memory(tmp_path):
    of_name, of_frame = assay.run(letters), assay.run(letters, FRAME, **WORDS)
    expected = assay.score(of_name, bars="v3")
    assert assay.score(of_name, "darkcore", "v3") == expected
    assert assay.score(of_name, bars=assay.load_bars("v3")) == expected
    with pytest.raises(assay.SpecError, match="frame was made in memory and cannot be") as refused:
        assay.score(of_frame)
    assert "Give the same data" in refused.value.hint
    benchmark = assay.load_benchmark(FRAME, **WORDS)
    assert assay.score(of_frame, FRAME, "v3").bars == expected.bars
    assert assay.score(of_frame, benchmark, "v3").bars == expected.bars
    assay.save_run(of_frame, tmp_path / "kept")
    assert assay.score(tmp_path / "kept", FRAME, "v3").bars == expected.bars
    with pytest.raises(assay.errors.DigestMismatch):
        assay.score(of_frame, FRAME.iloc[1:], "v3")


def test_a_second_corpus_is_read_again_or_given():
    run = assay.run(letters, second="folklore-two")
    assert assay.score(run, bars="v1") == assay.score(run, second="folklore-two", bars="v1")
    with pytest.raises(assay.SpecError, match="the run has no second corpus"):
        assay.score(assay.run(letters), second="folklore-two")


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"item_seconds": 0}, "`item_seconds=0`: expected seconds over 0"),
        ({"load_seconds": float("nan")}, "`load_seconds=nan`"),
        ({"item_seconds": 10**9}, "at most a week"),
        ({"limit": {"memory": 1}}, "`limit=memory`: no such limit; there are memory_bytes"),
        ({"limit": {"processes": -1}}, "processes = -1, expected a whole number over 0"),
        ({"bars": "v99"}, "no detection bars 'v99'"),
        ({"task": "sorting"}, "task is 'sorting', expected 'detection' or 'classification'"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(named, said):
    with pytest.raises(assay.SpecError, match=said):
        assay.try_method("constant", **named)


def test_a_function_has_no_limits_to_be_given():
    for named in ({"item_seconds": 5}, {"limit": {"processes": 3}}, {"env": ["HOME"]}):
        with pytest.raises(assay.SpecError, match="limits and an environment"):
            assay.try_method(letters, **named)


def test_bars_of_another_task_are_refused():
    bars = assay.load_bars("v3", task="classification")
    with pytest.raises(assay.SpecError, match="bars for classification, but the task is detection"):
        assay.try_method(letters, bars=bars)


def test_a_run_that_says_it_was_sealed_is_judged_in_its_study():
    from msgspec.structs import replace

    from assay.runs.result import Provenance

    claimed = replace(assay.run(letters), provenance=Provenance(seal="sha256:0", witness=None))
    with pytest.raises(assay.IntegrityError, match="the run claims to be sealed"):
        assay.score(claimed)


def test_words_of_a_log_are_refused_for_a_run():
    with pytest.raises(assay.SpecError, match="`label=` and `score=` are for a log"):
        assay.score(assay.run(letters), label="match")


def test_the_list_of_methods_is_short_in_print_and_whole_in_rows():
    found = assay.methods()
    assert len(found.to_rows()) == len(found) == len(found.to_dict()["methods"])
    assert len(str(found)) < 700
    assert "tfidf:word" in str(found)


def test_a_run_in_a_study_is_judged_by_its_study(tmp_path):
    study = a_study(tmp_path, "opened")
    with pytest.raises(assay.SpecError, match="is inside a study, which judges its own"):
        assay.score(study.root / "runs/001")
