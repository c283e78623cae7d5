"""Which runs pair, and what the unit of evidence is.

Runs pair if both sides name the same trials of an instance, or have one run each of it. With ten or
more instances, the instance is the unit: the verdict should hold for other instances, and repeated
runs of one say little about the next. With fewer, runs are the units, and the verdict is about
these instances only.

Pairing repeated runs helps if the two runs of a pair are correlated, as in a system that follows
its seed. Uncorrelated pairs are split, since a few independent runs show more than a few pairs.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.logs.trial import Trial
from assay.stats.arrays import Floats, by_content

MANY_INSTANCES = 10
"""With at least this many instances, the instance is the unit."""
UnitChoice = Literal["auto", "instance", "run"]
FEWEST_PAIRS = 6


@dataclass(frozen=True, kw_only=True)
class Design:
    """How rows of the baseline and of the candidate belong together.

    `pairs` are rows that pair (two columns of indices), `lost` the rows of each side that should
    pair but have no partner. `repeated` says that an instance has several runs. `turns` are the
    positions of the candidate's rows in an order that was drawn before they were made.
    """

    unit: Literal["pair", "instance", "run"]
    names: tuple[str, ...]
    codes: tuple[NDArray[np.intp], NDArray[np.intp]]
    pairs: NDArray[np.intp]
    lost: tuple[tuple[int, ...], tuple[int, ...]]
    repeated: bool
    turns: NDArray[np.intp] | None = None

    @property
    def paired(self) -> bool:
        """Whether runs pair."""
        return len(self.pairs) > 0

    def loosened(self, first: Floats, second: Floats, pairs: NDArray[np.intp]) -> "Design":
        """The design with runs as units, if pairs of repeated runs are uncorrelated.

        `first` and `second` have one value per row, `pairs` are the remaining pairs. Fewer than six
        pairs can show neither a correlation nor an effect, even if all go the same way.
        """
        if self.unit != "pair" or not self.repeated:
            return self
        if len(pairs) >= FEWEST_PAIRS:
            alike = correlation(first[pairs[:, 0]], second[pairs[:, 1]])
            if abs(alike) > 2.0 / math.sqrt(len(pairs)):
                return self
        return replace(self, unit="run")

    def keep(self, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> "KeptUnits":
        """The units that remain without the rows that do not count."""
        if self.unit == "pair":
            both = first[self.pairs[:, 0]] & second[self.pairs[:, 1]]
            return KeptUnits(design=self, pairs=self.pairs[both], rows=(np.empty(0, np.intp),) * 2)
        size = len(self.names)
        counts = [
            np.bincount(codes[flags], minlength=size)
            for codes, flags in zip(self.codes, (first, second), strict=True)
        ]
        shared = (counts[0] > 0) & (counts[1] > 0)
        ours, theirs = first & shared[self.codes[0]], second & shared[self.codes[1]]
        both = ours[self.pairs[:, 0]] & theirs[self.pairs[:, 1]]
        rows = (np.flatnonzero(ours), np.flatnonzero(theirs))
        return KeptUnits(design=self, pairs=self.pairs[both], rows=rows)


@dataclass(frozen=True, kw_only=True)
class KeptUnits:
    """A design without the rows that are left out."""

    design: Design
    pairs: NDArray[np.intp]
    rows: tuple[NDArray[np.intp], NDArray[np.intp]]

    @property
    def units(self) -> int:
        """The number of units; for unpaired runs, that of the smaller side."""
        if self.design.unit == "pair":
            return len(self.pairs)
        if self.design.unit == "instance":
            return _distinct(self.design.codes[0][self.rows[0]])
        return min(self.rows[0].size, self.rows[1].size)

    @property
    def runs_a_unit(self) -> float:
        """The number of runs of a side that one unit averages."""
        if self.design.unit != "instance":
            return 1.0
        return min(rows.size for rows in self.rows) / max(self.units, 1)

    def sides(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """The values of each matched unit on both sides (units x columns)."""
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
        """The units with the same number of runs of an instance on both sides, the first ones.

        Only then is the sign-flip test valid: the mean of one run minus the mean of twenty is
        symmetric around 0 only for symmetric scores, and most are not.
        """
        if self.design.unit != "instance":
            return self
        codes = [own[rows] for own, rows in zip(self.design.codes, self.rows, strict=True)]
        size = len(self.design.names)
        fewest = np.minimum(*(np.bincount(own, minlength=size) for own in codes))
        kept = [
            rows[_places(own) < fewest[own]] for own, rows in zip(codes, self.rows, strict=True)
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
        return values, flags, _dense(codes)

    @property
    def round(self) -> int:
        """The number of matched units in a round: one per instance, if runs are repeated."""
        several = self.design.repeated and self.design.unit != "instance"
        return max(sum(map(bool, self._queues())), 1) if several else 1

    def in_order(self, first: Floats, second: Floats, *, seed: int) -> tuple[Floats, Floats]:
        """Matched units in the order in which they are used, which must be random.

        That is the order drawn for the runs, if it is known; else one drawn now, independent of the
        given order and names. Repeated runs of several instances come in whole rounds over the
        instances. Taken instance by instance, the first would decide for all.
        """
        if self.design.unit == "instance" or not self.design.repeated:
            sides = self.sides(first, second)
            order = self._unit_order(np.column_stack(sides), seed)
            return sides[0][order], sides[1][order]
        queues = [np.array(queue, dtype=np.intp) for queue in self._queues() if queue]
        if self.design.turns is None:
            queues = _drawn_queues(queues, first, second, seed)
        else:
            queues = [queue[np.argsort(self.design.turns[queue[:, 1]])] for queue in queues]
        whole = min(map(len, queues), default=0)
        rounds = np.array([queue[:whole] for queue in queues], dtype=np.intp)
        order = rounds.swapaxes(0, 1).reshape(-1, 2) if queues else np.empty((0, 2), np.intp)
        return first[order[:, 0]], second[order[:, 1]]

    def _unit_order(self, values: Floats, seed: int) -> NDArray[np.intp]:
        turns = self.design.turns
        if turns is None:
            order = by_content(values)
            return _generator(seed, values[order].tobytes()).permutation(order)
        if self.design.unit == "pair":
            return np.argsort(turns[self.pairs[:, 1]], kind="stable")
        first_turns = np.full(len(self.design.names), np.iinfo(np.intp).max)
        np.minimum.at(first_turns, self.design.codes[1][self.rows[1]], turns[self.rows[1]])
        here = np.flatnonzero(np.bincount(self.design.codes[1][self.rows[1]]))
        return np.argsort(first_turns[here], kind="stable")

    def _queues(self) -> list[list[tuple[int, int]]]:
        """For each instance, its matched rows in order."""
        queues: list[list[tuple[int, int]]] = [[] for _ in self.design.names]
        if self.design.paired:
            for ours, theirs in self.pairs.tolist():
                queues[self.design.codes[1][theirs]].append((ours, theirs))
        else:
            for code, queue in enumerate(queues):
                sides = [
                    rows[codes[rows] == code].tolist()
                    for rows, codes in zip(self.rows, self.design.codes, strict=True)
                ]
                queue += zip(*sides, strict=False)
        return queues

    @property
    def matched(self) -> int:
        """The number of units, if every instance had as many."""
        return sum(map(len, self._queues())) if self.round > 1 else self.units

    @property
    def instances(self) -> int:
        """How many instances are left."""
        rows = self.pairs[:, 1] if self.design.unit == "pair" else self.rows[1]
        return _distinct(self.design.codes[1][rows])


def _drawn_queues(
    queues: list[NDArray[np.intp]], first: Floats, second: Floats, seed: int
) -> list[NDArray[np.intp]]:
    """Each instance's pairs in an order drawn now."""
    held = []
    for queue in queues:
        values = np.column_stack([first[queue[:, 0]], second[queue[:, 1]]])
        order = by_content(values)
        held.append((len(queue), values[order].tobytes(), queue[order]))
    held.sort(key=lambda one: one[:2])
    rng = _generator(seed, b"".join(content for _, content, _ in held))
    return [rng.permutation(queue) for *_, queue in held]


def _generator(seed: int, content: bytes) -> np.random.Generator:
    """The draw depends on the data, since sorted rows in one fixed order would not be random."""
    number = int.from_bytes(hashlib.sha256(content).digest()[:8], "big")
    return np.random.default_rng([seed % 2**64, number])


def correlation(first: Floats, second: Floats) -> float:
    """Pearson's correlation; 0 if a side does not vary."""
    ours, theirs = first - first.mean(), second - second.mean()
    size = math.sqrt(float(np.square(ours).sum() * np.square(theirs).sum()))
    return float((ours * theirs).sum()) / size if size > 1e-12 else 0.0


def _places(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each row, how many rows of the same instance stand before it."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], codes[order])
    places = np.empty(codes.size, dtype=np.intp)
    places[order] = np.arange(codes.size) - starts
    return places


def _means(values: Floats, codes: NDArray[np.intp]) -> Floats:
    dense = _dense(codes)
    counts = np.bincount(dense)
    means = np.empty((counts.size, values.shape[1]))
    for index, column in enumerate(values.T):
        means[:, index] = np.bincount(dense, weights=column) / counts
    return means


def _dense(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """The codes numbered again without gaps (numpy's `unique` loads masked arrays, 10 ms)."""
    return (np.cumsum(np.bincount(codes) > 0) - 1)[codes]


def _distinct(codes: NDArray[np.intp]) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def arrange(
    baseline: Sequence[Trial], candidate: Sequence[Trial], chosen: UnitChoice = "auto"
) -> Design:
    """Pair the rows, and choose the unit unless it is chosen."""
    names = tuple(dict.fromkeys(trial.instance for trial in candidate))
    number = {name: index for index, name in enumerate(names)}
    codes = tuple(
        np.array([number[trial.instance] for trial in side], dtype=np.intp)
        for side in (baseline, candidate)
    )
    counts = [np.bincount(side, minlength=len(names)) for side in codes]
    single = bool((counts[0] == 1).all() and (counts[1] == 1).all())
    pairs, lost = _matched(baseline, candidate, single=single)
    unit: Literal["pair", "instance", "run"] = "pair" if pairs else "run"
    many = len(names) >= MANY_INSTANCES if chosen == "auto" else chosen == "instance"
    if many and not single:
        unit = "instance"
    return Design(
        unit=unit,
        names=names,
        codes=(codes[0], codes[1]),
        pairs=np.array(pairs, dtype=np.intp).reshape(-1, 2),
        lost=lost,
        repeated=not single,
        turns=drawn_turns(candidate),
    )


def drawn_turns(candidate: Sequence[Trial]) -> NDArray[np.intp] | None:
    """The positions of the rows in the order drawn for them, if each has its own."""
    turns = {trial.drawn_order for trial in candidate}
    if None in turns or len(turns) < len(candidate):
        return None
    return np.array([trial.drawn_order for trial in candidate], dtype=np.intp)


def _matched(
    baseline: Sequence[Trial], candidate: Sequence[Trial], *, single: bool
) -> tuple[list[tuple[int, int]], tuple[tuple[int, ...], tuple[int, ...]]]:
    """Rows that pair, and rows without a partner; none if the sides name different trials.

    The sides name the same trials if they share more than half of the smaller side's.
    """
    places: list[dict[tuple[str, str | None], int]] = [
        {(trial.instance, None if single else trial.trial): row for row, trial in enumerate(side)}
        for side in (baseline, candidate)
    ]
    known = single or not any(trial.trial is None for trial in (*baseline, *candidate))
    shared = places[0].keys() & places[1].keys()
    if not known or 2 * len(shared) <= min(map(len, places)):
        return [], ((), ())
    pairs = [(places[0][key], row) for key, row in places[1].items() if key in shared]
    lost = tuple(tuple(row for key, row in side.items() if key not in shared) for side in places)
    return pairs, (lost[0], lost[1])
