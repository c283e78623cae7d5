"""A confound audit: what the surface of a benchmark gives away, and what is left of a method."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

import msgspec

from assay.caveats import Caveat

On = Literal["response", "question", "both"]
TELLING = ("conflicting-labels", "label-leak")
"""Faults of the data that give the label away, or that no surface explains."""


class Fitness(StrEnum):
    """What a benchmark is good for, as far as its surface goes.

    CLEAN: the joint surface model's AUC is surely under .60, and no feature alone surely over it.
    CONFOUNDED: not clean, and the joint AUC or a feature alone is surely over .50. UNFIT: the
    surface leaves too little of the label to tell any method from it. UNDECIDED: these records
    cannot tell, or the joint model was not asked for.
    """

    CLEAN = "clean"
    CONFOUNDED = "confounded"
    UNFIT = "unfit"
    UNDECIDED = "undecided"


class FeatureResult(msgspec.Struct, frozen=True, kw_only=True):
    """A feature alone: its AUC in the better direction, and whether that is a matter of length.

    `least` is the lower end of its interval, corrected for all features that were looked at.
    `direction` says which values are the positives', `rho_length` is Spearman's rho to the number
    of words of the text the feature is of, None where one of them is constant. `flag` is `inert`
    under an AUC of .70, else `length` where |rho| is at least .5, else `orthogonal`.
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


class Importance(msgspec.Struct, frozen=True, kw_only=True):
    """How much of the joint model's AUC goes when one feature's values are shuffled."""

    name: str
    on: On
    value: float


class GivenAway(msgspec.Struct, frozen=True, kw_only=True):
    """A record, its label, and how probable the surface alone makes that label."""

    id: str
    label: int
    probability: float


class Joint(msgspec.Struct, frozen=True, kw_only=True):
    """The joint surface model: how far all features together get, out of fold.

    `left` is the mean square of what the model leaves of the label, over its variance: 1 where
    the surface tells nothing, 0 where it tells all. `given_away` are the ten records that it is
    most sure and right about.
    """

    auc: float
    low: float
    high: float
    left: float
    importance: tuple[Importance, ...]
    given_away: tuple[GivenAway, ...]


class BeyondResult(msgspec.Struct, frozen=True, kw_only=True):
    """A beyond-surface AUC with its interval.

    `unfit` where the sample leaves too much open, `rests_on_words` where it is surely over .5 and
    words, which are no declared feature, explain most of it.
    """

    value: float
    low: float
    high: float
    unfit: bool
    rests_on_words: bool


class MethodResult(msgspec.Struct, frozen=True, kw_only=True):
    """A method on this benchmark: its AUC, and what is left of it when surface is held equal.

    `surface_share` is the part of its scores' variance that the surface predicts.
    """

    name: str
    auc: float
    low: float
    high: float
    beyond: BeyondResult | None
    surface_share: float | None
    unscored: int


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A fault of the data: its code, the records it touches (the first of them), and a remedy."""

    code: str
    count: int
    message: str
    remedy: str
    records: tuple[str, ...]


class ConfoundAudit(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark and perhaps methods on it, asked what the surface gives away.

    `needed_records` is how many records would bring a verdict, where these cannot tell.
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

    @property
    def favourable(self) -> bool:
        """Whether it is clean, and no fault of the data gives the label away otherwise."""
        return self.verdict is Fitness.CLEAN and not self.telling

    @property
    def telling(self) -> tuple[str, ...]:
        """Faults of the data that give the label away, or contradict it."""
        return tuple(finding.code for finding in self.lint if finding.code in TELLING)
