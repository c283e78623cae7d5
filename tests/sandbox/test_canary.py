"""A program that reaches past its folder on purpose, and wardens that do not see it."""

from pathlib import Path

import pytest

from assay.sandbox.job import Outcome
from assay.sandbox.warden_client import WardenClient, can_observe, send_canary


class Blind:
    """A warden that sees nothing, or holds nothing back."""

    def __init__(self, *, private, seen, held):
        self.private, self.seen, self.held = private, seen, held

    def run(self, job):
        target = job.command[-1]
        if not self.held:
            Path(target).touch()
        return Outcome(code=0, trouble=None, written=(target,) if self.seen else ())


@pytest.mark.parametrize("private", [True, False])
def test_what_is_not_seen_is_said(tmp_path, private):
    blind = Blind(private=private, seen=False, held=private)
    assert send_canary(blind, tmp_path) == (
        False,
        "a program that wrote outside its folder was not seen",
    )


def test_a_view_that_holds_nothing_back_is_not_called_private(tmp_path):
    caught, said = send_canary(Blind(private=True, seen=True, held=False), tmp_path)
    assert not caught
    assert "not held back" in said


def test_where_views_are_not_private_seeing_is_enough(tmp_path):
    caught, said = send_canary(Blind(private=False, seen=True, held=False), tmp_path)
    assert caught
    assert said == "a program that wrote outside its folder was seen"


@pytest.mark.skipif(not can_observe(), reason="only Linux tells which files are opened")
def test_a_real_warden_sees_it(tmp_path):
    (tmp_path / "scratch").mkdir()
    with WardenClient(tmp_path / "scratch") as warden:
        caught, said = send_canary(warden, tmp_path)
        assert caught
        assert said.endswith("held back" if warden.private else "was seen")
