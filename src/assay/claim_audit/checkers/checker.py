"""A checker: its arguments, and how it reads the evidence."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.claim_audit.claim import Claim, Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader

Args = Mapping[str, Any]
Observe = Callable[[Args, EvidenceReader], Observed]
COMMON = ("op", "percent")
"""Arguments of every checker that compares a value: the relation, and whether it is in percent."""


@dataclass(frozen=True, kw_only=True)
class Checker:
    """A way to check evidence.

    A checker of a value returns the observed value; `value` names the argument for the claimed one.
    A `bare` checker also works without a claimed value. A checker of a statement (`value` is None)
    returns whether it is true. `altered` are the arguments of a statement that a mutant changes:
    with another text, tag or path it must be false.
    """

    name: str
    about: str
    observe: Observe
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    value: str | None = None
    bare: bool = False
    altered: tuple[str, ...] = ()

    def check_args(self, claim: Claim) -> None:
        """Refuse unknown or missing arguments."""
        known = {*self.required, *self.optional}
        if self.value is not None:
            known |= {self.value, *COMMON}
        unknown = [name for name in claim.args if name not in known]
        lacking = [name for name in self.required if name not in claim.args]
        if unknown or lacking:
            wrong = f"no argument {unknown[0]!r:.60}" if unknown else f"needs {lacking[0]!r}"
            raise Unverifiable(f"{self.name}: {wrong}; it takes {', '.join(sorted(known))}")
        claims = self.value is None or self.value in claim.args or claim.printed is not None
        if not claims and claim.expected is True and not self.bare:
            raise Unverifiable(f"{self.name}: no value is claimed; set {self.value!r} or expected")


def claimed_value(checker: Checker, claim: Claim) -> Any:  # noqa: ANN401 - any JSON value
    """The claimed value: the printed number, an argument, or `expected`.

    None if no value is claimed, which only bare checkers allow.
    """
    if claim.printed is not None:
        return claim.printed
    if checker.value is not None and checker.value in claim.args:
        return claim.args[checker.value]
    return None if checker.bare and claim.expected is True else claim.expected


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
