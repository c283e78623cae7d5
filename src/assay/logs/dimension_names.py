"""What the name of a dimension says: one of the source's five, a cost, or a fault."""

import re

SOURCE_NAMES = ("grounded", "recall", "trajectory", "supporting_fact_f1", "citation_coverage")
"""The five dimensions of `eval.json`."""
_COSTS = frozenset(
    "token tokens cost costs usd eur dollars money price sec secs seconds minutes ms latency"
    " duration time elapsed calls turns steps".split()
)
_FAULTS = frozenset(
    "error errors err hallucinated hallucination hallucinations loss toxicity toxic fail failed"
    " fails failure failures violation violations harm harmful bias wrong incorrect unsafe refused"
    " refusal refusals invalid miss missed misses leak leaked leaks perplexity mae mse rmse wer cer"
    " distance regret penalty timeouts".split()
)
_KNOWN_COSTS = frozenset({"queries_run", "pivot_burden"})
_QUALITIES = frozenset(
    "correct valid right ok success rate ratio score accuracy on in_time".split()
)


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]


def is_fault(name: str) -> bool:
    """Whether a name sounds as if more of it were worse, so that its direction is not guessed."""
    return bool(_FAULTS & set(_words(name)))


def is_cost(name: str) -> bool:
    """Whether a name says that it is tokens, money or time: less is better, and it never counts."""
    words = _words(name)
    if not words or (_QUALITIES | _FAULTS) & set(words):
        return False
    return words[-1] in _COSTS or words[0] in _COSTS or name.lower() in _KNOWN_COSTS
