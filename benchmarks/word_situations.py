"""Labels that words tell, methods that read words, and methods that do not.

Responses are random words. Forty of them lean to one label or the other, by as much as `tilt`
says; nothing else of the surface tells. The methods are TF-IDF classifiers fitted out of fold, the
score of a method with a signal of its own, and both mixed.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from situations import Floats
from surface_situations import WORDS

from assay.benchmark.benchmark import Item

TILTS = {108: 3.0, 400: 1.5, 1000: 1.2}
"""How far words lean at each size, so that a TF-IDF classifier mostly passes D5."""
OWN, MIXED = "a signal of its own", "both mixed"
_TELLING = 40


def draw_words(
    rng: np.random.Generator, *, size: int
) -> tuple[tuple[Item, ...], NDArray[np.bool_], Mapping[str, Floats]]:
    """Records whose words tell, their labels, and methods by name."""
    weight = np.zeros(len(WORDS))
    weight[rng.permutation(len(WORDS))[:_TELLING]] = rng.choice([-1.0, 1.0], _TELLING)
    label = rng.permutation(np.arange(size) % 2 == 0)
    items = []
    for number, up in enumerate(label.tolist()):
        chance = np.exp(TILTS[size] * (weight if up else -weight) / 2.0)
        words = rng.choice(WORDS, int(rng.integers(6, 16)), p=chance / chance.sum())
        question = f"What about {' '.join(rng.choice(WORDS, 4))}?"
        items.append(Item(id=str(number), question=question, response=" ".join(words), label=up))
    texts = [str(item.response) for item in items]
    methods = {name: _out_of_fold(name, texts, label) for name in ("words", "letters", "counts")}
    own = rng.normal(size=size) + 2.0 * label
    mixed = _standard(methods["words"]) + _standard(own)
    return tuple(items), label, {**methods, OWN: own, MIXED: mixed}


def _out_of_fold(name: str, texts: list[str], label: NDArray[np.bool_]) -> Floats:
    """What a classifier of words says of records that it was not fitted to."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.naive_bayes import ComplementNB
    from sklearn.pipeline import make_pipeline

    letters = {"analyzer": "char_wb", "ngram_range": (2, 4)} if name == "letters" else {}
    model = ComplementNB() if name == "counts" else LogisticRegression(C=10.0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    said = cross_val_predict(
        make_pipeline(TfidfVectorizer(**letters), model),
        texts,
        label,
        cv=folds,
        method="predict_proba",
    )
    return np.asarray(said[:, 1])


def _standard(values: Floats) -> Floats:
    return np.asarray((values - values.mean()) / values.std())
