"""Every checker by its name, those of plugins included."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points

from assay.claim_audit.checkers import (
    code_checkers,
    file_checkers,
    git_checkers,
    printed_table,
    record_checkers,
    value_checkers,
)
from assay.claim_audit.checkers.checker import Args, Checker
from assay.claim_audit.checkers.derived import derived_checker
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere

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
        printed_table,
    )
    for checker in module.CHECKERS
}


@cache
def plugins() -> Mapping[str, Checker | str]:
    """The checkers of installed packages by name, or why one cannot be used.

    One that fails to load, or whose name is taken, leaves the others as they are.
    """
    found: dict[str, Checker | str] = {}
    for point in entry_points(group=GROUP):
        try:
            checker = point.load()
        except (Exception, SystemExit) as error:
            why = f"the checker {point.name} could not be loaded: {type(error).__name__}: {error}"
            found[point.name] = why
            continue
        if not isinstance(checker, Checker) or checker.name in OURS:
            found[point.name] = f"{point.value} is not a Checker with a name of its own"
        elif checker.name in found:
            found[checker.name] = f"several packages offer a checker {checker.name}"
        else:
            found[checker.name] = _guarded(checker)
    return found


def _guarded(checker: Checker) -> Checker:
    """A plugin's checker; what it raises or gives by mistake makes the claim unverifiable."""

    def observe(args: Args, evidence: EvidenceReader) -> Observed:
        try:
            found: object = checker.observe(args, evidence)
        except (Unverifiable, NotThere):
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise Unverifiable(f"the checker {checker.name} failed: {what}"[:300]) from None
        if not isinstance(found, Observed):
            raise Unverifiable(f"the checker {checker.name} gave {found!r:.60}, expected Observed")
        return found

    return replace(checker, observe=observe)


def checker_named(name: str) -> Checker:
    """The checker of a name."""
    if name in OURS:
        return OURS[name]
    known: dict[str, Checker | str] = {**OURS, **plugins()}
    if name not in known:
        near = get_close_matches(name, known, n=1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
        raise Unverifiable(f"no checker {name!r:.60}; {meant}")
    checker = known[name]
    if isinstance(checker, str):
        raise Unverifiable(checker)
    return checker


OURS["derived_equals"] = derived_checker(checker_named)
