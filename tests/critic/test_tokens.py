"""A score is an interval that the listed tokens bear, never a value made up for a missing one."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.critic.tokens import TokenJudgement, judge, pool
from assay.models.replies import TokenOption


def listed(**probabilities):
    return [TokenOption(text=text, logprob=math.log(p)) for text, p in probabilities.items()]


def options(pairs):
    return [TokenOption(text=text, logprob=math.log(p)) for text, p in pairs]


def test_spellings_of_a_word_are_pooled():
    read = judge(
        options(
            [("NO", 0.3), (" no", 0.2), ("**No", 0.1), ("Yes", 0.2), ("yes.", 0.1), ("So", 0.1)]
        ),
        wrong="no",
    )
    assert read.p_no == pytest.approx(0.6 / 0.9)
    assert read.mass == pytest.approx(0.9)


def test_the_beginning_of_a_word_competes_with_the_whole_word():
    read = judge(options([("NO", 0.4), ("Y", 0.4), ("Yes", 0.2)]), wrong="no")
    assert read.p_no == pytest.approx(0.4)
    assert read.low == pytest.approx(0.4)
    assert read.high == pytest.approx(0.4 / 0.6), "Y may go on to You"


def test_a_longer_word_with_the_same_beginning_is_another():
    read = judge(options([("Not", 0.5), ("NO", 0.2), ("YES", 0.3)]), wrong="no")
    assert read.p_no == pytest.approx(0.4)
    assert read.mass == pytest.approx(0.5)


def test_a_missing_token_never_makes_a_score_certain():
    read = judge(options([("NO", 0.9), ("The", 0.05)]), wrong="no")
    assert read.p_no == 1.0
    assert read.low == pytest.approx(0.9 / 0.95), "YES may have what the list leaves"
    assert read.high == 1.0
    read = judge(options([("YES", 0.9), ("The", 0.05)]), wrong="no")
    assert read.p_no == 0.0
    assert (read.low, read.high) == (0.0, pytest.approx(0.05 / 0.95))


def test_an_unlisted_spelling_is_at_most_as_likely_as_the_least_likely_listed():
    short = options([("NO", 0.5), ("YES", 0.3), ("a", 0.001)])
    read = judge(short, wrong="no")
    assert read.unseen == pytest.approx(0.199)
    assert read.high == pytest.approx(1 - 0.3 / (0.8 + 0.024))


def test_a_wording_that_asks_the_other_way_round_is_rejected_by_yes():
    first = options([("YES", 0.7), ("NO", 0.3)])
    assert judge(first, wrong="yes").p_no == pytest.approx(0.7)
    assert judge(first, wrong="no").p_no == pytest.approx(0.3)


def test_a_model_that_answers_something_else_abstains_and_gets_no_middle_score():
    read = judge(options([("The", 0.9), ("NO", 0.05), ("YES", 0.05)]), wrong="no")
    assert read.p_no is None
    assert read.mass == pytest.approx(0.1)
    assert judge([], wrong="no").p_no is None
    assert judge(options([("The", 1.0)]), wrong="no", min_mass=0.0).p_no is None


def test_empty_and_special_tokens_are_other_words():
    read = judge(options([("", 0.5), ("\n", 0.1), ("NO", 0.4)]), wrong="no")
    assert read.mass == pytest.approx(0.4)


@settings(derandomize=True)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["YES", "yes", " Y", "NO", "no", "N", "The", "", "Not"]),
            st.floats(1e-6, 1.0),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_the_bounds_hold_the_score_and_every_completion_of_the_list(weighted):
    total = sum(weight for _, weight in weighted) * 1.25
    first = options([(text, weight / total) for text, weight in weighted])
    read = judge(first, wrong="no", min_mass=0.0)
    assert 0.0 <= read.low <= read.high <= 1.0
    if read.p_no is None:
        return
    assert read.low - 1e-12 <= read.p_no <= read.high + 1e-12
    least = min(math.exp(each.logprob) for each in first)
    spelling = min(least, read.unseen) * (1 - 1e-9)
    for added in ("Yes", "No"):  # the server lists one token more
        more = judge(
            [*first, TokenOption(text=added, logprob=math.log(spelling))], wrong="no", min_mass=0.0
        )
        assert read.low - 1e-9 <= more.p_no <= read.high + 1e-9


def judged(p_no, **given_values):
    return TokenJudgement(
        **{"p_no": p_no, "low": 0.1, "high": 0.9, "mass": 0.8, "unseen": 0.0, **given_values}
    )


def test_wordings_are_pooled_by_their_mean_over_those_that_answered():
    pooled = pool([judged(0.2), judged(0.6), judged(None, mass=0.0)])
    assert pooled.p_no == pytest.approx(0.4)
    assert pooled.mass == pytest.approx(1.6 / 3)


def test_where_most_wordings_abstain_so_does_the_pool():
    assert pool([judged(0.2), judged(None), judged(None)]).p_no is None
    assert pool([judged(None)]).p_no is None
