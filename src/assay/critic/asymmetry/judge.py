"""From the measurements of every item to the rates of each measure."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from assay.caveats import Caveats, Codes
from assay.critic.asymmetry.result import (
    FORMAT,
    Asymmetry,
    Measure,
    Misconception,
    Quadrant,
    Stance,
)
from assay.critic.asymmetry.spec import AsymmetrySetting, rate_name
from assay.critic.result import Calls
from assay.predicted.ranges import RangeGrades, grade_range, range_grades
from assay.stats import proportions
from assay.stats.estimate import Estimate

CODES: Codes = {
    "measures-disagree": "The measures say different things; trust none of them alone.",
    "topic-not-truth": "v1 measures whether two texts are on one topic, not whether they agree.",
    "mostly-unclear": "A measure could not decide about most items.",
    "abstained": "The model did not answer YES or NO to some items, which have no score.",
    "toy-model": "The model inside the package is too small to judge facts.",
    "asked-before": "Replies of a sealed experiment were recorded before this grading of it.",
    "replayed": "The replies come from a recording; the model was not asked.",
}
_ABOUT = {
    "v1": "similarity of the free answer to the misconception",
    "v2": "the free answer agrees or disagrees with it",
    "v3": "the same, in one character",
}
_HALF = 0.5


def asymmetry(
    items: Sequence[Misconception],
    setting: AsymmetrySetting,
    *,
    cassette: Calls | None = None,
    sealed: bool = False,
) -> Asymmetry:
    """The rates by each measure; an item on which the critique abstained is unclear."""
    measures = tuple(_measure(name, items, setting) for name in setting.measures)
    opposite = tuple(
        item.id
        for item in items
        if item.similarity is not None
        and (item.similarity >= setting.generation_at_least, item.v3)
        in ((True, Stance.REFUTES), (False, Stance.AFFIRMS))
    )
    return Asymmetry(
        format=FORMAT,
        model=setting.model,
        encoder=setting.encoder,
        prompt=setting.prompt,
        data=setting.data,
        digest=setting.digest,
        n=len(items),
        generation_at_least=setting.generation_at_least,
        critique_at_least=setting.critique_at_least,
        measures=measures,
        disagreements=opposite,
        grades=_grades(measures, setting),
        cassette=cassette,
        caveats=_with_recording(
            _caveats(measures, items, opposite, setting), cassette, sealed=sealed
        ).by_weight(),
        items=tuple(items),
    )


def _grades(measures: Sequence[Measure], setting: AsymmetrySetting) -> RangeGrades | None:
    """What was predicted of the rates, against what they are."""
    rates = {}
    for each in measures:
        rates[rate_name(each.name, "asymmetric")] = each.asymmetric.value
        rates[rate_name(each.name, "unclear")] = each.unclear_rate.value
    return range_grades([grade_range(each, rates.get(each.metric)) for each in setting.predicted])


def _with_recording(noted: Caveats, cassette: Calls | None, *, sealed: bool) -> Caveats:
    if cassette is not None and cassette.replayed:
        noted.add("asked-before" if sealed else "replayed", f"{cassette.replayed:,} calls.")
    return noted


def _measure(name: str, items: Sequence[Misconception], setting: AsymmetrySetting) -> Measure:
    placed = [_quadrant(name, item, setting) for item in items]
    counts = Counter(each for each in placed if each is not None)
    return Measure(
        name=name,
        about=_ABOUT[name],
        n=len(items),
        quadrants={quadrant: counts[quadrant] for quadrant in Quadrant},
        unclear=placed.count(None),
        asymmetric=_rate([each is Quadrant.ASYMMETRIC for each in placed]),
        unclear_rate=_rate([each is None for each in placed]),
    )


def _rate(flags: Sequence[bool]) -> Estimate:
    return proportions.accuracy(np.array(flags)).estimate()


def _quadrant(name: str, item: Misconception, setting: AsymmetrySetting) -> Quadrant | None:
    """Where an item lies by one measure; None if that measure cannot tell."""
    affirms = _affirms(name, item, setting)
    if affirms is None or item.p_no is None:
        return None
    rejects = item.p_no >= setting.critique_at_least
    if affirms:
        return Quadrant.ASYMMETRIC if rejects else Quadrant.CONSISTENT_WRONG
    return Quadrant.CONSISTENT_RIGHT if rejects else Quadrant.NEITHER


def _affirms(name: str, item: Misconception, setting: AsymmetrySetting) -> bool | None:
    if name == "v1":
        return None if item.similarity is None else item.similarity >= setting.generation_at_least
    stance = item.v2 if name == "v2" else item.v3
    return None if stance is Stance.UNCLEAR else stance is Stance.AFFIRMS


def _caveats(
    measures: Sequence[Measure],
    items: Sequence[Misconception],
    opposite: Sequence[str],
    setting: AsymmetrySetting,
) -> Caveats:
    noted = Caveats(CODES)
    lows = max(each.asymmetric.low for each in measures)
    highs = min(each.asymmetric.high for each in measures)
    if lows > highs:
        rates = ", ".join(f"{each.name} {each.asymmetric.value:.3f}" for each in measures)
        noted.add("measures-disagree", f"Asymmetric: {rates}.")
    if opposite:
        noted.add(
            "topic-not-truth", f"v3 says the opposite of {len(opposite):,} of {len(items):,}."
        )
    for each in measures:
        if each.unclear_rate.value > _HALF:
            noted.add("mostly-unclear", f"{each.name}: {each.unclear:,} of {each.n:,}.")
    silent = sum(item.p_no is None for item in items)
    if silent:
        noted.add("abstained", f"{silent:,} of {len(items):,}.")
    if setting.toy:
        noted.add("toy-model")
    return noted
