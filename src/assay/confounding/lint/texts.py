"""Find blank responses and responses that were cut off."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from assay.confounding.lint.labelled_records import Records, quoted
from assay.confounding.result import Finding
from assay.surface.feature_table import FEWEST_CUT, cut_length

SHORTEST_CUT = 20
FEWEST_IN_PART = 8
PEAK = 5.0
_NAMED = 5


def empty_responses(records: Records) -> Finding | None:
    """A finding on blank or missing responses, if others have a response."""
    if not records.judges_responses:
        return None
    places = [i for i, item in enumerate(records.items) if not (item.response or "").strip()]
    if not places:
        return None
    return records.finding(
        "empty-response",
        places,
        message=f"Blank responses: {len(places)}{records.split(places)}.",
        remedy="Give these records a response, or drop them.",
    )


def truncation(records: Records) -> Finding | None:
    """A finding on responses that stop at one length in the middle of a sentence.

    All records are checked, then each source, each label, and each label of a source: responses cut
    in one part need not be the longest elsewhere.
    """
    texts = [item.response or "" for item in records.items]
    found: set[int] = set()
    cuts: list[str] = []
    for among, places in _strata(records):
        fewest = FEWEST_IN_PART if among else FEWEST_CUT
        cut = [i for i in _cut_off(texts, places, fewest) if i not in found]
        if cut:
            cuts.append(f"{len(cut)} responses{among} stop at {len(texts[cut[0]])} characters")
            found.update(cut)
    if not found:
        return None
    more = f", and others in {len(cuts) - _NAMED} more parts," if len(cuts) > _NAMED else ""
    return records.finding(
        "truncation",
        sorted(found),
        message=f"{', '.join(cuts[:_NAMED])}{more} without ending a sentence"
        f"{records.split(sorted(found))}.",
        remedy="Raise the generation limit and generate these again, or drop them.",
    )


def _strata(records: Records) -> Iterator[tuple[str, Sequence[int]]]:
    """All records, then smaller and smaller parts: the name and the indices of each."""
    yield "", range(len(records.items))
    for by_label, by_source in ((False, True), (True, False), (True, True)):
        parts: dict[tuple[str, str | None], list[int]] = {}
        for place, item in enumerate(records.items):
            label = " among positives" if records.positive[place] else " among negatives"
            if item.source is not None or not by_source:
                part = (label if by_label else "", item.source if by_source else None)
                parts.setdefault(part, []).append(place)
        for (label, source), places in parts.items():
            yield label + ("" if source is None else f" in source {quoted(source)}"), places


def _cut_off(texts: Sequence[str], places: Sequence[int], fewest: int) -> list[int]:
    """The indices of texts that were cut off at one length.

    That length must be much more frequent than those just below it, and most of its texts must end
    without punctuation and differ in where words end: filled-in forms, dates and hashes naturally
    have one length.
    """
    distinct = {texts[i] for i in places}  # copies of a text share its length, cut or not
    if len(distinct) < fewest:
        return []
    lengths = np.fromiter(map(len, distinct), dtype=np.intp, count=len(distinct))
    length = cut_length(lengths, shortest=SHORTEST_CUT)
    if length is None:
        return []
    counts = Counter(lengths.tolist())
    ends = [text for text in distinct if len(text) == length]
    open_ends = [text for text in ends if text[-1].isalnum()]
    forms = {tuple(i for i, c in enumerate(text) if not c.isalnum()) for text in open_ends}
    beside = max(counts[length - step] for step in range(1, 11))
    if (
        len(ends) < PEAK * beside
        or len(open_ends) < max(fewest, len(ends) / 2)
        or len(forms) < len(open_ends) / 2
    ):
        return []
    return [i for i in places if len(texts[i]) == length and texts[i][-1].isalnum()]
