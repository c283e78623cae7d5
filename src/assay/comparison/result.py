"""A comparison: its verdict, the dimensions behind it, and its caveats."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, NoReturn, Self

import msgspec

from assay._version import __version__
from assay.caveats import Caveat, Rank, caveat_lines
from assay.comparison.spec import Dimensions
from assay.comparison.subscripts import only_ones, part_named
from assay.digests import short
from assay.logs.trial import SOURCE_NAMES, Trial
from assay.result import Result
from assay.wording import as_python, counted, number, percent, signed, signed_interval, some

RULE = "net-effect/2"
_SIDES = ("candidate", "baseline")
_MOST_SAID = 4
"""Dimensions that a printed result shows; all are in its rows."""
_MOST_PAIRS = 8
"""Comparisons that a printed result shows on lines of their own."""


class NetVerdict(StrEnum):
    """The verdict that the trials allow.

    RATIFY: an effect is shown, nothing gated is in doubt, nothing is shown worse. REJECT: harm is
    shown on a gated dimension, or on balance. NO_EFFECT: every dimension is shown to be inside its
    margin. INCONCLUSIVE: none of these, or something blocks.
    """

    RATIFY = "ratify"
    REJECT = "reject"
    NO_EFFECT = "no-effect"
    INCONCLUSIVE = "inconclusive"

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self is NetVerdict.RATIFY


class Change(StrEnum):
    """The shown change of a dimension.

    A repair ends at the ideal and did not start there; a regression is the reverse. A difference
    inside the margin is equivalent, whether or not it is shown.
    """

    REPAIR = "repair"
    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    DECLINE = "decline"
    EQUIVALENT = "equivalent"
    UNCLEAR = "unclear"


CHANGE_WORDS = {
    Change.REPAIR: "repair: it reaches its best value",
    Change.REGRESSION: "regression: it leaves its best value",
}
"""How a change is shown, where the word alone does not say it."""
BETTER = frozenset({Change.REPAIR, Change.IMPROVEMENT})
WORSE = frozenset({Change.REGRESSION, Change.DECLINE})


class ComparisonCaveat(Caveat, frozen=True, kw_only=True):
    """A caveat; if it blocks, there is no verdict until it is resolved."""

    blocking: bool = False

    @property
    def rank(self) -> Rank:
        """How much it could change what a reader concludes."""
        return Rank.BLOCKS if self.blocking else super().rank


class Gate(StrEnum):
    """The status of a gated dimension.

    SHOWN: the loss is shown to be smaller than the margin. SPOTLESS: every run of the candidate
    reached the ideal, but there are too few to show more. NARROW: the loss is smaller than the
    margin if no run loses more than was seen, but there are too few to show more. DOUBT: none of
    these.
    """

    SHOWN = "shown"
    SPOTLESS = "spotless"
    NARROW = "narrow"
    DOUBT = "doubt"


GATE_WORDS = {
    Gate.SPOTLESS: "spotless, not shown",
    Gate.NARROW: "narrow, not shown",
    Gate.DOUBT: "in doubt",
}
"""How the status of a gate is shown, where the word alone does not say it."""


class DimensionResult(msgspec.Struct, frozen=True, kw_only=True):
    """One dimension on both sides. `low` and `high` are the 95 % interval of `delta`.

    `p` is corrected for all dimensions that count. An unknown value is None. `gate` is the status
    of a gated dimension.
    """

    name: str
    gated: bool
    counts: bool
    better: str | None
    ideal: float | None
    margin: float
    baseline: float | None
    candidate: float | None
    delta: float | None
    low: float | None
    high: float | None
    p: float | None
    cls: Change | None = msgspec.field(name="class")
    gate: Gate | None
    n: int

    def said(self) -> str:
        """Both means, the difference with its interval, and the conclusion."""
        name = f"{self.name:.60}"
        if self.delta is None or self.baseline is None or self.candidate is None:
            return f"{name} cannot be compared"
        whole = max(abs(self.baseline), abs(self.candidate)) >= 100.0
        ends = signed_interval(self.low, self.high, whole)
        figures = f"{number(self.baseline, whole)} -> {number(self.candidate, whole)}"
        said = f"{name} {figures}, {signed(self.delta, whole)} {ends}".rstrip()
        return ", ".join([said, *self.conclusions()]) if self.counts else said

    def conclusions(self) -> list[str]:
        """The class of the change, and the status of the gate, in words."""
        said = []
        if self.cls is Change.EQUIVALENT and self._is_worse():
            said.append("equivalent: worse, inside its margin")
        elif self.cls is not None:
            said.append(CHANGE_WORDS.get(self.cls, self.cls.value))
        if self.gate is not None:
            said.append(f"gate: {GATE_WORDS.get(self.gate, self.gate.value)}")
        return said

    def _is_worse(self) -> bool:
        """Whether the interval lies on the worse side of 0."""
        if self.low is None or self.high is None:
            return False
        return self.low > 0.0 if self.better == "lower" else self.high < 0.0


class Balance(msgspec.Struct, frozen=True, kw_only=True):
    """All dimensions that count as one: the weighted mean of differences, on a scale of 0 to 1."""

    value: float
    low: float | None
    high: float | None
    p: float


class Flip(msgspec.Struct, frozen=True, kw_only=True):
    """An instance where most runs of one side reach the ideal, and most of the other do not.

    `to` is `ideal` if those of the candidate reach it, and `short` if they no longer do. `baseline`
    and `candidate` are the runs that reach it, of all: `2/3`.
    """

    instance: str
    dimension: str
    to: str
    baseline: str
    candidate: str


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """An input of a side: the digest of its bytes, and the meaning of its columns.

    `described` describes a harness's log. `name` is that of the side: the value of the column `by`,
    or its key in a dictionary of sides; else None. `where` is the expression that chose the rows or
    logs.
    """

    side: str
    kind: str
    digest: str
    trials: int
    columns: Mapping[str, str | tuple[str, ...]] | None = None
    described: str | None = None
    name: str | None = None
    by: str | None = None
    where: str | None = None


class Looks(msgspec.Struct, frozen=True, kw_only=True):
    """A sequential comparison: after how many units it was decided, if it was."""

    units: int
    decided_at: int | None


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a comparison depends on, besides the trials.

    `assumed` says that the dimensions of the plan were taken from the columns.
    """

    plan: Dimensions
    unit: Literal["auto", "instance", "run"]
    sequential: bool
    resamples: int
    seed: int
    level: float
    assumed: bool = False


class Comparison(Result, frozen=True, kw_only=True, dict=True):
    """Two sides compared by the rule that `rule` names.

    `pairs` is 0 if runs do not pair. `unit` is the unit of evidence. `needed_pairs` is how many
    more pairs (or runs per side) would bring a verdict with 80 % probability if the estimates are
    right; None if nothing is open or no number would.

    Example:
        >>> import assay
        >>> before = [{"instance": f"q{n}", "correct": n % 3 == 0} for n in range(9)]
        >>> after = [{"instance": f"q{n}", "correct": n % 3 != 1} for n in range(9)]
        >>> result = assay.compare(before, after)
        >>> result.verdict.value, result.outlook
        ('inconclusive', 'about 45 more pairs would settle it, if the estimates are right')
        >>> [(row["name"], round(row["delta"], 3)) for row in result.to_rows()]
        [('correct', 0.333)]
    """

    verdict: NetVerdict
    because: str
    rule: str
    n_baseline: int
    n_candidate: int
    pairs: int
    instances: int
    unit: str
    balance: Balance | None
    dimensions: tuple[DimensionResult, ...]
    flips: tuple[Flip, ...]
    needed_pairs: int | None
    looks: Looks | None
    caveats: tuple[ComparisonCaveat, ...]
    inputs: tuple[Input, ...]
    artifact: str | None
    harness: Mapping[str, Mapping[str, str]]
    settings: Settings
    signature: str

    def __getitem__(self, name: str) -> DimensionResult:
        """A dimension by its name."""
        return part_named({each.name: each for each in self.dimensions}, name, "dimension")

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self.verdict.favourable

    @property
    def trials(self) -> tuple[Sequence[Trial], Sequence[Trial]] | None:
        """Both sides' trials if they were compared in this process: no part of the record."""
        found: tuple[Sequence[Trial], Sequence[Trial]] | None = self.__dict__.get("of")
        return found

    def of_trials(self, sides: tuple[Sequence[Trial], Sequence[Trial]]) -> Self:
        """The comparison, with the trials that it is of at hand."""
        self.__dict__["of"] = sides
        return self

    @property
    def blocked(self) -> bool:
        """Whether a caveat blocks the verdict."""
        return any(caveat.blocking for caveat in self.caveats)

    @property
    def outlook(self) -> str:
        """How much more would settle an undecided comparison."""
        if self.needed_pairs is None:
            return "no number of further runs is forecast to settle it"
        more = counted(self.needed_pairs, f"more {self.unit}")
        more += " a side" if self.unit == "run" else ""
        return f"about {more} would settle it, if the estimates are right"

    @property
    def names(self) -> dict[str, str]:
        """The names of the sides, as far as they have any other than baseline and candidate.

        The ends of paths are known only in the process that compared them: no part of the record.
        """
        recorded = {read.side: read.name for read in self.inputs if read.name is not None}
        found: dict[str, str] = recorded or self.__dict__.get("names", {})
        return found

    def of_names(self, names: Mapping[str, str]) -> Self:
        """The comparison, with the names of its sides at hand."""
        self.__dict__["names"] = {side: name for side, name in names.items() if name != side}
        return self

    @property
    def gates(self) -> str:
        """The status of each gate, in words; empty if nothing is gated."""
        return some(
            [
                f"{each.name:.60} {GATE_WORDS.get(each.gate, each.gate.value)}"
                for each in self.dimensions
                if each.gate is not None and each.delta is not None
            ]
        )

    @property
    def evidence(self) -> str:
        """Which side is compared with which, and the number of runs, instances and pairs."""
        sides = [f"{side} {self.names.get(side, ''):.60}".rstrip() for side in _SIDES]
        runs = f"{counted(self.n_candidate, 'run')} against {self.n_baseline:,}"
        pairs = f", {counted(self.pairs, 'pair')}" if self.pairs else ""
        return f"{' against '.join(sides)}: {runs}, {counted(self.instances, 'instance')}{pairs}"

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each dimension."""
        rows: list[dict[str, Any]] = msgspec.to_builtins(self.dimensions)
        return rows

    def lines(self) -> list[str]:
        """The verdict and its reason, each dimension that counts, and the outlook."""
        counting = [dimension for dimension in self.dimensions if dimension.counts]
        sides = " against ".join(f"{self.names.get(side, side):.60}" for side in _SIDES)
        verdict = f"{self.verdict.upper()} {sides}" if self.names else self.verdict.upper()
        said = [f"{verdict}: {self.because}", self.evidence]
        said += [dimension.said() for dimension in counting[:_MOST_SAID]]
        if len(counting) > _MOST_SAID:
            said.append(f"and {counted(len(counting) - _MOST_SAID, 'more dimension')}")
        if self.balance is not None and len(counting) > 1:
            ends = signed_interval(self.balance.low, self.balance.high)
            said.append(f"on balance {signed(self.balance.value)} {ends}".rstrip())
        if self.verdict is NetVerdict.INCONCLUSIVE and not self.blocked:
            said.append(self.outlook)
        said += [*_reading_lines([self]), *_caveats_left(self.caveats)]
        return [*map(as_python, said), self.signature]


class ComparedPair(msgspec.Struct, frozen=True, kw_only=True):
    """One of several comparisons: its task and its two sides."""

    task: str | None
    baseline: str
    candidate: str
    comparison: Comparison

    @property
    def name(self) -> str:
        """The sides, and the task, by their whole names."""
        task = "" if self.task is None else f", {self.task}"
        return f"{self.candidate} against {self.baseline}{task}"

    @property
    def sides(self) -> str:
        """Which side is compared with which, and of which task."""
        task = "" if self.task is None else f", {self.task:.60}"
        return f"{self.candidate:.60} against {self.baseline:.60}{task}"


class Comparisons(Result, frozen=True, kw_only=True):
    """Several comparisons with a joint `level`: each is made at a higher one.

    With k comparisons, each is made at 1 - (1 - level) / k (Bonferroni), so the probability of any
    false verdict among them is at most that of a single comparison.

    Example:
        >>> import assay
        >>> sides = [[{"instance": f"q{n}", "ok": n % k > 0} for n in range(40)] for k in (2, 3, 4)]
        >>> result = assay.compare(*sides)
        >>> [row["candidate"] for row in result.to_rows()]
        ['candidate', 'candidate 2']
        >>> {sides: verdict.value for sides, verdict in result.verdicts.items()}
        {'candidate against baseline': 'inconclusive', 'candidate 2 against baseline': 'ratify'}
    """

    sides: tuple[str, ...]
    pairs: tuple[ComparedPair, ...]
    level: float

    def __getitem__(self, name: str) -> Comparison:
        """A comparison by its candidate or its task, if only it has these; or by `pair.name`."""
        parts = {pair.name: pair.comparison for pair in self.pairs}
        parts |= only_ones((pair.task, pair.comparison) for pair in self.pairs)
        parts |= only_ones((pair.candidate, pair.comparison) for pair in self.pairs)
        return part_named(parts, name, "comparison")

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0: every comparison ratifies."""
        return all(pair.comparison.favourable for pair in self.pairs)

    @property
    def verdicts(self) -> dict[str, NetVerdict]:
        """The verdict of each comparison, by what is compared with what."""
        return {pair.name: pair.comparison.verdict for pair in self.pairs}

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse an attribute of a single comparison, and say where those are."""
        said = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name in Comparison.__struct_fields__ and name not in self.__struct_fields__:
            said += f"; pairs[0].comparison.{name} is that of the first of {len(self.pairs)}"
            said += ", and `verdicts` has all of them" if name == "verdict" else ""
        raise AttributeError(said)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each comparison."""
        return [
            {
                "task": pair.task,
                "candidate": pair.candidate,
                "baseline": pair.baseline,
                "verdict": pair.comparison.verdict.value,
                "pairs": pair.comparison.pairs,
                **_balance_row(pair.comparison.balance),
                "because": pair.comparison.because,
            }
            for pair in self.pairs
        ]

    def lines(self) -> list[str]:
        """How many ratify; a line for each comparison, decided ones first; the inputs once.

        A ratify or reject beyond the lines of a printed result is named with the others of its
        verdict.
        """
        ratified = sum(pair.comparison.favourable for pair in self.pairs)
        each = 1.0 - (1.0 - self.level) / max(len(self.pairs), 1)
        order = sorted(self.pairs, key=lambda pair: pair.comparison.verdict not in DECIDED)
        shown, left = order[:_MOST_PAIRS], order[_MOST_PAIRS:]
        said = [_pair_said(pair) for pair in shown]
        for verdict in DECIDED:
            names = [pair.sides for pair in left if pair.comparison.verdict is verdict]
            said += [f"also {len(names)} {verdict.upper()}: {', '.join(names)}"] if names else []
        if left:
            said.append(f"{len(left)} more in all: to_rows() has every comparison")
        return [
            f"{ratified} of {counted(len(self.pairs), 'comparison')} ratify; each at a level of"
            f" {percent(each)}, for {percent(self.level)} over all of them",
            *said,
            *_reading_lines([pair.comparison for pair in self.pairs]),
            *map(as_python, _caveats_left(self.joint_caveats(every="`.pairs` has all"))),
            self.signature,
        ]

    def joint_caveats(self, every: str = "`json=` lists all") -> list[ComparisonCaveat]:
        """Each code once, unless it blocks, with the pairs that it is about where not all are.

        `every` says where all messages of a code are.
        """
        about: dict[str, dict[str, list[str]]] = {}
        for pair in self.pairs:
            for caveat in pair.comparison.caveats:
                if not caveat.blocking:
                    which = f"{pair.candidate} against {pair.baseline}"
                    about.setdefault(caveat.code, {}).setdefault(caveat.message, []).append(which)
        made = []
        for code, messages in about.items():
            said, pairs = next(iter(messages.items()))
            said = said if len(pairs) == len(self.pairs) else f"{some(pairs, 1)}: {said}"
            more = f" And {len(messages) - 1} more; {every}." if len(messages) > 1 else ""
            made.append(ComparisonCaveat(code=code, message=said + more))
        return made

    @property
    def signature(self) -> str:
        """The inputs of all comparisons, each once, the rule and the version."""
        made = [pair.comparison for pair in self.pairs]
        digests = list(dict.fromkeys(short(read.digest) for one in made for read in one.inputs))
        return " · ".join(
            [
                *([f"inputs {some(digests, _MOST_PAIRS)}"] if digests else []),
                *dict.fromkeys(one.rule for one in made),
                f"assay {__version__}",
            ]
        )


def _reading_lines(made: Sequence[Comparison]) -> list[str]:
    """How the columns were read without a plan: pairs, assumed directions, what is only reported.

    A line each, if there is something to say; reported figures if there is one comparison.
    """
    caveats = {caveat.code: caveat.message for one in made for caveat in one.caveats}
    dimensions = {each.name: each for one in made for each in one.dimensions}
    guessed = [
        f"{each.name:.60}"
        for one in made
        for each in one.dimensions
        if "assumed" in caveats
        and each.counts
        and each.better == "higher"
        and each.name not in SOURCE_NAMES
    ]
    others = [_reported(each, len(made) == 1) for each in dimensions.values() if not each.counts]
    lines = [caveats["plain-scores"]] if "plain-scores" in caveats else []
    if guessed:
        lines.append(f"assumed: higher is better in {some(list(dict.fromkeys(guessed)))}")
    between = "; " if len(made) == 1 else ", "
    return lines + ([f"reported only: {some(others, between=between)}"] if others else [])


def _caveats_left(caveats: Sequence[ComparisonCaveat]) -> list[str]:
    """The caveats that the lines on how the columns were read do not give."""
    return caveat_lines(caveat for caveat in caveats if caveat.code not in _READING)


_READING = ("assumed", "plain-scores")


def _reported(dimension: DimensionResult, with_figures: bool) -> str:
    """A dimension that is not part of the verdict, its means, and its direction."""
    said = dimension.said() if with_figures else f"{dimension.name:.60}"
    known = "direction unknown" if dimension.better is None else f"{dimension.better} is better"
    return f"{said} ({known})"


DECIDED = (NetVerdict.RATIFY, NetVerdict.REJECT)


def _pair_said(pair: ComparedPair) -> str:
    """What is compared, the verdict, the effect on balance with its interval, and the reason."""
    made, balance = pair.comparison, pair.comparison.balance
    effect = ""
    if balance is not None:
        ends = signed_interval(balance.low, balance.high)
        effect = f" {signed(balance.value)} {ends}".rstrip()
    parts = [made.because, *([f"gates: {made.gates}"] if made.gates else [])]
    if made.verdict is NetVerdict.INCONCLUSIVE and not made.blocked:
        parts.append(made.outlook)
    return f"{pair.sides}: {made.verdict.upper()}{effect}: {'; '.join(parts)}"


def _balance_row(balance: Balance | None) -> dict[str, Any]:
    if balance is None:
        return {"balance": None, "low": None, "high": None, "p": None}
    return {"balance": balance.value, "low": balance.low, "high": balance.high, "p": balance.p}
