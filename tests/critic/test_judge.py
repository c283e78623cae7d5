"""A critique says how much of its result is the wording's."""

import random

import pytest

from assay.critic.judge import CritiqueSetting, JudgedAnswer, Labelled, critique
from assay.critic.result import Calls
from assay.critic.tokens import TokenJudgement
from assay.critic.wordings import wordings

WORDINGS = wordings()


def one(p_no, *, low=None, high=None, mass=1.0):
    ends = {"low": p_no if low is None else low, "high": p_no if high is None else high}
    if p_no is None:
        ends = {"low": 0.0, "high": 1.0}
    return TokenJudgement(p_no=p_no, mass=mass, unseen=0.0, **ends)


def setting(**changes):
    return CritiqueSetting(
        **{
            "model": "http://127.0.0.1/v1#m",
            "wordings": WORDINGS,
            "data": "d",
            "digest": "sha256:" + "0" * 64,
            "min_mass": 0.2,
            "top": 20,
            **changes,
        }
    )


def drawn(strengths, n=200, seed=1):
    """Answers whose judgement under each wording follows the label by so much."""
    chance = random.Random(seed)  # noqa: S311 - planted data
    wrong = {str(i): i % 2 == 0 for i in range(n)}
    judged = []
    for i in range(n):
        shared = chance.gauss(0, 1)
        values = [
            0.5 + 0.08 * (s * wrong[str(i)] + 0.7 * shared + 0.7 * chance.gauss(0, 1))
            for s in strengths
        ]
        judged.append(
            JudgedAnswer(id=str(i), judgements=tuple(one(min(max(v, 0.0), 1.0)) for v in values))
        )
    return judged, Labelled(wrong=wrong)


def codes(made):
    return [caveat.code for caveat in made.caveats]


def test_a_score_is_the_mean_over_wordings_and_says_how_far_they_are_apart():
    judged = [JudgedAnswer(id="a", judgements=tuple(one(p) for p in (0.2, 0.4, 0.6, 0.8)))]
    made = critique(judged, setting())
    (score,) = made.scores
    assert score.p_no == pytest.approx(0.5)
    assert score.spread == pytest.approx(0.6)
    assert score.by_wording["published"] == 0.2
    assert made.auc is None


def test_wordings_of_different_power_are_called_sensitive():
    made = critique(*_with(drawn([2.0, 2.0, 2.0, 0.0])))
    assert "wording-sensitive" in codes(made)
    assert made.wording_gap.low > 0.0


def test_wordings_of_equal_power_are_not():
    made = critique(*_with(drawn([2.0, 2.0, 2.0, 2.0])))
    assert "wording-sensitive" not in codes(made)
    assert made.auc.low > 0.8


def test_equal_wordings_are_called_different_in_at_most_five_draws_of_a_hundred():
    false = sum(
        critique(*_with(drawn([1.0] * 4, n=120, seed=seed))).wording_gap.low > 0.0
        for seed in range(200)
    )
    assert false <= 10


def _with(drawn_pair):
    judged, labelled = drawn_pair
    return judged, setting(), labelled


def test_an_abstention_is_counted_and_has_no_score():
    judged = [
        JudgedAnswer(id="a", judgements=(one(None),) * 4),
        JudgedAnswer(id="b", judgements=(one(0.5),) * 4),
    ]
    made = critique(judged, setting())
    assert (made.abstained, made.failed, made.n) == (1, 0, 2)
    assert made.scores[0].p_no is None
    assert made.scores[0].abstained
    assert "abstained" in codes(made)


def test_a_failed_call_is_counted_apart():
    made = critique([JudgedAnswer(id="a", error="no reply")], setting())
    assert (made.abstained, made.failed) == (0, 1)
    assert made.scores[0].error == "no reply"
    assert "failed-calls" in codes(made)


def test_scores_at_the_ends_are_called_saturated():
    sure = [JudgedAnswer(id=str(i), judgements=(one(float(i % 2)),) * 4) for i in range(20)]
    assert "saturated" in codes(critique(sure, setting()))
    unsure = [JudgedAnswer(id=str(i), judgements=(one(0.3),) * 4) for i in range(20)]
    assert "saturated" not in codes(critique(unsure, setting()))


def test_a_short_list_of_tokens_is_said():
    wide = [JudgedAnswer(id="a", judgements=(one(0.5, low=0.2, high=0.8),) * 4)]
    assert "unlisted-tokens" in codes(critique(wide, setting()))


def test_an_author_as_judge_a_toy_model_one_wording_and_a_replay_are_said():
    judged = [JudgedAnswer(id="a", judgements=(one(0.5),))]
    calls = Calls(file="calls.jsonl", mode="replay", asked=0, replayed=4)
    made = critique(
        judged,
        setting(wordings=WORDINGS[:1], author="gpt-4o-mini", toy=True, cassette=calls),
    )
    assert {"same-author-model", "toy-model", "one-wording", "replayed"} <= set(codes(made))
    assert made.wording_gap is None


def test_the_result_prints_in_a_few_lines_and_has_a_row_for_each_answer():
    made = critique(*_with(drawn([2.0] * 4)))
    assert str(made).startswith("AUC 0.")
    assert len(made.to_rows()) == made.n
    assert made.to_dict()["scores"][0]["id"] == "0"
