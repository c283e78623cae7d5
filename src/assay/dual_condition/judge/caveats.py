"""The caveats of dual-condition results."""

from collections.abc import Mapping

from assay.caveats import Caveat, Caveats, Codes

CODES: Codes = {
    "placebo-gains": "A state that can teach nothing gains as well, so not all of A - B is"
    " learning.",
    "only-memorised": "The state is shown to help, but not once what came from this benchmark's own"
    " items is taken out: transfer (C - B) may be nothing.",
    "nothing-forgotten": "No row of a layer was found to have come from this benchmark, so C keeps"
    " all of it. If it did meet the benchmark, what is called transfer is memory: do its rows name"
    " items as the benchmark does?",
    "at-chance": "A itself is not shown to do better than chance, so there is little to explain.",
    "own-thresholds": "The thresholds of the regimes are not the usual ones.",
    "average-precision": "Intervals of average precision are somewhat too narrow: in simulations"
    " about 92 % of them hold the truth, and not 95.",
    "pilot-only": "One class has too few items for either column to mean anything.",
    "learns-during-runs": "The system changes its state while it is judged. Every run began from"
    " the same copy, so no run taught another; but B is then not free of learning either.",
    "no-c": "No state without what came from this benchmark was made, so memorisation and transfer"
    " cannot be told apart.",
    "seen-unknown": "Nothing tells which items the state has something of.",
    "one-seed": "There is one seed, so what other seeds would do is not in the intervals.",
    "few-seeds": "With so few seeds the intervals may be too narrow or very wide.",
    "seed-blind": "All seeds gave the same scores: the system does not use its seed.",
    "b-fell": "B is surely lower than it once was, and so is A.",
    "speaks-to": "The system connected to other processes; what those keep is no part of its"
    " state here.",
    "not-private": "No private view of the files could be had here: what the system did was seen,"
    " and would not have been held back.",
    "unchanged-layer": "A layer is in production what it was at the beginning.",
}


def caveats_of(details: Mapping[str, str]) -> tuple[Caveat, ...]:
    """The caveats noted, by code with their details, the weightiest first."""
    caveats = Caveats(CODES)
    for code, detail in details.items():
        caveats.add(code, detail)
    return caveats.by_weight()
