"""Labels that a table of surface features tells, and methods that are that table or learnt it.

A label follows a rule on one to three declared features, one in ten turned over. The rules tell
little bit by bit: a middle range, a chess board, an exclusive or of three, a wave, a ratio, the
leaves of a tree, a disc. The methods are the rule, the rule under noise, and models that learnt it
from 1,500 other records. None of them reads anything else, so none may pass D5.

Texts are random words, or real sentences: the documentation of numpy and scipy, as installed. Other
rules may also want records of four sources, or pairs of answers to one question, one of the two
positive.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from situations import Floats
from surface_situations import draw_benchmark

from assay.benchmark.benchmark import Item
from assay.surface.feature_table import feature_table

TEXTS = ("random words", "real sentences")
SOURCES = "random words, four sources"
PAIRS = "pairs of real sentences"
RAW = "raw "
"""What stands before the name of a feature to ask for its value instead of its rank."""
_OTHERS = 1_500
_FLIPPED = 0.1
_POOL = 6_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool:
    """Records without labels, and their features as shares of the records below each value.

    `columns` has those ranks and the values themselves. Records stand `together` by one or two.
    """

    items: tuple[Item, ...]
    columns: Mapping[str, Floats]
    features: Floats
    together: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Told:
    """Records whose labels a rule tells, and methods that are nothing but that rule."""

    items: tuple[Item, ...]
    label: NDArray[np.bool_]
    methods: Mapping[str, Floats]


Rule = Callable[[Mapping[str, Floats]], NDArray[np.bool_] | Floats]
"""Says of each record whether it is positive, one in ten turned over; or says with what chance."""
Rules = Mapping[str, Mapping[str, Rule]]
"""Rules by the texts that they are for, and by name."""

_LONG, _COPY, _KINDS, _CAPITALS = (
    *("char_length", "question_overlap", "type_token_ratio", "capitalized_token_ratio"),
)


def parity(*columns: Floats) -> NDArray[np.bool_]:
    """Whether the whole parts of some columns add up to an even number."""
    return np.asarray(np.sum([np.floor(column) for column in columns], axis=0) % 2 == 0)


RULES: dict[str, Rule] = {
    "threshold": lambda x: x[_LONG] > 0.6,
    "middle range": lambda x: np.abs(x[_LONG] - 0.5) < 0.25,
    "narrow range": lambda x: np.abs(x[_LONG] - 0.45) < 0.15,
    "chess board": lambda x: parity(4 * x[_LONG], 4 * x[_COPY]),
    "uneven board": lambda x: parity(2 * x[_KINDS], 5 * x[_LONG]),
    "three at once": lambda x: parity(2 * x[_LONG], 2 * x[_KINDS], 2 * x[_CAPITALS]),
    "wave": lambda x: np.sin(20.0 * x[_LONG]) > 0.0,
    "ratio": lambda x: x[_LONG] / (x[_KINDS] + 0.2) > 0.75,
    "tree": lambda x: np.where(x[_LONG] > 0.4, x[_COPY] > 0.6, x[_CAPITALS] > 0.5),
    "disc": lambda x: np.hypot(x[_LONG] - 0.5, x[_COPY] - 0.5) < 0.38,
}


TOLD: Rules = dict.fromkeys(TEXTS, RULES)


def draw_told(rng: np.random.Generator, *, size: int, texts: str, rule: Rule) -> Told:
    """Some records of a pool with the labels of a rule, and what learnt it from others."""
    pool = _pool(texts)
    units = rng.permutation(len(pool.items) // pool.together)[: (size + _OTHERS) // pool.together]
    chosen = (units[:, None] * pool.together + np.arange(pool.together)).ravel()
    said = rule({name: column[chosen] for name, column in pool.columns.items()})
    label = _labels(rng, said, together=pool.together)
    ours, others = slice(0, size), slice(size, None)
    known = said[ours].astype(np.float64)
    features = pool.features[chosen]
    learnt = {
        name: _learnt(model, features[others], label[others], features[ours], rng)
        for name, model in _models().items()
    }
    noisy = known + 0.4 * np.ptp(known) * rng.normal(size=size)
    return Told(
        items=tuple(pool.items[i] for i in chosen[ours].tolist()),
        label=label[ours],
        methods={"the rule": known, "the rule + noise": noisy, **learnt},
    )


def _labels(
    rng: np.random.Generator, said: NDArray[np.bool_] | Floats, *, together: int
) -> NDArray[np.bool_]:
    """Labels by their chances; of two that stand together, one is positive."""
    chance = np.where(said, 1.0 - _FLIPPED, _FLIPPED) if said.dtype == np.bool_ else said
    if together == 1:
        doubt = np.minimum(chance, 1.0 - chance)
        return np.asarray((chance > 0.5) ^ (rng.random(chance.size) < doubt))
    one, other = chance[::2], chance[1::2]
    for_one, for_other = one * (1.0 - other), other * (1.0 - one)
    first = rng.random(one.size) < for_one / (for_one + for_other)
    return np.stack([first, ~first], axis=1).ravel()


def _models() -> dict[str, Any]:
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    return {
        "boosted trees": GradientBoostingClassifier(n_estimators=120, max_depth=3, random_state=0),
        "a tree": DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
        "neighbours": KNeighborsClassifier(15),
    }


def _learnt(
    model: Any,  # noqa: ANN401 - scikit-learn has no types
    features: Floats,
    label: NDArray[np.bool_],
    asked: Floats,
    rng: np.random.Generator,
) -> Floats:
    """What a model says of some records, having seen others."""
    said = model.fit(features, label).predict_proba(asked)[:, 1]
    return np.asarray(said + 1e-6 * rng.normal(size=said.size))


@cache
def _pool(texts: str) -> Pool:
    """Records to draw from."""
    if texts in (TEXTS[0], SOURCES):
        drawn = draw_benchmark(np.random.default_rng(0), size=_POOL, shape="weak")
        items = drawn.benchmark.items
    else:
        items = _documentation(paired=texts == PAIRS)
    values = {
        feature.label: feature.values
        for feature in feature_table(items)
        if np.ptp(feature.values) > 0.0
    }
    if texts == SOURCES:
        values["source"] = np.random.default_rng(3).integers(4, size=len(items)).astype(np.float64)
        items = tuple(
            replace(item, source=f"source {number:.0f}")
            for item, number in zip(items, values["source"].tolist(), strict=True)
        )
    ranks = {name: _ranks(column) for name, column in values.items()}
    return Pool(
        items=items,
        columns={**ranks, **{RAW + name: column for name, column in values.items()}},
        features=np.stack(list(ranks.values()), axis=1),
        together=2 if texts == PAIRS else 1,
    )


def _ranks(column: Floats) -> Floats:
    """The share of records below each value, ties at their mean."""
    ordered = np.sort(column)
    below, upto = (np.searchsorted(ordered, column, side=side) for side in ("left", "right"))
    return np.asarray((below + upto) / (2.0 * column.size))


def _documentation(*, paired: bool) -> tuple[Item, ...]:
    """Each sentence of the documentation as a response, the one before it as its question.

    Paired: the one after it is another response to the same question, and stands beside it.
    """
    import numpy.linalg
    import scipy.optimize
    import scipy.signal
    import scipy.stats

    seen: dict[str, None] = {}
    for module in (np, numpy.linalg, scipy.stats, scipy.optimize, scipy.signal):
        for name in sorted(vars(module)):
            text = inspect.getdoc(getattr(module, name)) or ""
            for sentence in re.split(r"(?<=[.?!])\s+|\n\s*\n", text):
                plain = " ".join(sentence.split())
                if 20 <= len(plain) <= 400 and plain.count(" ") >= 3:
                    seen[plain] = None
    sentences = list(seen)
    order = np.random.default_rng(2).permutation(len(sentences) - 1 - paired)
    if not paired:
        return tuple(
            Item(id=str(i), question=sentences[i], response=sentences[i + 1], label=False)
            for i in order[:_POOL].tolist()
        )
    return tuple(
        Item(
            id=f"{i} {after}",
            question=sentences[i],
            response=sentences[i + after],
            label=False,
            group=str(i),
        )
        for i in order[: _POOL // 2].tolist()
        for after in (1, 2)
    )
