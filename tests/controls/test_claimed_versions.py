"""A scorecard that claims another version of Assay, and records that a held lock is to excuse."""

import fcntl
from contextlib import contextmanager
from functools import partial

import pytest
from helpers.command import command
from helpers.studies import (
    a_study,
    breach,
    forged,
    opened,
    redigest,
    remember_installed,
    rewrite_json,
    sealed,
    steps,
)

from assay.report.study.views import verify
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed

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


def leave_out(code):
    """A change of a scorecard that takes a caveat out of it."""

    def change(card):
        kept = [one for one in card["caveats"] if one["code"] != code]
        assert len(kept) < len(card["caveats"]), f"there was no {code} to leave out"
        card["caveats"] = kept

    return change


@pytest.mark.parametrize("code", ["unwitnessed", "time-unproven", "not-isolated"])
def test_no_version_may_leave_out_what_the_run_decides(study, code):
    claim(study, leave_out(code))
    number, found = breach(study)
    assert number == 6
    assert code in found


def test_no_version_may_leave_out_that_the_author_could_choose_the_seed(tmp_path):
    study = opened(tmp_path)
    sealed(study, "001", "import random\n\ndef detect(question):\n    return random.random()\n")
    run_sealed(study, "001", unwitnessed=True)
    claim(study, leave_out("seed-by-author"))
    assert breach(study)[0] == 6


def test_a_caveat_left_out_in_the_name_of_another_version_is_not_ok(study):
    """One that is no breach by itself."""
    claim(study, leave_out("small-n"))
    outcome, found = steps(study)[6]
    assert outcome == "noted"
    assert CARD in found
    assert "assay 0.0.1" in found
    assert "small-n" in found
    done = command(study.root, "verify")
    assert "not fully verifiable" in " ".join(done.stdout.split())


def test_a_caveat_in_other_words_is_not_ok(study):
    claim(study, lambda card: card["caveats"][0].update(message="all is well"))
    assert steps(study)[6][0] == "noted"


def test_a_caveat_in_the_words_of_an_older_scorecard_is_ok_and_in_any_others_is_not(study):
    """Under the same version: the words were changed before its release."""
    older = "No commit held the seal before the run began: its order rests on our word."

    def change(words, head):
        (one,) = (it for it in head["scorecard"]["caveats"] if it["code"] == "unwitnessed")
        assert one["message"] != words
        one["message"] = words

    rewrite_json(study.root / CARD, partial(change, older))
    redigest(study)
    assert steps(study)[6][0] == "ok"
    rewrite_json(study.root / CARD, partial(change, f"{older} All is well."))
    redigest(study)
    assert breach(study)[0] == 6


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
