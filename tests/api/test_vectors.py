"""Sides that are plain scores pair by position, or by their index; a comparison says which."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay

BEFORE = [n % 3 == 0 for n in range(60)]
AFTER = [n % 3 != 1 for n in range(60)]
NAMES = [f"q{n}" for n in range(60)]
ROWS = [[{"instance": name, "score": one} for name, one in zip(NAMES, side, strict=True)]
        for side in (BEFORE, AFTER)]  # fmt: skip
KINDS = {
    "bools": list,
    "numbers": lambda side: [float(one) for one in side],
    "tuple": tuple,
    "numpy bools": lambda side: [np.bool_(one) for one in side],
    "array": np.array,
    "array of floats": lambda side: np.array(side, dtype=float),
    "polars": pl.Series,
    "pandas": pd.Series,
    "pandas with labels": lambda side: pd.Series(side, index=NAMES),
}


def note(comparison):
    return {caveat.code: caveat.message for caveat in comparison.caveats}["plain-scores"]


@pytest.mark.parametrize("kind", KINDS)
def test_plain_scores_of_any_kind_give_the_comparison_of_their_rows(kind):
    found = assay.compare(KINDS[kind](BEFORE), KINDS[kind](AFTER))
    of_rows = assay.compare(*ROWS)
    assert (found.verdict, found.dimensions) == (of_rows.verdict, of_rows.dimensions)
    assert "index" in note(found) if kind.startswith("pandas") else "position" in note(found)
    assert note(found) in str(found).splitlines()
    assert note(found) in found._repr_html_()


def test_series_pair_by_their_labels_in_any_order():
    ours, theirs = pd.Series(BEFORE, index=NAMES), pd.Series(AFTER, index=NAMES)
    shuffled = theirs.sample(frac=1, random_state=1)
    assert assay.compare(ours, shuffled).dimensions == assay.compare(ours, theirs).dimensions
    with pytest.raises(assay.errors.IncomparableRuns, match="only the candidate has 0, 1"):
        assay.compare(ours, pd.Series(AFTER))
    assert "position" in note(assay.compare(ours, AFTER)), "only one side has an index"


def test_a_label_of_several_levels_names_an_item():
    index = pd.MultiIndex.from_product([["a", "b"], range(30)])
    found = assay.compare(pd.Series(BEFORE, index=index), pd.Series(AFTER, index=index))
    assert (found.pairs, found.instances) == (60, 60)


def test_sides_of_unequal_length_do_not_pair_by_position():
    with pytest.raises(assay.errors.IncomparableRuns, match="60 scores and candidate has 59"):
        assay.compare(BEFORE, AFTER[:-1])


def test_a_missing_score_keeps_the_positions():
    holes = [None if n == 3 else one for n, one in enumerate(BEFORE)]
    rows = [row for number, row in enumerate(ROWS[0]) if number != 3], ROWS[1]
    of_rows = assay.compare(*rows, crashed="exclude")
    for side in (holes, [math.nan if one is None else one for one in holes]):
        found = assay.compare(side, AFTER, missing="exclude")
        assert (found.pairs, found.dimensions) == (59, of_rows.dimensions)


def test_scores_have_the_name_that_is_given_or_planned():
    assert assay.compare(BEFORE, AFTER).dimensions[0].name == "score"
    named = assay.compare(BEFORE, AFTER, dimension="accuracy", gate="accuracy")
    assert (named.dimensions[0].name, named.dimensions[0].gated) == ("accuracy", True)
    plan = {"dimensions": {"latency": {"better": "lower", "range": [0, 100]}}}
    found = assay.compare([90 - n % 9 for n in range(60)], [30] * 60, config=plan)
    assert (found.verdict, found.dimensions[0].name) == ("ratify", "latency")


def test_sides_may_be_named_and_more_than_two():
    found = assay.compare({"before": BEFORE, "after": AFTER, "later": [1] * 60})
    assert found.sides == ("before", "after", "later")
    assert "They pair by position" in str(found)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: assay.compare(BEFORE, ROWS[1]), "baseline is plain scores and candidate is not"),
        (lambda: assay.compare(ROWS[0], AFTER), "candidate is plain scores and baseline is not"),
        (lambda: assay.compare(BEFORE, AFTER, instance="q"), "which have no columns"),
        (lambda: assay.compare(BEFORE, AFTER, by="model"), "baseline: plain scores, without"),
        (lambda: assay.compare(BEFORE, AFTER, where="q == 1"), "`by=` and `where=` are for"),
        (lambda: assay.compare(BEFORE, AFTER, dimension=("a", "b")), "plain scores are one dim"),
        (lambda: assay.compare([1, math.inf], [1, 2]), "scores of baseline, row 2, .*not a finite"),
        (lambda: assay.compare(np.ones((3, 2)), np.ones((3, 2))), "baseline: got ndarray"),
        (lambda: assay.compare([True, "yes"], BEFORE[:2]), "candidate is plain .* baseline is not"),
        (lambda: assay.load_trials(BEFORE), "sources: plain scores, without"),
    ],
)
def test_what_does_not_pair_is_refused_by_its_name(call, said):
    with pytest.raises(assay.SpecError, match=said):
        call()


def test_the_sides_are_positional_and_another_word_for_them_is_answered_with_their_names():
    with pytest.raises(assay.SpecError) as refused:
        assay.compare(before=BEFORE, after=AFTER)
    assert refused.value.hint.startswith("Its parameters: baseline, candidate, gate, ")


def test_a_comparison_is_a_pilot_with_the_runs_that_it_is_of():
    made = assay.compare(BEFORE, AFTER)
    plan = assay.power(pilot=made)
    assert plan == assay.power(pilot=(BEFORE, AFTER)) == assay.power(pilot=tuple(ROWS))
    assert plan.dimensions[0].correlation != 0.0, "measured on both sides"
    assert assay.power(pilot=made, effect=0.1).dimensions[0].effect == pytest.approx(0.1)
    assert assay.power(pilot=np.array(BEFORE), effect=0.1).dimensions[0].units == 60


def test_a_pilot_has_the_plan_of_its_comparison():
    lower = {"dimensions": {"score": {"better": "lower", "range": [0, 2]}}}
    [row] = assay.power(pilot=assay.compare(BEFORE, AFTER, config=lower)).dimensions
    assert row.effect == pytest.approx(1 / 3)
    [other] = assay.power(pilot=assay.compare(BEFORE, AFTER)).dimensions
    assert row.baseline == pytest.approx(other.baseline)


def test_a_comparison_without_its_runs_is_no_pilot():
    import pickle

    made = assay.compare(BEFORE, AFTER)
    stored = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own
    assert stored == made
    assert stored.trials is None
    assert "trials" not in made.to_dict()
    with pytest.raises(assay.SpecError, match="the pilot has no runs: only a result") as refused:
        assay.power(pilot=stored)
    assert "the runs that were compared" in refused.value.hint
    with pytest.raises(assay.SpecError, match="the pilot has 2 comparisons"):
        assay.power(pilot=assay.compare(BEFORE, AFTER, [1] * 60))
    for words in ({"task": "a"}, {"pairs": 9}, {"instance": "q"}):
        with pytest.raises(assay.SpecError, match="was read already"):
            assay.power(pilot=made, **words)
