"""Token overlap: the rule without a model or labels that passed the gauntlet's first bars."""

from assay.methods.surface import hedge_density


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
