"""Every checker by its name, those of plugins included."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points

from assay.claim_audit.checkers import (
    code_checkers,
    file_checkers,
    git_checkers,
    record_checkers,
    value_checkers,
)
from assay.claim_audit.checkers.checker import Checker
from assay.claim_audit.checkers.derived import derived_checker
from assay.claim_audit.claim import Unverifiable

GROUP = "assay.checkers"
"""The entry point under which a package offers a `Checker`."""
OURS: dict[str, Checker] = {
    checker.name: checker
    for module in (
        file_checkers,
        git_checkers,
        value_checkers,
        code_checkers,
        record_checkers,
    )
    for checker in module.CHECKERS
}


@cache
def plugins() -> Mapping[str, Checker]:
    """The checkers of installed packages; refused if one fails to load or takes a known name."""
    found: dict[str, Checker] = {}
    for point in entry_points(group=GROUP):
        try:
            checker = point.load()
        except Exception as error:
            raise Unverifiable(f"the checker {point.name} could not be loaded: {error}") from None
        if not isinstance(checker, Checker) or checker.name in OURS:
            raise Unverifiable(f"{point.value} is not a Checker, or its name is taken")
        found[checker.name] = checker
    return found


def checker_named(name: str) -> Checker:
    """The checker with this name."""
    if name in OURS:
        return OURS[name]
    known = {**OURS, **plugins()}
    if name not in known:
        near = get_close_matches(name, known, n=1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
        raise Unverifiable(f"no checker {name!r:.60}; {meant}")
    return known[name]


OURS["derived_equals"] = derived_checker(checker_named)
