"""An instrument that says the same of every claim, put in place of any one checker, is caught."""

from dataclasses import replace

import msgspec
import pytest
from claim_audit.larkspur.corpus import precision_and_recall, rows_of

from assay.claim_audit import check
from assay.claim_audit.check import check_claim
from assay.claim_audit.checkers.table import OURS
from assay.claim_audit.claim import Claim, Observed
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.judge import judge_claims

ROWS = rows_of("own_claims")
CHECKERS = sorted(OURS)


def claims_of(checker, *, truth=None):
    return [
        msgspec.convert(row["claim"], Claim)
        for row in ROWS
        if row["claim"]["checker"] == checker and truth in (None, row["truth"])
    ]


def answer_always(monkeypatch, name, says):
    """Put an instrument in place of a checker that looks at nothing and always says the same."""
    agrees = check._agrees
    blind = replace(OURS[name], observe=lambda *_: Observed(value=says, where="nowhere"))
    monkeypatch.setitem(OURS, name, blind)
    monkeypatch.setattr(
        check,
        "_agrees",
        lambda claim, checker, seen: says if checker.name == name else agrees(claim, checker, seen),
    )


def results_of(claims, folder):
    with EvidenceReader(folder, allow_commands=True) as evidence:
        return [check_claim(claim, evidence) for claim in claims]


@pytest.mark.parametrize("checker", CHECKERS)
def test_one_that_always_says_holds_is_caught_by_the_altered_claims(checker, tmp_path, monkeypatch):
    answer_always(monkeypatch, checker, says=True)
    results = results_of(claims_of(checker), tmp_path)
    assert len(results) >= 6
    assert all(one.verdict == "holds" and one.vacuous and not one.stands for one in results)
    assert not any(one.mutants.killed for one in results)
    assert not judge_claims(results, digest="sha256:" + "0" * 64).favourable


@pytest.mark.parametrize("checker", CHECKERS)
def test_one_that_always_says_holds_is_caught_by_a_control(checker, tmp_path, monkeypatch):
    answer_always(monkeypatch, checker, says=True)
    false = msgspec.structs.replace(claims_of(checker, truth=False)[0], control=True)
    audit = judge_claims(results_of([false], tmp_path), digest="sha256:" + "0" * 64)
    assert (audit.verdict, audit.controls.missed) == ("fails", (false.id,))


@pytest.mark.parametrize("checker", [name for name in CHECKERS if OURS[name].value is None])
def test_one_that_finds_every_statement_true_is_caught_by_the_altered_ones(
    checker, tmp_path, monkeypatch
):
    blind = replace(OURS[checker], observe=lambda *_: Observed(value=True, where="nowhere"))
    monkeypatch.setitem(OURS, checker, blind)
    held = [one for one in results_of(claims_of(checker), tmp_path) if one.verdict == "holds"]
    assert held
    assert all(one.vacuous for one in held)


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("says", [True, False])
def test_the_corpus_catches_one_by_recall_or_by_precision(checker, says, tmp_path, monkeypatch):
    answer_always(monkeypatch, checker, says=says)
    verdicts = iter(one.verdict for one in results_of(claims_of(checker), tmp_path))
    checked = [
        (
            row["truth"],
            next(verdicts)
            if row["claim"]["checker"] == checker
            else ("holds" if row["truth"] else "fails"),
        )
        for row in ROWS
    ]
    precision, recall = precision_and_recall(checked)
    assert (precision == 1 and recall < 0.99) if says else (precision < 0.99 and recall == 1)
