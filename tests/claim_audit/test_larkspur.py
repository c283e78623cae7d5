"""Labelled claims over one repository: a list written without the checkers' code, and our own.

Precision and recall of `fails` at the first look, before anything was mended:

| claims | precision | recall |
|---|---|---|
| written without the code | .958 | .958 |
| our own, in a list | .939 | .951 |
| our own, in place in texts | .661 | .881 |
"""

from collections import Counter

import msgspec
import pytest
from claim_audit.larkspur.corpus import labels_of, precision_and_recall, rows_of
from claim_audit.larkspur.fixture import build

from assay.claim_audit.check import check_claim
from assay.claim_audit.checkers.table import OURS
from assay.claim_audit.claim import Claim
from assay.claim_audit.collect import audit_claims
from assay.claim_audit.evidence import EvidenceReader

CORPORA = ("claims", "own_claims", "own_texts")


@pytest.fixture(scope="module")
def larkspur(tmp_path_factory):
    folder = tmp_path_factory.mktemp("larkspur")
    build(folder)
    return folder


def results_of(name, folder):
    rows = rows_of(name)
    if name != "own_texts":
        with EvidenceReader(folder, allow_commands=True) as evidence:
            return [check_claim(msgspec.convert(row["claim"], Claim), evidence) for row in rows]
    paths = [folder / "texts" / row["name"] for row in rows]
    paths[0].parent.mkdir()
    for path, row in zip(paths, rows, strict=True):
        path.write_text(row["text"], encoding="utf-8")
    return audit_claims(paths).claims


@pytest.fixture(scope="module", params=CORPORA)
def corpus(request, larkspur):
    """The name of a corpus, and for each of its claims the label and what became of it."""
    results = results_of(request.param, larkspur)
    return request.param, list(zip(labels_of(request.param), results, strict=True))


@pytest.mark.parametrize(
    ("name", "true", "false"),
    [("claims", 217, 212), ("own_claims", 157, 167), ("own_texts", 51, 42)],
)
def test_there_are_enough_claims_true_and_false(name, true, false):
    assert Counter(labels_of(name)) == {True: true, False: false}


def test_every_checker_is_claimed_by_truly_and_falsely():
    claimed = {(row["claim"]["checker"], row["truth"]) for row in rows_of("own_claims")}
    assert claimed == {(checker, truth) for checker in OURS for truth in (True, False)}


def test_false_claims_fail_and_true_ones_do_not(corpus, record_property):
    name, checked = corpus
    precision, recall = precision_and_recall([(truth, one.verdict) for truth, one in checked])
    told = f"{precision:.3f}, {recall:.3f}"
    record_property(f"claims: precision and recall of fails, {name}", told)
    wrong = [one.id for truth, one in checked if truth is (one.verdict == "fails")]
    assert precision >= 0.99, wrong
    assert recall >= 0.99, wrong


def test_true_claims_stand(corpus):
    _, checked = corpus
    fallen = [one.id for truth, one in checked if truth and not one.stands]
    assert len(fallen) <= 0.01 * len(checked), fallen


def test_altered_claims_fail(corpus, record_property):
    name, checked = corpus
    made = sum(one.mutants.made for _, one in checked)
    killed = sum(one.mutants.killed for _, one in checked)
    record_property(f"claims: altered claims that failed, {name}", f"{killed} of {made}")
    assert killed >= 0.98 * made > 100
