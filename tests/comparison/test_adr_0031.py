import msgspec
import pytest

import assay
from assay import Trial
from assay.comparison.adr_0031 import compare_adr_0031
from assay.comparison.spec import Dimension

FIVE = ("grounded", "recall", "trajectory", "supporting_fact_f1", "citation_coverage")
KEYS = [
    "verdict",
    "repairs",
    "regressions",
    "net",
    "n_baseline",
    "n_candidate",
    "deltas",
    "caveats",
]


def runs(*many, n=3, harness=None, **values):
    """Runs of one instance at the ideal, but for these values."""
    made = many or ([values] * n)
    return [
        Trial(instance="f1", dimensions={**dict.fromkeys(FIVE, 1.0), **one}, harness=harness or {})
        for one in made
    ]


def moves(found):
    return {one.dimension: one.verdict for one in found.deltas}


def test_the_keys_are_the_sources_and_no_other():
    found = msgspec.to_builtins(compare_adr_0031(runs(), runs()))
    assert list(found) == KEYS
    assert list(found["deltas"][0]) == ["dimension", "baseline", "candidate", "delta", "verdict"]
    assert [one["dimension"] for one in found["deltas"]] == list(FIVE)


@pytest.mark.parametrize(
    ("before", "after", "move"),
    [
        (0.5, 1.0, "repair"),
        (1.0, 0.5, "regression"),
        (0.5, 0.6, "improvement"),
        (0.6, 0.5, "decline"),
        (0.5, 0.5, "neutral"),
        (1.0, 1.0, "neutral"),
        (0.999, 1.0, "repair"),
    ],
)
def test_a_dimension_moves_as_its_mean_stands_to_the_ideal(before, after, move):
    found = compare_adr_0031(runs(recall=before), runs(recall=after))
    assert moves(found)["recall"] == move
    (delta,) = (one for one in found.deltas if one.dimension == "recall")
    assert delta.delta == pytest.approx(after - before)


@pytest.mark.parametrize(
    ("before", "after", "verdict", "net"),
    [
        ({}, {}, "neutral", 0),
        ({"recall": 0.5}, {}, "ratify", 1),
        ({}, {"recall": 0.5}, "reject", -1),
        ({"recall": 0.5}, {"trajectory": 0.5}, "neutral", 0),
        ({"recall": 0.5, "trajectory": 0.5}, {"supporting_fact_f1": 0.5}, "ratify", 1),
        ({"recall": 0.5, "trajectory": 0.5}, {"grounded": 0.9}, "reject", 1),
        ({"recall": 0.5, "trajectory": 0.5}, {"citation_coverage": 0.9}, "reject", 1),
        ({"grounded": 0.9}, {"grounded": 0.1}, "neutral", 0),
    ],
)
def test_the_verdict_follows_from_repairs_regressions_and_gates(before, after, verdict, net):
    found = compare_adr_0031(runs(**before), runs(**after))
    assert (found.verdict, found.net) == (verdict, net)
    assert found.net == found.repairs - found.regressions


def test_means_are_of_the_values_that_are_there():
    found = compare_adr_0031(runs({"recall": 0.5}, {"recall": None}, {}), runs())
    (delta,) = (one for one in found.deltas if one.dimension == "recall")
    assert delta.baseline == 0.75
    gone = compare_adr_0031(runs(recall=None), runs())
    assert "recall" not in moves(gone)


def test_three_runs_a_side_bring_no_caveat_and_two_do():
    assert compare_adr_0031(runs(), runs()).caveats == ()
    (said,) = compare_adr_0031(runs(n=2), runs()).caveats
    assert "fewer than 3 runs" in said


@pytest.mark.parametrize("key", ["model", "profile", "params"])
def test_another_harness_is_a_caveat_and_changes_no_verdict(key):
    found = compare_adr_0031(runs(recall=0.5, harness={key: "a"}), runs(harness={key: "b"}))
    assert found.verdict == "ratify"
    (said,) = found.caveats
    assert "harness differs" in said and key in said


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["a", "b", "a"], ["a", "b", "b"]),
        (["a", "b", "b"], ["a", "b", "b"]),
        (["a", None, "a"], ["a", "a", "a"]),
        ([None] * 3, ["a"] * 3),
    ],
)
def test_sides_that_mix_a_harness_or_lack_a_key_keep_the_caveat(before, after):
    sides = [
        [one for model in side for one in runs({}, harness=model and {"model": model})]
        for side in (before, after)
    ]
    (said,) = compare_adr_0031(*sides).caveats
    assert said == "the harness differs between runs: model"


def test_a_harness_that_is_one_or_wholly_unknown_brings_no_caveat():
    for harness in (None, {"model": "a", "params": "{}"}):
        assert compare_adr_0031(runs(harness=harness), runs(harness=harness)).caveats == ()


def test_runs_of_several_instances_are_refused():
    other = [Trial(instance="f2", dimensions=dict.fromkeys(FIVE, 1.0))]
    for sides in ((runs(), other), (runs() + other, runs() + other), ([], runs()), (runs(), [])):
        with pytest.raises(assay.errors.IncomparableRuns):
            compare_adr_0031(*sides)


def test_runs_with_none_of_its_dimensions_are_refused():
    alone = [Trial(instance="f1", dimensions={"acc": 1.0})]
    with pytest.raises(assay.SpecError, match="no run has any of grounded, recall"):
        compare_adr_0031(alone, alone)


def test_other_dimensions_keep_their_own_ideal_and_direction():
    lower = [Dimension(name="acc", better="lower", ideal=0.0, gated=True)]
    sides = [[Trial(instance="f1", dimensions={"acc": value})] for value in (0.0, 0.5)]
    assert compare_adr_0031(sides[1], sides[0], lower).verdict == "ratify"
    worse = compare_adr_0031(sides[0], sides[1], lower)
    assert (worse.verdict, moves(worse)) == ("reject", {"acc": "regression"})
