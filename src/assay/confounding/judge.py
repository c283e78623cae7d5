"""The confound audit: whether it is the task, or the surface of the data.

Each feature alone, all of them together, what is left of each method, and the faults of the data
that a reader of the file can see. The verdict is on the benchmark.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay._version import __version__
from assay.arguments import checked
from assay.benchmark.benchmark import Benchmark, Item
from assay.benchmark.expression import parse_expression
from assay.confounding.lint.linter import lint
from assay.confounding.result import (
    BeyondResult,
    ConfoundAudit,
    FeatureResult,
    Fitness,
    GivenAway,
    Importance,
    Joint,
    MethodResult,
)
from assay.digests import short
from assay.errors import OneClassPartition, SpecError
from assay.gauntlet.caveats import CODES, SMALL
from assay.gauntlet.judge import named_columns
from assay.gauntlet.result import Caveat
from assay.stats import auc
from assay.stats.arrays import Floats
from assay.stats.codes import coded
from assay.stats.levels import levels, rank_correlation
from assay.stats.stratified_auc import fit_within
from assay.surface.beyond import WIDEST, widest_without_signal
from assay.surface.crossfit import importance
from assay.surface.feature_table import Feature, feature_table
from assay.surface.joint_model import (
    FOLDS,
    SEED,
    SOURCE,
    Kind,
    Step,
    Surface,
    auc_of,
    check_fittable,
    deal_folds,
    deals_for,
    group_codes,
    read_surface,
)

BAR = 0.70
RHO = 0.5
CLEAN_UNDER = 0.60
SHOWN_RECORDS = 10
_AT_ONCE = 8


@checked
def confounds(
    benchmark: Benchmark,
    *,
    scores: Mapping[str, Mapping[str, float]] | None = None,
    negative: str | None = None,
    features: Sequence[Feature] = (),
    fields: Mapping[str, Sequence[object]] | None = None,
    joint: bool = True,
    surface: Kind = "declared",
    on_step: Step = lambda: None,
) -> ConfoundAudit:
    """Audit a benchmark, and methods on it.

    `scores` are methods by name, each a score by record id. `negative` is an expression that says
    which records are negative; those that are neither are left out. `features` are more features
    than the declared ones, `fields` other columns of the file, in which the linter looks for the
    label. Without `joint` no model is fitted, and there is no verdict.
    """
    chosen, label = labelled(benchmark, negative)
    items = [benchmark.items[i] for i in chosen]
    table = _with_own(feature_table(items), [_part_of(feature, chosen) for feature in features])
    groups = group_codes(items)
    caveats: list[Caveat] = []
    model = None
    if joint:
        try:
            check_fittable(items, label)
        except OneClassPartition as error:
            caveats.append(_caveat("too-few", f"{error.message[0].upper()}{error.message[1:]}."))
        else:
            model = read_surface(items, label, features=table, kind=surface, on_step=on_step)
    methods = tuple(
        _method(name, found, items, label, model, on_step) for name, found in (scores or {}).items()
    )
    told = None if model is None else _joint(model, on_step)
    alone = feature_results(table, label, groups) + source_result(items, label, groups)
    caveats += _caveats(benchmark, label, methods, told)
    return ConfoundAudit(
        verdict=_verdict(model, told),
        n=len(items),
        positives=int(label.sum()),
        features=alone,
        joint=told,
        methods=methods,
        lint=lint(items, label, fields=_parts_of(fields or {}, chosen)),
        caveats=tuple(caveats),
        benchmark=benchmark.name,
        surface=surface,
        digests={"benchmark": benchmark.digest},
        signature=_signature(benchmark, len(items), negative, surface),
    )


def steps(size: int, *, methods: int) -> int:
    """How many steps an audit of so many records takes, for showing progress."""
    return (1 + methods) * deals_for(size) * FOLDS


def labelled(benchmark: Benchmark, negative: str | None) -> tuple[list[int], NDArray[np.bool_]]:
    """The places of the records that are positive or negative, and which they are."""
    is_negative = None if negative is None else parse_expression(negative)
    chosen, label = [], []
    for place, item in enumerate(benchmark.items):
        if item.label is None:
            raise SpecError(
                f"{benchmark.name}: record {item.id} has a class and no label",
                hint="Say which records are positive: `positive='class != truth'`.",
            )
        if item.label or is_negative is None or is_negative.holds(item.fields()):
            chosen.append(place)
            label.append(item.label)
    found = np.array(label, dtype=bool)
    if found.all() or not found.any():
        which = "positive" if found.size and found.all() else "negative"
        raise OneClassPartition(
            f"{benchmark.name}: every record is {which}; nothing can be told apart",
            hint="Name the column that tells right from wrong (`label=`), or say which value is"
            " positive (`positive=`).",
        )
    return chosen, found


def feature_results(
    table: Sequence[Feature], label: NDArray[np.bool_], groups: NDArray[np.intp] | None
) -> tuple[FeatureResult, ...]:
    """Each feature alone, in the better direction."""
    sides = None if groups is None else (groups[label], groups[~label])
    lengths = {
        feature.on: levels(feature.values) for feature in table if feature.name == "word_length"
    }
    found: list[FeatureResult] = []
    for start in range(0, len(table), _AT_ONCE):
        some = table[start : start + _AT_ONCE]
        columns = [levels(feature.values) for feature in some]
        fit = auc.fit_levels(columns, label, groups=sides)
        for i, (feature, column) in enumerate(zip(some, columns, strict=True)):
            length = lengths.get("question" if feature.on == "question" else "response")
            rho = None if length is None else rank_correlation(column, length)
            value = float(fit.values[i])
            found.append(_feature_result(feature, value, fit.interval(i), rho))
    return tuple(found)


def _feature_result(
    feature: Feature, value: float, interval: tuple[float, float], rho: float | None
) -> FeatureResult:
    """A feature in its better direction; a source's share of positives has only one."""
    low, high = interval
    direction: Literal["higher", "lower"] = "higher"
    if value < 0.5 and feature.name != SOURCE:
        direction = "lower"
        value, low, high = 1.0 - value, 1.0 - high, 1.0 - low
    flag: Literal["inert", "length", "orthogonal"] = "inert"
    if value >= BAR:
        flag = "length" if rho is not None and abs(rho) >= RHO else "orthogonal"
    return FeatureResult(
        name=feature.name,
        on=feature.on,
        auc=value,
        low=low,
        high=high,
        direction=direction,
        rho_length=rho,
        flag=flag,
    )


def source_result(
    items: Sequence[Item], label: NDArray[np.bool_], groups: NDArray[np.intp] | None
) -> tuple[FeatureResult, ...]:
    """The source as a feature: the share of positives among its records of other folds.

    Counting a record's own label would make every source with a single record tell it. Records are
    compared within their fold, where all of one source tie: across folds a record's own label
    pushes its source's share elsewhere the other way.
    """
    codes = coded(item.source for item in items)
    size = int(codes.max()) + 1
    if size < 2:
        return ()
    folds = deal_folds(items, label, 0)
    rate = np.zeros(label.size)
    for fold in range(FOLDS):
        rest = folds != fold
        counts = np.bincount(codes[rest], minlength=size)
        ups = np.bincount(codes[rest], weights=label[rest], minlength=size)
        rate[~rest] = ((ups + label.mean()) / (counts + 1.0))[codes[~rest]]
    strata = [str(fold) for fold in folds]
    found = fit_within(
        rate[label],
        rate[~label],
        ([s for s, up in zip(strata, label, strict=True) if up],
         [s for s, up in zip(strata, label, strict=True) if not up]),
        groups=None if groups is None else (groups[label], groups[~label]),
    )  # fmt: skip
    if found is None:
        return ()
    length = np.array([float(len((item.response or "").split())) for item in items])
    rho = rank_correlation(levels(rate), levels(length))
    feature = Feature(name=SOURCE, on="both", values=rate)
    return (_feature_result(feature, found.value, found.interval_at(0.95), rho),)


def _joint(model: Surface, on_step: Step) -> Joint:
    fit = model.auc_fit()
    low, high = fit.interval()
    label, told = model.label, model.fit.ensemble
    drops = importance(
        model.fit,
        label,
        [block.columns for block in model.blocks],
        seed=SEED,
        on_step=on_step,
    )
    ranked = sorted(zip(drops.tolist(), model.blocks, strict=True), key=lambda one: -one[0])
    sure = np.where(label, told, 1.0 - told)
    most = np.argsort(-sure, kind="stable")[:SHOWN_RECORDS]
    return Joint(
        auc=float(fit.values[0]),
        low=low,
        high=high,
        left=float(np.mean(np.square(label - model.fit.probability)) / label.var()),
        importance=tuple(
            Importance(name=block.name, on=block.on, value=drop) for drop, block in ranked
        ),
        given_away=tuple(
            GivenAway(id=model.items[i].id, label=int(label[i]), probability=float(sure[i]))
            for i in most
            if sure[i] > 0.5
        ),
    )


def _verdict(model: Surface | None, joint: Joint | None) -> Fitness:
    if model is None or joint is None:
        return Fitness.UNDECIDED
    if joint.low <= 0.5 <= joint.high or joint.high < CLEAN_UNDER:
        return Fitness.CLEAN
    if widest_without_signal(model.label, model.fit.probability) > WIDEST:
        return Fitness.UNFIT
    return Fitness.CONFOUNDED


def _method(
    name: str,
    scores: Mapping[str, float],
    items: Sequence[Item],
    label: NDArray[np.bool_],
    model: Surface | None,
    on_step: Step,
) -> MethodResult:
    chosen = [i for i, item in enumerate(items) if item.id in scores]
    own, kept = label[chosen], [items[i] for i in chosen]
    if own.all() or not own.any():
        raise SpecError(
            f"{name}: scores for {len(chosen)} of {len(items)} records, all of one class",
            hint="The ids of the scores must be those of the records.",
        )
    values: Floats = np.array([scores[item.id] for item in kept], dtype=np.float64)
    fit = auc_of(values, own, group_codes(kept))
    low, high = fit.interval()
    beyond = None if model is None else model.beyond(scores, on_step=on_step)
    estimate = None if beyond is None else beyond.estimate()
    return MethodResult(
        name=name,
        auc=float(fit.values[0]),
        low=low,
        high=high,
        beyond=None
        if estimate is None
        else BeyondResult(value=estimate.value, low=estimate.low, high=estimate.high),
        surface_share=None if beyond is None else beyond.share,
        unscored=len(items) - len(chosen),
    )


def _caveats(
    benchmark: Benchmark,
    label: NDArray[np.bool_],
    methods: Sequence[MethodResult],
    joint: Joint | None,
) -> list[Caveat]:
    told = []
    if joint is not None and joint.low <= 0.5 and joint.high >= CLEAN_UNDER:
        may_be = f"The joint AUC may be as high as {joint.high:.2f}."
        told.append(_caveat("wide-interval", may_be))
    if label.size < SMALL:
        told.append(_caveat("small-n"))
    for method in methods:
        if method.unscored:
            text = f"{method.unscored} of {label.size} for {method.name}."
            told.append(_caveat("unscored", text))
        if method.beyond is not None and method.beyond.high - method.beyond.low > WIDEST:
            told.append(_caveat("unfit", f"See {method.name}."))
    if benchmark.grouping == "question":
        told.append(_caveat("grouped-by-question"))
    elif not benchmark.grouped and benchmark.repeated_questions:
        told.append(_caveat("repeated-questions", f"{benchmark.repeated_questions} records do."))
    return told


def _caveat(code: str, more: str = "") -> Caveat:
    return Caveat(code=code, message=f"{CODES[code]} {more}".rstrip())


def _with_own(table: tuple[Feature, ...], own: Sequence[Feature]) -> tuple[Feature, ...]:
    """The declared features and the user's, no name taken twice."""
    taken = {*(feature.name for feature in table), SOURCE, "lexical"}
    for feature in own:
        if feature.name in taken:
            raise SpecError(f"there is a feature {feature.name!r} already", hint="Rename yours.")
        taken.add(feature.name)
    return (*table, *own)


def _part_of(feature: Feature, chosen: Sequence[int]) -> Feature:
    return Feature(name=feature.name, on=feature.on, values=feature.values[list(chosen)])


def _parts_of(
    fields: Mapping[str, Sequence[object]], chosen: Sequence[int]
) -> dict[str, Sequence[object]]:
    return {name: [values[i] for i in chosen] for name, values in fields.items()}


def _signature(benchmark: Benchmark, n: int, negative: str | None, surface: Kind) -> str:
    against = "" if negative is None else f" against {negative}"
    return (
        f"n {n} · {benchmark.name}@{short(benchmark.digest)}{named_columns(benchmark)}{against}"
        f" · {surface} surface · assay {__version__}"
    )
