"""The remaining records of a search, and the surface model fitted to them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.benchmark.benchmark import Item
from assay.confounding.balanced import HIGHEST, Surfaces
from assay.confounding.result import FeatureResult
from assay.confounding.single_features import feature_results, source_result
from assay.confounding.verdict import CHANCE, CLEAN_UNDER
from assay.errors import OneClassPartition
from assay.surface.feature_table import Feature, feature_table
from assay.surface.joint_model import Kind, Surface, check_fittable, group_codes, read_surface

_OTHER_DEAL = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool:
    """The remaining records, with the data needed to select among them."""

    items: list[Item]
    label: NDArray[np.bool_]
    table: tuple[Feature, ...]
    units: NDArray[np.intp]

    def take(self, kept: NDArray[np.bool_]) -> "Pool":
        """Only some of the records."""
        places = np.flatnonzero(kept)
        items = [self.items[i] for i in places]
        return Pool(
            items=items,
            label=self.label[places],
            table=feature_table(items),
            units=np.unique(self.units[places], return_inverse=True)[1],
        )

    def fittable(self) -> bool:
        """Whether enough records of both classes are left."""
        try:
            check_fittable(self.items, self.label)
        except OneClassPartition:
            return False
        return True


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """The remaining records with the surface model fitted to them."""

    pool: Pool
    model: Surface
    surfaces: Surfaces


def fitted(pool: Pool, kind: Kind) -> Fitted:
    """A pool with the surface model fitted to it."""
    model = read_surface(pool.items, pool.label, features=pool.table, kind=kind)
    fit = model.auc_fit()
    low, high = fit.interval()
    worst = worst_alone(pool)
    surfaces = Surfaces(
        joint=float(fit.values[0]),
        low=low,
        high=high,
        worst=f"{worst.name} ({worst.on})",
        worst_auc=worst.auc,
    )
    return Fitted(pool=pool, model=model, surfaces=surfaces)


def worst_alone(pool: Pool) -> FeatureResult:
    """The feature that tells the label best."""
    return max(alone(pool), key=lambda result: result.auc)


def alone(pool: Pool) -> tuple[FeatureResult, ...]:
    """Each feature alone, and the source."""
    groups = group_codes(pool.items)
    alone = feature_results(pool.table, pool.label, groups)
    return alone + source_result(pool.items, pool.label, groups, looked_at=len(pool.table) + 1)


def met(fitted: Fitted, kind: Kind) -> bool:
    """Whether the aims are met, also under a second deal of the folds."""
    pool, surfaces = fitted.pool, fitted.surfaces
    if surfaces.worst_auc > HIGHEST or surfaces.low > CHANCE or surfaces.joint > CLEAN_UNDER:
        return False
    again = read_surface(
        pool.items, pool.label, features=pool.table, kind=kind, first_deal=_OTHER_DEAL
    ).auc_fit()
    return again.interval()[0] <= CHANCE and float(again.values[0]) <= CLEAN_UNDER
