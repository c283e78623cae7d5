"""Sealed methods that take batches, or are async: the one run, its resumption, its seeds."""

import json
import shutil

import pytest
from helpers.studies import (
    ITEMS,
    breach,
    die,
    drafted,
    in_child,
    opened,
    redigest,
    remember_installed,
    rewrite_json,
    rows,
)

from assay.errors import SpecError
from assay.runs.result import BATCH, PROBED, SEEDS
from assay.runs.store import RunFolder, load_run
from assay.sandbox.warden_client import can_observe
from assay.study.study import open_study
from assay.study.submissions.rerun import rerun
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal

LENGTHS = "def detect_batch(questions, responses):\n    return [len(r) for r in responses]\n"
TELLING = """
import os

def detect_batch(questions, responses):
    if "number" in questions[0]:  # and not what it is asked to see whether it answers
        with open(os.environ["HOME"] + "/asked", "a") as file:
            file.write(" ".join(q.strip("?").split()[-1] for q in questions) + "\\n")
    return [len(response) for response in responses]
"""
RANKS = """
def detect_batch(questions, responses):
    order = sorted(responses)
    return [order.index(response) for response in responses]
"""
ASYNC = """
import asyncio

async def detect(question, response):
    await asyncio.sleep(0)
    return len(response)
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def sealed(study, body, batch=8, function="detect_batch"):
    folder = drafted(study, "001", body, function=function)
    if batch is not None:
        with (folder / "prereg.toml").open("a") as file:
            file.write(f"batch = {batch}\n")
    return seal(study, "001")


def finished(study):
    done = run_sealed(study, "001", unwitnessed=True)
    codes = [caveat.code for caveat in done.judgements[0].scorecard.caveats]
    return load_run(study.root / "runs/001"), codes


def asked(home):
    """The batches that were asked about, as numbers of questions."""
    path = home / "asked"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return [line.split() for line in lines]


def test_a_sealed_batch_method_is_probed_in_other_batches_and_runs_under_one_seed(tmp_path):
    study = opened(tmp_path)
    sealed(study, LENGTHS)
    run, codes = finished(study)
    assert (run.batch, run.seeds, run.probed) == (8, 1, min(PROBED, ITEMS))
    assert "batched" in codes
    assert "seed-by-author" not in codes
    assert breach(study) == (None, "")
    again = rerun(study, "001")
    assert again.same


def test_a_method_that_ranks_within_its_batch_is_judged_over_several_seeds(tmp_path):
    study = opened(tmp_path)
    sealed(study, RANKS)
    run, codes = finished(study)
    assert run.seeds == SEEDS
    assert "seed-by-author" in codes
    assert rerun(study, "001").same


def test_the_usual_size_holds_where_none_is_sealed(tmp_path):
    study = opened(tmp_path)
    sealed(study, LENGTHS, batch=None)
    assert finished(study)[0].batch == BATCH


def test_a_size_that_is_none_or_of_no_use_is_not_sealed(tmp_path):
    study = opened(tmp_path)
    with pytest.raises(SpecError, match="batch = 0, expected a number of items"):
        sealed(study, LENGTHS, batch=0)
    shutil.rmtree(study.root / "preregs/001")
    with pytest.raises(SpecError, match="takes one item at a time"):
        sealed(study, "def detect(q, r):\n    return 1.0\n", batch=4, function="detect")


@pytest.mark.parametrize("after", [8, 11, 16, 23])
def test_a_run_that_is_killed_within_a_batch_asks_only_what_was_not_stored(
    tmp_path, monkeypatch, after
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("assay.study.submissions.sealed.SEEDS", 1)
    study = opened(tmp_path / "home")
    sealed(study, TELLING)
    add, count = RunFolder.add, 0

    def last(folder, record):
        nonlocal count
        add(folder, record)
        count += 1
        if count == after:
            die()

    def action():
        RunFolder.add = last
        run_sealed(open_study(study.root), "001", unwitnessed=True)

    assert in_child(action) != 0
    before = asked(tmp_path)
    assert [len(batch) for batch in before] == [8] * -(-after // 8)
    stored = (study.root / "runs/001/outputs.jsonl").read_text().splitlines()
    numbers = [str(int(json.loads(line)["item"]) - 1) for line in stored]
    assert len(numbers) == after
    run, codes = finished(study)
    later = asked(tmp_path)
    assert [number for batch in before for number in batch][:after] == numbers
    flat = [number for batch in later for number in batch]
    assert sorted([*numbers, *flat], key=int) == [str(number) for number in range(ITEMS)]
    assert len(later[0]) == 8 - after % 8  # the rest of the batch; those after it are as they were
    assert all(len(batch) == 8 for batch in later[1:])
    assert "resumed" in codes
    expected = {f"{n}": len(row["response"]) for n, row in enumerate(rows(), 1)}
    assert {record.item: record.output for record in run.records} == expected


def test_a_run_that_states_other_batches_than_its_seal_is_a_breach(tmp_path):
    study = opened(tmp_path)
    sealed(study, LENGTHS)
    finished(study)
    rewrite_json(study.root / "runs/001/run.json", lambda head: head.update({"batch": 9}))
    redigest(study)
    number, found = breach(study)
    assert number == 5
    assert "batch" in found


def test_a_run_that_conceals_its_batches_differs_from_another(tmp_path):
    study = opened(tmp_path)
    sealed(study, LENGTHS)
    finished(study)
    rewrite_json(study.root / "runs/001/run.json", lambda head: head.update({"batch": None}))
    redigest(study)
    compared = rerun(study, "001")
    assert not compared.same
    assert "in batches of 8" in compared.seeding


def test_a_sealed_async_method_opens_nothing_that_its_seal_does_not_name(tmp_path):
    study = opened(tmp_path)
    sealed(study, ASYNC, batch=None, function="detect")
    run, codes = finished(study)
    assert run.batch is None
    assert run.provenance.unsealed_code == ()
    assert run.provenance.unsealed_files == ()
    assert run.provenance.observed is can_observe()
    assert "seed-by-author" not in codes
    assert breach(study) == (None, "")
