"""What pairs with what, and what counts as one piece of evidence.

Runs pair where both sides know the same trials of an instance, or have one run each of it. With ten
instances or more the instance is the unit, since what holds of some instances is to hold of others,
and repeated runs of one say little of the next. With fewer, runs are the units, and the verdict is
about these instances.

Pairing repeated runs pays where the two of a pair are alike, as with one seed and a system that
does what its seed says. Where they are no more alike than chance has it, the pairing says nothing,
and runs are taken one by one, which shows more with few of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.logs.trial import Trial
from assay.stats.arrays import Floats

MANY_INSTANCES = 10
"""From so many instances on the instance is what is counted, and not the run."""
By = Literal["auto", "instance", "run"]
FEWEST_PAIRS = 6


@dataclass(frozen=True, kw_only=True)
class Design:
    """How rows of the baseline and of the candidate belong together.

    `pairs` are rows that pair (two columns of indices), `lost` rows that ought to pair and have
    nothing to pair with, on either side. `repeated` says that an instance has several runs.
    """

    unit: Literal["pair", "instance", "run"]
    names: tuple[str, ...]
    codes: tuple[NDArray[np.intp], NDArray[np.intp]]
    pairs: NDArray[np.intp]
    lost: tuple[tuple[int, ...], tuple[int, ...]]
    repeated: bool

    @property
    def paired(self) -> bool:
        """Whether runs pair."""
        return len(self.pairs) > 0

    def loosened(self, first: Floats, second: Floats, pairs: NDArray[np.intp]) -> "Design":
        """The same with runs as units, where pairs of repeated runs are no more alike than chance.

        `first` and `second` are one figure a row, `pairs` the rows that are not left out. Fewer
        than six pairs are too few to tell, and to show anything as pairs: even all one way would
        not be rare enough.
        """
        if self.unit != "pair" or not self.repeated:
            return self
        if len(pairs) >= FEWEST_PAIRS:
            alike = correlation(first[pairs[:, 0]], second[pairs[:, 1]])
            if abs(alike) > 2.0 / math.sqrt(len(pairs)):
                return self
        return replace(self, unit="run")

    def keep(self, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> "KeptUnits":
        """The units that are left where some rows are not to be counted."""
        if self.unit == "pair":
            both = first[self.pairs[:, 0]] & second[self.pairs[:, 1]]
            return KeptUnits(design=self, pairs=self.pairs[both], rows=(np.empty(0, np.intp),) * 2)
        rows = tuple(np.flatnonzero(flags) for flags in (first, second))
        present = [set(codes[kept].tolist()) for codes, kept in zip(self.codes, rows, strict=True)]
        held = np.array(sorted(present[0] & present[1]), dtype=np.intp)
        kept = tuple(
            one[np.isin(codes[one], held)] for codes, one in zip(self.codes, rows, strict=True)
        )
        both = np.isin(self.pairs[:, 0], kept[0]) & np.isin(self.pairs[:, 1], kept[1])
        return KeptUnits(design=self, pairs=self.pairs[both], rows=(kept[0], kept[1]))


@dataclass(frozen=True, kw_only=True)
class KeptUnits:
    """A design without the rows that are left out."""

    design: Design
    pairs: NDArray[np.intp]
    rows: tuple[NDArray[np.intp], NDArray[np.intp]]

    @property
    def units(self) -> int:
        """How many pieces of evidence there are; for runs that do not pair, on the smaller side."""
        if self.design.unit == "pair":
            return len(self.pairs)
        if self.design.unit == "instance":
            return int(np.unique(self.design.codes[0][self.rows[0]]).size)
        return min(self.rows[0].size, self.rows[1].size)

    @property
    def runs_a_unit(self) -> float:
        """How many runs of a side one unit is the mean of."""
        if self.design.unit != "instance":
            return 1.0
        return min(rows.size for rows in self.rows) / max(self.units, 1)

    def sides(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """The values of each unit on both sides (units x columns), where units are matched."""
        if self.design.unit == "pair":
            return first[self.pairs[:, 0]], second[self.pairs[:, 1]]
        means = [
            _means(values[rows], codes[rows])
            for values, codes, rows in zip(
                (first, second), self.design.codes, self.rows, strict=True
            )
        ]
        return means[0], means[1]

    def evened(self) -> "KeptUnits":
        """The same with as many runs of an instance on one side as on the other, the first ones.

        The mean of one run less the mean of twenty is as often up as down only where scores are
        symmetric, and most are not: so flipping signs tests nothing unless both sides of an
        instance have the same number of runs.
        """
        if self.design.unit != "instance":
            return self
        places = [
            _places(codes[rows]) for codes, rows in zip(self.design.codes, self.rows, strict=True)
        ]
        counts = [
            np.bincount(codes[rows], minlength=len(self.design.names))
            for codes, rows in zip(self.design.codes, self.rows, strict=True)
        ]
        fewest = np.minimum(counts[0], counts[1])
        kept = [
            rows[place < fewest[codes[rows]]]
            for codes, rows, place in zip(self.design.codes, self.rows, places, strict=True)
        ]
        return KeptUnits(design=self.design, pairs=self.pairs, rows=(kept[0], kept[1]))

    def stacked(
        self, first: Floats, second: Floats
    ) -> tuple[Floats, NDArray[np.bool_], NDArray[np.intp]]:
        """All runs below each other, which side each is on, and its instance."""
        rows = self.rows
        values = np.concatenate([first[rows[0]], second[rows[1]]])
        flags = np.repeat([False, True], [rows[0].size, rows[1].size])
        codes = np.concatenate([self.design.codes[0][rows[0]], self.design.codes[1][rows[1]]])
        return values, flags, np.unique(codes, return_inverse=True)[1]

    @property
    def round(self) -> int:
        """How many matched units make a round: one of each instance, where runs are repeated."""
        several = self.design.repeated and self.design.unit != "instance"
        return max(sum(map(bool, self._queues())), 1) if several else 1

    def in_order(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """Matched units in the order in which they came, by which unpaired runs are matched.

        Repeated runs of several instances come round by round, whole rounds only. Taken instance by
        instance, the first one would speak for all of them.
        """
        if self.design.unit == "instance" or not self.design.repeated:
            return self.sides(first, second)
        order = np.array(self._rounds(), dtype=np.intp).reshape(-1, 2)
        return first[order[:, 0]], second[order[:, 1]]

    def _rounds(self) -> list[tuple[int, int]]:
        """Rows that pair, or are matched by their order, as the k-th of each instance in turn."""
        queues = [queue for queue in self._queues() if queue]
        return [pair for turn in zip(*queues, strict=False) for pair in turn]

    def _queues(self) -> list[list[tuple[int, int]]]:
        """For each instance, its matched rows in the order in which they came."""
        queues: list[list[tuple[int, int]]] = [[] for _ in self.design.names]
        if self.design.paired:
            for one, other in self.pairs.tolist():
                queues[self.design.codes[1][other]].append((one, other))
        else:
            for code, queue in enumerate(queues):
                found = [
                    rows[codes[rows] == code].tolist()
                    for rows, codes in zip(self.rows, self.design.codes, strict=True)
                ]
                queue += zip(found[0], found[1], strict=False)
        return queues

    @property
    def matched(self) -> int:
        """How many units could be looked at, had every instance as many."""
        return sum(map(len, self._queues())) if self.round > 1 else self.units

    @property
    def instances(self) -> int:
        """How many instances are left."""
        if self.design.unit == "pair":
            return int(np.unique(self.design.codes[1][self.pairs[:, 1]]).size)
        return int(np.unique(self.design.codes[1][self.rows[1]]).size)


def correlation(first: Floats, second: Floats) -> float:
    """Pearson's; 0 where a side does not vary."""
    one, other = first - first.mean(), second - second.mean()
    size = math.sqrt(float(np.square(one).sum() * np.square(other).sum()))
    return float((one * other).sum()) / size if size > 1e-12 else 0.0


def _places(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each row, how many rows of the same instance stand before it."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], codes[order])
    places = np.empty(codes.size, dtype=np.intp)
    places[order] = np.arange(codes.size) - starts
    return places


def _means(values: Floats, codes: NDArray[np.intp]) -> Floats:
    places, dense = np.unique(codes, return_inverse=True)
    sums = (
        np.stack(
            [np.bincount(dense, weights=column, minlength=places.size) for column in values.T],
            axis=1,
        )
        if values.shape[1]
        else np.empty((places.size, 0))
    )
    return np.asarray(sums / np.bincount(dense)[:, None])


def arrange(baseline: Sequence[Trial], candidate: Sequence[Trial], by: By = "auto") -> Design:
    """Find out what pairs, and what the unit is, unless it is said."""
    names = tuple(dict.fromkeys(one.instance for one in candidate))
    number = {name: index for index, name in enumerate(names)}
    codes = tuple(
        np.array([number[one.instance] for one in side], dtype=np.intp)
        for side in (baseline, candidate)
    )
    counts = [np.bincount(one, minlength=len(names)) for one in codes]
    single = bool((counts[0] == 1).all() and (counts[1] == 1).all())
    pairs, lost = _matched(baseline, candidate, single=single)
    unit: Literal["pair", "instance", "run"] = "pair" if pairs else "run"
    many = len(names) >= MANY_INSTANCES if by == "auto" else by == "instance"
    if many and not single:
        unit = "instance"
    return Design(
        unit=unit,
        names=names,
        codes=(codes[0], codes[1]),
        pairs=np.array(pairs, dtype=np.intp).reshape(-1, 2),
        lost=lost,
        repeated=not single,
    )


def _matched(
    baseline: Sequence[Trial], candidate: Sequence[Trial], *, single: bool
) -> tuple[list[tuple[int, int]], tuple[tuple[int, ...], tuple[int, ...]]]:
    """Rows that pair, and rows that ought to; none where the sides do not name the same trials.

    A side that has few of the other's trials has lost the rest: only where the most of both sides'
    trials are their own are they different ones.
    """
    places: list[dict[tuple[str, str | None], int]] = [
        {(one.instance, None if single else one.trial): row for row, one in enumerate(side)}
        for side in (baseline, candidate)
    ]
    known = single or not any(one.trial is None for one in (*baseline, *candidate))
    shared = places[0].keys() & places[1].keys()
    if not known or 2 * len(shared) <= min(map(len, places)):
        return [], ((), ())
    pairs = [(places[0][key], row) for key, row in places[1].items() if key in shared]
    lost = tuple(tuple(row for key, row in side.items() if key not in shared) for side in places)
    return pairs, (lost[0], lost[1])
