import errno
import resource
import signal

import pytest
from helpers.call_kills import at_call
from helpers.ratifiable import shown, skill, skill_folder
from helpers.scale import scale
from helpers.studies import a_study, breach, in_child, kinds, raised

from assay.errors import StorageError
from assay.folders import artifact_digest
from assay.study.ratify import frozen
from assay.study.ratify.frozen import digest_there, frozen_folder, history
from assay.study.ratify.ratify import check_frozen, ratify, revert
from assay.study.study import open_study

STORAGE = StorageError.exit_code


def prepared(home, kind):
    """A folder with one version in place, a second to come, and what would bring it."""
    home = a_study(home, "opened").root if kind.startswith("study") else home
    place = home / "skills"
    before = skill(home / "1", "one")
    after = skill_folder(home / "2", a="x", b="y") if "folder" in kind else skill(home / "2", "two")
    comparisons = shown(home, before), shown(home, after)
    with frozen_folder(place) as at:
        ratify(at, comparisons[0], before)
    return place, artifact_digest(before), artifact_digest(after), (comparisons[1], after)


def forward(place, what):
    with frozen_folder(place) as at:
        ratify(at, *what)


def back(place):
    with frozen_folder(place) as at:
        revert(at, "skill.md")


def check_whole(place, before, after):
    """What is in place is one or the other, and the next opening agrees with what was noted."""
    found = digest_there(place / "skill.md")
    assert found in (before, after)
    with frozen_folder(place) as at:
        noted = history(at)[-1].artifact
        assert digest_there(place / "skill.md") == noted
        check_frozen(at)
        assert not (place / ".ratified" / "aside").exists() or noted == found
    assert noted in (before, after)
    if (place.parent / "ledger.jsonl").exists():
        assert breach(open_study(place.parent)) == (None, "")
    return noted


def moments(long, step):
    """Moments all along a life of so many calls; a few of them in every suite."""
    return list(range(long)) if scale(0, 1) else list(range(0, long, step))


KINDS = ("alone, a file", "alone, a folder", "study, a file", "study, a folder")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moment", moments(80, 5))
def test_killed_at_any_call_it_is_done_or_not_begun(tmp_path, kind, moment):
    place, before, after, what = prepared(tmp_path, kind)
    ended, reached = at_call(moment, lambda: forward(place, what))
    assert ended == (-signal.SIGKILL if reached else 0)
    if check_whole(place, before, after) == before:
        forward(place, what)
    assert digest_there(place / "skill.md") == after
    back(place)
    assert digest_there(place / "skill.md") == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moment", moments(60, 7))
def test_taking_back_is_done_or_not_begun_too(tmp_path, kind, moment):
    place, before, after, what = prepared(tmp_path, kind)
    forward(place, what)
    ended, reached = at_call(moment, lambda: back(place))
    assert ended == (-signal.SIGKILL if reached else 0)
    if check_whole(place, before, after) == after:
        back(place)
    assert digest_there(place / "skill.md") == before


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=["full", "harmed"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moment", moments(60, 9))
def test_a_disk_that_refuses_any_call_leaves_it_done_or_not_begun(tmp_path, kind, moment, code):
    place, before, after, what = prepared(tmp_path, kind)
    ended, _ = at_call(moment, lambda: forward(place, what), code=code)
    assert ended in (0, STORAGE)
    if check_whole(place, before, after) == before:
        forward(place, what)
    assert digest_there(place / "skill.md") == after


@pytest.mark.parametrize("size", scale([0, 3, 60, 300, 700], range(0, 1200, 20)))
@pytest.mark.parametrize("kind", KINDS)
def test_a_disk_that_is_full_in_the_middle_of_a_file_leaves_no_half_of_it(tmp_path, kind, size):
    place, before, after, what = prepared(tmp_path, kind)

    def under_limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        forward(place, what)

    assert in_child(under_limit) in (0, STORAGE)
    if check_whole(place, before, after) == before:
        forward(place, what)
    assert digest_there(place / "skill.md") == after


class OldLibrary:
    """A C library that cannot swap two names in one step."""


@pytest.mark.parametrize("moment", moments(80, 6))
def test_where_names_cannot_be_swapped_a_kill_in_between_is_made_good(
    tmp_path, monkeypatch, moment
):
    """For a moment nothing is there; the next opening puts it there."""
    place, before, after, what = prepared(tmp_path, "alone, a folder")
    monkeypatch.setattr("assay.sandbox.syscalls._LIBRARY", OldLibrary())
    at_call(moment, lambda: forward(place, what))
    assert digest_there(place / "skill.md") in (before, after, "none")
    with frozen_folder(place) as at:
        noted = history(at)[-1].artifact
        assert digest_there(place / "skill.md") == noted
    if noted == before:
        forward(place, what)
    back(place)
    assert digest_there(place / "skill.md") == before


def test_a_step_in_the_wrong_order_would_be_caught(tmp_path, monkeypatch):
    """An artifact that is put in place before anything is noted is in nobody's record."""
    put, note, caught = frozen.put, frozen.note, 0

    def eager(at, step, comparison):
        frozen.keep(at, what[1], step.artifact)
        put(at, step)
        note(at, step, comparison)

    for moment in range(60):
        home = tmp_path / str(moment)
        home.mkdir()
        place, _, _, what = prepared(home, "alone, a file")
        with monkeypatch.context() as naive:
            naive.setattr("assay.study.ratify.ratify.note", eager)
            _, reached = at_call(moment, lambda place=place, what=what: forward(place, what))
        with frozen_folder(place) as at:
            caught += digest_there(place / "skill.md") != history(at)[-1].artifact
        if not reached:
            break
    assert caught


def test_a_kill_leaves_one_entry_and_not_two(tmp_path):
    """What was noted is finished, and not noted again."""
    for moment in moments(80, 11):
        home = tmp_path / str(moment)
        home.mkdir()
        place, before, after, what = prepared(home, "study, a file")
        at_call(moment, lambda place=place, what=what: forward(place, what))
        if check_whole(place, before, after) == after:
            assert raised(forward, place, what) is not None
        else:
            forward(place, what)
        assert kinds(open_study(place.parent)).count("ratify") == 2
