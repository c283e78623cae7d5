"""A confound audit: how well surface features predict the label, and methods beyond them."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Literal

import msgspec

from assay.caveats import Caveat, caveat_lines
from assay.errors import SpecError
from assay.result import Result
from assay.wording import counted, interval

On = Literal["response", "question", "both"]
_MOST_SAID = 2
"""Features, and faults, that a printed audit shows."""
_MOST_GIVEN = 6
"""Methods, and features of the user's own, that a printed audit shows."""
TELLING = ("conflicting-labels", "label-leak")
"""Faults of the data that give the label away, or that no surface explains."""

ABOUT_WHAT_WAS_READ = ("no-text", "questions-only", "log-labels")
"""The caveats to be read before any figure."""


class Fitness(StrEnum):
    """Whether a benchmark can be solved by its surface.

    CLEAN: the joint surface model's AUC is surely under .60, and no feature alone surely over it.
    CONFOUNDED: not clean, and the joint AUC or a feature alone is surely over .50. UNFIT: the
    surface predicts so much that no method can be told apart from it. UNDECIDED: too few records,
    or the joint model was not requested.
    """

    CLEAN = "clean"
    CONFOUNDED = "confounded"
    UNFIT = "unfit"
    UNDECIDED = "undecided"


class FeatureResult(msgspec.Struct, frozen=True, kw_only=True):
    """A feature alone: its AUC in the better direction, and whether it follows length.

    `least` is the lower end of its interval, corrected for all features that were looked at.
    `direction` says which values are the positives', `rho_length` is Spearman's rho to the number
    of words of the text the feature is of, None where one of them is constant. `flag` is `inert`
    under an AUC of .70, else `length` where |rho| is at least .5, else `orthogonal`. A feature
    under .70 may tell something: `shown_flag` leaves the word out where the interval is over .5.
    """

    name: str
    on: On
    auc: float
    low: float
    high: float
    least: float
    direction: Literal["higher", "lower"]
    rho_length: float | None
    flag: Literal["inert", "length", "orthogonal"]

    @property
    def shown_flag(self) -> str | None:
        """The flag; None for a feature that is surely over chance and only under the bar of .70."""
        return None if self.flag == "inert" and self.low > 0.5 else self.flag


class Importance(msgspec.Struct, frozen=True, kw_only=True):
    """The loss of the joint model's AUC if one feature's values are shuffled."""

    name: str
    on: On
    value: float


class GivenAway(msgspec.Struct, frozen=True, kw_only=True):
    """A record, its label, and the probability of that label by the surface alone."""

    id: str
    label: int
    probability: float


class Joint(msgspec.Struct, frozen=True, kw_only=True):
    """The joint surface model: the AUC of all features together, out of fold.

    `left` is the mean squared residual of the label over its variance: 1 if the surface predicts
    nothing, 0 if it predicts all. `given_away` are the ten records whose label it predicts best.
    """

    auc: float
    low: float
    high: float
    left: float
    importance: tuple[Importance, ...]
    given_away: tuple[GivenAway, ...]


class BeyondResult(msgspec.Struct, frozen=True, kw_only=True):
    """A beyond-surface AUC with its interval.

    `unfit` if the records are too few to judge it; `rests_on_words` if it is surely over .5 but
    words, which are not a declared feature, explain most of it.
    """

    value: float
    low: float
    high: float
    unfit: bool
    rests_on_words: bool


class MethodResult(msgspec.Struct, frozen=True, kw_only=True):
    """A method on this benchmark: its AUC, and its AUC with surface held equal.

    `surface_share` is the part of its scores' variance that the surface predicts.
    """

    name: str
    auc: float
    low: float
    high: float
    beyond: BeyondResult | None
    surface_share: float | None
    unscored: int

    def said(self) -> str:
        """Its AUC, and its AUC beyond the surface."""
        whole = f"{self.name:.60}: AUC {self.auc:.3f} {interval(self.low, self.high)}"
        if self.beyond is not None:
            ends = interval(self.beyond.low, self.beyond.high)
            whole += f", beyond the surface {self.beyond.value:.3f} {ends}"
        left = f", without {counted(self.unscored, 'record')} that have no score"
        return f"{whole}{left}" if self.unscored else whole


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A fault in the data: its code, the first records it affects, and a remedy."""

    code: str
    count: int
    message: str
    remedy: str
    records: tuple[str, ...]


class ConfoundAudit(Result, frozen=True, kw_only=True):
    """The audit of a benchmark, and perhaps of methods on it.

    `needed_records` is how many records would bring a verdict, if these are too few.
    `own_features` are the names of the features that you gave. `numbered` says that the data have
    no ids, so that records are named by their numbers, counted from 1.

    Example:
        >>> import assay
        >>> rows = [{"question": f"q{n}", "response": "a " * n, "label": n % 2} for n in range(40)]
        >>> audit = assay.confounds(rows, joint=False)
        >>> audit.verdict.value, audit.n
        ('undecided', 40)
    """

    verdict: Fitness
    because: str
    needed_records: int | None
    n: int
    positives: int
    features: tuple[FeatureResult, ...]
    joint: Joint | None
    methods: tuple[MethodResult, ...]
    lint: tuple[Finding, ...]
    caveats: tuple[Caveat, ...]
    benchmark: str
    surface: Literal["declared", "lexical"]
    digests: Mapping[str, str | None]
    signature: str
    own_features: tuple[str, ...] = ()
    numbered: bool = False

    @property
    def favourable(self) -> bool:
        """Whether it is clean, and no fault in the data reveals the label."""
        return self.verdict is Fitness.CLEAN and not self.telling

    @property
    def telling(self) -> tuple[str, ...]:
        """Faults in the data that reveal the label or contradict it."""
        return tuple(finding.code for finding in self.lint if finding.code in TELLING)

    def positions_of(self, records: Iterable[str]) -> list[int]:
        """The places in the input, from 0, of records that have numbers for ids.

        `frame.iloc[audit.positions_of(audit.lint[0].records)]` are the rows of the first fault.
        """
        if not self.numbered:
            raise SpecError(
                "the records have ids, so their places are not known here",
                hint="Look them up by their ids: frame[frame[COLUMN].astype(str).isin(records)].",
            )
        return [int(record) - 1 for record in records]

    @property
    def records_read(self) -> str:
        """How many records were read, and whether only their questions."""
        only = any(caveat.code in ("questions-only", "no-text") for caveat in self.caveats)
        questions = ", questions only" if only else ""
        return f"{self.n:,} records{questions}, {self.positives:,} positive"

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each method, then for each feature, highest AUC first."""
        ranked = sorted(self.features, key=lambda feature: -feature.auc)
        rows: list[dict[str, Any]] = [_method_row(method) for method in self.methods]
        for each in ranked:
            kind = "own feature" if each.name in self.own_features else "feature"
            row = {**msgspec.structs.asdict(each), "flag": each.shown_flag}
            rows.append({"kind": kind, **row, **(_NO_METHOD if self.methods else {})})
        return rows

    def lines(self) -> list[str]:
        """The verdict and its reason, the joint model, the best features, methods, faults."""
        said = [
            f"{self.verdict.upper()}: {self.because}",
            f"{self.benchmark:.60}: {self.records_read}",
        ]
        said += [each.message for each in self.caveats if each.code in ABOUT_WHAT_WAS_READ]
        if self.joint is not None:
            ends = interval(self.joint.low, self.joint.high)
            said.append(f"all features together: AUC {self.joint.auc:.3f} {ends}")
        said += self._alone()
        said += [method.said() for method in self.methods[:_MOST_GIVEN]]
        said += _left(len(self.methods) - _MOST_GIVEN, "method", "methods")
        others = [each for each in self.caveats if each.code not in ABOUT_WHAT_WAS_READ]
        return [*said, *caveat_lines(others), *self._faults(), self.signature]

    def _alone(self) -> list[str]:
        """The features that tell most alone, and all of the user's."""
        ranked = sorted(self.features, key=lambda each: -each.auc)
        telling = [each for each in ranked if each.low > 0.5]
        first = telling[:_MOST_SAID]
        own = [each for each in ranked if each.name in self.own_features][:_MOST_GIVEN]
        said = []
        for each in [*first, *(each for each in own if each not in first)]:
            whose = " (yours)" if each in own else ""
            ends = interval(each.low, each.high)
            shown = "" if each in telling else ", not shown to predict the label"
            said.append(f"{each.name}{whose} alone: AUC {each.auc:.3f} {ends}{shown}")
        left = len([each for each in telling if each not in (*first, *own)])
        return said + _left(left, "telling feature", "to_rows()")

    def _faults(self) -> list[str]:
        """The first faults of the data with their remedies, those that tell the label first."""
        told = [finding for finding in self.lint if finding.code in TELLING][:_MOST_SAID]
        others = [finding for finding in self.lint if finding not in told]
        said = [
            f"{finding.code}: {finding.message} {finding.remedy}"
            for finding in (*told, *others[:_MOST_SAID])
        ]
        named = [record for finding in (*told, *others[:_MOST_SAID]) for record in finding.records]
        if self.numbered and named:
            [place] = self.positions_of(named[:1])
            said.append(f"records are numbered from 1: record {named[0]} is frame.iloc[{place}]")
        more = len(others) - _MOST_SAID
        left = f"and {counted(more, 'more fault')} of the data: lint has all of them"
        return [*said, left] if more > 0 else said


_NO_METHOD = dict.fromkeys(
    ("beyond", "beyond_low", "beyond_high", "surface_share", "unscored"), None
)


def _method_row(method: MethodResult) -> dict[str, Any]:
    """A method in a table of features."""
    row = dict.fromkeys(FeatureResult.__struct_fields__)
    left = method.beyond
    return {
        "kind": "method",
        **row,
        "name": method.name,
        "auc": method.auc,
        "low": method.low,
        "high": method.high,
        "beyond": None if left is None else left.value,
        "beyond_low": None if left is None else left.low,
        "beyond_high": None if left is None else left.high,
        "surface_share": method.surface_share,
        "unscored": method.unscored,
    }


def _left(more: int, what: str, where: str) -> list[str]:
    """How many more there are than were said, and what holds all of them."""
    return [f"and {counted(more, f'more {what}')}: {where} has all of them"] if more > 0 else []
