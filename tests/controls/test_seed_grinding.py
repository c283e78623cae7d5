"""A lucky seed is worth next to nothing, and a run says where its seed came from."""

import pytest
from helpers.studies import (
    breach,
    drafted,
    opened,
    redigest,
    remember_installed,
    rewrite_json,
    sealed,
)
from seed_grinding import ground

from assay.digests import digest
from assay.errors import SpecError
from assay.gauntlet.result import Verdict
from assay.runs.collect import Listener
from assay.runs.repeats import PROBED
from assay.runs.result import SEEDS
from assay.runs.store import load_run
from assay.study.submissions.rerun import rerun
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal

COIN = """
import random
def detect(question, response):
    return random.random()
"""
STATEFUL = """
seen = []
def detect(question, response):
    seen.append(question)
    return len(seen)
"""


class CutOff(Listener):
    """Ends a run in the middle of its third seed."""

    def __init__(self):
        self.heard = 0
        self.totals = []

    def total(self, items, made):
        self.totals.append((items, made))

    def repeated(self, more):
        self.totals.append(more)

    def record(self, record):
        self.heard += 1
        if self.heard == 60:
            raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def finished(study, body, **more):
    sealed(study, "001", body)
    done = run_sealed(study, "001", unwitnessed=True, **more)
    return done.judgements[0].scorecard, load_run(study.root / "runs/001")


@pytest.mark.parametrize("body", [COIN, STATEFUL], ids=["a coin", "one that counts its calls"])
def test_a_method_whose_outputs_hang_on_the_seed_is_judged_on_the_mean_over_seeds(tmp_path, body):
    study = opened(tmp_path)
    card, run = finished(study, body)
    assert run.seeds == SEEDS
    assert {record.seed for record in run.records} == set(range(SEEDS))
    assert "seed-by-author" in {caveat.code for caveat in card.caveats}
    bar = card.bars[0]
    assert f"mean over {SEEDS} seeds" in bar.parts[0].how
    assert len(run.records) == SEEDS * 24
    assert breach(study)[0] is None
    assert rerun(study, "001").differ == 0


def test_a_method_that_does_not_hang_on_its_seed_runs_once_and_is_probed(tmp_path):
    study = opened(tmp_path)
    card, run = finished(study, "def detect(question, response):\n    return len(response)\n")
    assert (run.seeds, run.probed) == (1, PROBED)
    assert "seed-by-author" not in {caveat.code for caveat in card.caveats}
    assert breach(study)[0] is None


def test_outputs_of_one_seed_alone_are_no_result_of_a_coin(tmp_path):
    study = opened(tmp_path)
    finished(study, COIN)
    folder = study.root / "runs/001"
    kept = [
        line for line in (folder / "outputs.jsonl").read_text().splitlines() if '"seed"' not in line
    ]
    (folder / "outputs.jsonl").write_text("\n".join(kept) + "\n")

    def alone(head):
        head["seeds"] = 1
        head["outputs"] = {
            "digest": digest((folder / "outputs.jsonl").read_bytes()), "lines": len(kept)
        }  # fmt: skip

    rewrite_json(folder / "run.json", alone)
    redigest(study)
    step, found = breach(study)
    assert step == 5
    assert "0 asked again" in found


def test_a_run_under_several_seeds_goes_on_where_it_was_cut_off(tmp_path):
    study = opened(tmp_path)
    sealed(study, "001", COIN)
    with pytest.raises(KeyboardInterrupt):
        run_sealed(study, "001", unwitnessed=True, listener=(first := CutOff()))
    again = CutOff()
    again.heard = 60
    run_sealed(study, "001", unwitnessed=True, listener=again)
    assert first.totals == [(24, 0), (SEEDS - 1) * 24]
    assert again.totals == [(SEEDS * 24, 60)]
    run = load_run(study.root / "runs/001")
    assert len({(record.item, record.seed) for record in run.records}) == len(run.records)
    assert len(run.records) == SEEDS * 24
    assert breach(study)[0] is None


def test_the_best_of_many_seals_passes_by_one_seed_and_not_by_the_mean_over_five():
    alone, together = ground(0.65, 2_000)
    assert alone.outcome is Verdict.PASS
    assert together.outcome is not Verdict.PASS
    assert together.value < alone.value - 0.05


def from_outside(study, body=COIN):
    folder = drafted(study, "001", body)
    text = (folder / "prereg.toml").read_text()
    (folder / "prereg.toml").write_text(text + 'seed_from = "pulse 4711 of the beacon"\n')
    seal(study, "001")


def test_a_seed_from_outside_needs_its_value_and_one_run(tmp_path):
    study = opened(tmp_path)
    from_outside(study)
    with pytest.raises(SpecError, match="pulse 4711"):
        run_sealed(study, "001", unwitnessed=True)
    with pytest.raises(SpecError, match="a line"):
        run_sealed(study, "001", unwitnessed=True, outside="two\nlines")
    done = run_sealed(study, "001", unwitnessed=True, outside="9f2c")
    codes = {caveat.code for caveat in done.judgements[0].scorecard.caveats}
    assert "outside-seed" in codes
    assert "seed-by-author" not in codes
    assert load_run(study.root / "runs/001").seeds == 1
    assert breach(study)[0] is None


def test_another_outside_value_than_the_one_entered_is_a_breach(tmp_path):
    study = opened(tmp_path)
    from_outside(study)
    run_sealed(study, "001", unwitnessed=True, outside="9f2c")
    redigest(study, run_started={"outside": "0000"})
    assert breach(study)[0] == 5


def test_a_seal_that_names_no_outside_value_takes_none(tmp_path):
    study = opened(tmp_path)
    sealed(study)
    with pytest.raises(SpecError, match="comes from the seal"):
        run_sealed(study, "001", unwitnessed=True, outside="9f2c")
