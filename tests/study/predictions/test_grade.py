import json
import math
from itertools import product
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from helpers.graded import bar, judged, unjudged
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.predicted.ranges import interval_score
from assay.study.predictions.grade import grade, ranked_score, values_of
from assay.study.predictions.spec import VERDICTS, Predictable, parse_prediction

BARS = assay.load_bars("v3")
REFERENCE = json.loads(
    (Path(__file__).parents[2] / "reference_values/forecast_values.json").read_text()
)
EXACT = {"rel": 1e-12, "abs": 1e-14}
METRICS = {"D1": 0.0, "D2": 0.0, "D3": -1.0, "D4": -1.0} | {
    f"{one.id}.{name}": -1.0 for one in BARS.bars for name in one.partitions if one.minus
}
CARD = judged("fail", bar("D1", 0.8), bar("D2", 0.7), bar("D3", -0.1, 0.2, -0.1), bar("D4", 0.6))


def predicted(text):
    about = Predictable(metrics=METRICS, bars=4, submissions=("007", "008"))
    return parse_prediction(text.encode(), about, where="p")


def graded(text, judgement=CARD, **earlier):
    others = {name.removeprefix("s"): one for name, one in earlier.items()}
    return grade("009", predicted(text), judgement, BARS, others)


@pytest.mark.parametrize("case", REFERENCE["ranges"])
def test_the_interval_score_is_that_of_scoringrules(case):
    found = interval_score(case["low"], case["high"], case["level"], case["value"])
    assert found == pytest.approx(case["interval_score"], **EXACT)


@pytest.mark.parametrize("case", REFERENCE["outcomes"])
def test_the_ranked_score_is_that_of_scoringrules_over_the_steps(case):
    names = [f"{i}" for i in range(len(case["probabilities"]))]
    said = dict(zip(names, case["probabilities"], strict=True))
    found = ranked_score(said, f"{case['happened']}")
    assert found * (len(names) - 1) == pytest.approx(case["ranked_probability_score"], **EXACT)


@pytest.mark.parametrize(
    "case", [case for case in REFERENCE["outcomes"] if len(case["probabilities"]) == 5]
)
def test_the_log_score_is_that_of_scoringrules(case):
    text = "[outcomes]\n" + "\n".join(
        f'"{i}/4" = {share}' for i, share in enumerate(case["probabilities"])
    )
    results = [bar(f"D{i}", 0.6 if i < case["happened"] else 0.4) for i in range(4)]
    found = graded(text, judged("fail", *results)).outcome
    assert found.happened == f"{case['happened']}/4"
    assert found.log_score == pytest.approx(case["log_score"], rel=1e-12)


def test_a_range_that_holds_scores_its_width():
    assert interval_score(0.7, 0.9, 0.8, 0.75) == pytest.approx(0.2)
    assert interval_score(0.7, 0.9, 0.8, 0.7) == pytest.approx(0.2)
    assert interval_score(0.7, 0.9, 0.8, 0.9) == pytest.approx(0.2)


def test_a_miss_costs_more_the_farther_it_is_and_the_surer_one_was():
    # 2 / (1 - 0.8) = 10 times the distance, 2 / (1 - 0.9) = 20 times.
    assert interval_score(0.7, 0.9, 0.8, 0.95) == pytest.approx(0.2 + 10 * 0.05)
    assert interval_score(0.7, 0.9, 0.8, 0.6) == pytest.approx(0.2 + 10 * 0.1)
    assert interval_score(0.7, 0.9, 0.9, 0.6) == pytest.approx(0.2 + 20 * 0.1)


def test_the_ranked_score_of_hand_worked_cases():
    said = {"fail": 0.2, "unresolved": 0.5, "pass": 0.3}
    # Cumulated 0.2, 0.7; a fail is 1, 1; unresolved 0, 1; a pass 0, 0.
    assert ranked_score(said, "fail") == pytest.approx((0.64 + 0.09) / 2)
    assert ranked_score(said, "unresolved") == pytest.approx((0.04 + 0.09) / 2)
    assert ranked_score(said, "pass") == pytest.approx((0.04 + 0.49) / 2)


def test_a_near_miss_is_less_of_a_miss():
    sure = {"fail": 1.0, "unresolved": 0.0, "pass": 0.0}
    scores = [ranked_score(sure, happened) for happened in VERDICTS]
    assert scores == [0.0, 0.5, 1.0]


def grid(steps, outcomes):
    return [
        tuple(one / steps for one in shares)
        for shares in product(range(steps + 1), repeat=outcomes)
        if sum(shares) == steps
    ]


def log_score(said, happened):
    return -math.log(said[happened]) if said[happened] else math.inf


@pytest.mark.parametrize("score", [ranked_score, log_score])
@pytest.mark.parametrize(("steps", "outcomes"), [(10, 3), (6, 4), (20, 2)])
def test_no_other_probabilities_do_better_in_expectation_than_the_true_ones(score, steps, outcomes):
    names = [str(i) for i in range(outcomes)]
    all_said = [dict(zip(names, shares, strict=True)) for shares in grid(steps, outcomes)]
    table = np.array([[score(said, name) for name in names] for said in all_said])
    for index, true in enumerate(grid(steps, outcomes)):
        possible = [i for i, share in enumerate(true) if share]
        expected = table[:, possible] @ np.array(true)[possible]
        others = np.delete(expected, index)
        assert expected[index] < others.min() - 1e-12


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_no_other_ends_do_better_in_expectation_than_the_true_quantiles(level):
    tail, draws = (1 - level) / 2, 2001
    normal = NormalDist(0.7, 0.05)
    values = [normal.inv_cdf((i + 0.5) / draws) for i in range(draws)]
    ends = [normal.inv_cdf(tail), normal.inv_cdf(1 - tail)]

    def expected(low, high):
        return math.fsum(interval_score(low, high, level, value) for value in values) / draws

    best = expected(*ends)
    for off in (-0.05, -0.02, -0.005, 0.005, 0.02, 0.05):
        assert expected(ends[0] + off, ends[1]) > best
        assert expected(ends[0], ends[1] + off) > best
        assert expected(ends[0] + off, ends[1] + off) > best
        if off < ends[1] - ends[0]:
            assert expected(ends[0] + off / 2, ends[1] - off / 2) > best


def test_the_quantiles_of_a_lopsided_distribution_do_best_too():
    values = np.random.default_rng(5).beta(8, 2, 4000)
    ends = np.quantile(values, [0.1, 0.9])
    grid_of_ends = np.linspace(0.3, 1.0, 36)
    best = np.mean([interval_score(*ends, 0.8, value) for value in values[:1000]])
    assert best < 0.5

    def expected(low, high):
        missed = np.maximum(np.maximum(low - values, values - high), 0)
        return float(np.mean(high - low + 10 * missed))

    assert expected(*ends) == pytest.approx(
        np.mean([interval_score(*ends, 0.8, value) for value in values])
    )
    scores = [expected(low, high) for low in grid_of_ends for high in grid_of_ends if low < high]
    assert expected(*ends) <= min(scores)


probabilities = st.lists(st.integers(0, 100), min_size=2, max_size=9).filter(any)


@settings(deadline=None)
@given(probabilities, st.data())
def test_a_ranked_score_lies_between_none_and_one(weights, data):
    said = {f"{i}": weight / sum(weights) for i, weight in enumerate(weights)}
    happened = data.draw(st.sampled_from(list(said)))
    assert -1e-12 <= ranked_score(said, happened) <= 1 + 1e-12
    sure = {name: float(name == happened) for name in said}
    assert ranked_score(sure, happened) == 0


def test_no_idea_is_graded_as_equal_probabilities():
    for verdict, ranked in (("fail", 5 / 18), ("unresolved", 1 / 9), ("pass", 5 / 18)):
        found = graded("no_idea = true", judged(verdict, bar("D1", 0.8)))
        assert found.no_idea
        assert found.outcome.happened == verdict
        assert found.outcome.probability == pytest.approx(1 / 3)
        assert found.outcome.log_score == pytest.approx(math.log(3))
        assert found.outcome.ranked_score == pytest.approx(ranked)
        assert (found.commitments, found.held) == (0, 0)


def test_what_was_called_impossible_has_no_log_score():
    found = graded("[outcomes]\npass = 0.5\nunresolved = 0.5").outcome
    assert (found.happened, found.probability, found.log_score) == ("fail", 0.0, None)
    assert found.ranked_score == pytest.approx((1 + 0.25) / 2)


def test_what_was_called_certain_and_happened_scores_nothing():
    found = graded("[outcomes]\nfail = 1").outcome
    assert (found.log_score, found.ranked_score, found.expected) == (0.0, 0.0, "fail")


@pytest.mark.parametrize("met", range(5))
def test_the_number_of_bars_met_is_an_outcome(met):
    results = [bar(f"D{i}", 0.6 if i < met else 0.4) for i in range(4)]
    text = '[outcomes]\n"0/4" = 0.1\n"1/4" = 0.2\n"2/4" = 0.4\n"3/4" = 0.2\n"4/4" = 0.1'
    found = graded(text, judged("unresolved", *results))
    assert found.outcome.happened == f"{met}/4"
    assert found.outcome.probability == pytest.approx([0.1, 0.2, 0.4, 0.2, 0.1][met])
    assert (found.commitments, found.held) == (1, met == 2)


def test_an_outcome_holds_where_it_was_the_likeliest():
    text = "[outcomes]\nfail = {}\nunresolved = {}\npass = {}"
    right, wrong = graded(text.format(0.4, 0.3, 0.3)), graded(text.format(0.3, 0.4, 0.3))
    assert (right.outcome.expected, right.commitments, right.held) == ("fail", 1, 1)
    assert (wrong.outcome.expected, wrong.commitments, wrong.held) == ("unresolved", 1, 0)


@pytest.mark.parametrize("shares", [(0.4, 0.4, 0.2), (0.2, 0.4, 0.4), (0.4, 0.2, 0.4)])
def test_two_likeliest_outcomes_commit_to_neither(shares):
    lines = [f"{name} = {share}" for name, share in zip(VERDICTS, shares, strict=True)]
    found = graded("\n".join(["[outcomes]", *lines]))
    assert found.outcome.expected is None
    assert (found.commitments, found.held) == (0, 0)
    assert found.outcome.probability == shares[0]


@pytest.mark.parametrize(
    ("ends", "where", "score"),
    [
        ("[0.7, 0.9]", "inside", 0.2),
        ("[0.8, 0.8]", "inside", 0.0),
        ("[0.8, 1.0]", "inside", 0.2),
        ("[0.5, 0.7]", "above", 0.2 + 10 * 0.1),
        ("[0.85, 0.9]", "below", 0.05 + 10 * 0.05),
    ],
)
def test_a_range_is_graded_by_where_the_value_lies(ends, where, score):
    found = graded(f"[ranges]\nD1 = {ends}")
    (one,) = found.ranges
    assert (one.metric, one.value, one.where, one.level) == ("D1", 0.8, where, 0.8)
    assert one.score == pytest.approx(score)
    assert (found.commitments, found.held) == (1, where == "inside")


def test_a_bar_over_partitions_is_graded_as_a_whole_and_in_each():
    names = BARS.bars[2].partitions
    assert len(names) == 2
    text = f'[ranges]\nD3 = [-0.2, 0]\n"D3.{names[0]}" = [0.1, 0.3]\n"D3.{names[1]}" = [0.1, 0.3]'
    found = graded(text)
    assert [one.value for one in found.ranges] == [-0.1, 0.2, -0.1]
    assert [one.where for one in found.ranges] == ["inside", "inside", "below"]


def test_values_bear_the_names_that_predictions_use():
    first, second = BARS.bars[2].partitions
    assert values_of(CARD, BARS) == {
        "D1": 0.8,
        "D2": 0.7,
        "D3": -0.1,
        f"D3.{first}": 0.2,
        f"D3.{second}": -0.1,
        "D4": 0.6,
    }


def test_a_bar_with_other_parts_than_its_partitions_is_graded_as_a_whole_only():
    odd = judged("fail", bar("D3", -0.1, 0.2, -0.1, 0.3), bar("X9", 0.5))
    assert values_of(odd, BARS) == {"D3": -0.1, "X9": 0.5}


def test_a_real_scorecard_has_every_metric_that_can_be_predicted():
    dark = assay.load_benchmark("darkcore")
    card = assay.score(assay.run("oracle:word_length", dark), dark, BARS)
    whole = judged("fail")
    values = values_of(type(whole)(bars="v3", scorecard=card, error=None), BARS)
    assert set(values) == set(METRICS)
    for one, result in zip(BARS.bars, card.bars, strict=True):
        if len(one.partitions) > 1:
            assert values[one.id] == min(values[f"{one.id}.{name}"] for name in one.partitions)
        assert values[one.id] == result.value


@pytest.mark.parametrize(
    ("text", "left", "right", "held"),
    [
        ("D1 > 0.5", 0.8, 0.5, True),
        ("D1 < 0.5", 0.8, 0.5, False),
        ("0.5 < D1", 0.5, 0.8, True),
        ("D1 >= 0.8", 0.8, 0.8, True),
        ("D1 > 0.8", 0.8, 0.8, False),
        ("D1 <= 0.8", 0.8, 0.8, True),
        ("D1 < 0.8", 0.8, 0.8, False),
        ("D1 > D2", 0.8, 0.7, True),
        ("D2 >= D1", 0.7, 0.8, False),
        ("D1 > 007:D1", 0.8, 0.9, False),
        ("007:D1 > D1", 0.9, 0.8, True),
        ("D1 > 008:D1", 0.8, None, None),
        ("D1 > 007:D4", 0.8, None, None),
    ],
)
def test_a_direction_is_graded_against_numbers_metrics_and_submissions(text, left, right, held):
    found = graded(
        f'directions = ["{text}"]',
        s007=judged("pass", bar("D1", 0.9)),
        s008=judged("pass", bar("D2", 0.4)),
    )
    (one,) = found.directions
    assert (one.text, one.left, one.right, one.held) == (text, left, right, held)
    assert found.commitments == (held is not None)
    assert found.held == (held is True)


def test_an_earlier_submission_that_was_never_judged_by_these_bars_leaves_it_open():
    (one,) = graded('directions = ["D1 > 007:D1"]').directions
    assert (one.left, one.right, one.held) == (0.8, None, None)
    failed = unjudged("the method raised")
    (one,) = graded('directions = ["D1 > 007:D1"]', s007=failed).directions
    assert one.held is None


EVERYTHING = """
directions = ["D1 > 0.5", "D1 > 007:D1"]
[ranges]
D1 = [0.7, 0.9]
[outcomes]
fail = 1
"""


def test_a_judgement_without_a_scorecard_grades_nothing_and_invents_nothing():
    found = graded(EVERYTHING, unjudged("it raised"), s007=judged("pass", bar("D1", 0.9)))
    assert found.outcome is None
    assert [(one.value, one.where, one.score) for one in found.ranges] == [(None, None, None)]
    assert [(one.left, one.held) for one in found.directions] == [(None, None), (None, None)]
    assert (found.commitments, found.held) == (0, 0)
    assert graded("no_idea = true", unjudged("it raised")).outcome is None


def test_a_metric_that_the_scorecard_lacks_is_not_graded():
    found = graded("[ranges]\nD1 = [0, 1]\nD2 = [0, 1]", judged("fail", bar("D2", 0.3)))
    assert [one.where for one in found.ranges] == [None, "inside"]
    assert (found.commitments, found.held) == (1, 1)


def test_every_commitment_is_counted_once():
    found = graded(EVERYTHING, s007=judged("pass", bar("D1", 0.9)))
    assert (found.commitments, found.held) == (4, 3)
    assert (found.submission, found.bars) == ("009", "v1")
