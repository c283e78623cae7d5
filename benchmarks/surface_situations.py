"""Benchmarks whose labels show on the surface, methods that are nothing but surface, and real ones.

A record's label decides, by known chances, how its question opens, how long its response is, how
much it copies, whether it negates, and so on. So the best that any reader of the surface can do is
known (`bayes`), and it is one of the methods that must not pass.
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from situations import Floats

from assay.benchmark.benchmark import Benchmark, Item
from assay.digests import digest
from assay.surface.crossfit import design
from assay.surface.feature_table import feature_table

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "rk", "sting", "lo")]
SHAPES = ("plain", "crossed", "weak")
LEAKS = ("none", "words", "comma", "two", "rare", "pairs")


@dataclass(frozen=True, kw_only=True, eq=False)
class Drawn:
    """A benchmark, its labels, its features, and for each record the log odds of its surface."""

    benchmark: Benchmark
    label: Floats
    log_odds: Floats
    features: Floats
    columns: Mapping[str, Floats] = field(repr=False)

    def relabelled(self, positive: NDArray[np.bool_]) -> "Drawn":
        """The same texts with other labels, for which the log odds say nothing."""
        items = tuple(
            replace(item, label=bool(up), cls="folklore" if up else "truth")
            for item, up in zip(self.benchmark.items, positive, strict=True)
        )
        benchmark = Benchmark(name="relabelled", digest=digest(repr(items).encode()), items=items)
        return Drawn(
            benchmark=benchmark,
            label=positive.astype(np.float64),
            log_odds=np.zeros(positive.size),
            features=self.features,
            columns=self.columns,
        )


def draw_leak(rng: np.random.Generator, *, size: int, leak: str) -> Benchmark:
    """Short texts of random words, of which one thing, or two, tell something of the label.

    `none`: nothing does. `words`: positives are up to four words longer. `comma`: a comma in half
    of the positives, a fifth of the others. `two`: a capital and a full stop, each a little more
    often. `rare`: one in five records is positive, and longer. `pairs`: a longer and a shorter
    answer to each question, the longer mostly the positive.
    """
    label = rng.permutation(np.arange(size) % (5 if leak == "rare" else 2) == 0)
    if leak == "pairs":
        label = np.arange(size) % 2 == 0
    items = []
    for number, up in enumerate(label.tolist()):
        longer = up and leak in ("words", "rare")
        if leak == "pairs":
            longer = up is bool(rng.random() < 0.7)
        count = int(rng.integers(4, 14)) + (int(rng.integers(0, 5)) if longer else 0)
        words = rng.choice(WORDS, count).tolist()
        if leak == "comma" and rng.random() < (0.5 if up else 0.2):
            words[1] += ","
        if leak == "two":
            words[0] = words[0].title() if rng.random() < (0.62 if up else 0.38) else words[0]
            words[-1] += "." if rng.random() < (0.62 if up else 0.38) else ""
        group = f"q{number // 2}" if leak == "pairs" else None
        question = f"What about {' '.join(rng.choice(WORDS, 4))}?"
        items.append(
            Item(id=str(number), question=question, response=" ".join(words), label=up, group=group)
        )
    return Benchmark(name=leak, digest=digest(repr(items).encode()), items=tuple(items))


def draw_benchmark(rng: np.random.Generator, *, size: int, shape: str) -> Drawn:
    """A benchmark of one shape.

    `plain`: features lean to one class each. `crossed`: length counts one way after an auxiliary
    and the other way after a wh- word, so that no single feature tells much. `weak`: half as much.
    """
    pull = 0.5 if shape == "weak" else 1.0
    label = rng.permutation(np.arange(size) % 2 == 0)
    items, odds = [], []
    for number, positive in enumerate(label.tolist()):
        item, log_odds = _record(rng, number, positive, pull, crossed=shape == "crossed")
        items.append(item)
        odds.append(log_odds)
    found = tuple(items)
    name = f"{shape}-{size}"
    table = feature_table(found)
    return Drawn(
        benchmark=Benchmark(name=name, digest=digest(repr(found).encode()), items=found),
        label=label.astype(np.float64),
        log_odds=np.array(odds),
        features=design([feature.values for feature in table]),
        columns={feature.label: feature.values for feature in table},
    )


def _record(
    rng: np.random.Generator, number: int, positive: bool, pull: float, *, crossed: bool
) -> tuple[Item, float]:
    """A record, and log P(surface | positive) - log P(surface | negative)."""
    sign = 1.0 if positive else -1.0
    odds = 0.0

    def coin(base: float, lean: float) -> bool:
        nonlocal odds
        came = bool(rng.random() < base + sign * lean * pull)
        up, down = base + lean * pull, base - lean * pull
        odds += math.log(up / down) if came else math.log((1.0 - up) / (1.0 - down))
        return came

    auxiliary = coin(0.5, 0.0 if crossed else 0.15)
    lean = (1.0 if auxiliary else -1.0) * 3.0 if crossed else 1.2
    mean, other = 6.0 + sign * lean * pull, 6.0 - sign * lean * pull
    length = int(rng.poisson(mean))
    odds += sign * (length * math.log(mean / other) - (mean - other))
    topic = rng.choice(WORDS, 8).tolist()
    said = []
    for _ in range(length + 2):
        word = str(rng.choice(topic if coin(0.4, 0.06) else WORDS))
        said.append(word.capitalize() if coin(0.3, -0.04) else word)
    if coin(0.25, -0.12):
        said.insert(1, "not")
    ending = "." if coin(0.5, 0.05) else ""
    opening = "Is" if auxiliary else "What"
    return Item(
        id=str(number),
        question=f"{opening} {' '.join(topic)}?",
        response=" ".join(said) + ending,
        label=positive,
        cls="folklore" if positive else "truth",
    ), odds


Method = Callable[[Drawn, np.random.Generator], Floats]


def _z(values: Floats) -> Floats:
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0.0 else values * 0.0


def _lookup(drawn: Drawn, rng: np.random.Generator) -> Floats:
    """A number drawn for each word count, by a hash."""
    salt = int(rng.integers(1 << 30))
    keys = [f"{salt} {count}" for count in drawn.columns["word_length"]]
    return np.array([float(hashlib.sha256(key.encode()).digest()[0]) for key in keys])


def _random_tree(drawn: Drawn, rng: np.random.Generator) -> Floats:
    """A tree of depth five with splits and leaves drawn at random."""
    places = np.zeros(drawn.label.size, dtype=int)
    for _ in range(5):
        column = drawn.features[:, rng.integers(drawn.features.shape[1])]
        places = places * 2 + (column > rng.choice(column))
    return rng.normal(size=32)[places]


def _nearest(drawn: Drawn, rng: np.random.Generator) -> Floats:
    """The mean label of the nine nearest other records."""
    far = np.square(drawn.features[:, None, :] - drawn.features[None, :, :]).sum(axis=2)
    np.fill_diagonal(far, np.inf)
    near = np.argpartition(far + rng.random(far.shape) * 1e-9, 9, axis=1)[:, :9]
    return np.asarray(drawn.label[near].mean(axis=1))


def _boosted(drawn: Drawn, rng: np.random.Generator) -> Floats:
    """Boosted trees on the features, learnt from the labels of other folds."""
    from sklearn.ensemble import GradientBoostingClassifier

    folds = rng.permutation(np.arange(drawn.label.size) % 4)
    found = np.zeros(drawn.label.size)
    for fold in range(4):
        model = GradientBoostingClassifier(n_estimators=80, max_depth=3, random_state=fold)
        model.fit(drawn.features[folds != fold], drawn.label[folds != fold])
        found[folds == fold] = model.predict_proba(drawn.features[folds == fold])[:, 1]
    return found


def _noisy(method: Method, amount: float) -> Method:
    def noisy(drawn: Drawn, rng: np.random.Generator) -> Floats:
        return _z(method(drawn, rng)) + amount * rng.normal(size=drawn.label.size)

    return noisy


def _of(*names: str, how: Callable[..., Floats]) -> Method:
    return lambda drawn, rng: how(*(drawn.columns[name] for name in names))  # noqa: ARG005


_AUX, _COPY, _LONG = "question.opens_auxiliary", "question_overlap", "word_length"
_bayes: Method = lambda drawn, rng: drawn.log_odds  # noqa: ARG005, E731
SURFACE_ONLY: Mapping[str, Method] = {
    "words": _of(_LONG, how=lambda w: w),
    "characters": _of("char_length", how=lambda c: c),
    "fewer capitals": _of("capitalized_token_ratio", how=lambda c: -c),
    "copied words": _of(_COPY, how=lambda c: c),
    "auxiliary + copied words": _of(_AUX, _COPY, how=lambda a, c: a + c),
    "no negation": _of("negation_flag", _LONG, how=lambda n, w: -n + w / 100.0),
    "long": _of(_LONG, how=lambda w: (w > np.median(w)).astype(float)),
    "words x copied": _of(_LONG, _COPY, how=lambda w, c: w * c),
    "exclusive or": _of(_AUX, _LONG, how=lambda a, w: ((a > 0) == (w > np.median(w))) * 1.0),
    "sine of characters": _of("char_length", how=lambda c: np.sin(c / 3.0)),
    "even words": _of(_LONG, how=lambda w: w % 2.0),
    "largest of three": _of(
        _LONG, _COPY, "type_token_ratio", how=lambda *c: np.max([_z(one) for one in c], axis=0)
    ),
    "random weights": lambda drawn, rng: drawn.features @ rng.normal(size=drawn.features.shape[1]),
    "random tree": _random_tree,
    "table of word counts": _lookup,
    "nearest records": _nearest,
    "boosted trees": _boosted,
    "bayes": _bayes,
    "bayes + some noise": _noisy(_bayes, 0.3),
    "bayes + much noise": _noisy(_bayes, 1.0),
}
"""Twenty methods that read nothing but the surface; the last know exactly what it tells."""


def independent(drawn: Drawn, rng: np.random.Generator, distance: float = 2.0) -> Floats:
    """A method with a signal of its own: two normal classes so far apart, blind to the surface."""
    return rng.normal(size=drawn.label.size) + distance * drawn.label
