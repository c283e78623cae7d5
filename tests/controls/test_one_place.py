"""One seal, one place: a study has no second copy in its tree, nor in its history."""

import json
import shutil

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
    remember_installed,
    sealed,
    steps,
)

from assay.errors import NotHere, SpecError
from assay.study.discover import checkout_of, find_studies
from assay.study.study import open_study
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
    assert "went on otherwise" in found


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
    assert "sealed 002 otherwise" in found


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
    assert "history" in found


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
