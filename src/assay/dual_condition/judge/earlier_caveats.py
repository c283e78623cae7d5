"""Older wordings of caveats: results that have them are compared in the present words."""

from collections.abc import Mapping
from typing import Any

from assay.dual_condition.judge.caveats import CODES

EARLIER_WORDS = {
    "placebo-gains": "A state that can teach nothing gains as well, so not all of A - B is"
    " learning.",
    "split-undecidable": "Whether the gain is memory of these very items cannot be told: C is not"
    " shown to be free of them.",
    "only-memorised": "The state is shown to help, but not once what came from this benchmark's"
    " own items is taken out: transfer (C - B) may be nothing.",
    "nothing-forgotten": "No row of a layer was found to have come from this benchmark, by name"
    " or by its words, so C keeps all of it. If it did meet the benchmark, what is called"
    " transfer is memory: do its rows name items as the benchmark does?",
    "values-in-c": "C keeps numbers, digests or bytes that cannot be looked up. If they were"
    " fitted to these items, a part of what is called transfer is memory.",
    "at-chance": "A itself is not shown to do better than chance, so there is little to explain.",
    "own-thresholds": "The thresholds of the regimes are not the usual ones.",
    "average-precision": "Intervals of average precision are somewhat too narrow: in simulations"
    " about 92 % of them hold the truth, and not 95.",
    "learns-during-runs": "The system changes its state while it is judged. Every run began from"
    " the same copy, so no run taught another; but B is then not free of learning either.",
    "no-c": "No state without what came from this benchmark was made, so memorisation and"
    " transfer cannot be told apart.",
    "seen-unknown": "Nothing tells which items the state has something of.",
    "uneven-seeds": "Runs came out unlike the other seeds of their condition. The interval has"
    " them in it, and is about seeds of which as many do so.",
    "one-seed": "There is one seed, so what other seeds would do is not in the intervals.",
    "b-fell": "B is surely lower than it once was, and so is A.",
    "speaks-to": "The system connected to other processes, or could be reached by them; what"
    " those keep is no part of its state here.",
    "not-private": "No private view of the files could be had here: what the system did was seen,"
    " and would not have been held back.",
    "unchanged-layer": "A layer is in production what it was at the beginning.",
    "unseen-seeds": "What few seeds do, such as to collapse, need not have shown in so few: the"
    " intervals are about seeds like these.",
}
"""The texts of codes in older results of this format."""
_EARLIER_DETAILS = {"nothing-forgotten": ("So it is with ", "Layers: ")}
"""How the details of codes began in older results of this format, and how they begin now."""


def in_present_words(record: Mapping[str, Any]) -> dict[str, Any]:
    """A stored result with its caveats in their present wording; all else unchanged."""
    caveats = record.get("caveats")
    if not isinstance(caveats, list):
        return dict(record)
    reworded = [_reworded(each) if isinstance(each, dict) else each for each in caveats]
    return dict(record) | {"caveats": reworded}


def _reworded(caveat: dict[str, Any]) -> dict[str, Any]:
    code, message = caveat.get("code"), caveat.get("message")
    earlier = EARLIER_WORDS.get(code) if isinstance(code, str) else None
    if earlier is None or not isinstance(message, str) or not message.startswith(earlier):
        return caveat
    detail = message.removeprefix(earlier).removeprefix(" ")
    before, now = _EARLIER_DETAILS.get(str(code), ("", ""))
    if detail.startswith(before):
        detail = now + detail.removeprefix(before)
    return caveat | {"message": f"{CODES[str(code)]} {detail}".rstrip()}
