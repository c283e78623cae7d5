"""The search: match, trim, fit again, and check; whole groups first, then single records.

A round makes candidates of several sizes, largest first, and fits the surface model to those that
no single feature tells. Where groups hold several records and no subset of whole groups is found,
single records are searched. A search that cannot succeed ends at once: if one feature has too high
an AUC in every subset, or after so many fits.
"""

from dataclasses import dataclass, replace

import numpy as np

from assay.confounding.balanced import HIGHEST
from assay.confounding.matching.match import TRIED, candidates
from assay.confounding.matching.pool import Fitted, Pool, fitted, met, worst_alone
from assay.confounding.matching.separation import separating_feature
from assay.surface.crossfit import Step
from assay.surface.joint_model import Kind

_ROUNDS = 5
_MOST_FITS = 20
"""The search for whole groups, and that for single records, each end after so many fits."""
MOST_STEPS = 2 * _ROUNDS * TRIED


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchedSubset:
    """What a search ended with.

    `achieved` says whether the aims are met, `splits_groups` whether single records were chosen
    from groups, and `separated_by` names a feature that no subset can be rid of.
    """

    whole: Fitted
    last: Fitted
    achieved: bool
    splits_groups: bool = False
    separated_by: str | None = None


def search(whole: Pool, kind: Kind, *, seed: int, on_step: Step) -> MatchedSubset:
    """The first subset of a pool that meets the aims, or the last one tried."""
    first = fitted(whole, kind)
    if met(first, kind):
        return MatchedSubset(whole=first, last=first, achieved=True)
    separated_by = separating_feature(whole.table, whole.label)
    if separated_by is not None:
        return MatchedSubset(whole=first, last=first, achieved=False, separated_by=separated_by)
    last, achieved = _narrowed(first, kind, seed=[seed], on_step=on_step)
    is_grouped = len(set(whole.units.tolist())) < whole.label.size
    if achieved or not is_grouped:
        return MatchedSubset(whole=first, last=last, achieved=achieved)
    single = replace(first, pool=replace(whole, units=np.arange(whole.label.size)))
    last, achieved = _narrowed(single, kind, seed=[seed], on_step=on_step)
    return MatchedSubset(whole=first, last=last, achieved=achieved, splits_groups=achieved)


def _narrowed(
    current: Fitted, kind: Kind, *, seed: list[int], on_step: Step
) -> tuple[Fitted, bool]:
    """The first subset of whole units that meets the aims, or the last one tried."""
    fits = 1
    for turn in range(_ROUNDS):
        tried = candidates(current.pool, current.model.fit.ensemble, seed=[*seed, turn])
        not_told_by_one = [pool for pool in tried if worst_alone(pool).auc <= HIGHEST]
        for candidate in not_told_by_one[: _MOST_FITS - fits] or tried[-1:]:
            on_step()
            current, fits = fitted(candidate, kind), fits + 1
            if met(current, kind):
                return current, True
        if not not_told_by_one or fits >= _MOST_FITS:
            break
    return current, False
