"""Rules without a model or labels that passed bars made by people who looked hard."""

from assay.surface.features import hedge_density, opens_auxiliary, question_overlap


def auxiliary_copy(question: str, response: str) -> float:
    """1 for a question that opens with an auxiliary verb, plus the share of copied words.

    On the gauntlet's own benchmark this meets all four of its bars: each takes off one feature,
    and this is two.
    """
    return opens_auxiliary(question) + question_overlap(question, response)


def token_overlap(question: str, response: str) -> float:
    """(1 - hedge density) x (1 - novelty density).

    Novelty is the share of the response's distinct tokens that the question does not hold, so a
    response that only restates its question scores 1.
    """
    answered = set(response.lower().split())
    if not answered:
        return 0.0
    novelty = len(answered - set(question.lower().split())) / len(answered)
    return (1.0 - hedge_density(response)) * (1.0 - novelty)
