"""When arms can be compared, and when void pairs forbid a verdict."""

import pytest

from assay.comparison.spec import Dimension, Dimensions
from assay.comparison.trials.judge import can_compare, compare_arms
from assay.logs.trial import Trial


def arm(count, value, **more):
    return [
        Trial(instance="i", trial=str(number), dimensions={"correct": value}, **more)
        for number in range(count)
    ]


@pytest.mark.parametrize(("void", "blocks"), [(0, False), (2, False), (3, True)])
def test_more_than_a_tenth_of_void_pairs_blocks_the_verdict(void, blocks):
    comparison = compare_arms(
        (arm(20, 0.0), arm(20, 1.0)),
        dimensions=Dimensions(dimensions=(Dimension(name="correct"),)),
        policies={},
        instances=1,
        sequential=False,
        resamples=99,
        void=void,
    )
    told = [caveat for caveat in comparison.caveats if caveat.code == "void-pairs"]
    assert [caveat.blocking for caveat in told] == ([blocks] if void else [])
    assert comparison.verdict == ("inconclusive" if blocks else "ratify")


def test_arms_without_runs_or_without_any_score_are_not_compared():
    assert can_compare((arm(1, 0.0), arm(1, 1.0)))
    assert not can_compare((arm(1, 0.0), []))
    assert not can_compare((arm(1, None, crashed=True), arm(1, None, crashed=True)))
    assert can_compare((arm(1, None, crashed=True), arm(1, 1.0)))
