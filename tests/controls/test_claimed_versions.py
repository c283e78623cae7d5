"""A scorecard that claims another version of Assay, and records that a held lock is to excuse."""

import fcntl
from contextlib import contextmanager

import pytest
from helpers.command import command
from helpers.studies import (
    a_study,
    breach,
    forged,
    redigest,
    remember_installed,
    rewrite_json,
    steps,
)

from assay.report.study.views import verify
from assay.study.study import open_study

CARD = "scorecards/001@mine.json"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def study(tmp_path):
    return a_study(tmp_path, "finished")


def claim(study, change=lambda card: None):
    """Let the scorecard say that an older version made it, and change it, every digest right."""

    def rewrite(head):
        card = head["scorecard"]
        card["signature"] = card["signature"].rpartition(" · ")[0] + " · assay 0.0.1"
        change(card)

    rewrite_json(study.root / CARD, rewrite)
    redigest(study)


def test_a_card_of_another_version_that_agrees_in_full_is_ok(study):
    claim(study)
    assert steps(study)[6][0] == "ok"


OF_THE_RUN = ("unwitnessed", "time-unproven")


def test_every_caveat_left_out_in_the_name_of_another_version_is_not_ok(study):
    """All but those that are a breach by themselves."""

    def change(card):
        card["caveats"] = [one for one in card["caveats"] if one["code"] in OF_THE_RUN]

    claim(study, change)
    outcome, found = steps(study)[6]
    assert outcome == "noted"
    assert CARD in found
    assert "assay 0.0.1" in found
    assert "not-isolated" in found
    done = command(study.root, "verify")
    assert "cannot be verified" in done.stdout.replace("\n", " ")


def test_a_caveat_in_other_words_is_not_ok(study):
    claim(study, lambda card: card["caveats"][0].update(message="all is well"))
    assert steps(study)[6][0] == "noted"


FACTS = {
    "method": lambda card: card.update(method="better.py:detect"),
    "isolation": lambda card: card.update(isolation="L3"),
    "benchmark": lambda card: card.update(benchmark="other"),
    "records_needed": lambda card: card.update(records_needed=7),
    "signature": lambda card: card.update(signature="0.999 · n 9999 · assay 0.0.1"),
    "task": lambda card: card.update(task="classification"),
    "bars_version": lambda card: card.update(bars_version="v9"),
}


@pytest.mark.parametrize("name", FACTS)
def test_nothing_but_caveats_may_differ_in_the_name_of_another_version(study, name):
    claim(study, FACTS[name])
    assert breach(study)[0] == 6


@contextmanager
def held(study):
    """The lock of a run, held by somebody who is not running it."""
    with (study.root / "preregs/001/seal.json").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def without(study, kind):
    """The study without the entry and the file of a kind, every link right."""
    numbers = [n for n, entry in enumerate(study.chain().entries) if entry.kind == kind]
    for number in numbers:
        for name in study.chain().entries[number].files:
            (study.root / name).unlink()
    forged(study, drop=numbers)


@pytest.mark.parametrize(("kind", "number"), [("grade", 6), ("score", 7)])
def test_a_record_that_is_missing_behind_a_held_lock_is_not_ok(study, kind, number):
    if kind == "score":
        without(study, "grade")
    without(study, kind)
    with held(study):
        found = verify(open_study(study.root))
    last = found.steps[-1]
    assert not found.intact
    assert found.exit_code == 2
    assert (last.outcome.value, "holds its seal" in last.found) == ("unchecked", True)
    assert last.number <= number
    assert breach(study)[0] in (6, 7)
