"""A result under one version of the bars."""

import msgspec

from assay.gauntlet.result import Scorecard


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """A scorecard under one version of the bars, or why there can be none."""

    bars: str
    scorecard: Scorecard | None
    error: str | None
