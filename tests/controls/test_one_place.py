"""One seal, one place: a study has no second copy in its tree, nor in its history."""

import json
import os
import shutil
import signal
from unittest.mock import patch

import pytest
from helpers.command import command
from helpers.studies import (
    a_study,
    breach,
    cloned,
    commit,
    entries,
    forged,
    git,
    in_child,
    opened,
    remember_installed,
    sealed,
    steps,
)

from assay.errors import NotHere, SpecError
from assay.study.discover import checkout_of, find_studies
from assay.study.git import Repository
from assay.study.study import MAX_PLAN_BYTES, open_study
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def copied(study, name="copy"):
    """`cp -r` of a study."""
    shutil.copytree(study.root, study.root.parent / name)
    return open_study(study.root.parent / name)


def test_a_copy_beside_a_study_is_a_breach(tmp_path):
    study = a_study(tmp_path, "git-sealed")
    copied(study)
    number, found = breach(study)
    assert number == 3
    assert "study" in found and "copy" in found


def test_a_copy_beside_a_study_outside_git_is_a_breach(tmp_path):
    study = a_study(tmp_path, "sealed")
    copied(study)
    assert breach(study)[0] == 3


def test_a_copy_deeper_in_the_tree_or_ignored_is_a_breach(tmp_path):
    study = a_study(tmp_path, "git-sealed")
    (tmp_path / ".gitignore").write_text("scratch\n")
    copied(study, "scratch/deep/copy")
    assert breach(study)[0] == 3


@pytest.mark.parametrize("stage", ["sealed", "git-sealed"])
def test_a_pipe_beside_a_study_is_not_waited_for(tmp_path, stage):
    study = a_study(tmp_path, stage)
    (tmp_path / "x").mkdir()
    os.mkfifo(tmp_path / "x/study.toml")
    (tmp_path / "x/ledger.jsonl").touch()

    def verify_in_time():
        signal.alarm(20)
        number, _ = breach(open_study(study.root))
        os._exit(0 if number is None else 1)

    assert in_child(verify_in_time) == 0


def test_a_plan_too_large_to_be_one_is_not_read_from_history(tmp_path):
    study = a_study(tmp_path, "git-sealed")
    (tmp_path / "x").mkdir()
    (tmp_path / "x/study.toml").write_bytes(b"#" * (MAX_PLAN_BYTES + 1))
    (tmp_path / "x/ledger.jsonl").touch()
    blob = commit(tmp_path, "Something large") and git(tmp_path, "rev-parse", "HEAD:x/study.toml")
    shutil.rmtree(tmp_path / "x")
    commit(tmp_path, "Without it")
    read = []
    ask = Repository.blob

    def asked(repository, name, *more, **named):
        read.append(name)
        return ask(repository, name, *more, **named)

    with patch.object(Repository, "blob", asked):
        assert breach(study) == (None, "")
    assert read
    assert blob not in read


def with_many_folders(study, folders=100, commits=20):
    """Plans of nobody in many folders, changed by many commits and removed again."""
    home = study.root.parent
    for number in range(folders):
        (home / f"junk/{number}").mkdir(parents=True)
        (home / f"junk/{number}/study.toml").write_text("a\n")
    for number in range(commits):
        (home / "junk/0/study.toml").write_text(f"{number}\n")
        commit(home, "Some plans")
    shutil.rmtree(home / "junk")
    commit(home, "None of them")


def test_only_folders_of_the_study_are_looked_up_in_its_history(tmp_path):
    """Every folder that ever held a plan was looked up in every commit that touched one."""
    study = a_study(tmp_path, "git-sealed")
    with_many_folders(study)
    asked = []
    ask = Repository.blobs

    def counted(repository, places):
        asked.extend(places)
        return ask(repository, places)

    with patch.object(Repository, "blobs", counted):
        assert breach(study) == (None, "")
    assert 0 < len(asked) < 100


@pytest.mark.parametrize(
    "bound", ["assay.study.verify.history._MOST_LOOKED_UP", "assay.study.git._MOST_HISTORY"]
)
def test_a_history_that_is_too_much_to_look_up_is_unchecked(tmp_path, monkeypatch, bound):
    study = a_study(tmp_path, "git-sealed")
    assert breach(study) == (None, "")
    monkeypatch.setattr(bound, 0)
    outcome, found = steps(study)[3]
    assert outcome == "unchecked"
    assert "more" in found


def test_a_study_whose_plan_is_too_large_is_refused(tmp_path):
    """Its copies could not be told."""
    study = a_study(tmp_path, "sealed")
    with (study.root / "study.toml").open("ab") as plan:
        plan.write(b"#" * MAX_PLAN_BYTES)
    with pytest.raises(SpecError, match="more than"):
        open_study(study.root)


def test_a_copy_that_was_committed_in_two_parts_and_deleted_is_seen_in_history(tmp_path):
    study = a_study(tmp_path, "git-sealed")
    other = copied(study)
    plan = tmp_path / "plan.toml"
    shutil.move(other.root / "study.toml", plan)
    commit(tmp_path, "The ledger of a copy")
    shutil.move(plan, other.root / "study.toml")
    commit(tmp_path, "And its plan")
    shutil.rmtree(other.root)
    commit(tmp_path, "Neither")
    number, found = breach(study)
    assert number == 3
    assert "two studies" in found


@pytest.mark.parametrize("name", ["copy", "a\ncopy", "a\u2028copy"])
def test_a_copy_that_was_run_too_and_deleted_is_seen_in_history(tmp_path, name):
    study = a_study(tmp_path, "git-sealed")
    other = copied(study, name)
    commit(tmp_path, "A copy")
    for one in (study, other):
        run_sealed(one, "001")
    commit(tmp_path, "Two results")
    shutil.rmtree(other.root)
    commit(tmp_path, "The better one")
    number, found = breach(study)
    assert number == 3
    assert "copy" in found


def test_a_copy_that_only_a_commit_before_the_runs_held_is_seen(tmp_path):
    """Both were sealed in one commit, so that both could be run with a witness."""
    study = a_study(tmp_path, "git-sealed")
    other = copied(study)
    commit(tmp_path, "A copy")
    for one in (study, other):
        run_sealed(one, "001")
    shutil.rmtree(study.root)
    commit(tmp_path, "The better one")
    number, found = breach(other)
    assert number == 3
    assert "study" in found


def test_a_result_that_was_committed_and_replaced_by_another_is_seen(tmp_path):
    study = a_study(tmp_path, "git-finished")
    first = len(entries(study))
    git(tmp_path, "checkout", "--quiet", "HEAD~1", "--", "study")
    for name in ("runs", "scorecards", "grades"):
        shutil.rmtree(study.root / name)
    commit(tmp_path, "As it was before")
    run_sealed(open_study(study.root), "001")
    commit(tmp_path, "Result of 001, once more")
    assert len(entries(study)) == first
    number, found = breach(study)
    assert number == 3
    assert "differs from line" in found


def test_an_entry_that_was_taken_away_in_a_later_commit_is_seen(tmp_path):
    study = a_study(tmp_path, "git-finished")
    forged(study, drop=(len(entries(study)) - 1,))
    (study.root / "grades/001.json").unlink()
    commit(tmp_path, "Without the grade")
    assert breach(study)[0] == 3


def test_two_branches_may_seal_and_one_seal_again_after_the_merge(tmp_path):
    study = a_study(tmp_path, "git-opened")
    git(tmp_path, "branch", "other")
    sealed(study, "001")
    commit(tmp_path, "Seal 001")
    git(tmp_path, "checkout", "--quiet", "other")
    sealed(open_study(study.root), "002")
    commit(tmp_path, "Seal 002")
    assert git(tmp_path, "merge", "main", check=False).returncode == 1
    git(tmp_path, "checkout", "--quiet", "main", "--", "study/ledger.jsonl")
    (study.root / "preregs/002/seal.json").unlink()
    seal(open_study(study.root), "002")
    commit(tmp_path, "Merge main, and seal 002 again")
    for name in ("001", "002"):
        run_sealed(open_study(study.root), name)
        commit(tmp_path, f"Result of {name}")
    outcome, found = steps(study)[3]
    assert outcome == "noted"
    assert "a seal of 002 that this ledger lacks" in found


def test_a_study_that_was_moved_stays_intact(tmp_path):
    study = a_study(tmp_path, "git-finished")
    (tmp_path / "data").mkdir()
    git(tmp_path, "mv", "study", "moved")
    commit(tmp_path, "Move")
    assert breach(open_study(tmp_path / "moved")) == (None, "")
    assert breach(study.__class__(root=tmp_path / "moved", config=study.config)) == (None, "")


def test_another_study_beside_it_is_no_copy(tmp_path):
    study = a_study(tmp_path / "one", "sealed")
    a_study(tmp_path / "two", "second")
    shutil.move(tmp_path / "two/study", tmp_path / "one/other")
    assert breach(study) == (None, "")


def test_a_checkout_of_its_own_inside_the_tree_is_no_copy(tmp_path):
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    git(home, "worktree", "add", "--quiet", str(home / "trees/other"))
    assert breach(study) == (None, "")


def test_a_history_that_was_cut_off_is_noted(tmp_path):
    home = tmp_path / "home"
    a_study(home, "git-opened")
    commit(home, "More")
    shallow = cloned(home, tmp_path / "shallow", "--depth", "1")
    outcome, found = steps(shallow)[3]
    assert outcome == "noted"
    assert "shallow" in found


def test_verify_all_names_the_two(tmp_path):
    study = a_study(tmp_path, "git-sealed")
    copied(study)
    done = command(tmp_path, "verify", "--all", "--json")
    assert done.returncode == 4
    last = [one["steps"][-1] for one in json.loads(done.stdout)]
    assert [one["number"] for one in last] == [3, 3]


def test_verify_staged_sees_a_staged_copy(tmp_path):
    study = a_study(tmp_path, "git-sealed")
    copied(study)
    git(tmp_path, "add", "--all")
    assert command(tmp_path, "verify", "--all", "--staged").returncode == 4


@pytest.mark.parametrize("revision", ["published", "ab" * 20, "HEAD~99", "-x", "a\nb"])
def test_a_revision_that_cannot_be_resolved_is_an_error_even_without_a_study(tmp_path, revision):
    home = tmp_path / "home"
    study = a_study(home, "git-sealed")
    shutil.rmtree(study.root)
    commit(home, "No study any more")
    with pytest.raises(NotHere):
        find_studies(checkout_of(home), since=revision)
    done = command(home, "verify", "--all", "--since", revision)
    assert done.returncode == 2


def test_a_revision_is_an_error_where_there_is_no_repository(tmp_path):
    with pytest.raises(SpecError, match="git"):
        find_studies(checkout_of(tmp_path), since="HEAD")


def test_the_zeros_of_a_new_branch_are_no_revision(tmp_path):
    home = tmp_path / "home"
    a_study(home, "git-finished")
    assert command(home, "verify", "--all", "--since", "0" * 40).returncode == 0


def back_to_the_seal(study):
    """The study as it was before its run."""
    git(study.root.parent, "checkout", "--quiet", "HEAD~1", "--", "study")
    for name in ("runs", "scorecards", "grades"):
        shutil.rmtree(study.root / name, ignore_errors=True)


@pytest.mark.parametrize("plan", ["left out", "of another origin"])
def test_a_result_that_was_committed_without_its_plan_and_taken_back_is_seen(tmp_path, plan):
    study = a_study(tmp_path, "git-sealed")
    run_sealed(study, "001")
    text = (study.root / "study.toml").read_text()
    other = text.replace(study.config.origin, "elsewhere")
    (study.root / "study.toml").write_text(other)
    if plan == "left out":
        (study.root / "study.toml").unlink()
    commit(tmp_path, "A bad result")
    back_to_the_seal(study)
    commit(tmp_path, "As it was")
    run_sealed(open_study(study.root), "001")
    commit(tmp_path, "A better result")
    number, found = breach(study)
    assert number == 3
    assert "differs from line" in found


def test_a_ledger_of_this_study_that_cannot_be_read_is_noted(tmp_path):
    study = a_study(tmp_path, "git-finished")
    ledger = study.root / "ledger.jsonl"
    good = ledger.read_bytes()
    ledger.write_bytes(good.replace(b'"run"', b'"ran"'))
    commit(tmp_path, "A bad result")
    ledger.write_bytes(good)
    commit(tmp_path, "Mended")
    outcome, found = steps(study)[3]
    assert outcome == "noted"
    assert "cannot be read" in found


def test_a_study_that_was_founded_anew_in_the_same_place_is_noted(tmp_path):
    study = a_study(tmp_path, "git-finished")
    shutil.rmtree(study.root)
    new = opened(tmp_path)
    sealed(new)
    commit(tmp_path, "Founded anew")
    outcome, found = steps(new)[3]
    assert outcome == "noted"
    assert "held another ledger in study" in found
    git(tmp_path, "mv", "study", "moved")
    commit(tmp_path, "And moved")
    assert "held another ledger in study" in steps(open_study(tmp_path / "moved"))[3][1]


@pytest.mark.parametrize("empty", ["file", "folder"])
def test_a_copy_beside_an_empty_git_is_a_breach(tmp_path, empty):
    study = a_study(tmp_path, "git-sealed")
    other = copied(study)
    (other.root / ".git").touch() if empty == "file" else (other.root / ".git").mkdir()
    assert breach(study)[0] == 3


def test_a_copy_in_a_checkout_of_its_own_is_noted(tmp_path):
    study = a_study(tmp_path, "git-sealed")
    other = copied(study, "deep/copy")
    git(other.root.parent, "init", "--quiet")
    outcome, found = steps(study)[3]
    assert outcome == "noted"
    assert "deep/copy" in found and "in another checkout" in found
