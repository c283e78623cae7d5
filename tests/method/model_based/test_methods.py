"""Each method over models, on models that say what makes its score known."""

import math

import numpy as np
import pytest
from helpers.planted_models import Planted, planted

from assay.errors import BadReply, ModelRefused, ModelUnreachable
from assay.method.model_based.divergence import moved, spread
from assay.method.model_based.prompts import prompts
from assay.models.replies import EmbeddingReply, Usage

GONE = ModelUnreachable("the server is gone")


def scores(method, questions, responses=None):
    return method(questions) if responses is None else method(questions, responses)


def test_a_likelihood_is_the_mean_over_the_tokens_after_the_question():
    def logprobs(context, text):
        assert context == "Question: Why?\nAnswer:"
        return {" short": (-1.0, -3.0), " none": (), " gone": GONE}[text]

    with planted("likelihood", local=Planted(logprobs=logprobs)) as method:
        short, none, gone = scores(method, ["Why?"] * 3, ["short", "none", "gone"])
    assert short == -2.0
    assert none == {"abstain": "the response has no tokens with a probability"}
    assert gone is GONE


def test_a_difference_is_the_second_models_gain_and_knows_no_vocabularies():
    """The same text in twice as many tokens is no more probable for that."""
    small = Planted(logprobs=lambda *_: (-2.0, -4.0))
    large = Planted(logprobs=lambda *_: (-1.0, -1.0, -0.5, -0.5))
    with planted("likelihood-difference", small=small, large=large) as method:
        assert scores(method, ["Why?"], ["because"]) == [(-3.0 - -6.0) / 2]
    with planted("likelihood-difference", large=large, small=small) as method:
        assert scores(method, ["Why?"], ["because"]) == [(-6.0 - -3.0) / 4]
    for pair in ({"small": small, "broken": Planted(logprobs=lambda *_: GONE)},
                 {"broken": Planted(logprobs=lambda *_: GONE), "small": small}):  # fmt: skip
        with planted("likelihood-difference", **pair) as method:
            assert scores(method, ["Why?"], ["because"]) == [GONE]
    empty = Planted(logprobs=lambda *_: ())
    with planted("likelihood-difference", small=small, empty=empty) as method:
        assert "abstain" in scores(method, ["Why?"], ["because"])[0]


ANGLES = {"q": 0.0, "near": 0.1, "far": 1.5}


def turned(text):
    return (math.cos(ANGLES[text]), math.sin(ANGLES[text]))


def test_similarity_is_the_cosine_and_equal_texts_tie_at_one():
    with planted("similarity", encoder=Planted(vector=turned)) as method:
        near, far, same = scores(method, ["q"] * 3, ["near", "far", "q"])
    assert (near, far) == (pytest.approx(math.cos(0.1)), pytest.approx(math.cos(1.5)))
    assert same == 1.0


def test_similarity_asks_about_equal_texts_once_and_keeps_a_failure_to_its_item():
    encoder = Planted(vector=lambda text: GONE if text == "broken" else turned(text))
    with planted("similarity", encoder=encoder) as method:
        found = scores(method, ["q"] * 3, ["near", "broken", "near"])
    assert found[0] == found[2] and found[1] is GONE
    assert len(encoder.asked) == 3


def words(number):
    return " ".join(["w"] * number)


def lengths_decide(text):
    """A cosine to the question that is a line in the words of the response, and more for `x`."""
    if text == "q":
        return (1.0, 0.0)
    value = 0.1 + 0.02 * text.count("w") + 0.3 * ("x" in text)
    return (value, math.sqrt(1.0 - value**2))


def examples(responses, targets=None):
    targets = targets or [0] * len(responses)
    return [
        {"question": "q", "response": response, "target": target}
        for response, target in zip(responses, targets, strict=True)
    ]


def test_the_residual_is_nothing_where_length_says_all():
    with planted("similarity-residual", encoder=Planted(vector=lengths_decide)) as method:
        detect = method.fit(examples([words(n) for n in range(1, 12)]))
        plain, more = detect(["q", "q"], [words(20), words(20)[:-1] + "x w"])
    assert plain == pytest.approx(0.0, abs=1e-9)
    assert more > 0.2


def test_the_residual_uses_no_label():
    responses = [words(n) for n in range(1, 12)]
    found = []
    for targets in ([0] * 11, [n % 2 for n in range(11)]):
        with planted("similarity-residual", encoder=Planted(vector=lengths_decide)) as method:
            found.append(method.fit(examples(responses, targets))(["q"], ["x w w"]))
    assert found[0] == found[1]


def test_a_learner_cannot_be_fitted_on_vectors_that_are_missing():
    for name in ("similarity-residual", "embedding-classifier"):
        encoder = Planted(vector=lambda text: GONE)
        with planted(name, encoder=encoder) as method, pytest.raises(ModelUnreachable):
            method.fit(examples(["a", "b"], [0, 1]))


def corner(text):
    """Texts about cats point one way, texts about cows another."""
    return (1.0, 0.1) if "cat" in text else (0.1, 1.0)


def test_the_classifier_learns_a_class_from_the_question_alone():
    rows = [
        {"question": f"{animal} {n}", "response": None, "target": name}
        for n in range(4)
        for animal, name in (("cat", "truth"), ("cow", "folklore"))
    ]
    encoder = Planted(vector=corner)
    with planted("embedding-classifier", encoder=encoder) as method:
        predict = method.fit(rows)
        assert predict(["cat 9", "cow 9"], ["a cow", "a cat"]) == ["truth", "folklore"]
    assert not any("a c" in request.text for request in encoder.asked)


def test_the_classifier_scores_question_and_response_and_balances_rare_labels():
    rows = examples(["cat"] * 9 + ["cow"], [0] * 9 + [1])
    encoder = Planted(vector=lambda text: GONE if "broken" in text else corner(text))
    with planted("embedding-classifier", encoder=encoder) as method:
        low, high, broken = method.fit(rows)(["q"] * 3, ["cat", "cow", "broken"])
    assert low < 0.5 < high
    assert broken is GONE
    assert encoder.asked[0].text == "q\ncat"


def entails(prompt):
    """A perfect judge: responses with `so` entail their questions, in every wording."""
    accepts = ("so." in prompt) != ("Could" in prompt)
    sure, other = ("YES", "NO") if accepts else ("NO", "YES")
    return {sure: -0.05, other: -3.5}


def test_entailment_is_high_where_the_response_entails_the_question():
    model = Planted(first=entails)
    with planted("entailment", local=model) as method:
        high, low = scores(method, ["Q?", "Q?"], ["It is so.", "It is not."])
    assert high > 0.9 and low < 0.1
    assert len(model.asked) == 6, "three wordings"
    first = model.asked[0].messages[-1].content
    assert first.index("It is so.") < first.index("Q?"), "the response is the premise"


def test_critique_and_entailment_abstain_where_the_model_says_neither():
    for name in ("critique", "entailment"):
        with planted(name, local=Planted(first=lambda _: {"Well": -0.01})) as method:
            (found,) = scores(method, ["Q?"], ["A."])
        assert found == {"abstain": "YES and NO have a probability of 0.00 together"}


def test_a_failed_call_is_the_failure_of_its_item_alone():
    def first(prompt):
        return GONE if "broken" in prompt else entails(prompt)

    with planted("critique", local=Planted(first=first)) as method:
        good, broken = scores(method, ["Q?", "Q?"], ["fine", "broken"])
    assert isinstance(good, float)
    assert str(broken) == "the server is gone"


@pytest.mark.parametrize(
    "name", ["rephrasing", "justification", "injection", "injection-folklore",
             "injection-authoritative", "likelihood"]
)  # fmt: skip
def test_what_the_next_call_would_meet_too_ends_the_batch(name):
    refused = ModelRefused("the key is wrong")
    model = Planted(says=lambda _: refused, logprobs=lambda *_: refused)
    with planted(name, local=model) as method, pytest.raises(ModelRefused):
        scores(method, ["Q?"], ["A."] if name in ("justification", "likelihood") else None)


def test_a_model_that_says_the_same_to_every_rephrasing_is_not_fragile():
    steady = Planted(says=lambda prompt: "Paris." if "France" in prompt else "Rome.")
    with planted("rephrasing", local=steady) as method:
        assert scores(method, ["Capital of France?", "Capital of Italy?"]) == [0.0, 0.0]
    assert len(steady.asked) == 2 * len(prompts("rephrasing").texts)


def test_a_model_that_says_something_else_to_every_rephrasing_is_fragile():
    fragile = Planted(says=lambda prompt: prompt if "France" in prompt else "Rome.")
    with planted("rephrasing", local=fragile) as method:
        assert scores(method, ["Capital of France?", "Capital of Italy?"]) == [1.0, 0.0]


def test_models_that_agree_score_lower_than_models_that_do_not():
    one, same = (Planted(says=lambda _: "Paris.") for _ in range(2))
    other = Planted(says=lambda prompt: "Lyon." if "France" in prompt else "Paris.")
    with planted("disagreement", one=one, same=same) as method:
        assert scores(method, ["France?", "Q?"]) == [0.0, 0.0]
    with planted("disagreement", one=one, same=same, other=other) as method:
        assert scores(method, ["France?", "Q?"]) == [pytest.approx(2 / 3), 0.0]
    broken = Planted(says=lambda _: GONE)
    with planted("disagreement", one=one, broken=broken) as method:
        assert scores(method, ["France?"]) == [GONE]


def test_reasons_that_differ_score_higher_and_the_response_is_what_they_are_for():
    model = Planted(says=lambda prompt: prompt if "wrong" in prompt else "Because.")
    with planted("justification", local=model) as method:
        assert scores(method, ["Q?", "Q?"], ["right", "wrong"]) == [0.0, 1.0]
    assert all(
        "right" in each.messages[-1].content or "wrong" in each.messages[-1].content
        for each in model.asked
    )


PRIMES = {
    "injection": ("this is not so", "It is not the case"),
    "injection-folklore": ("Everybody knows", "People have always said"),
    "injection-authoritative": ("experts", "textbook"),
}


@pytest.mark.parametrize("name", PRIMES)
def test_an_answer_that_a_prime_moves_scores_higher(name):
    """The second question's answer is denied in vain; the first one's is given up."""

    def says(prompt):
        denied = any(prime in prompt for prime in PRIMES[name])
        return "No idea." if denied and "France" in prompt else "Paris."

    model = Planted(says=says)
    with planted(name, local=model) as method:
        assert scores(method, ["France?", "Q?"]) == [1.0, 0.0]
    told = [each.messages[-1].content for each in model.asked[2:]]
    assert len(told) == 4 and all("Paris." in each for each in told)


def test_primes_of_another_kind_are_not_told():
    model = Planted(says=lambda _: "Paris.")
    with planted("injection", local=model) as method:
        scores(method, ["France?"])
    told = "".join(each.messages[-1].content for each in model.asked)
    assert not any(word in told for name in list(PRIMES)[1:] for word in PRIMES[name])


def test_an_empty_answer_is_an_abstention_and_nothing_more_is_asked():
    for name in ("rephrasing", "injection"):
        model = Planted(says=lambda _: " \n")
        with planted(name, local=model) as method:
            assert scores(method, ["Q?"]) == [{"abstain": "the model gave an empty answer"}]
        assert len(model.asked) == (1 if name == "injection" else 4)


def test_a_question_with_braces_is_not_searched_for_places():
    model = Planted(says=lambda prompt: prompt)
    with planted("injection", local=model) as method:
        scores(method, ["What is {answer}?"])
    assert "What is {answer}?" in model.asked[0].messages[-1].content


def test_a_vector_that_is_missing_is_the_failure_of_its_item():
    encoder = Planted(vector=lambda text: GONE if text == "b" else (1.0, 0.0))
    model = Planted(says=lambda prompt: "b" if "bad" in prompt else "a")
    with planted("rephrasing", local=model, encoder=encoder) as method:
        assert scores(method, ["good", "bad"]) == [0.0, GONE]


def test_another_kind_of_reply_is_refused():
    class Wrong(Planted):
        def ask(self, request):
            return EmbeddingReply(vector=(1.0,), usage=Usage())

    for name, responses in (("likelihood", ["A."]), ("rephrasing", None)):
        with planted(name, local=Wrong()) as method:
            (found,) = scores(method, ["Q?"], responses)
        assert isinstance(found, BadReply) and "something else" in found.message


def test_spread_is_over_pairs_and_movement_is_from_the_first():
    x, y = (1.0, 0.0), (0.0, 1.0)
    assert spread([x, x, y]) == pytest.approx(2 / 3)
    assert spread([y, x, x]) == spread([x, x, y])
    assert moved([x, x, y]) == 0.5
    assert moved([y, x, x]) == 1.0
    turned_a_little = (math.cos(0.3), math.sin(0.3))
    assert moved([x, turned_a_little]) == pytest.approx(1 - np.cos(0.3))
