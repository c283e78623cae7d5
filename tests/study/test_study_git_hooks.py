import shlex
import sys

import pytest
from helpers.command import command
from helpers.studies import (
    a_study,
    commit,
    drafted,
    git,
    kinds,
    redigest,
    remember_installed,
    rewrite_json,
    sealed,
    settle,
)

from assay.study.study import open_study
from assay.study.submissions.run import run_sealed


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def study(tmp_path):
    found = a_study(tmp_path / "home", "git-finished")
    hooked(tmp_path / "home")
    return found


def hooked(home):
    hook = home / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m assay verify study\n")
    hook.chmod(0o755)


def committed(home):
    """Whether git takes a commit of everything as it is, and what the hook says."""
    git(home, "add", "--all")
    done = git(home, "commit", "--allow-empty", "-m", "Try", check=False)
    assert "Traceback" not in done.stderr
    return done.returncode == 0, done.stdout + done.stderr


def test_a_correct_commit_gets_through(study):
    home = study.root.parent
    sealed(study, "002")
    assert committed(home)[0]
    run_sealed(study, "002")
    (home / "README").write_text("Something else.\n")
    assert committed(home)[0]
    assert git(home, "status", "--porcelain") == ""


def edited(study, name):
    path = study.root / name
    path.write_bytes(path.read_bytes() + b"\n")


def last_line(study):
    path = study.root / "ledger.jsonl"
    *lines, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, last.replace(b'"time":"2', b'"time":"3')]))


def typed(study):
    (study.root / "runs/002").mkdir()
    (study.root / "runs/002/outputs.jsonl").write_text("{}\n")


def restated(study):
    def change(head):
        head["scorecard"]["bars"][0]["value"] = 0.75

    rewrite_json(study.root / "scorecards/001@mine.json", change)
    redigest(study)


HARMS = {
    "a sealed file": (lambda study: edited(study, "preregs/001/method.py"), "4. closures"),
    "a bar": (lambda study: edited(study, "bars/detection-mine.toml"), "4. closures"),
    "a result without a seal": (typed, "3. seals before runs"),
    "a line of the ledger": (last_line, "1. chain"),
    "a scorecard and its entry": (restated, "1. chain"),
    "an output": (lambda study: edited(study, "runs/001/outputs.jsonl"), "5. outputs"),
}


@pytest.mark.parametrize("kind", HARMS)
def test_a_commit_that_breaks_the_study_is_refused(study, kind):
    harm, step = HARMS[kind]
    before = git(study.root.parent, "rev-parse", "HEAD")
    harm(study)
    through, said = committed(study.root.parent)
    assert not through
    assert step in said
    assert git(study.root.parent, "rev-parse", "HEAD") == before


def test_without_the_hook_it_would_get_through(study):
    home = study.root.parent
    (home / ".git/hooks/pre-commit").unlink()
    last_line(study)
    assert committed(home)[0]


def test_the_hook_works_in_a_linked_work_tree_too(tmp_path, study):
    """There git tells its hooks where the repository is, and not where the study is."""
    home, linked = study.root.parent, tmp_path / "linked"
    git(home, "worktree", "add", "--quiet", "-b", "side", str(linked))
    settle(linked)
    last_line(open_study(linked / "study"))
    through, said = committed(linked)
    assert not through
    assert "1. chain" in said
    git(linked, "checkout", "--quiet", "--", ".")
    git(linked, "reset", "--quiet", "--hard")
    assert committed(linked)[0]


def test_a_commit_made_by_the_command_passes_its_own_hook(tmp_path):
    home = tmp_path / "home"
    study = a_study(home, "git-opened")
    hooked(home)
    drafted(study)
    done = command(study.root, "seal", "001", "--commit")
    assert done.returncode == 0, done.stderr
    done = command(study.root, "run", "001", "--commit")
    assert done.returncode in (0, 1), done.stderr
    assert kinds(study)[-1] == "grade"
    assert git(home, "status", "--porcelain", "study") == ""
    assert commit(home, "Nothing more")
