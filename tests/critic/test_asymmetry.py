"""On planted generators, v1 must be fooled and v3 must be right: the test of the instrument."""

import math

import pytest

from assay.critic.asymmetry.collect import asymmetry_each
from assay.critic.asymmetry.judge import asymmetry
from assay.critic.asymmetry.result import Misconception, Stance
from assay.critic.asymmetry.spec import AsymmetrySetting
from assay.critic.collect import ShownAnswer
from assay.critic.wordings import wordings
from assay.models.model import Model
from assay.models.replies import ChatReply, EmbeddingReply, TokenOption, Usage
from assay.models.requests import Embedding

PAIRS = [
    ShownAnswer(
        id=str(number), question=f"Does {thing} cause warts?", response=f"{thing} causes warts"
    )
    for number, thing in enumerate(["a toad", "cold water", "reading", "the moon", "bread"] * 4)
]


class Planted(Model):
    """Answers freely by `free`, and is perfect at every judgement."""

    name = "planted"

    def __init__(self, free):
        self._free = free

    def ask(self, request):
        prompt = request.messages[-1].content
        if request.max_tokens > 1:
            thing = prompt.removeprefix("Question: Does ").partition(" cause")[0]
            return reply(self._free(thing))
        if "Statement:" in prompt:
            text = prompt.partition("Text: ")[2]
            refutes = "not" in text.partition("\n")[0] or "myth" in text.partition("\n")[0]
            if "AGREE" in prompt:
                return reply("DISAGREE" if refutes else "AGREE")
            return reply("F" if refutes else "T")
        rejects = "YES" if "error" in prompt else "NO"
        return reply(rejects)


class Words(Model):
    """Embeds a text as the words that it holds: two texts on one topic are similar."""

    name = "words"

    def ask(self, request):
        assert isinstance(request, Embedding)
        vector = [0.0] * 64
        for word in request.text.casefold().split():
            vector[sum(map(ord, word.strip(".,"))) % 64] += 1.0
        return EmbeddingReply(vector=tuple(vector), usage=Usage())


def reply(text):
    first = (TokenOption(text=text.split()[0] if text else "", logprob=math.log(0.99)),)
    return ChatReply(text=text, finish="stop", first=first, usage=Usage())


def measured(free):
    items = list(
        asymmetry_each(Planted(free), Words(), PAIRS, wordings(), jobs=2, top=20, min_mass=0.2)
    )
    return asymmetry(
        items,
        AsymmetrySetting(model="planted", encoder="words", prompt="p", data="d", digest="sha256:0"),
    )


def rates(made):
    return {each.name: each.asymmetric.value for each in made.measures}


def test_a_generator_that_affirms_the_misconceptions_is_asymmetric_by_every_measure():
    made = measured(lambda thing: f"Yes, {thing} causes warts.")
    assert rates(made) == {"v1": 1.0, "v2": 1.0, "v3": 1.0}
    assert made.disagreements == ()


def test_a_generator_that_refutes_them_on_topic_fools_v1_and_not_v3():
    made = measured(lambda thing: f"No, it is a myth that {thing} causes warts.")
    assert rates(made) == {"v1": 1.0, "v2": 0.0, "v3": 0.0}
    assert len(made.disagreements) == len(PAIRS)
    assert {"measures-disagree", "topic-not-truth"} <= {each.code for each in made.caveats}


def test_a_wordy_first_token_is_unclear_and_counted():
    class Wordy(Planted):
        def ask(self, request):
            if "AGREE" in request.messages[-1].content and request.max_tokens == 1:
                return reply("The text says so")
            return super().ask(request)

    items = list(
        asymmetry_each(
            Wordy(lambda thing: f"No, {thing} does not."),
            None,
            PAIRS,
            wordings(),
            jobs=1,
            top=20,
            min_mass=0.2,
        )
    )
    made = asymmetry(
        items, AsymmetrySetting(model="m", encoder=None, prompt="p", data="d", digest="sha256:0")
    )
    assert [each.name for each in made.measures] == ["v2", "v3"]
    assert made.measures[0].unclear_rate.value == 1.0
    assert "mostly-unclear" in {each.code for each in made.caveats}


@pytest.mark.parametrize(
    ("stance", "p_no", "quadrant"),
    [
        (Stance.AFFIRMS, 0.5, "asymmetric"),
        (Stance.AFFIRMS, 0.49, "consistent-wrong"),
        (Stance.REFUTES, 0.9, "consistent-right"),
        (Stance.REFUTES, 0.1, "neither"),
    ],
)
def test_the_quadrants_follow_the_thresholds(stance, p_no, quadrant):
    item = Misconception(id="a", answer="", similarity=None, p_no=p_no, v2=stance, v3=stance)
    made = asymmetry(
        [item], AsymmetrySetting(model="m", encoder=None, prompt="p", data="d", digest="sha256:0")
    )
    assert made.measures[1].quadrants[quadrant] == 1


def test_an_item_on_which_the_critique_abstains_is_in_no_quadrant():
    item = Misconception(
        id="a", answer="", similarity=0.9, p_no=None, v2=Stance.AFFIRMS, v3=Stance.AFFIRMS
    )
    made = asymmetry(
        [item], AsymmetrySetting(model="m", encoder="e", prompt="p", data="d", digest="sha256:0")
    )
    assert [each.unclear for each in made.measures] == [1, 1, 1]
    assert "abstained" in {each.code for each in made.caveats}
