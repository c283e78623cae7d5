import math
from itertools import pairwise

import numpy as np
import pytest
from calibration_rates import CHOOSING, HELD_BACK, drawn, lessons
from calibration_rates import graded as graded_errors
from helpers.graded import direction_grade, graded, outcome_grade, range_grade, submission
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.proportions import accuracy
from assay.study.predictions.calibration import BINS, calibrate
from assay.study.predictions.grade import ranked_score


def study(*wheres, level=0.8):
    """A submission for each list of ranges that ended inside, above or below."""
    return [
        submission(
            f"s{i:03}", grade=graded(f"s{i:03}", *(range_grade(one, level=level) for one in each))
        )
        for i, each in enumerate(wheres)
    ]


def outcome_study(*outcomes, **more):
    return [
        submission(f"s{i:03}", grade=graded(f"s{i:03}", outcome=one, **more))
        for i, one in enumerate(outcomes)
    ]


def told(made, start):
    return [lesson for lesson in made.lessons if lesson.startswith(start)]


def test_a_study_without_predictions_has_no_calibration_and_no_lesson():
    for made in (calibrate([]), calibrate([submission("a"), submission("b")])):
        assert (made.submissions, made.coverage, made.reliability, made.lessons) == ((),) * 4
        assert (made.interval_score, made.log_score, made.ranked_score) == (None, None, None)
        assert (made.log_score_of_no_idea, made.ranked_score_of_no_idea) == (None, None)
        assert (made.above, made.below, made.impossible) == (0, 0, 0)


def test_coverage_counts_ranges_by_the_level_they_were_stated_at():
    ranges = [
        range_grade("inside"),
        range_grade("above"),
        range_grade("below", level=0.5),
        range_grade("inside", level=0.5),
        range_grade("inside", level=0.5),
        range_grade(None, level=0.9),
    ]
    made = calibrate([submission("a", grade=graded("a", *ranges))])
    assert [(one.level, one.inside, one.total) for one in made.coverage] == [
        (0.5, 2, 3),
        (0.8, 1, 2),
    ]
    assert [one.submissions for one in made.coverage] == [1, 1]
    assert [one.value for one in made.coverage] == pytest.approx([2 / 3, 1 / 2])
    assert (made.above, made.below) == (1, 1)


def test_the_interval_score_is_the_mean_over_all_graded_ranges():
    made = calibrate(study(["inside", "above"], ["inside", None]))
    assert made.interval_score == pytest.approx((0.2 + 1.7 + 0.2) / 3)


def test_five_ranges_of_one_submission_are_not_five_successes():
    (five,), (one,) = (calibrate(study(["inside"] * n)).coverage for n in (5, 1))
    assert (five.low, five.high) == (one.low, one.high) == pytest.approx((0.025, 1))
    (missed,) = calibrate(study(["above"] * 5)).coverage
    assert (missed.low, missed.high) == pytest.approx((0, 0.975))


def test_ranges_that_stand_and_fall_together_count_as_one_each():
    # Clopper-Pearson of 7 in 10 is (0.348, 0.933); of 21 in 30 it is (0.506, 0.853).
    together = calibrate(study(*[["inside"] * 3] * 7, *[["above"] * 3] * 3)).coverage[0]
    assert (together.inside, together.total, together.submissions) == (21, 30, 10)
    assert together.low <= 0.35
    assert together.high >= 0.93
    single = calibrate(study(*[["inside"]] * 21, *[["above"]] * 9)).coverage[0]
    assert (single.low, single.high) == pytest.approx((0.506, 0.853), abs=0.01)


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["inside", "above", "below"]), min_size=1, max_size=4),
        min_size=1,
        max_size=8,
    )
)
def test_a_coverage_lies_in_its_interval_which_is_never_narrower_than_without_groups(wheres):
    (one,) = calibrate(study(*wheres)).coverage
    hits = [where == "inside" for each in wheres for where in each]
    low, high = accuracy(hits).interval()
    assert 0 <= one.low <= one.value <= one.high <= 1
    assert one.low <= low + 1e-12
    assert one.high >= high - 1e-12


EDGES = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("step", [-1, 0, 1])
def test_every_probability_falls_in_exactly_one_bin(edge, step):
    share = math.nextafter(edge, step * math.inf) if step else edge
    if not 0 <= share <= 1:
        share = 0.5
    made = calibrate(outcome_study(outcome_grade("pass", fail=1 - share, **{"pass": share})))
    assert sum(one.total for one in made.reliability) == 2
    assert sum(one.happened for one in made.reliability) == 1
    for one in made.reliability:
        assert one.at_least <= one.stated <= one.below


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=3, max_size=3).filter(any), st.integers(0, 2))
def test_no_probability_is_lost_or_counted_twice(weights, index):
    names = ("fail", "unresolved", "pass")
    said = {name: one / sum(weights) for name, one in zip(names, weights, strict=True)}
    made = calibrate(outcome_study(outcome_grade(names[index], **said)))
    assert sum(one.total for one in made.reliability) == 3
    assert sum(one.happened for one in made.reliability) == 1
    stated = sum(one.stated * one.total for one in made.reliability)
    assert stated == pytest.approx(1)


def test_a_bin_begins_with_its_edge_and_the_last_one_ends_with_certainty():
    assert list(BINS) == EDGES
    made = calibrate(outcome_study(outcome_grade("fail", fail=1.0, **{"pass": 0.0})))
    assert [(one.at_least, one.below) for one in made.reliability] == [(0.0, 0.1), (0.9, 1.0)]
    for edge, above in pairwise(EDGES[1:]):
        said = {"fail": edge, "pass": 1 - edge}
        made = calibrate(outcome_study(outcome_grade("fail", **said)))
        assert (edge, above) in [(one.at_least, one.below) for one in made.reliability]


def test_a_reliability_curve_counts_what_was_given_and_what_happened():
    said = {"fail": 0.2, "unresolved": 0.2, "pass": 0.6}
    made = calibrate(outcome_study(*(outcome_grade(h, **said) for h in ("pass", "pass", "fail"))))
    low, high = made.reliability
    assert (low.at_least, low.below, low.happened, low.total) == (0.1, 0.3, 1, 6)
    assert (high.at_least, high.below, high.happened, high.total) == (0.5, 0.7, 2, 3)
    assert (low.stated, high.stated) == pytest.approx((0.2, 0.6))
    assert (low.value, high.value) == pytest.approx((1 / 6, 2 / 3))
    for one in (low, high):
        assert 0 <= one.low < one.value < one.high <= 1


def test_having_no_idea_is_counted_and_teaches_nothing():
    third = dict.fromkeys(("fail", "unresolved", "pass"), 1 / 3)
    made = calibrate(outcome_study(outcome_grade("fail", ranked=5 / 18, **third), no_idea=True))
    (counts,) = made.submissions
    assert (counts.no_idea, counts.outcome, counts.expected) == (True, "fail", None)
    assert (made.reliability, made.ranked_score, made.lessons) == ((), None, ())


def test_each_submission_is_counted_as_it_was_graded():
    directions = [direction_grade(f"D{i} > D9", held) for i, held in enumerate((True, False, None))]
    outcome = outcome_grade("pass", fail=0.3, **{"pass": 0.7}, expected="pass")
    grade = graded(
        "a",
        range_grade("inside"),
        range_grade("above"),
        range_grade(None),
        outcome=outcome,
        directions=directions,
    )
    ((counts),) = calibrate([submission("a", grade=grade)]).submissions
    assert (counts.submission, counts.no_idea) == ("a", False)
    assert (counts.inside, counts.ranges) == (1, 2)
    assert (counts.outcome, counts.probability, counts.expected) == ("pass", 0.7, True)
    assert (counts.directions_held, counts.directions) == (1, 2)


def test_a_submission_without_outcome_or_with_a_tie_expected_nothing():
    tie = outcome_grade("pass", fail=0.5, **{"pass": 0.5})
    wrong = outcome_grade("pass", fail=0.6, **{"pass": 0.4}, expected="fail")
    found = calibrate(outcome_study(None, tie, wrong)).submissions
    assert [one.expected for one in found] == [None, None, False]


def test_an_impossible_outcome_is_counted_and_left_out_of_both_log_scores():
    said = {"0/1": 0.5, "1/1": 0.5}
    three = {"fail": 1.0, "unresolved": 0.0, "pass": 0.0}
    made = calibrate(
        outcome_study(
            outcome_grade("0/1", log=math.log(2), ranked=0.25, **said),
            outcome_grade("pass", log=None, ranked=1.0, **three),
        )
    )
    assert made.impossible == 1
    assert made.log_score == made.log_score_of_no_idea == pytest.approx(math.log(2))
    assert made.ranked_score == pytest.approx((0.25 + 1) / 2)
    assert made.ranked_score_of_no_idea == pytest.approx((0.25 + 5 / 18) / 2)
    assert "What had been called impossible happened once: leave room for it." in made.lessons


def test_what_was_impossible_twice_is_told_so():
    said = {"fail": 1.0, "pass": 0.0}
    made = calibrate(outcome_study(*[outcome_grade("pass", log=None, ranked=1, **said)] * 2))
    assert told(made, "What had been called impossible happened 2 times")
    assert (made.log_score, made.log_score_of_no_idea) == (None, None)


def test_misses_on_the_upper_side_are_told_in_words():
    made = calibrate(study(*[["above"]] * 4, ["below"], ["inside"]))
    assert (made.above, made.below) == (4, 1)
    (one,) = made.coverage
    assert one.high < 0.8
    assert made.lessons == (
        "Ranges too narrow: 1 of 6 ranges stated at 80 % hold"
        f" ({one.low * 100:.3g} % to {one.high * 100:.3g} %).",
        "Ranges too narrow on the upper side: 4 of 5 misses are above.",
    )


def test_misses_on_the_lower_side_are_told_in_words():
    made = calibrate(study(*[["below", "below", "below", "above"]] * 5))
    assert made.lessons[1:] == ("Ranges too narrow on the lower side: 15 of 20 misses are below.",)


def test_misses_on_one_side_alone_are_told_as_such_and_not_as_narrow_ranges():
    (lesson,) = calibrate(study(*[["below", "below"]] * 5)).lessons
    assert lesson == (
        "Misses on one side: 0 of 10 ranges stated at 80 % hold (0 % to 52.2 %), and 10 of 10"
        " misses are below. One error that all submissions share would do that."
    )
    # A tenth of all ranges may be missed on either side, and so many are on the lesser one here.
    wheres = [["above", "above"]] * 4 + [["inside", "below"]]
    (lesson,) = calibrate(study(*wheres)).lessons
    assert lesson.startswith("Misses on one side: 1 of 10")


def test_misses_on_both_sides_are_told_without_a_side():
    made = calibrate(study(*[["above", "below"]] * 6))
    assert len(made.lessons) == 1
    assert made.lessons[0].startswith("Ranges too narrow: 0 of 12 ranges stated at 80 % hold (0 %")


def test_ranges_that_hold_as_often_as_stated_are_not_scolded_for_the_side_of_their_misses():
    # Four misses of twenty ranges at 80 %, and by chance all of them above.
    assert calibrate(study(*[["inside"]] * 16, *[["above"]] * 4)).lessons == ()


def test_ranges_that_always_hold_are_told_that_they_are_too_wide():
    (lesson,) = calibrate(study(*[["inside"]] * 10, level=0.5)).lessons
    assert (
        lesson
        == "Ranges wider than need be: 10 of 10 ranges stated at 50 % hold (69.2 % to 100 %)."
    )
    assert calibrate(study(*[["inside"]] * 10, level=0.8)).lessons == ()


@pytest.mark.parametrize("submissions", [1, 2, 3, 4])
def test_too_few_submissions_teach_nothing_but_that(submissions):
    made = calibrate(study(*[["above"] * 5] * submissions))
    assert made.lessons == (
        f"Too few submissions to judge the ranges by: {submissions}, and 5 say little yet.",
    )
    five = calibrate(study(*[["above", "below"] * 2] * 5))
    assert five.lessons[0].startswith("Ranges too narrow: 0 of 20")


def test_outcomes_without_ranges_are_not_told_that_there_are_too_few_ranges():
    made = calibrate(outcome_study(outcome_grade("fail", fail=1.0, **{"pass": 0.0})))
    assert made.lessons == ()


def test_outcomes_worse_than_no_idea_are_told_so_from_five_on():
    said = {"fail": 0.9, "unresolved": 0.1, "pass": 0.0}
    happened = "unresolved"
    one = outcome_grade(happened, ranked=ranked_score(said, happened), log=2.3, **said)
    assert calibrate(outcome_study(*[one] * 4)).lessons == ()
    assert calibrate(outcome_study(*[one] * 5)).lessons == (
        "Outcome probabilities did worse than having no idea"
        " (ranked score 0.405 against 0.111; less is better).",
    )


def test_directions_that_mostly_failed_are_told_so_from_three_on():
    def made(*held):
        return calibrate(
            outcome_study(None, directions=[direction_grade(f"{h}", h) for h in held])
        ).lessons

    assert made(False, False) == made(True, False, True) == made(True, False, None, None) == ()
    assert made(False, True, False) == ("Directions are the weak point: 1 of 3 held.",)
    assert made(False, False, True, True) == ()


@pytest.mark.parametrize(
    ("submissions", "alike"), [(30, 0.0), (30, 0.5), (30, 0.9), (10, 0.5), (10, 0.9), (6, 1.0)]
)
def test_a_calibrated_forecaster_is_covered_and_rarely_scolded(submissions, alike):
    rng = np.random.default_rng(20300101)
    covered = scolded = 0
    for _ in range(400):
        made = calibrate(drawn(rng, submissions, alike, lambda level: level))
        (one,) = made.coverage
        covered += one.low <= 0.8 <= one.high
        scolded += bool(told(made, "Ranges"))
    assert covered / 400 >= 0.93
    assert scolded / 400 <= 0.06


def test_stating_several_levels_is_not_scolded_more_often():
    rng = np.random.default_rng(20300102)
    scolded = sum(
        bool(told(calibrate(drawn(rng, 50, 0.5, lambda level: level, (0.5, 0.8, 0.9))), "Ranges"))
        for _ in range(300)
    )
    assert scolded / 300 <= 0.06


@pytest.mark.parametrize("alike", [0.0, 0.5, 0.9])
def test_ranges_that_hold_half_as_often_as_stated_are_told_so(alike):
    rng = np.random.default_rng(20300103)
    right = covered = 0
    for _ in range(200):
        made = calibrate(drawn(rng, 30, alike, lambda level: level / 2))
        right += bool(told(made, "Ranges too narrow:"))
        covered += made.coverage[0].low <= 0.4 <= made.coverage[0].high
    assert right / 200 >= 0.98
    assert covered / 200 >= 0.92


@pytest.mark.parametrize("sharing", [CHOOSING[1], CHOOSING[4], CHOOSING[6], HELD_BACK[-1]], ids=str)
def test_errors_that_submissions_share_are_no_lesson(sharing):
    rng = np.random.default_rng(20300105)
    told_of = [
        lessons(graded_errors(sharing.draw(rng, 30), lambda level: level)) for _ in range(200)
    ]
    independent, ours = np.mean(told_of, axis=0)
    assert independent > 0.1, "the planted wrong must be seen"
    assert ours <= 0.06


def test_counting_ranges_as_if_they_were_independent_would_scold_too_often():
    rng = np.random.default_rng(20300104)
    outside = 0
    for _ in range(300):
        hits = [
            one.where == "inside"
            for each in drawn(rng, 30, 0.9, lambda level: level)
            for one in each.grade.ranges
        ]
        low, high = accuracy(hits).interval()
        outside += not low <= 0.8 <= high
    assert outside / 300 > 0.1, "the planted wrong must be seen"
