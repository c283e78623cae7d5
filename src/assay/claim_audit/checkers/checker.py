"""What a checker is: the arguments it takes, and how it looks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.claim_audit.claim import Claim, Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.texts.printed_tables import parse_table

Args = Mapping[str, Any]
Observe = Callable[[Args, EvidenceReader], Observed]
COMMON = ("op", "percent", "scale", "length")
"""Arguments of every checker that compares a value: the relation, the unit of what is found, and
whether its entries are counted."""


@dataclass(frozen=True, kw_only=True)
class Checker:
    """A way to look at evidence.

    A checker of a value (`value` names the argument that may hold the claimed one) gives what is
    there; a `bare` one also says something where no value is claimed. A checker of a statement
    (`value` is None) gives whether it is true. `altered` are the arguments of a statement that a
    mutant changes: with another text, tag or path it must be false. Numbers are compared at the
    precision they are printed with; a `table` cell by cell. One that `runs` a command looks only
    where commands are allowed. One that `spreads` finds what surrounds a value too, so that
    `0.73 ± 0.02` is one statement.
    """

    name: str
    about: str
    observe: Observe
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    value: str | None = None
    bare: bool = False
    compares: Literal["number", "table"] = "number"
    altered: tuple[str, ...] = ()
    runs: bool = False
    spreads: bool = False

    def check_args(self, claim: Claim) -> None:
        """Refuse arguments that the checker does not take, or lacks."""
        known = {*self.required, *self.optional}
        if self.value is not None:
            known |= {self.value, *(COMMON if self.compares == "number" else ("op",))}
        unknown = [name for name in claim.args if name not in known]
        lacking = [name for name in self.required if name not in claim.args]
        if unknown or lacking:
            wrong = f"no argument {unknown[0]!r:.60}" if unknown else f"needs {lacking[0]!r}"
            raise Unverifiable(f"{self.name}: {wrong}; it takes {', '.join(sorted(known))}")
        claims = self.value is None or self.value in claim.args or claim.printed is not None
        if not claims and not claim.states and not self.bare:
            raise Unverifiable(f"{self.name}: no value is claimed: say expected=...")


def claimed_value(checker: Checker, claim: Claim) -> Any:  # noqa: ANN401 - any JSON value
    """The value that a claim states: what the text prints, or an argument, or `expected`.

    None claims no value: of a bare checker, which says something all the same.
    """
    if claim.printed is not None:
        return parse_table(claim.printed) if checker.compares == "table" else claim.printed
    if checker.value is not None and checker.value in claim.args:
        if claim.states and not isinstance(claim.expected, bool):
            raise Unverifiable(f"the value stands twice: in {checker.value!r} and in `expected`")
        return claim.args[checker.value]
    if checker.value is None:
        return claim.affirms
    unstated = claim.expected is True or not claim.states
    return None if checker.bare and unstated else claim.expected


def text_arg(args: Args, name: str) -> str:
    """An argument that must be a text."""
    value = args.get(name)
    if not isinstance(value, str) or not value:
        raise Unverifiable(f"{name}: expected a text, got {value!r:.60}")
    return value


def texts_arg(args: Args, name: str) -> list[str]:
    """An argument that must be a list of texts."""
    value = args.get(name)
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise Unverifiable(f"{name}: expected a list of texts, got {value!r:.60}")
    return list(value)
