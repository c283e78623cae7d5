"""A trial: one run of a system on an instance, scored before Assay sees it."""

import math
from collections.abc import Mapping
from numbers import Integral
from typing import cast

import msgspec

from assay.bounds import LARGEST_NUMBER
from assay.errors import SpecError

STOPPED = "stopped_on_verdict"
DRAWN = "drawn_order"
UNNAMED = ""
"""The instance of a run without one."""
RESERVED = frozenset(
    {"id", "index", "seed", "run", "run_id", "scorer", "status", "error", "artifact", "timestamp"}
    | {"instance", "trial", "harness", STOPPED, DRAWN}
)
"""Names that identify a run, its harness and its end; never dimensions."""
_TEXT, _TEXT_OR_NONE, _FLOAT = {str}, {str, type(None)}, {float}


class Trial(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One run of a system and its value in each dimension; Assay never scores it again.

    `trial` distinguishes repeated runs of an instance, and pairs the sides if both have it.
    `harness` is the setup of the run (model, profile, parameters), `scorer` a fingerprint of the
    scorer, `run` a unique id, `artifact` the digest of the artifact under trial, if the run had it.
    None marks a missing value. A crashed run has no values. `stopped_on_verdict` means that runs
    were made until there was a verdict, so that only a sequential comparison is valid;
    `drawn_order` is the run's position in an order drawn before any run, which such a comparison
    follows.

    Example:
        >>> import assay
        >>> trial = assay.Trial(instance="q1", dimensions={"correct": 1}, harness={"model": "m"})
        >>> trial.dimensions
        {'correct': 1.0}
    """

    instance: str
    trial: str | None = None
    dimensions: Mapping[str, float | None]
    harness: Mapping[str, str] = {}
    scorer: str | None = None
    run: str | None = None
    artifact: str | None = None
    crashed: bool = False
    stopped_on_verdict: bool = False
    drawn_order: int | None = None

    def __post_init__(self) -> None:
        others = {type(self.trial), type(self.scorer), type(self.run), type(self.artifact)}
        if type(self.instance) is not str or not others <= _TEXT_OR_NONE:  # rare
            self._check_texts()
        if type(self.dimensions) is not dict or type(self.harness) is not dict:  # rare
            self._check_tables()
        msgspec.structs.force_setattr(self, "dimensions", self._numbers())
        if not {*map(type, self.harness), *map(type, self.harness.values())} <= _TEXT:
            harness = {str(name): str(value) for name, value in self.harness.items()}
            msgspec.structs.force_setattr(self, "harness", harness)

    def _check_texts(self) -> None:
        """Refuse names that are neither texts nor whole numbers; turn numbers into texts."""
        for name in ("instance", "trial", "scorer", "run", "artifact"):
            value = getattr(self, name)
            if value is None and name != "instance":
                continue
            is_whole = isinstance(value, Integral) and not isinstance(value, bool)
            if is_whole:
                msgspec.structs.force_setattr(self, name, str(value))
            elif not isinstance(value, str):
                raise SpecError(f"{name} {value!r:.60}: expected a text")

    def _check_tables(self) -> None:
        for name in ("dimensions", "harness"):
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                raise SpecError(f"{self.place}: {name} is {value!r:.60}, expected a table")

    def _numbers(self) -> dict[str, float | None]:
        """The value of each dimension as a number."""
        names, given = {*map(type, self.dimensions)}, {*map(type, self.dimensions.values())}
        plain = cast("Mapping[str, float]", self.dimensions)
        if names <= _TEXT and given <= _FLOAT and all(map(_is_score, plain.values())):
            return dict(plain)
        values = {}
        for name, value in self.dimensions.items():
            try:
                values[str(name)] = _number(value)
            except SpecError as error:
                raise SpecError(f"{self.place}: {name}: {error.message}", hint=error.hint) from None
        return values

    @property
    def place(self) -> str:
        """The instance and trial, in words."""
        name = f"instance {self.instance:.80}"
        return name if self.trial is None else f"{name}, trial {self.trial:.40}"


def _is_score(value: float) -> bool:
    return -LARGEST_NUMBER <= value <= LARGEST_NUMBER


def _number(value: object) -> float | None:
    if value is None or (type(value) is float and -LARGEST_NUMBER <= value <= LARGEST_NUMBER):
        return value
    if not isinstance(value, (bool, int, float)) and not hasattr(value, "__float__"):
        raise SpecError(f"expected a number, got {value!r:.60}")
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        raise SpecError(f"{_shown(value)} is not a score") from None
    if math.isnan(number):
        return None
    if math.isinf(number):
        raise SpecError(f"{number} is not a score", hint="Leave missing scores out.")
    if abs(number) > LARGEST_NUMBER:
        raise SpecError(
            f"{number:g} is too large to compare, at most {LARGEST_NUMBER:g} allowed",
            hint="Use larger units.",
        )
    return number


def _shown(value: object) -> str:
    """A value that is not a number, shortened; very long whole numbers are not printed."""
    return "a number too large to hold" if isinstance(value, int) else f"{value!r:.60}"


SOURCE_NAMES = ("grounded", "recall", "trajectory", "supporting_fact_f1", "citation_coverage")
"""The five dimensions of `eval.json`."""
