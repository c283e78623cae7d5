"""Sides that are plain scores pair by position, or by their index; a comparison says which."""

import io
import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.api.sides.vector_pairs import item_names
from assay.api.sides.vectors import vector_of
from assay.logs.trial_rows import TrialColumns

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


def sides(index):
    return [pd.Series(side, index=index) for side in (BEFORE, AFTER)]


def refusal(*given, **named):
    with pytest.raises(assay.AssayError) as refused:
        assay.compare(*given, **named)
    return refused.value


@given(order=st.permutations(range(60)), index=st.sampled_from(["plain", "numbers", "texts"]))
@settings(max_examples=20)
def test_the_index_of_a_series_is_never_ignored(order, index):
    labels = {"plain": range(60), "numbers": [7 * n % 60 for n in range(60)], "texts": NAMES}[index]
    ours, theirs = sides(labels)
    moved = theirs.iloc[order]
    names = ["a", "b"]
    expected = item_names([vector_of(ours), vector_of(theirs)], names, TrialColumns()).instances
    for pair in ((ours, moved), (moved, ours), (ours, moved.to_list()), (moved, ours.to_numpy())):
        try:
            found = item_names([vector_of(side) for side in pair], names, TrialColumns())
        except assay.errors.IncomparableRuns as error:
            assert error.hint
            continue
        by_name = [
            dict(zip(instances, vector_of(side).scores, strict=True))
            for instances, side in zip(found.instances, pair, strict=True)
        ]
        truth = dict(zip(expected[0], zip(BEFORE, AFTER, strict=True), strict=True))
        pairs = sorted(zip(by_name[0].values(), map(by_name[1].get, by_name[0]), strict=True))
        if "index" in found.said:
            known = truth.values() if pair[0] is ours else [each[::-1] for each in truth.values()]
            assert pairs == sorted(known)
        else:  # a list, beside labels that count its places
            assert list(order) == list(range(60)) or pair[0] is ours


def test_numbers_in_another_order_are_refused_and_the_hints_can_be_pasted():
    baseline, candidate = pd.Series(BEFORE), pd.Series(AFTER).sample(frac=1, random_state=3)
    error = refusal(baseline, candidate)
    assert "the same numbers as that of baseline in another order" in error.message
    by_label, in_order = re.findall(r"assay\.compare\(.+?\)\)", error.hint)
    names = {"assay": assay, "baseline": baseline, "candidate": candidate}
    assert eval(by_label, names).dimensions == assay.compare(BEFORE, AFTER).dimensions  # noqa: S307
    assert eval(in_order, names).dimensions == assay.compare(BEFORE, list(candidate)).dimensions  # noqa: S307
    error = refusal(pd.Series(BEFORE, index=NAMES), AFTER)
    assert 'baseline has an index, which begins with "q0", "q1", "q2", and candidate' in str(error)
    assert "position" in note(assay.compare(pd.Series(BEFORE), AFTER))
    error = refusal(pd.Series(BEFORE), pd.Series(AFTER[:-1]))
    assert "do not pair by position" in error.message


REPEATED = pd.MultiIndex.from_product([range(20), range(3)], names=["task_id", "attempt"])


def test_the_levels_of_an_index_are_the_instance_and_the_trial():
    ours, theirs = sides(REPEATED)
    found = assay.compare(ours, theirs.sample(frac=1, random_state=1))
    rows = [
        [
            {"task_id": task, "attempt": trial, "score": score}
            for (task, trial), score in one.items()
        ]
        for one in (ours, theirs)
    ]
    of_rows = assay.compare(*rows, instance="task_id", trial="attempt")
    assert (found.pairs, found.instances, found.unit) == (60, 20, of_rows.unit)
    assert (found.verdict, found.dimensions) == (of_rows.verdict, of_rows.dimensions)
    assert note(found).endswith("index: task_id is the instance, attempt the trial.")
    other = [one.swaplevel() for one in (ours, theirs)]
    named = assay.compare(*other, instance="task_id", trial="attempt")
    assert named.dimensions == found.dimensions
    assert assay.compare(*other, trial="attempt").dimensions == found.dimensions
    unnamed = [one.rename_axis([None, None]) for one in (ours, theirs)]
    assert note(assay.compare(*unnamed)).endswith("level 1 is the instance, level 2 the trial.")


def test_levels_that_are_not_there_or_left_over_are_refused():
    ours, theirs = sides(REPEATED)
    error = refusal(ours, theirs, instance="task")
    assert "baseline: no level 'task' in the index of its scores; the levels are task_id" in str(
        error
    )
    deep = pd.MultiIndex.from_product([["m"], range(20), range(3)], names=["model", "task", "run"])
    error = refusal(*sides(deep), instance="task", trial="run")
    assert "the index has further levels: model" in error.message
    assert assay.compare(*sides(deep), instance="task").instances == 20


def test_repeats_in_an_index_are_no_further_evidence():
    rng = np.random.default_rng(5)
    index = pd.MultiIndex.from_product([range(25), range(8)])
    verdicts = []
    for _ in range(12):  # nothing is better on average: the tasks differ
        rates = [np.clip(0.5 + rng.normal(0, 0.25, 25), 0.02, 0.98).repeat(8) for _ in "ab"]
        made = [pd.Series(rng.binomial(1, rate), index=index) for rate in rates]
        verdicts.append(assay.compare(*made).verdict.value)
    assert sum(verdict in ("ratify", "reject") for verdict in verdicts) <= 2


def test_lists_of_words_are_scores_and_other_texts_no_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [["pass" if one else "fail" for one in side] for side in (BEFORE, AFTER)]
    assert assay.compare(*words).dimensions == assay.compare(BEFORE, AFTER).dimensions
    numbers = [[str(float(one)) for one in side] for side in (BEFORE, AFTER)]
    assert assay.compare(*numbers).dimensions == assay.compare(BEFORE, AFTER).dimensions
    error = refusal(["good", "bad"] * 20, ["good"] * 40)
    assert "baseline: 40 texts, such as 'good', that are neither files nor scores" in error.message
    (tmp_path / "pass").write_text('{"instance": "a", "score": 1}')
    assert "there is no 'fail'" in refusal(["pass", "fail"], words[1]).message


class Gives:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values)


def test_an_object_that_gives_an_array_is_one():
    found = assay.compare(Gives(BEFORE), Gives(AFTER))
    assert found.dimensions == assay.compare(BEFORE, AFTER).dimensions
    error = refusal(np.ones((3, 2)), np.ones((3, 2)))
    assert "of shape 3x2, expected one score an item" in error.message
    assert "assay.compare(array[:, 0], array[:, 1])" in error.hint
    assert "Plain scores are a list" in refusal(3.5, 4.5).hint


def test_a_text_that_is_no_path_is_refused_with_what_it_may_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    csv = "instance,score\n" + "\n".join(f"q{n},{n % 2}" for n in range(12))
    error = refusal(csv, csv.replace("q1,1", "q1,0"))
    assert error.message.startswith("baseline: a text of ") and "'instance,score'" in error.message
    assert assay.compare(io.StringIO(csv), io.StringIO(csv.replace(",1", ",0"))).pairs == 12
    for call in (assay.load_benchmark, assay.claims):
        with pytest.raises(assay.SpecError, match="expected a path"):
            call(csv)
    with pytest.raises(assay.SpecError, match="scores: a text of"):
        assay.confounds("darkcore", scores=csv, joint=False)
    error = refusal("old.csv", ROWS[1])
    assert error.message == "there is no 'old.csv'"
    assert f"Paths start from the working directory, {tmp_path}" in error.hint
    with pytest.raises(assay.AssayError) as missing:
        assay.claims("The AUC is 0.9")
    assert "working directory" in missing.value.hint


@pytest.mark.parametrize("kind", [list, pd.DataFrame, pl.DataFrame])
def test_a_column_given_as_a_side_is_refused_as_such(kind):
    error = refusal(kind(ROWS[0]), kind(ROWS[1]), "instance")
    assert error.message == "'instance' is a column of the data, given as a side"
    assert '`instance="instance"`' in error.__notes__[0]


def test_one_frame_with_a_column_for_each_side_is_told_how():
    wide = pd.DataFrame({"v1": BEFORE, "v2": AFTER})
    assert 'assay.compare(frame["ONE"], frame["OTHER"])' in refusal(wide).hint
    assert assay.compare(wide["v1"], wide["v2"]).pairs == 60


def test_lazy_frames_are_read_without_a_warning():
    lazy = [pl.LazyFrame(side) for side in ROWS]
    assert assay.compare(*lazy).dimensions == assay.compare(*ROWS).dimensions


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
