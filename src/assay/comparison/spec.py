"""Dimensions: what a scorer measured, and which of it decides the verdict.

A dimension that counts has a range, a better end, and a margin: differences inside the margin do
not matter. A gated one must be shown not to be worse by more than the margin. Dimensions that do
not count (tokens, money, time) are compared and reported, but not part of the verdict. The guide
docs/how-to/prove-a-skill.md shows every key.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec

from assay.bounds import LARGEST_NUMBER, SMALLEST_ERROR, shown_number
from assay.comparison.plan_text import TO_FILL_IN, dimension_lines
from assay.errors import SpecError
from assay.logs.columns.metric_names import is_cost, is_fault
from assay.logs.trial import SOURCE_NAMES
from assay.messages.key_faults import fault_words
from assay.toml import key_hint, read_toml

Policy = Literal["fail", "exclude"]
Better = Literal["higher", "lower"]
ALLOWED = frozenset({"harness", "scale"})
"""Differences between the sides that may be allowed."""
T = TypeVar("T")
_SHARE = 0.05
_PLAN = (
    "A plan has a table for each dimension, [dimensions.NAME], with some of the keys gated, better,"
    " ideal, range, margin, weight, counts."
)
_HEAVIEST = 1e6
_LIGHTEST = 1e-6
_IN_A_PLAN = "Say so in a plan, `config=PLAN`, instead of `gate=`: the lines above, as they fit."
SMALLEST_SHARE = 1e-12
"""The smallest margin, as a share of the range."""


class Dimension(msgspec.Struct, frozen=True, kw_only=True):
    """One dimension; `range` is None only if it does not count."""

    name: str
    gated: bool = False
    better: Better | None = "higher"
    ideal: float | None = None
    range: tuple[float, float] | None = (0.0, 1.0)
    margin: float = _SHARE
    weight: float = 1.0
    counts: bool = True

    def __post_init__(self) -> None:
        if not self.counts:
            if self.gated:
                raise SpecError(f"dimension {self.name}: a gated dimension must count")
            return
        here, ends = f"dimension {self.name}", self.range
        margin, weight = shown_number(self.margin), shown_number(self.weight)
        if self.better is None or ends is None:
            raise SpecError(f"{here}: a dimension that counts needs `range` and `better`")
        if not -LARGEST_NUMBER <= ends[0] < ends[1] <= LARGEST_NUMBER:
            raise SpecError(
                f"{here}: range = {list(ends)}, expected a lower and a higher number, of at most"
                f" {LARGEST_NUMBER:g}"
            )
        if self.width <= SMALLEST_ERROR:
            raise SpecError(f"{here}: range = {list(ends)}, whose ends are too close")
        if self.ideal is None:
            best = ends[1] if self.better == "higher" else ends[0]
            msgspec.structs.force_setattr(self, "ideal", float(best))
        elif not ends[0] <= self.ideal <= ends[1]:
            ideal = shown_number(self.ideal)
            raise SpecError(f"{here}: ideal = {ideal} is outside its range {list(ends)}")
        if not 0.0 < self.margin < self.width:
            raise SpecError(f"{here}: margin = {margin}, expected over 0 and under {self.width:g}")
        if self.scaled_margin < SMALLEST_SHARE:
            raise SpecError(
                f"{here}: margin = {margin}, which is less than {SMALLEST_SHARE:g} of its range"
            )
        if not _LIGHTEST <= self.weight <= _HEAVIEST:
            raise SpecError(f"{here}: weight = {weight}, expected {_LIGHTEST:g} to {_HEAVIEST:g}")

    @property
    def width(self) -> float:
        """The width of the range, or 1 without a range."""
        return 1.0 if self.range is None else self.range[1] - self.range[0]

    @property
    def scaled_margin(self) -> float:
        """The margin on the scale from 0 (worst) to 1 (best)."""
        return self.margin / self.width

    @property
    def scaled_ideal(self) -> float | None:
        """The ideal on the scale from 0 (worst) to 1 (best)."""
        if self.ideal is None or self.range is None:
            return None
        share = (self.ideal - self.range[0]) / self.width
        return share if self.better == "higher" else 1.0 - share


class Dimensions(msgspec.Struct, frozen=True, kw_only=True):
    """The dimensions of a comparison and its policies, decided before it is made."""

    dimensions: tuple[Dimension, ...]
    missing: Policy | None = None
    crashed: Policy | None = None
    allow: tuple[str, ...] = ()
    strict_gates: bool = False

    def __post_init__(self) -> None:
        names = Counter(dimension.name for dimension in self.dimensions)
        twice = [name for name, n in names.items() if n > 1]
        if twice:
            raise SpecError(f"dimension {twice[0]} is listed twice")
        if not any(dimension.counts for dimension in self.dimensions):
            raise SpecError("no dimension counts, so nothing can be decided")
        for name in ("missing", "crashed"):
            if getattr(self, name) not in (None, "fail", "exclude"):
                raise SpecError(f"{name} = {getattr(self, name)!r:.60}, expected fail or exclude")
        if not set(self.allow) <= ALLOWED:
            known = ", ".join(sorted(ALLOWED))
            raise SpecError(f"allow = {self.allow!r:.60}, expected a list of: {known}")


class _Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    gated: bool = False
    better: Better | None = None
    ideal: float | None = None
    range: tuple[float, float] | None = None
    margin: float | None = None
    weight: float = 1.0
    counts: bool = True


class _PolicyTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    missing: Policy | None = None
    crashed: Policy | None = None
    allow: tuple[Literal["harness", "scale"], ...] = ()
    gates: Literal["strict", "spotless"] = "spotless"


class _DimensionsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    dimensions: dict[str, Any]
    policy: _PolicyTable = _PolicyTable()


SOURCE_DIMENSIONS = tuple(
    Dimension(name=name, gated=name in ("grounded", "citation_coverage"), ideal=1.0)
    for name in SOURCE_NAMES
)
"""The five of `eval.json`: ideal 1, two of them gated."""


def parse_toml(data: bytes, form: type[T], *, where: str, hint: str) -> T:
    """The bytes of a TOML file as a struct; `hint` shows how to write one."""
    try:
        return msgspec.convert(read_toml(data, where=where, hint=hint), form)
    except msgspec.ValidationError as error:
        said = fault_words(error, form) if issubclass(form, msgspec.Struct) else error
        raise SpecError(f"{where}: {said}", hint=key_hint(error, form, hint)) from None


def parse_dimensions(data: bytes, *, where: str) -> Dimensions:
    """Dimensions and policies from the bytes of a TOML file."""
    return _dimensions(parse_toml(data, _DimensionsFile, where=where, hint=_PLAN), where)


def dimensions_table(
    table: Mapping[str, Any], policy: Mapping[str, Any], *, where: str
) -> Dimensions:
    """Dimensions and policies from tables inside another file."""
    try:
        written = msgspec.convert({"dimensions": table, "policy": policy}, _DimensionsFile)
    except msgspec.ValidationError as error:
        hint = key_hint(error, _DimensionsFile)
        raise SpecError(f"{where}: {fault_words(error, _DimensionsFile)}", hint=hint) from None
    return _dimensions(written, where)


def _dimensions(written: _DimensionsFile, where: str) -> Dimensions:
    """Check every dimension, and fill in defaults."""
    table, policy = written.dimensions, written.policy
    if not table:
        raise SpecError(f"{where}: no dimensions", hint="Add a table: [dimensions.NAME]")
    try:
        return Dimensions(
            dimensions=tuple(_dimension(name, keys) for name, keys in table.items()),
            missing=policy.missing,
            crashed=policy.crashed,
            allow=tuple(policy.allow),
            strict_gates=policy.gates == "strict",
        )
    except SpecError as error:
        message = f"{where}: {error.message}"
        raise SpecError(message, hint=error.hint, details=error.details) from None


def _dimension(name: str, table: object) -> Dimension:
    for key, value in table.items() if isinstance(table, Mapping) else ():
        if value == TO_FILL_IN:
            raise SpecError(f"dimension {name}: {key} is still to be filled in: {TO_FILL_IN!r}")
    try:
        written = msgspec.convert(table, _Written)
    except msgspec.ValidationError as error:
        said = f"dimension {name}: {fault_words(error, _Written)}"
        raise SpecError(said, hint=key_hint(error, _Written)) from None
    if written.counts:
        _refuse_guesses(name, written)
    ends = (0.0, 1.0) if written.range is None and written.counts else written.range
    width = 1.0 if ends is None else ends[1] - ends[0]
    margin = _SHARE * width if written.margin is None else written.margin
    filled = {"better": written.better or _usual_end(name), "range": ends, "margin": margin}
    return Dimension(name=name, **msgspec.structs.asdict(written) | filled)


def _refuse_guesses(name: str, written: _Written) -> None:
    """Refuse a cost or a fault whose direction would be guessed, and the scale of a cost.

    Of a score, more is better, and 0 to 1 is its usual range. A cost has no usual range, and what
    its gate may lose is for the user to say.
    """
    keys = ["better"] * (is_cost(name) or is_fault(name)) + ["range"] * is_cost(name)
    keys += ["margin"] * (is_cost(name) and written.gated)
    lacking = [key for key in keys if getattr(written, key) is None]
    if lacking:
        kind = "a cost by its name" if is_cost(name) else "by its name not known to be a score"
        raise SpecError(
            f"dimension {name}: {kind}, so to count it needs {' and '.join(lacking)}",
            details=dimension_lines(name, (), gated=written.gated),
            hint="State it in the plan, as above; with `counts` as false it is reported only.",
        )


def _usual_end(name: str) -> Better | None:
    """The better end of a dimension whose plan names none; a fault that does not count has none."""
    if is_cost(name):
        return "lower"
    return None if is_fault(name) else "higher"


def assumed(
    name: str, values: Sequence[float], *, gated: bool = False, lower: bool = False
) -> Dimension:
    """The dimension assumed for a column without a plan; with `lower`, less is better."""
    if lower and values and all(0.0 <= value <= 1.0 for value in values):
        return Dimension(name=name, gated=gated, better="lower", ideal=0.0)
    known = next((dimension for dimension in SOURCE_DIMENSIONS if dimension.name == name), None)
    if known is not None:
        return known
    if gated and (is_cost(name) or is_fault(name)):
        message = f"less of {name} is better, so its gate needs a range and a margin"
        if is_fault(name):
            message = (
                f"it is not known whether more or less of {name} is better, so its gate needs a"
                " direction"
            )
        raise SpecError(
            message,
            details=dimension_lines(name, values, gated=True),
            hint=_IN_A_PLAN,
        )
    if not is_cost(name) and not is_fault(name):
        if all(0.0 <= value <= 1.0 for value in values):
            return Dimension(name=name, gated=gated, ideal=1.0)
        if gated:
            raise SpecError(
                f"dimension {name} has values outside 0 to 1, so it needs a range",
                details=dimension_lines(name, values, gated=True),
                hint=_IN_A_PLAN,
            )
    better: Better | None = "lower" if lower or is_cost(name) else None
    return Dimension(name=name, better=better, range=None, counts=False, margin=0.0)
