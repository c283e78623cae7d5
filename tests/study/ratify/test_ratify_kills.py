import errno
import resource
import signal

import pytest
from helpers.call_kills import at_call, calls, moments
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
    home.mkdir(exist_ok=True)
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


def back(place, _=None):
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


KINDS = ("alone, a file", "alone, a folder", "study, a file", "study, a folder")


def lives(folder, kind, action, *, few, before=lambda *given: None, code=None):
    """Something prepared for each call at which an action will be cut off, and that call.

    `before` is done first; the action takes the place and what comes there.
    """
    whole, *_, coming = prepared(folder / "whole", kind)
    before(whole, coming)
    for moment in moments(calls(lambda: action(whole, coming), code=code), few):
        place, first, second, what = prepared(folder / str(moment), kind)
        before(place, what)
        yield moment, place, first, second, what


@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_any_call_it_is_done_or_not_begun(tmp_path, kind):
    for moment, place, before, after, what in lives(tmp_path, kind, forward, few=10):
        killed = at_call(moment, lambda place=place, what=what: forward(place, what))
        assert killed == (-signal.SIGKILL, True), moment
        if check_whole(place, before, after) == before:
            forward(place, what)
        assert digest_there(place / "skill.md") == after, moment
        back(place)
        assert digest_there(place / "skill.md") == before, moment


@pytest.mark.parametrize("kind", KINDS)
def test_taking_back_is_done_or_not_begun_too(tmp_path, kind):
    made = lives(tmp_path, kind, back, few=5, before=forward)
    for moment, place, before, after, _ in made:
        killed = at_call(moment, lambda place=place: back(place))
        assert killed == (-signal.SIGKILL, True), moment
        if check_whole(place, before, after) == after:
            back(place)
        assert digest_there(place / "skill.md") == before, moment


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=["full", "harmed"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_disk_that_refuses_any_call_leaves_it_done_or_not_begun(tmp_path, kind, code):
    ends = set()
    for moment, place, before, after, what in lives(tmp_path, kind, forward, few=5, code=code):
        refuse = lambda place=place, what=what: forward(place, what)  # noqa: E731
        ended, reached = at_call(moment, refuse, code=code)
        assert reached, moment
        ends.add(ended)
        if check_whole(place, before, after) == before:
            forward(place, what)
        assert digest_there(place / "skill.md") == after, moment
    assert STORAGE in ends
    assert ends <= {0, STORAGE}


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


def test_where_names_cannot_be_swapped_a_kill_in_between_is_made_good(tmp_path, monkeypatch):
    """For a moment nothing is in place; the next opening puts it there."""
    monkeypatch.setattr("assay.sandbox.syscalls._LIBRARY", OldLibrary())
    for moment, place, before, after, what in lives(tmp_path, KINDS[1], forward, few=14):
        killed = at_call(moment, lambda place=place, what=what: forward(place, what))
        assert killed == (-signal.SIGKILL, True), moment
        assert digest_there(place / "skill.md") in (before, after, "none"), moment
        with frozen_folder(place) as at:
            noted = history(at)[-1].artifact
            assert digest_there(place / "skill.md") == noted, moment
        if noted == before:
            forward(place, what)
        back(place)
        assert digest_there(place / "skill.md") == before, moment


def test_a_step_in_the_wrong_order_would_be_caught(tmp_path, monkeypatch):
    """An artifact that is put in place before anything is noted is in nobody's record."""
    put, note, caught = frozen.put, frozen.note, 0

    def eagerly(place, what):
        def eager(at, step, comparison):
            frozen.keep(at, what[1], step.artifact)
            put(at, step)
            note(at, step, comparison)

        with monkeypatch.context() as naive:
            naive.setattr("assay.study.ratify.ratify.note", eager)
            forward(place, what)

    for moment, place, _, _, what in lives(tmp_path, "alone, a file", eagerly, few=12):
        at_call(moment, lambda place=place, what=what: eagerly(place, what))
        with frozen_folder(place) as at:
            caught += digest_there(place / "skill.md") != history(at)[-1].artifact
    assert caught


def test_a_kill_leaves_one_entry_and_not_two(tmp_path):
    """What was noted is finished, and not noted again."""
    for moment, place, before, after, what in lives(tmp_path, "study, a file", forward, few=4):
        killed = at_call(moment, lambda place=place, what=what: forward(place, what))
        assert killed == (-signal.SIGKILL, True), moment
        if check_whole(place, before, after) == after:
            assert raised(forward, place, what) is not None, moment
        else:
            forward(place, what)
        assert kinds(open_study(place.parent)).count("ratify") == 2, moment
