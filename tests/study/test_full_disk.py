import errno
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from helpers.scale import scale
from helpers.studies import (
    a_study,
    breach,
    commit,
    drafted,
    entries,
    in_child,
    kinds,
    raised,
    remember_installed,
    revised_unjudged,
)

from assay.errors import AssayError, StorageError
from assay.ledger import file as ledger_file
from assay.runs.store import RunFolder
from assay.study.scorecards.rejudge import judge_study
from assay.study.study import StudyFolder, open_study
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal

STORAGE = StorageError.exit_code


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    remember_installed(monkeypatch)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)


def limited(size, action):
    """Do something in a process for whose files the disk is full at so many bytes."""

    def under_limit():
        sys.dont_write_bytecode = True  # or Python would leave half of a module's
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        action()

    return in_child(under_limit)


def lines_of(study):
    return (study.root / "ledger.jsonl").read_bytes().split(b"\n")[:-1]


def outputs_of(study):
    path = study.root / "runs/001/outputs.jsonl"
    data = path.read_bytes() if path.exists() else b""
    return data[: data.rfind(b"\n") + 1]


@pytest.mark.parametrize("size", scale([0, 30, 700, 1300], range(0, 1400, 100)))
def test_a_full_disk_while_sealing_loses_nothing_and_can_be_mended(tmp_path, size):
    study = a_study(tmp_path / "home", "opened")
    drafted(study)
    before = lines_of(study)
    assert limited(size, lambda: seal(open_study(study.root), "001")) == STORAGE
    assert lines_of(study) == before
    seal(study, "001")
    assert kinds(study) == ["study", "seal"]
    assert breach(study) == (None, "")


@pytest.mark.parametrize("size", scale([0, 300, 1000, 1650], range(0, 2000, 50)))
def test_a_full_disk_while_running_loses_nothing_and_can_be_mended(tmp_path, size):
    study = a_study(tmp_path / "home", "git-sealed")
    before = lines_of(study)
    code = limited(size, lambda: run_sealed(open_study(study.root), "001"))
    assert code == STORAGE
    kept, stored = lines_of(study), outputs_of(study)
    assert kept[: len(before)] == before
    run_sealed(study, "001")
    assert lines_of(study)[: len(kept)] == kept
    assert outputs_of(study).startswith(stored)
    assert kinds(study).count("run-started") == 1
    commit(tmp_path / "home", "Result of 001")
    assert breach(study) == (None, "")


def with_new_bars(home):
    """A result that is not judged yet under the newest bars."""
    study = a_study(home, "finished")
    revised_unjudged(study)
    return open_study(study.root)


@pytest.mark.parametrize("size", scale([0, 1000], range(0, 2000, 100)))
def test_a_full_disk_while_judging_loses_nothing_and_can_be_mended(tmp_path, size):
    study = with_new_bars(tmp_path / "home")
    before = lines_of(study)
    assert limited(size, lambda: judge_study(open_study(study.root))) == STORAGE
    assert lines_of(study) == before
    judge_study(study)
    assert breach(study) == (None, "")


def full(*given, **more):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


WRITES = {
    "the disk takes no line": (os, "pwrite"),
    "the ledger is not synced": (ledger_file, "_SYNC"),
    "a file is not synced": (os, "fsync"),
    "no new file": (tempfile, "mkstemp"),
    "no new name": (Path, "replace"),
}
CALLS = {"a file is not synced": 9}
"""How often a run makes these calls, where it is not four times."""


def failing(monkeypatch, place, name, at):
    """One of the calls of a function fails as on a full disk."""
    found, count = getattr(place, name), 0

    def call(*given, **more):
        nonlocal count
        count += 1
        return full() if count == at else found(*given, **more)

    monkeypatch.setattr(place, name, call)
    return lambda: count >= at


@pytest.mark.parametrize(
    ("kind", "at"),
    [
        (kind, at)
        for kind in WRITES
        for at in scale((1, CALLS.get(kind, 4)), range(1, CALLS.get(kind, 4) + 1))
    ],
)
def test_whichever_write_fails_the_run_can_be_repeated(tmp_path, monkeypatch, kind, at):
    study = a_study(tmp_path / "home", "git-sealed")
    with monkeypatch.context() as broken:
        reached = failing(broken, *WRITES[kind], at)
        error = raised(run_sealed, study, "001")
        assert reached()
    assert isinstance(error, StorageError)
    assert "No space left" in error.message
    kept = lines_of(study)
    run_sealed(open_study(study.root), "001")
    assert lines_of(study)[: len(kept)] == kept
    commit(tmp_path / "home", "Result of 001")
    assert breach(study) == (None, "")


def test_an_entry_that_was_not_synced_was_never_made(tmp_path, monkeypatch):
    study = a_study(tmp_path / "home", "opened")
    drafted(study)
    before = (study.root / "ledger.jsonl").read_bytes()
    with monkeypatch.context() as broken:
        broken.setattr(ledger_file, "_SYNC", full)
        assert isinstance(raised(seal, study, "001"), StorageError)
    assert (study.root / "ledger.jsonl").read_bytes() == before


def test_a_full_disk_in_the_middle_of_an_output_costs_that_output_only(tmp_path, monkeypatch):
    study = a_study(tmp_path / "home", "git-sealed")
    add = RunFolder.add

    def torn(folder, record):
        if outputs_of(study).count(b"\n") == 12:
            os.write(folder._outputs.fileno(), b'{"item":')
            with Path("/dev/full").open("wb", buffering=0) as other:
                folder._outputs.close()
                folder._outputs = other
                add(folder, record)
        add(folder, record)

    with monkeypatch.context() as broken:
        broken.setattr(RunFolder, "add", torn)
        error = raised(run_sealed, study, "001")
    assert isinstance(error, StorageError)
    stored = outputs_of(study)
    assert stored.count(b"\n") == 12
    assert run_sealed(study, "001").resumed == 1
    assert outputs_of(study).startswith(stored)
    commit(tmp_path / "home", "Result of 001")
    assert breach(study) == (None, "")


@pytest.mark.parametrize(
    ("words", "stage"), [(("run", "001"), "git-sealed"), (("seal", "002"), "git-sealed")]
)
def test_the_command_says_it_in_a_line_and_exits_with_2(tmp_path, words, stage):
    study = a_study(tmp_path / "home", stage)
    if words[0] == "seal":
        drafted(study, "002")
    limit = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700));"
    start = f"{limit} os.execv(sys.executable, [sys.executable, '-m', 'assay', *sys.argv[1:]])"
    done = subprocess.run(
        [sys.executable, "-c", start, *words],
        cwd=study.root,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert done.returncode == STORAGE
    assert done.stderr.startswith("StorageError: ")
    assert "Traceback" not in done.stderr
    assert "File too large" in done.stderr


NOT_THERE = {
    "the data are gone": lambda study: (study.root.parent / "data.jsonl").rename(
        study.root.parent / "gone.jsonl"
    ),
    "the disk does not give them": lambda study: None,
}


@pytest.mark.parametrize("kind", NOT_THERE)
def test_what_cannot_be_judged_today_is_not_entered_as_what_cannot_be_judged(
    tmp_path, monkeypatch, kind
):
    study = with_new_bars(tmp_path / "home")
    before = kinds(study)
    NOT_THERE[kind](study)
    with monkeypatch.context() as broken:
        if kind == "the disk does not give them":

            def unread(study, *, second):
                raise StorageError("data.jsonl: Input/output error")

            broken.setattr(StudyFolder, "benchmark", unread)
        assert isinstance(raised(judge_study, study), AssayError)
    assert kinds(study) == before
    if kind == "the data are gone":
        (tmp_path / "home/gone.jsonl").rename(tmp_path / "home/data.jsonl")
    judge_study(open_study(study.root))
    assert breach(study) == (None, "")
    stored = json.loads((study.root / "scorecards/001@mine-2.json").read_bytes())
    assert stored["error"] is None
    assert entries(study)[-1].kind == "score"
