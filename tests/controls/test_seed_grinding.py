"""A lucky seed is worth next to nothing, and a run says where its seed came from."""

from unittest.mock import patch

import pytest
from helpers.command import command
from helpers.studies import (
    METHOD,
    breach,
    drafted,
    forged,
    opened,
    redigest,
    remember_installed,
    rewrite_json,
    sealed,
    steps,
)
from seed_grinding import ground

from assay.digests import digest
from assay.errors import DigestMismatch, SpecError
from assay.gauntlet.result import Verdict
from assay.runs.collect import Listener
from assay.runs.result import PROBED, SEEDS
from assay.runs.store import load_run
from assay.study.study import open_study
from assay.study.submissions.rerun import rerun
from assay.study.submissions.run import conclude, run_sealed
from assay.study.submissions.seal import seal
from assay.study.submissions.sealed import load_sealed

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
def test_a_method_whose_outputs_depend_on_the_seed_is_judged_on_the_mean_over_seeds(tmp_path, body):
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


def test_a_method_that_does_not_depend_on_its_seed_runs_once_and_is_probed(tmp_path):
    study = opened(tmp_path)
    card, run = finished(study, METHOD)
    assert (run.seeds, run.probed) == (1, PROBED)
    assert "seed-by-author" not in {caveat.code for caveat in card.caveats}
    assert breach(study)[0] is None


def one_seed_alone(study, **claimed):
    """Leave only the outputs of the first seed, every digest right, and claim these facts."""
    folder = study.root / "runs/001"
    kept = [
        line for line in (folder / "outputs.jsonl").read_text().splitlines() if '"seed"' not in line
    ]
    data = "".join(f"{line}\n" for line in kept).encode()
    (folder / "outputs.jsonl").write_bytes(data)
    facts = {"seeds": 1, "outputs": {"digest": digest(data), "lines": len(kept)}, **claimed}
    rewrite_json(folder / "run.json", lambda head: head.update(facts))
    redigest(study)


def test_outputs_of_one_seed_alone_are_no_result_of_a_coin(tmp_path):
    study = opened(tmp_path)
    finished(study, COIN)
    one_seed_alone(study)
    step, found = breach(study)
    assert step == 5
    assert "0 items repeated" in found


def judged_again(study):
    """Judge and grade the run as it now is, as a careful forger would."""
    entries = study.chain().entries
    late = [n for n, entry in enumerate(entries) if entry.kind in ("score", "grade")]
    for number in late:
        for name in entries[number].files:
            (study.root / name).unlink()
    forged(study, drop=late)
    conclude(study, load_sealed(study, "001"))


def test_a_claimed_probe_is_not_confirmed_by_running_again(tmp_path):
    study = opened(tmp_path)
    finished(study, COIN)
    one_seed_alone(study, probed=PROBED)
    study = open_study(study.root)
    judged_again(study)
    assert breach(study)[0] is None  # nothing but a run can tell
    again = rerun(study, "001")
    assert (again.changed, again.unmatched) == (0, (SEEDS - 1) * 24)
    done = command(study.root, "verify", "--rerun")
    assert done.returncode == 4
    found = " ".join(done.stdout.split())
    assert "stored under 1 seed with 24 items probed, now under 5 seeds" in found


RULE = ("seeds", "probed")


def with_another_rule(study, body, settings):
    """A method, sealed by hand without the rule for seeds, or with another."""
    sealed(study, "001", body)

    def change(seal):
        kept = {name: it for name, it in seal["settings"].items() if name not in RULE}
        seal["settings"] = {**kept, **settings}

    rewrite_json(study.root / "preregs/001/seal.json", change)
    redigest(study)
    return open_study(study.root)


@pytest.mark.parametrize("name", [*RULE, "keep_going", "folds"])
def test_a_seal_that_leaves_out_a_setting_is_not_run(tmp_path, name):
    study = opened(tmp_path)
    sealed(study, "001", COIN)
    rewrite_json(study.root / "preregs/001/seal.json", lambda seal: seal["settings"].pop(name))
    redigest(study)
    with pytest.raises(DigestMismatch, match=f"without {name}"):
        run_sealed(open_study(study.root), "001", unwitnessed=True)


OTHER_RULES = {
    "none": (COIN, {}),
    "no item probed": (COIN, {"seeds": SEEDS, "probed": 0}),
    "one item probed": (METHOD, {"seeds": SEEDS, "probed": 1}),
}


@pytest.mark.parametrize("rule", OTHER_RULES)
def test_a_run_under_one_seed_that_was_not_probed_in_full_is_never_silently_ok(tmp_path, rule):
    """Sealed and run by an Assay that was changed to allow it."""
    study = with_another_rule(opened(tmp_path), *OTHER_RULES[rule])
    with patch("assay.study.submissions.sealed._check_engine"):
        done = run_sealed(study, "001", unwitnessed=True)
    assert load_run(study.root / "runs/001").seeds == 1
    assert "seed-unprobed" in {c.code for c in done.judgements[0].scorecard.caveats}
    outcome, found = steps(study)[5]
    assert outcome == "noted"
    assert "one seed, not fully probed: 001" in found
    assert steps(study)[6][0] == "ok"


def test_an_older_card_that_does_not_know_of_the_probe_is_noted_and_no_breach(tmp_path):
    """As in studies from before there was a probe, under the same version."""
    study = with_another_rule(opened(tmp_path), METHOD, {})
    with patch("assay.study.submissions.sealed._check_engine"):
        run_sealed(study, "001", unwitnessed=True)

    def change(head):
        card = head["scorecard"]
        card["caveats"] = [one for one in card["caveats"] if one["code"] != "seed-unprobed"]

    rewrite_json(study.root / "scorecards/001@mine.json", change)
    redigest(study)
    outcome, found = steps(study)[6]
    assert outcome == "noted"
    assert "lacks seed-unprobed" in found


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


@pytest.mark.parametrize("spelled", ["9f2\u0441", "9f2c ", " 9f2c", "9f2\u00adc", "9f2c\t", ""])
def test_an_outside_value_has_one_spelling(tmp_path, spelled):
    """Look-alikes and spaces that a reader does not see are so many draws."""
    study = opened(tmp_path)
    from_outside(study)
    with pytest.raises(SpecError, match="ASCII"):
        run_sealed(study, "001", unwitnessed=True, outside=spelled)
    run_sealed(study, "001", unwitnessed=True, outside="9f2c")
    redigest(study, run_started={"outside": spelled})
    assert breach(study)[0] == 5


@pytest.mark.parametrize("spelled", ["the beacon ", " the beacon", "the b\u0435acon"])
def test_so_has_the_place_that_it_comes_from(tmp_path, spelled):
    study = opened(tmp_path)
    folder = drafted(study, "001")
    text = (folder / "prereg.toml").read_text()
    (folder / "prereg.toml").write_text(f"{text}seed_from = {spelled!r}\n", encoding="utf-8")
    with pytest.raises(SpecError, match="ASCII"):
        seal(study, "001")


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
