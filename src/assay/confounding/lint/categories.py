"""Check whether a category of the records, such as their source, predicts the label.

A category's share of positives predicts even random labels if it includes the record itself,
perfectly so if every category has one record. So shares come from other folds. Leaving one record
out errs the other way: a positive then lowers its own category's share, so that within a category
negatives rank above positives. The same happens if records of different folds are ranked together,
so the AUC is computed within each fold, where records of one category tie, and the folds' wins are
added up. For random labels the mean is one half.
"""

import numpy as np
from numpy.typing import NDArray

from assay.confounding.lint.labelled_records import FOLDS, Records, quoted
from assay.confounding.result import Finding
from assay.stats.arrays import Codes, Floats, coded
from assay.surface.features import opens_auxiliary, opens_wh

TELLING = 0.60
SURE = 3.5
"""An AUC counts only if it is so many standard errors above one half.

Folds share training records, so for random labels the true error is up to 1.5 times as large; the
largest of some 4,700 random benchmarks of 30 to 2,000 records was 3.3 errors above one half.
"""

_NAMED = 3


def category_auc(codes: Codes, records: Records) -> float:
    """The AUC of the category as a predictor of the label, cross-fitted by units."""
    size = int(codes.max()) + 1
    wins = pairs = 0.0
    for folds in records.deals:
        counts = _counts(folds * size + codes, records.positive, FOLDS * size)
        by_fold = counts.reshape(FOLDS, size, 2)
        for here, elsewhere in zip(by_fold, by_fold.sum(axis=0) - by_fold, strict=True):
            wins += _wins(_shares(elsewhere), here)
            pairs += float(here[:, 0].sum()) * float(here[:, 1].sum())
    return wins / pairs if pairs else 0.5


def optimistic_auc(codes: Codes, records: Records) -> float:
    """The AUC without cross-fitting: fast, and hardly ever lower."""
    counts = _counts(codes, records.positive, int(codes.max()) + 1)
    several = np.where(counts.sum(axis=1, keepdims=True) > 1, counts, 0)
    return _wins(_shares(several), counts) / float(counts[:, 0].sum() * counts[:, 1].sum())


def _counts(codes: Codes, positive: NDArray[np.bool_], size: int) -> NDArray[np.intp]:
    """Negatives and positives of each category."""
    return np.bincount(codes * 2 + positive, minlength=size * 2).reshape(size, 2)


def _shares(counts: NDArray[np.intp]) -> Floats:
    """The share of positives in each category, shrunk to the overall share as by one record."""
    total = counts.sum(axis=0)
    base = total[1] / max(int(total.sum()), 1)
    return np.asarray((counts[:, 1] + base) / (counts.sum(axis=1) + 1.0))


def _wins(scores: Floats, counts: NDArray[np.intp]) -> float:
    """The number of pairs in which the positive's category scores higher; ties count one half."""
    levels = np.unique(scores, return_inverse=True)[1]
    down, up = (np.bincount(levels, weights=counts[:, label]) for label in (0, 1))
    return float(up @ (np.cumsum(down) - down / 2.0))


def source_predicts_label(records: Records) -> Finding | None:
    """A finding if the source of a record predicts its label."""
    sources = [item.source for item in records.items]
    names = ["no source" if name is None else quoted(name) for name in dict.fromkeys(sources)]
    return _finding(
        records,
        coded(sources),
        names,
        code="source-predicts-label",
        what="The source",
        remedy="Balance the labels within each source, or judge each source separately.",
    )


def question_form_predicts_label(records: Records) -> Finding | None:
    """A finding if the first word of a question predicts its label."""
    openings = [question.partition(" ")[0] for question in records.questions]
    forms = {word: _form(word) for word in dict.fromkeys(openings)}
    categories = [forms[word] for word in openings]
    return _finding(
        records,
        coded(categories),
        list(dict.fromkeys(categories)),
        code="question-form-predicts-label",
        what="The opening of the question",
        remedy="Ask in the same forms for both labels, or give every question both a right and a "
        "wrong answer.",
    )


def _form(opening: str) -> str:
    if opens_wh(opening):
        return "a wh- word"
    return "an auxiliary" if opens_auxiliary(opening) else "other"


def _finding(
    records: Records, codes: Codes, names: list[str], *, code: str, what: str, remedy: str
) -> Finding | None:
    if len(names) < 2 or not records.both_classes or optimistic_auc(codes, records) < TELLING:
        return None
    auc = category_auc(codes, records)
    if auc < TELLING or auc - 0.5 < SURE * records.chance:
        return None
    counts = _counts(codes, records.positive, len(names))
    telling = _most_telling(counts)
    listed = ", ".join(
        f"{names[i]} {counts[i, 1]} of {counts[i].sum()}" for i in telling[:_NAMED].tolist()
    )
    return records.finding(
        code,
        np.flatnonzero(np.isin(codes, telling)).tolist(),
        message=f"{what} predicts the label with an AUC of {auc:.2f}; positives: {listed}.",
        remedy=remedy,
    )


def _most_telling(counts: NDArray[np.intp]) -> Codes:
    """The categories furthest from the common share of positives, furthest first.

    Those two standard errors away; if all are too small for that, all of them.
    """
    sizes = counts.sum(axis=1)
    base = counts[:, 1].sum() / sizes.sum()
    excess = np.abs(counts[:, 1] - sizes * base)
    order = np.argsort(-excess, kind="stable")
    clear = excess[order] >= 2.0 * np.sqrt(sizes[order] * base * (1.0 - base))
    return np.asarray(order[clear] if clear.any() else order)
