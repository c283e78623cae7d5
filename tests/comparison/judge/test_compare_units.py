"""What counts as one piece of evidence, and why not something else."""

import numpy as np
import pytest

from assay import Trial
from assay.comparison.judge.compare import compare


def trials(scores, *, instance="one", **more):
    """Runs of an instance, one a score."""
    return [
        Trial(instance=instance, trial=str(k), dimensions={"right": float(score)}, **more)
        for k, score in enumerate(scores)
    ]


def test_an_instance_that_comes_first_does_not_speak_for_all():
    helped, hurt = (trials([0] * 25, instance="a"), trials([1] * 25, instance="a"))
    baseline = helped + trials([1] * 25, instance="b")
    candidate = hurt + trials([0] * 25, instance="b")
    made = compare(baseline=baseline, candidate=candidate, sequential=True, resamples=99)
    assert made.verdict == "inconclusive"
    alone = compare(baseline=helped, candidate=hurt, sequential=True, resamples=99)
    assert alone.verdict == "ratify"


def test_looks_are_taken_when_every_instance_has_had_its_turn():
    sides = [
        [one for name in "abc" for one in trials([score] * 20, instance=name)] for score in (0, 1)
    ]
    made = compare(baseline=sides[0], candidate=sides[1], sequential=True, resamples=99)
    assert made.verdict == "ratify"
    assert made.looks.decided_at % 3 == 0


@pytest.mark.parametrize(("instances", "gate"), [(20, "doubt"), (70, "shown")])
def test_gates_need_instances_and_not_runs(instances, gate):
    sides = [
        [
            Trial(instance=f"i{i}", trial=str(k), dimensions={"right": float(right), "safe": 0.9})
            for i in range(instances)
            for k in range(5)
        ]
        for right in (0, 1)
    ]
    made = compare(baseline=sides[0], candidate=sides[1], gated=["safe"], resamples=199)
    assert made.unit == "instance"
    assert [one.gate for one in made.dimensions if one.gated] == [gate]
    assert made.verdict == ("ratify" if gate == "shown" else "inconclusive")


def test_pairs_that_are_alike_stay_pairs_and_show_what_runs_alone_do_not():
    rng = np.random.default_rng(3)
    luck = rng.random(20)
    gains = rng.normal(0.04, 0.03, 20)
    sides = [trials(np.clip(luck + shift, 0, 1)) for shift in (0.0, gains)]
    alike = compare(baseline=sides[0], candidate=sides[1])
    assert (alike.unit, alike.pairs) == ("pair", 20)
    assert alike.balance.p < 0.05
    shuffled = trials(rng.permutation(np.clip(luck + 0.04, 0, 1)))
    apart = compare(baseline=sides[0], candidate=shuffled)
    assert (apart.unit, apart.pairs) == ("run", 20)
    assert apart.balance.p > 0.05
    assert "unpaired" in [caveat.code for caveat in apart.caveats]


def test_one_run_of_each_instance_pairs_whatever_its_trial_is_called():
    sides = [
        [Trial(instance=f"i{i}", trial=name, dimensions={"right": float(right)}) for i in range(8)]
        for name, right in (("old", 0), ("new", 1))
    ]
    made = compare(baseline=sides[0], candidate=sides[1])
    assert (made.unit, made.pairs, made.verdict) == ("pair", 8, "ratify")
    assert made.dimensions[0].p == pytest.approx(2 / 2**8)


def test_what_counts_can_be_settled_beforehand():
    sides = [
        [
            Trial(instance=f"i{i}", trial=str(k), dimensions={"right": float(right)})
            for i in range(4)
            for k in range(3)
        ]
        for right in (0, 1)
    ]
    units = {
        by: compare(baseline=sides[0], candidate=sides[1], unit=by).unit
        for by in ("auto", "instance", "run")
    }
    assert units == {"auto": "run", "instance": "instance", "run": "run"}
