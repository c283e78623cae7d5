"""The joint surface model of some records, and a method's AUC beyond it.

All declared features together, and the source if there are several, predict the label out of fold:
this is what a model without meaning achieves. The same features predict a method's scores, without
labels; the residuals of both give its beyond-surface AUC (`surface/beyond.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.benchmark.benchmark import Item
from assay.benchmark.folds import assign_folds, fold_units
from assay.digests import derive
from assay.errors import OneClassPartition
from assay.stats import auc
from assay.stats.arrays import Codes, Floats, coded
from assay.surface.beyond import Beyond, beyond_surface
from assay.surface.crossfit import (
    Folds,
    LabelFit,
    Step,
    design,
    fit_label,
    fit_scores,
    normal_scores,
)
from assay.surface.feature_table import Feature, On, feature_table

Kind = Literal["declared", "lexical"]
FOLDS = 5
FEWEST = 10
"""The fewest records of each class for a fit."""
SEED = 0
SOURCE = "source"
LEXICAL = "lexical"
_RAREST_SOURCE = 5
_MOST_SOURCES = 20


@dataclass(frozen=True, kw_only=True)
class Block:
    """Columns of the design that belong to one feature."""

    name: str
    on: On
    columns: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Surface:
    """Records with their labels and features, and the model that predicts one from the other.

    `features` are raw values, `matrix` normal scores. `order` is an order of the records by their
    content. Models are fitted in it, so that neither the order of a file nor its ids change a
    figure.
    """

    items: tuple[Item, ...]
    label: NDArray[np.bool_]
    groups: NDArray[np.intp] | None
    matrix: Floats
    features: Floats
    blocks: tuple[Block, ...]
    sources: Codes | None
    deals: tuple[Folds, ...]
    order: Codes
    fit: LabelFit

    def auc_fit(self) -> auc.AucFit:
        """The AUC of the joint model, out of fold.

        Models of different folds share training records, so their scores are correlated; the
        variance is raised as Nadeau & Bengio (2003) do for cross-validation.
        """
        fitted = auc_of(self.fit.ensemble, self.label, self.groups)
        return replace(fitted, raised=1.0 + FOLDS / (FOLDS - 1.0))

    def beyond(self, scores: Mapping[str, float], *, on_step: Step = lambda: None) -> Beyond:
        """The beyond-surface AUC of a method's scores; items without a score are left out."""
        chosen = np.array([i for i in self.order.tolist() if self.items[i].id in scores])
        z = normal_scores([scores[self.items[i].id] for i in chosen])
        predicted = fit_scores(
            self.matrix[chosen],
            z,
            [folds[chosen] for folds in self.deals],
            seed=SEED,
            categories=None if self.sources is None else coded(self.sources[chosen].tolist()),
            on_step=on_step,
        )
        return beyond_surface(
            features=self.features[chosen],
            label=self.label[chosen],
            probability=self.fit.probability[chosen],
            scores=z,
            predicted=predicted,
            groups=None if self.groups is None else coded(self.groups[chosen].tolist()),
            seed=SEED,
        )


def read_surface(
    items: Sequence[Item],
    label: NDArray[np.bool_],
    *,
    features: Sequence[Feature] | None = None,
    kind: Kind = "declared",
    first_deal: int = 0,
    on_step: Step = lambda: None,
) -> Surface:
    """Fit the joint model to some records.

    `features` are the declared ones by default. Another `first_deal` gives other folds.
    """
    check_fittable(items, label)
    records = tuple(items)
    blocks, columns = _columns(
        records, feature_table(records) if features is None else features, kind
    )
    matrix, raw = design(columns), np.stack(columns, axis=1)
    sources = _many_sources(records)
    if sources is not None:
        blocks = _with_column(blocks, matrix.shape[1])
    order = _content_order(records, label)
    places = np.argsort(order)
    ordered = [records[i] for i in order.tolist()]
    deals = [
        deal_folds(ordered, label[order], first_deal + deal)
        for deal in range(deals_for(len(records)))
    ]
    fit = fit_label(
        matrix[order],
        label[order],
        deals,
        seed=SEED,
        categories=None if sources is None else coded(sources[order].tolist()),
        on_step=on_step,
    )
    return Surface(
        items=records,
        label=label,
        groups=group_codes(records),
        matrix=matrix,
        features=raw,
        blocks=blocks,
        sources=sources,
        deals=tuple(folds[places] for folds in deals),
        order=order,
        fit=fit.moved(places),
    )


def _content_order(items: Sequence[Item], label: NDArray[np.bool_]) -> Codes:
    """An order of the records by their content."""
    keys = [
        (item.question, item.response or "", bool(up), item.source or "")
        for item, up in zip(items, label.tolist(), strict=True)
    ]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)


@lru_cache(maxsize=4)
def known_surface(items: tuple[Item, ...], label: tuple[bool, ...], kind: Kind) -> Surface:
    """`read_surface` with a cache, since many runs are judged on the same records."""
    return read_surface(items, np.array(label), kind=kind)


def deal_folds(items: Sequence[Item], label: NDArray[np.bool_], deal: int) -> Folds:
    """A fold for each record; those of one group, or with the same question, stay together."""
    seed = derive(SEED, f"surface folds {deal}")
    return np.array(assign_folds(label.tolist(), fold_units(items), folds=FOLDS, seed=seed))


def deals_for(size: int) -> int:
    """How often folds are dealt; more often for few records, where a single deal varies more."""
    return 3 if size <= 2_000 else 2 if size <= 20_000 else 1


def check_fittable(items: Sequence[Item], label: NDArray[np.bool_]) -> None:
    """Refuse too few records for a fit."""
    units = np.array(fold_units(items))
    sizes = [int(side.sum()) for side in (label, ~label)]
    groups = [len(set(units[side].tolist())) for side in (label, ~label)]
    if min(sizes) < FEWEST or min(groups) < FOLDS:
        raise OneClassPartition(
            f"too few records for a surface model: {sizes[0]} positives in {groups[0]} groups"
            f" and {sizes[1]} negatives in {groups[1]}, expected at least {FEWEST} of each in"
            f" {FOLDS} groups",
            hint="Judge by bars that need no model (`bars=v3`), or gather more records.",
        )


def group_codes(items: Sequence[Item]) -> NDArray[np.intp] | None:
    """A number for each group; None if there are no groups."""
    codes = coded(item.unit for item in items)
    return codes if int(codes.max()) + 1 < len(items) else None


def auc_of(scores: Floats, label: NDArray[np.bool_], groups: NDArray[np.intp] | None) -> auc.AucFit:
    """The AUC of scores, clustered by group if there are groups."""
    sides = None if groups is None else (groups[label], groups[~label])
    return auc.fit(scores[label], scores[~label], groups=sides)


def _columns(
    items: tuple[Item, ...], features: Sequence[Feature], kind: Kind
) -> tuple[tuple[Block, ...], list[Floats]]:
    """The columns of the design by feature, without constant ones."""
    named: list[tuple[str, On, list[Floats]]] = [
        (feature.name, feature.on, [feature.values])
        for feature in features
        if np.ptp(feature.values) > 0.0
    ]
    sources = source_columns(items)
    if sources:
        named.append((SOURCE, "both", sources))
    if kind == LEXICAL:
        from assay.surface.lexical import lexical_columns

        named.append((LEXICAL, "both", lexical_columns(items)))
    blocks: list[Block] = []
    columns: list[Floats] = []
    for name, on, own in named:
        places = tuple(range(len(columns), len(columns) + len(own)))
        blocks.append(Block(name=name, on=on, columns=places))
        columns += own
    return tuple(blocks), columns or [np.zeros(len(items))]


def _many_sources(items: Sequence[Item]) -> Codes | None:
    """A code for each source, if sources are too rare or too many for their own columns."""
    counts = Counter(item.source for item in items)
    if len(counts) < 2 or len(source_columns(items)) == len(counts):
        return None
    return coded(item.source for item in items)


def _with_column(blocks: tuple[Block, ...], column: int) -> tuple[Block, ...]:
    """The blocks, with one more column in the source's."""
    own = [block for block in blocks if block.name == SOURCE]
    columns = (*(own[0].columns if own else ()), column)
    rest = tuple(block for block in blocks if block.name != SOURCE)
    return (*rest, Block(name=SOURCE, on="both", columns=columns))


def source_columns(items: Sequence[Item]) -> list[Floats]:
    """An indicator column for each frequent source; none if there is a single source."""
    counts = Counter(item.source for item in items)
    if len(counts) < 2:
        return []
    frequent = [
        name for name, count in counts.most_common(_MOST_SOURCES) if count >= _RAREST_SOURCE
    ]
    return [np.array([float(item.source == name) for item in items]) for name in frequent]
