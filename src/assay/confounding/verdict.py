"""The verdict on a benchmark, its reason, and the number of records needed for one.

CLEAN needs evidence: the upper end of the joint AUC is under .60 and no feature alone is surely
over .60. An interval that merely includes .5 shows nothing. CONFOUNDED: not clean, and the joint
AUC or a feature alone is surely over .50. "Surely" is corrected for the number of features.

An out-of-fold AUC under .5 comes from the folds (a record's own label moves its class's share in
other folds in the opposite direction), not from the surface, so it counts as .5, with the same
width of interval.
"""

import math
from collections.abc import Container, Sequence

from assay.confounding.result import TELLING, FeatureResult, Finding, Fitness, Joint
from assay.gauntlet.holm import ConfidenceBounds, times_more
from assay.surface.beyond import WIDEST, widest_without_signal
from assay.surface.joint_model import Surface
from assay.wording import as_column

CLEAN_UNDER = 0.60
CHANCE = 0.50
POWER = 0.8
_ALPHA = 0.025
_MOST_RECORDS = 10_000_000


def upper_end(joint: Joint) -> float:
    """The upper end of the joint AUC, with an AUC under .5 counted as .5."""
    return joint.high + max(CHANCE - joint.auc, 0.0)


def decide(
    model: Surface | None,
    joint: Joint | None,
    features: Sequence[FeatureResult],
    *,
    no_text: bool = False,
) -> Fitness:
    """The verdict on the benchmark; with `no_text`, or the wrong texts, it cannot be clean."""
    if model is None or joint is None:
        return Fitness.UNDECIDED
    surely = max((feature.least for feature in features), default=0.0)
    if upper_end(joint) < CLEAN_UNDER and surely <= CLEAN_UNDER:
        return Fitness.UNDECIDED if no_text else Fitness.CLEAN
    if joint.low <= CHANCE and surely <= CHANCE:
        return Fitness.UNDECIDED
    if widest_without_signal(model.label, model.fit.probability) > WIDEST:
        return Fitness.UNFIT
    return Fitness.CONFOUNDED


def explain(
    verdict: Fitness,
    joint: Joint | None,
    features: Sequence[FeatureResult],
    findings: Sequence[Finding],
    needed: int | None,
    noted: Container[str] = (),
    too_few: str | None = None,
    unread: str | None = None,
) -> str:
    """The reason for the verdict, in a sentence.

    `noted` are the codes of the caveats; `too_few` says why no model could be fitted. `unread` is a
    column that probably holds the responses, and was not read.
    """
    if verdict is Fitness.UNDECIDED and unread is not None and joint is not None:
        return (
            f"no response was read, and the column {as_column(unread)} may hold it: name it, or"
            " leave it out"
        )
    if verdict is Fitness.UNDECIDED and "no-text" in noted:
        return "there is no text here: every question is a number, and no response was read"
    if joint is None and too_few is not None:
        return too_few
    if joint is None:
        return "no verdict without the joint surface model"
    telling = [finding.code for finding in findings if finding.code in TELLING]
    match verdict:
        case Fitness.CLEAN:
            also = f", but the data have a fault: {' and '.join(telling)}" if telling else ""
            if "questions-only" in noted:
                told = "the questions alone predict the label too weakly to score by"
                return f"{told}, and no response was read{also}"
            return f"the surface predicts the label too weakly to score by{also}"
        case Fitness.UNFIT:
            return "the surface predicts so much that no method can be told apart from it"
        case Fitness.CONFOUNDED if joint.low > CHANCE:
            return "the surface alone predicts the label"
        case Fitness.CONFOUNDED:
            worst = max(features, key=lambda feature: feature.least)
            return f"the feature {worst.name} alone predicts the label"
    would = f"; about {needed:,} records would" if needed is not None else ""
    return f"too few records to show whether the surface predicts the label{would}"


def records_needed(
    verdict: Fitness, model: Surface | None, joint: Joint | None, *, no_text: bool = False
) -> int | None:
    """The records needed for a verdict in four of five cases, if the joint AUC is right."""
    if verdict is not Fitness.UNDECIDED or model is None or joint is None or no_text:
        return None
    value, fit = max(joint.auc, CHANCE), model.auc_fit()
    shift = value - joint.auc

    def interval(level: float) -> tuple[float, float]:
        low, high = fit.interval_at(level)
        return low + shift, high + shift

    thresholds = [CLEAN_UNDER] * (value < CLEAN_UNDER) + [CHANCE] * (value > CHANCE)
    times = [
        times_more(
            [ConfidenceBounds(value=value, threshold=threshold, interval=interval)],
            alpha=_ALPHA,
            power=POWER,
        )
        for threshold in thresholds
    ]
    least = min((factor for factor in times if factor is not None), default=math.inf)
    records = math.ceil(max(least, 1.0) * model.label.size)
    return records if records <= _MOST_RECORDS else None
