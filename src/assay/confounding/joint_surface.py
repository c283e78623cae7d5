"""All surface features together: how well they predict the label, and each method beyond them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.benchmark.benchmark import Item
from assay.confounding import result
from assay.confounding.result import Joint, MethodResult
from assay.confounding.verdict import CHANCE
from assay.errors import SpecError
from assay.surface.crossfit import Step, importance
from assay.surface.joint_model import SEED, Surface, auc_of, group_codes
from assay.surface.words import rests_on_words


def joint_result(model: Surface, on_step: Step) -> Joint:
    """The joint AUC, the importance of features, and the records that the surface gives away."""
    fit = model.auc_fit()
    low, high = fit.interval()
    label, probability = model.label, model.fit.ensemble
    columns = [block.columns for block in model.blocks]
    drops = importance(model.fit, label, columns, seed=SEED, on_step=on_step)
    ranked = sorted(zip(drops.tolist(), model.blocks, strict=True), key=lambda pair: -pair[0])
    sure = np.where(label, probability, 1.0 - probability)
    most = np.argsort(-sure, kind="stable")[:10]
    return Joint(
        auc=float(fit.values[0]),
        low=low,
        high=high,
        left=float(np.mean(np.square(label - model.fit.probability)) / label.var()),
        importance=tuple(
            result.Importance(name=block.name, on=block.on, value=drop) for drop, block in ranked
        ),
        given_away=tuple(
            result.GivenAway(id=model.items[i].id, label=int(label[i]), probability=float(sure[i]))
            for i in most
            if sure[i] > 0.5
        ),
    )


def method_result(
    name: str,
    scores: Mapping[str, float],
    items: Sequence[Item],
    label: NDArray[np.bool_],
    model: Surface | None,
    on_step: Step,
) -> MethodResult:
    """A method's AUC, and its AUC beyond the surface if there is a model."""
    chosen = [i for i, item in enumerate(items) if item.id in scores]
    own, kept = label[chosen], [items[i] for i in chosen]
    if own.all() or not own.any():
        raise SpecError(
            f"{name}: scores for {len(chosen)} of {len(items)} records, all of one class",
            hint="Check that the ids of the scores match the ids of the records.",
        )
    values = np.array([scores[item.id] for item in kept], dtype=np.float64)
    fit = auc_of(values, own, group_codes(kept))
    low, high = fit.interval()
    beyond = None if model is None else model.beyond(scores, on_step=on_step)
    left = None
    if model is not None and beyond is not None:
        estimate = beyond.estimate()
        left = result.BeyondResult(
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
            unfit=beyond.unfit,
            rests_on_words=estimate.low > CHANCE and rests_on_words(model, scores, beyond),
        )
    return MethodResult(
        name=name,
        auc=float(fit.values[0]),
        low=low,
        high=high,
        beyond=left,
        surface_share=None if beyond is None else beyond.share,
        unscored=len(items) - len(chosen),
    )
