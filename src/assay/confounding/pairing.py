"""Which record a score in memory belongs to.

Scores without labels (a list, an array) are in the order of the records. Labels are never ignored:
those of a Series or a frame are its index, those of a dictionary its keys. They may be read

1. as ids of the records; a record without an id has its number, from 1, for one;
2. as the labels of the records' own frame, if both have the same labels, each once;
3. as positions, if the records have no index: the labels 0 to n - 1 in order, or keys 0 to n - 1.

Where no reading is possible, or two that pair differently, the scores are refused: a wrong pairing
makes any judge look like chance. Labels 0 to n - 1 in order may also be no more than positions. So
if they are on one side and the other side has the same numbers in another order, nothing says
whether the labels hold or one index was made anew after rows were moved: refused as well.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.benchmark.benchmark import Benchmark
from assay.confounding.unpaired import no_reading, repeated, two_readings, wrong_number
from assay.tables.in_memory.index import counts_from_zero
from assay.tables.nested import as_word


@dataclass(frozen=True, kw_only=True)
class Labels:
    """The labels of scores, as they are and as `label_texts`; `kind` is that of the scores.

    The keys of a dictionary are names, whatever their order, so `are_names`.
    """

    values: Sequence[object]
    texts: Sequence[str]
    kind: str
    are_names: bool = False


def ids_in_order(count: int, benchmark: Benchmark) -> list[str]:
    """The ids of so many scores in the order of the records, all of them or those kept."""
    ids = _ids_of(count, benchmark)
    if not ids:
        raise wrong_number(count, benchmark)
    return ids


def ids_by_label(labels: Labels, benchmark: Benchmark) -> list[str]:
    """The id of the record of each score; refuses labels that could be read in two ways."""
    texts = labels.texts
    _check_once(labels, texts)
    by_id = _by_id(labels, benchmark)
    if by_id and labels.are_names and not benchmark.numbered:
        return by_id
    readings = [by_id, _by_index(texts, benchmark), _by_position(labels, texts, benchmark)]
    found = [ids for ids in readings if ids]
    has_ids = bool(by_id) and not benchmark.numbered
    in_order = _in_order_if_moved(labels, texts, benchmark, has_ids=has_ids)
    if not found and not (any(in_order) and benchmark.index is None):
        raise no_reading(labels.kind, texts, benchmark)
    ids = found[0] if found else []
    if any(other != ids for other in [*found[1:], *in_order]) or _contradicts_index(
        texts, ids, benchmark
    ):
        raise two_readings(labels.kind, benchmark, has_ids=has_ids)
    return ids


def _orders(benchmark: Benchmark) -> list[list[str]]:
    """The ids of the records that were kept, and of all."""
    return [[item.id for item in benchmark.items], benchmark.all_ids]


def _ids_of(count: int, benchmark: Benchmark) -> list[str]:
    """The ids of so many scores in the order of the records; empty if there are not so many."""
    return next((ids for ids in _orders(benchmark) if len(ids) == count), [])


def _by_id(labels: Labels, benchmark: Benchmark) -> list[str]:
    """The labels as ids. Numbers of records only if they are texts, or those of all records."""
    words = [as_word(label) for label in labels.values]
    if len(set(words)) < len(words):
        return []
    if not benchmark.numbered or (labels.are_names and _are_texts(labels.values)):
        return words if set(words) <= set(benchmark.all_ids) else []
    if benchmark.index is not None:  # which numbers then mean
        return []
    if labels.are_names:
        return words if any(set(words) == set(ids) for ids in _orders(benchmark)) else []
    return words if words in _orders(benchmark) else []


def _by_index(texts: Sequence[str], benchmark: Benchmark) -> list[str]:
    """The labels as those of the records' frame."""
    for index, ids in _indexes(benchmark):
        if _are_same(texts, index):
            by_label = dict(zip(index, ids, strict=True))
            return [by_label[text] for text in texts]
    return []


def _by_position(labels: Labels, texts: Sequence[str], benchmark: Benchmark) -> list[str]:
    """The labels as positions among records that have no index."""
    if benchmark.index is not None or not _are_positions(texts):
        return []
    if labels.are_names:
        ids = _ids_of(len(texts), benchmark)
        return [ids[int(text)] for text in texts] if ids else []
    return _ids_of(len(texts), benchmark) if counts_from_zero(texts) else []


def _in_order_if_moved(
    labels: Labels, texts: Sequence[str], benchmark: Benchmark, *, has_ids: bool
) -> list[list[str]]:
    """The pairing in order, where one index may have been made anew after rows were moved.

    Records whose ids are the labels have not been numbered anew.
    """
    if not _are_positions(texts) or (labels.are_names and benchmark.index is None):
        return []
    ours = [index for index, _ in _indexes(benchmark) if len(index) == len(texts)]
    made_anew = not has_ids and (benchmark.index is None or any(map(counts_from_zero, ours)))
    return [_ids_of(len(texts), benchmark)] if made_anew or counts_from_zero(texts) else []


def _contradicts_index(texts: Sequence[str], ids: Sequence[str], benchmark: Benchmark) -> bool:
    """Whether some of the labels are also those of other rows of the records' frame."""
    index = Counter(benchmark.index or ())
    once = {
        text: record
        for text, record in zip(benchmark.index or (), benchmark.all_ids, strict=False)
        if index[text] == 1
    }
    return any(once.get(text, record) != record for text, record in zip(texts, ids, strict=True))


def _indexes(benchmark: Benchmark) -> list[tuple[list[str], list[str]]]:
    """The labels of the records' frame with their ids: of those kept, and of all."""
    if benchmark.index is None:
        return []
    kept = [benchmark.index[row] for row in benchmark.rows]
    return list(zip([kept, list(benchmark.index)], _orders(benchmark), strict=True))


def _are_same(texts: Sequence[str], index: Sequence[str]) -> bool:
    """Whether both have the same labels, each once."""
    return len(texts) == len(index) and set(texts) == set(index) and len(set(index)) == len(index)


def _are_positions(texts: Sequence[str]) -> bool:
    """Whether labels are 0 to n - 1, in any order."""
    return set(texts) == {str(place) for place in range(len(texts))}


def _are_texts(labels: Sequence[object]) -> bool:
    return all(isinstance(label, str) for label in labels)


def _check_once(labels: Labels, texts: Sequence[str]) -> None:
    """Refuse a label that occurs twice."""
    text, count = Counter(texts).most_common(1)[0] if texts else ("", 1)
    if count > 1:
        raise repeated(labels.kind, text, count)
