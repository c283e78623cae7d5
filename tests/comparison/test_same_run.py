"""One run that its harness wrote in two forms, and what a form without a header does not say."""

import json

import pytest

from assay import Trial
from assay.comparison.collect import Request, compare_sides, sides_from
from assay.comparison.judge.compare import compare
from assay.comparison.sides.reader import SideReading
from assay.errors import IncomparableRuns
from assay.logs.same_run import is_same_run

GOOD, BAD = [1] * 18 + [0] * 2, [1] * 6 + [0] * 14


def rows(scores, model, seconds=0.5):
    return [
        {
            "success": bool(score),
            "score": score,
            "namedScores": {"exact": score},
            "failureReason": int(not score),
            "gradingResult": {"namedScoreWeights": {"exact": 1}},
            "provider": {"id": f"file://{model}.js", "label": model},
            "prompt": {"raw": f"Say {at}", "label": "Say {{number}}"},
            "promptIdx": 0,
            "latencyMs": 1000 * seconds,
            "response": {"output": str(at)},
            "testCase": {"vars": {"number": at}, "assert": [{"type": "equals", "metric": "exact"}]},
        }
        for at, score in enumerate(scores)
    ]


def write(folder, name, scores, model, forms=("json", "jsonl"), **more):
    """An evaluation of promptfoo in its two forms: with a header, and as rows alone."""
    folder.mkdir(exist_ok=True)
    made = rows(scores, model, **more)
    n, passed = len(scores), sum(scores)
    metrics = {
        "score": passed,
        "testPassCount": passed,
        "testFailCount": n - passed,
        "testErrorCount": 0,
        "namedScores": {"exact": passed},
        "namedScoreWeights": {"exact": n},
    }
    prompt = {"label": "Say {{number}}", "provider": model, "metrics": metrics}
    log = {
        "evalId": "e",
        "results": {"version": 3, "prompts": [prompt], "results": made},
        "config": {"providers": [{"id": model, "config": {"temperature": 0.5}}]},
        "metadata": {"promptfooVersion": "0.121.20"},
    }
    text = {"json": json.dumps(log), "jsonl": "\n".join(map(json.dumps, made))}
    for form in forms:
        (folder / f"{name}.{form}").write_text(text[form])
    return folder / f"{name}.{forms[0]}"


def compared(*paths, by=None):
    request = Request(plan=None, policies={}, reading=SideReading(by=by))
    named = [(path.name, [path]) for path in paths]
    return compare_sides(sides_from(named, request), request)


def test_one_run_in_two_forms_is_refused_by_name(tmp_path):
    write(tmp_path / "a", "log", BAD, "m")
    write(tmp_path / "b", "log", GOOD, "n", ["json"])
    with pytest.raises(
        IncomparableRuns, match=r"a has the same run twice: .*log\.json and .*\.jsonl"
    ):
        compared(tmp_path / "a", tmp_path / "b")


def test_one_run_in_two_forms_is_refused_by_model(tmp_path):
    write(tmp_path / "all", "a", BAD, "m")
    write(tmp_path / "all", "b", GOOD, "n")
    with pytest.raises(IncomparableRuns, match="m has the same run twice"):
        compared(tmp_path / "all", by="model")


def test_one_run_in_two_forms_is_not_exported_twice(assay_cmd, tmp_path):
    write(tmp_path / "a", "log", BAD, "m")
    done = assay_cmd("export", "a", "--out", "store")
    assert done.code == 2 and "the same run is given twice: a/log.json and a/log.jsonl" in done.err
    assert not (tmp_path / "store").exists()


def test_runs_that_took_other_times_are_two_runs(tmp_path):
    write(tmp_path / "a", "first", BAD, "m", ["json"])
    write(tmp_path / "a", "again", BAD, "m", ["json"], seconds=0.25)
    write(tmp_path / "b", "log", GOOD, "n", ["json"])
    assert compared(tmp_path / "a", tmp_path / "b").n_baseline == 40


def trials(scores, **harness):
    return [
        Trial(instance=str(at), trial="1", dimensions=scored, harness=harness)
        for at, scored in enumerate(scores)
    ]


def test_a_form_may_lack_the_model_the_task_or_a_metric():
    ours = trials([{"exact": 1, "brevity": 0.5}], model="m", task="facts")
    assert is_same_run(ours, trials([{"exact": 1}], task="experiment"))
    assert not is_same_run(ours, trials([{"exact": 0}], task="experiment"))
    assert not is_same_run(ours, trials([{"exact": 1}], model="n", task="facts"))
    assert not is_same_run(ours, trials([{"exact": 1}], model="m", task="sums"))
    assert not is_same_run(ours, trials([{"other": 1}], model="m", task="facts"))


def test_what_a_form_does_not_say_is_unknown_and_no_difference(tmp_path):
    ours = write(tmp_path / "a", "log", BAD, "m", ["json"])
    theirs = write(tmp_path / "b", "log", GOOD, "n", ["jsonl"])
    found = compared(ours, theirs)
    caveats = {caveat.code: caveat for caveat in found.caveats}
    assert not caveats["harness-unknown"].blocking and "models-differ" in caveats
    assert caveats["harness-unknown"].message.endswith(
        "Known for one side only: harness, temperature."
    )
    assert "harness-differs" not in caveats


@pytest.mark.parametrize(
    "theirs",
    [
        {"harness": "h 2", "task": "t", "temperature": "1"},
        {"harness": "h 1", "task": "t", "prompt": "p"},
        {"harness": "other", "task": "t"},
    ],
)
def test_another_version_and_a_setting_of_its_own_are_differences(theirs):
    ours = {"harness": "h 1", "task": "t", "temperature": "1", "prompt": "p"}
    sides = [trials([{"a": 1}] * 4, **harness) for harness in (ours, theirs)]
    found = compare(baseline=sides[0], candidate=sides[1])
    assert "harness-differs" in {caveat.code for caveat in found.caveats if caveat.blocking}
