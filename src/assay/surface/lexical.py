"""Word and character n-grams of every record, to rule out vocabulary as well.

TF-IDF of the response and the question, reduced to a few dozen columns by a singular value
decomposition that does not use labels.
"""

from collections.abc import Sequence

import numpy as np

from assay.benchmark.benchmark import Item
from assay.surface.feature_table import Column

COMPONENTS = 40


def lexical_columns(items: Sequence[Item]) -> list[Column]:
    """The leading components of the records' vocabulary."""
    from scipy.sparse import hstack
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [item.response if item.response is not None else item.question for item in items]
    both = [f"{item.question} {item.response or ''}" for item in items]
    shared = {"sublinear_tf": True, "min_df": 2, "max_features": 50_000}
    by_word = {"token_pattern": r"\S+", **shared}
    parts = []
    for model, source in (
        (TfidfVectorizer(ngram_range=(1, 2), **by_word), texts),
        (TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), **shared), texts),
        (TfidfVectorizer(**by_word), both),
    ):
        try:
            parts.append(model.fit_transform(source))
        except ValueError:  # no n-gram occurs twice
            continue
    if not parts:
        return []
    table = hstack(parts).tocsr()
    size = min(COMPONENTS, min(table.shape) - 1)
    if size < 1:
        return []
    components = TruncatedSVD(n_components=size, random_state=0).fit_transform(table)
    return [np.asarray(column, dtype=np.float64) for column in components.T]
