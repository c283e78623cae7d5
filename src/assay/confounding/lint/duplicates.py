"""Find records with the same text: conflicting labels, exact copies, near copies."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from assay.confounding.lint.labelled_records import Records, has_both, quoted
from assay.confounding.result import Finding
from assay.stats.arrays import coded
from assay.surface.near_duplicates import HEADS, families, nearly_equal

_KEEP_ONE = "Keep one of each, or name the column that groups them."
_GROUPED = (
    "Each is in the group of its original, so no interval counts it as independent. Keep one of"
    " each if they are copies by mistake."
)


def conflicting_labels(records: Records) -> Finding | None:
    """A finding on records with the same question and response but different labels."""
    texts = coded(list(zip(records.questions, records.responses, strict=True)))
    places = np.flatnonzero(has_both(texts, records.positive)[texts]).tolist()
    if not places:
        return None
    written = coded([(item.question, item.response or "") for item in records.items])
    exact = int(has_both(written, records.positive)[written].sum())
    first = places[0]
    against = (texts == texts[first]) & (records.positive != records.positive[first])
    other = int(np.flatnonzero(against)[0])
    what = "question and response" if records.judges_responses else "the question"
    how = "all exactly" if exact == len(places) else f"{exact} of them exactly"
    return records.finding(
        "conflicting-labels",
        places,
        message=f"{len(places)} records share {what} with a record of the other label ({how}): "
        f"{quoted(records.items[first].id)} and {quoted(records.items[other].id)} "
        f"on {quoted(records.items[first].question)}.",
        remedy="Decide which label is right, or drop them: no method can get both right.",
    )


def duplicates(records: Records) -> Finding | None:
    """A finding on exact copies with the same label, without the first of each."""
    first: dict[tuple[str, str, bool], int] = {}
    places, originals = [], []
    for i, (item, label) in enumerate(zip(records.items, records.positive.tolist(), strict=True)):
        original = first.setdefault((item.question, item.response or "", label), i)
        if original != i:
            places.append(i)
            originals.append(original)
    if not places:
        return None
    return records.finding(
        "duplicate",
        places,
        message=f"Exact copies of earlier records: {len(places)}, such as "
        f"{_pair(records, places[0], originals[0])}.",
        remedy=_remedy(records, places, originals),
    )


def near_duplicates(records: Records) -> Finding | None:
    """A finding on near copies with the same label, without the first of each."""
    pairs = sorted(_near(records))
    if not pairs:
        return None
    return records.finding(
        "near-duplicate",
        [i for i, _ in pairs],
        message=f"Near copies of earlier records with the same label: {len(pairs)}, such as "
        f"{_pair(records, *pairs[0])}.",
        remedy=_remedy(records, *zip(*pairs, strict=True)),
    )


def _near(records: Records) -> list[tuple[int, int]]:
    """Pairs of a record and an earlier one with nearly the same words."""
    pairs = []
    for members in _candidates(records):
        heads: list[tuple[int, frozenset[str], frozenset[str]]] = []
        for i in members:
            asked = frozenset(records.questions[i].split())
            answered = frozenset(records.responses[i].split())
            like = [
                head
                for head, question, response in heads
                if nearly_equal(asked, question) and nearly_equal(answered, response)
            ]
            pairs += [(i, head) for head in like[:1]]
            if len(heads) < (HEADS if like else 2 * HEADS):
                heads.append((i, asked, answered))
    return pairs


def _candidates(records: Records) -> list[list[int]]:
    """Groups of records with one label, similar questions and similar responses.

    Exact copies are left out: another check finds them.
    """
    asked = families(records.questions)
    # Responses matter only if questions are alike.
    places = np.flatnonzero(np.bincount(asked)[asked] > 1)
    answered = families([records.responses[i] for i in places.tolist()])
    members: dict[tuple[bool, int, int], list[int]] = defaultdict(list)
    seen: set[tuple[str, str, bool]] = set()
    for i, answer in zip(places.tolist(), answered.tolist(), strict=True):
        item, label = records.items[i], bool(records.positive[i])
        written = (item.question, item.response or "", label)
        if written not in seen:
            seen.add(written)
            members[label, int(asked[i]), answer].append(i)
    return [places for places in members.values() if len(places) > 1]


def _remedy(records: Records, later: Sequence[int], earlier: Sequence[int]) -> str:
    """What to do about copies; those in the group of their original are already grouped."""
    grouped = records.units[list(later)] == records.units[list(earlier)]
    return _GROUPED if bool(grouped.all()) else _KEEP_ONE


def _pair(records: Records, later: int, earlier: int) -> str:
    return f"{quoted(records.items[later].id)} of {quoted(records.items[earlier].id)}"
