"""`assay export`: what is written is read back as the same run."""

import json

import pytest
from helpers.inspect_logs import samples, write_eval
from msgspec.structs import replace

from assay import SpecError
from assay.comparison.collect import Request, compare_paths
from assay.logs.format_table import read_log
from assay.logs.harnesses.every_eval_ever.files import export_runs
from assay.logs.log_trials import trials_of

NAN = float("nan")
BEFORE, AFTER = ["I"] * 14 + ["C"] * 5 + [None], ["C"] * 18 + ["I", NAN]


def runs_of(path):
    """What a comparison takes from a log, without what tells the harness."""
    return [
        (
            [replace(trial, harness={}, scorer=None) for trial in trials_of(run)],
            [replace(mean, shown=None) for mean in run.means],  # it is not exported
            [(one.question, one.response, one.target) for one in run.samples],
        )
        for run in read_log(path, texts=True)
    ]


@pytest.fixture
def logs(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    write_eval(folder / "before.eval", samples(BEFORE, 2), model="lab/before")
    write_eval(folder / "after.eval", samples(AFTER, 2), model="lab/after")
    return folder


def test_what_is_exported_has_the_same_trials_means_and_texts(assay_cmd, logs, tmp_path):
    done = assay_cmd("export", "logs", "--out", "store", "--json")
    assert done.code == 0
    assert [run["model"] for run in done.json] == ["lab/after", "lab/before"]
    assert [run["samples"] for run in done.json] == [40, 40]
    for name in ("before", "after"):
        stored = tmp_path / "store" / "data" / "facts" / "lab" / name
        assert runs_of(stored) == runs_of(logs / f"{name}.eval")
        assert sorted(str(path.relative_to(tmp_path)) for path in stored.iterdir()) == next(
            sorted(run["files"]) for run in done.json if run["model"] == f"lab/{name}"
        )


def test_a_comparison_of_what_is_exported_is_that_of_the_logs(assay_cmd, logs, tmp_path):
    assay_cmd("export", "logs/before.eval", "logs/after.eval", "--out", "store")
    place = tmp_path / "store/data/facts/lab"
    request = Request(plan=None, policies={})
    ours = compare_paths([logs / "before.eval"], [logs / "after.eval"], request)
    theirs = compare_paths([place / "before"], [place / "after"], request)
    assert theirs.verdict == ours.verdict and theirs.dimensions == ours.dimensions
    assert {caveat.code for caveat in theirs.caveats} == {caveat.code for caveat in ours.caveats}


def test_a_changed_line_of_what_was_exported_is_caught(assay_cmd, logs, tmp_path):
    assay_cmd("export", "logs/after.eval", "--out", "store")
    [path] = (tmp_path / "store").rglob("*_samples.jsonl")
    path.write_text(path.read_text().replace('"score":1.0', '"score":0.0', 1))
    done = assay_cmd("compare", "logs/before.eval", "store")
    assert done.code == 4 and "reports match" in done.err


def test_the_words_name_what_was_written_and_texts_can_stay_behind(assay_cmd, logs, tmp_path):
    done = assay_cmd("export", "logs/after.eval", "--out", "store", "--no-texts")
    assert done.out.startswith("inspect_ai, facts, lab/after: 40 samples\n  store/data/facts/lab/")
    assert done.out.endswith("Wrote 1 run.\n")
    assert "What is" not in next((tmp_path / "store").rglob("*_samples.jsonl")).read_text()


def test_nothing_is_overwritten_and_one_run_in_two_forms_is_refused(assay_cmd, logs, tmp_path):
    assert assay_cmd("export", "logs/after.eval", "--out", "store").code == 0
    done = assay_cmd("export", "logs", "--out", "store")
    assert done.code == 2 and "already exists" in done.err
    assert len(list((tmp_path / "store").rglob("*.json"))) == 1
    done = assay_cmd("export", "logs/after.eval", "logs/after.eval", "--out", "other")
    assert done.code == 2 and "the same run is given twice" in done.err
    assert not (tmp_path / "other").exists()


def test_what_is_no_log_and_a_task_that_is_not_there_are_refused(assay_cmd, logs, tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    done = assay_cmd("export", "rows.csv", "--out", "store")
    assert done.code == 2 and "not a harness's log, or none inside" in done.err
    done = assay_cmd("export", "logs", "--out", "store", "--task", "sums")
    assert done.code == 2 and "no run of a task 'sums'; there are facts" in done.err
    done = assay_cmd("export", "nowhere", "--out", "store")
    assert done.code == 2 and "nowhere" in done.err


@pytest.mark.parametrize("name", ["../../evil", "/etc/evil", "..", "a/../../b", "x" * 400])
def test_names_of_tasks_and_models_never_leave_the_folder(tmp_path, name):
    log = write_eval(tmp_path / "a.eval", samples(["C", "I"]), model=name, task=name)
    store = tmp_path / "deep" / "store"
    [done] = export_runs(read_log(log), store)
    written = sorted(path for path in (tmp_path / "deep").rglob("*") if path.is_file())
    assert len(written) == 2 and all(path.is_relative_to(store / "data") for path in written)
    assert sorted(done.files) == [str(path) for path in written]
    described = json.loads(next(path for path in written if path.suffix == ".json").read_text())
    samples_file = described["detailed_evaluation_results"]["file_path"]
    assert (store / samples_file).is_file()


def test_the_same_run_has_the_same_name_whenever_it_is_written(tmp_path):
    log = write_eval(tmp_path / "a.eval", samples(["C", "I"]))
    first = export_runs(read_log(log), tmp_path / "one")[0].files
    second = export_runs(read_log(log), tmp_path / "two")[0].files
    names = [[path.rpartition("/")[2] for path in files] for files in (first, second)]
    assert names[0] == names[1]
    with pytest.raises(SpecError, match="already exists"):
        export_runs(read_log(log), tmp_path / "two")
