"""Systems with a state of known worth, run with seeds: what B, C and A truly reach, and draws.

A score is normal. Positives lie `signal` above negatives without the state (B), `signal + transfer`
with all of it but what came from these items (C). With all of it (A) a share `memory` of the items
is known as well, and lies `strength` further on its own side, for every seed. The state holds
nothing of a share `unseen` of the items, which cannot be known. With `lost`, what transfers was
taken from C together with the items.

Of an item's noise the share `item` is the same for every seed and condition, `run` for every
condition of one seed, and the rest is new each time. A seed moves the signal by `seed_effect`
standard deviations, half of that variance shared by the conditions; by Student's distribution where
`tails` gives its degrees of freedom. A share `uneven` of the runs, of A alone or of all conditions,
keeps only a share `kept` of what its system can do: 0 is chance. Either each run by itself is
uneven or, with `by_seed`, all runs of a seed.
"""

from dataclasses import dataclass

import numpy as np

from assay.stats.metrics import MetricName

Array = np.ndarray
CONDITIONS = ("A", "B", "C")
_CUTS = np.array([-0.6, 0.2, 0.8, 1.6])  # five levels
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


@dataclass(frozen=True, kw_only=True)
class System:
    """A system, its state, and how it is tried."""

    n: int = 200
    seeds: int = 5
    positive: float = 0.5
    signal: float = 1.0
    transfer: float = 0.0
    memory: float = 0.0
    strength: float = 3.0
    unseen: float = 0.0
    lost: bool = False
    seed_effect: float = 0.15
    item: float = 0.6
    run: float = 0.2
    groups: bool = False
    levels: bool = False
    metric: MetricName = "auroc"
    threshold: float = 0.5
    tails: float | None = None
    uneven: float = 0.0
    kept: float = 0.0
    uneven_in: str = "A"
    by_seed: bool = False

    def truth(self, condition: str) -> float:
        """What a condition reaches on all items and seeds there could be."""
        share = self.uneven if condition in self.uneven_in else 0.0
        whole, poor = self._mean(condition, 1.0), 0.0
        if share:
            poor = self._mean(condition, self.kept)
        return (1.0 - share) * whole + share * poor

    def _mean(self, condition: str, can: float) -> float:
        """What a condition reaches over all seeds that can do such a share of it."""
        nodes, weights = _NODES, _WEIGHTS
        if self.tails is not None:
            nodes = _student((np.arange(4_000) + 0.5) / 4_000.0, self.tails)
            weights = np.ones(nodes.size)
        values = [self._at(condition, self.seed_effect * float(z), can) for z in nodes]
        return float(np.dot(weights, values) / weights.sum())

    def gap(self, one: str, other: str) -> float:
        """What one condition truly reaches beyond another."""
        return self.truth(one) - self.truth(other)

    def _at(self, condition: str, moved: float, can: float = 1.0) -> float:
        """What it reaches where the seed has moved the signal by so much."""
        signal = can * (self.signal + moved + self._transfers()[CONDITIONS.index(condition)])
        memory = self.memory * (1.0 - self.unseen) if condition == "A" else 0.0
        strength = can * self.strength
        near, far, share = signal, signal + strength, self.positive
        if self.metric == "auroc" and not self.levels:
            root = np.sqrt(2.0)
            return float(
                (1.0 - memory) ** 2 * _phi(near / root)
                + 2.0 * memory * (1.0 - memory) * _phi(far / root)
                + memory**2 * _phi((far + strength) / root)
            )
        cuts = _CUTS if self.levels else np.linspace(-9.0, 12.0, 20_001)
        if self.metric in ("accuracy", "f1"):
            cuts = np.array([self.threshold])
        above1 = (1.0 - memory) * _phi(near - cuts) + memory * _phi(far - cuts)
        above0 = (1.0 - memory) * _phi(-cuts) + memory * _phi(-strength - cuts)
        hits, false = share * float(above1[0]), (1.0 - share) * float(above0[0])
        if self.metric == "accuracy":
            return hits + 1.0 - share - false
        if self.metric == "f1":
            return 2.0 * hits / (share + hits + false)
        mass1 = -np.diff(np.r_[1.0, above1, 0.0])  # of each level, lowest first
        if self.metric == "average-precision":
            over1, over0 = np.cumsum(mass1[::-1])[::-1], np.r_[1.0, above0]
            whole = share * over1 + (1.0 - share) * over0
            return float((mass1 * share * over1 / np.maximum(whole, 1e-300)).sum())
        mass0 = -np.diff(np.r_[1.0, above0, 0.0])
        below0 = np.cumsum(mass0) - mass0 / 2.0
        return float((mass1 * below0).sum())

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array, list[str] | None]:
        """Scores (A, B, C x seeds x items), labels, and groups where there are some."""
        codes = _groups(rng, self.n) if self.groups else np.arange(self.n)
        positive = self._labels(rng)
        shape = (len(CONDITIONS), self.seeds, self.n)
        noise = np.sqrt(self.item) * _clustered(rng, codes, (1, 1))
        noise = noise + np.sqrt(self.run) * _clustered(rng, codes, (1, self.seeds))
        rest = max(1.0 - self.item - self.run, 0.0)
        noise = noise + np.sqrt(rest) * _clustered(rng, codes, shape[:2])
        moved = rng.standard_normal((1, self.seeds)) + rng.standard_normal(shape[:2])
        moved = moved / np.sqrt(2.0)
        if self.tails is not None:
            moved = moved / np.sqrt(rng.chisquare(self.tails, (1, self.seeds)) / self.tails)
        can = self._can(rng, shape[:2])
        signal = can * (
            self.signal + self.seed_effect * moved + np.array(self._transfers())[:, None]
        )
        known = (rng.random(codes.max() + 1) < self.memory)[codes] & ~self.is_unseen()
        scores = noise + signal[:, :, None] * positive
        sure = np.where(known, np.where(positive, self.strength, -self.strength), 0.0)
        scores[0] += can[0][:, None] * sure
        if self.levels:
            scores = np.searchsorted(_CUTS, scores, side="right").astype(float)
        names = [str(code) for code in codes.tolist()] if self.groups else None
        return scores, positive, names

    def is_unseen(self) -> Array:
        """The items of which the state holds nothing: the last ones."""
        return np.arange(self.n) >= self.n - round(self.unseen * self.n)

    def _transfers(self) -> tuple[float, float, float]:
        return self.transfer, 0.0, 0.0 if self.lost else self.transfer

    def _can(self, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
        """How much of what it can do each run keeps (conditions x seeds)."""
        can = np.ones(shape)
        if not self.uneven:  # other systems draw what they drew before there were such
            return can
        drawn = rng.random((1, shape[1]) if self.by_seed else shape) < self.uneven
        affected = np.array([name in self.uneven_in for name in CONDITIONS])[:, None]
        can[np.broadcast_to(drawn, shape) & affected] = self.kept
        return can

    def _labels(self, rng: np.random.Generator) -> Array:
        """The AUC takes so many of each class; the others take them as they come."""
        if self.metric == "auroc":
            return np.asarray(rng.permutation(self.n) < round(self.positive * self.n))
        return np.asarray(rng.random(self.n) < self.positive)


def _phi(x: Array | float) -> Array:
    from scipy.special import ndtr  # slow to import

    return np.asarray(ndtr(x))


def _student(shares: Array, degrees: float) -> Array:
    from scipy.special import stdtrit  # slow to import

    return np.asarray(stdtrit(degrees, shares))


def _groups(rng: np.random.Generator, n: int) -> Array:
    """Groups of two to five items, the last cut short."""
    sizes = rng.integers(2, 6, n)
    return np.repeat(np.arange(n), sizes)[:n]


def _clustered(rng: np.random.Generator, codes: Array, shape: tuple[int, int]) -> Array:
    """Noise, two thirds of it shared within a group where items have company."""
    whole = rng.standard_normal((*shape, codes.size))
    if int(codes.max()) + 1 == codes.size:
        return whole
    shared = rng.standard_normal((*shape, int(codes.max()) + 1))[:, :, codes]
    return np.asarray(np.sqrt(2.0 / 3.0) * shared + np.sqrt(1.0 / 3.0) * whole)
