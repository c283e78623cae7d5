"""Check that the parts of evidence are consistent, as in real runs."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from itertools import pairwise
from typing import TypeVar

from assay.digests import manifest_digest
from assay.dual_condition.answered import AnsweredEvidence
from assay.dual_condition.evidence import DualEvidence, Past
from assay.errors import IntegrityError

T = TypeVar("T", bound=Hashable)


def check_coherence(evidence: DualEvidence, *, where: str) -> None:
    """Refuse evidence that contradicts itself."""
    contradiction = next(_contradictions(evidence), None)
    if contradiction is not None:
        raise IntegrityError(f"{where}: {contradiction}")


def _contradictions(at: DualEvidence) -> Iterator[str]:
    yield from _items(at)
    sequences: tuple[tuple[str, tuple[object, ...]], ...] = (
        ("seeds", at.seeds),
        ("conditions", at.conditions),
    )
    for what, names in sequences:
        if not names:
            yield f"{what} is empty"
        yield from (f"{what} has {name!r:.60} twice" for name in _twice(names))
    yield from (f"conditions has no {name}" for name in "AB" if name not in at.conditions)
    yield from _runs(at)
    yield from _state(at)
    yield from _history(at.history)
    yield from _answers(at)
    numbers = (at.threshold, at.thresholds.polish, at.thresholds.memory_gap,
               at.thresholds.memory_floor or 0.0, at.thresholds.dependent)  # fmt: skip
    if not all(map(math.isfinite, numbers)):
        yield "a threshold is not a number"


def _items(at: DualEvidence) -> Iterator[str]:
    count = len(at.items.id)
    if len(at.items.positive) != count or len(at.items.group or at.items.id) != count:
        yield f"items has {count} ids, but another number of labels or groups"
    yield from (f"items has {name!r:.60} twice" for name in _twice(at.items.id))
    if at.items.solved:
        yield from _solved(at)
    elif not 0 < sum(at.items.positive) < len(at.items.positive):
        yield "all items have one class"
    if set(at.inputs.items) != {str(seed) for seed in at.seeds}:
        yield "inputs.items and seeds name different seeds"


def _solved(at: DualEvidence) -> Iterator[str]:
    """Each solved item has a right answer, and a score of 1 or 0."""
    if at.metric != "accuracy" or at.threshold != 0.5 or not all(at.items.positive):
        yield "solved items need the metric accuracy, a threshold of .5, and only positives"
    if not 0.0 < (at.items.commonest or 0.0) <= 1.0:
        yield "items.commonest is not a share"
    scores = {score for held in at.scores.values() for row in held.values() for score in row}
    if not scores <= {0.0, 1.0, None}:
        yield "a solved item has a score other than 0 and 1"


def _answers(at: DualEvidence) -> Iterator[str]:
    """Every run of answers says how its wrong ones are written."""
    if isinstance(at, AnsweredEvidence) is not at.items.solved:
        yield "answers belong to solved items"
    if not isinstance(at, AnsweredEvidence):
        return
    cells = {(name, seed) for name, held in at.scores.items() for seed in held}
    if {(name, seed) for name, held in at.answers.items() for seed in held} != cells:
        yield "answers and scores are of different runs"
        return
    known = set(at.items.id)
    for name, seed in sorted(cells):
        forms, wrong = at.answers[name][seed], list(at.scores[name][seed]).count(0.0)
        if not 0 <= forms.holding <= wrong or len(forms.wrong) > wrong:
            yield f"{name}, seed {seed}: more wrong answers are told of than there are"
        if not {each.id for each in forms.wrong} <= known:
            yield f"{name}, seed {seed}: a wrong answer to an unknown item"


def _runs(at: DualEvidence) -> Iterator[str]:
    """Every run has scores, and all scores belong to runs."""
    cells = [(run.condition, str(run.seed)) for run in at.runs]
    planned = {(name, str(seed)) for name in at.conditions for seed in at.seeds}
    yield from (f"{name} at seed {seed} was run twice" for name, seed in _twice(cells))
    yield from (f"there is a run of {name!r:.60}" for name, _ in sorted(set(cells) - planned))
    scored = {(name, seed) for name, held in at.scores.items() for seed in held}
    for name, seed in sorted(scored ^ set(cells)):
        yield f"{name}, seed {seed}: a run without scores, or scores without a run"
    for run in at.runs:
        scores = at.scores[run.condition][str(run.seed)]
        here = f"{run.condition}, seed {run.seed}"
        if len(scores) != len(at.items.id):
            yield f"{here}: {len(scores)} scores of {len(at.items.id)} items"
        if run.unscored != sum(score is None for score in scores):
            yield f"{here}: {run.unscored} items claim to have no score"
        if not all(math.isfinite(score) for score in scores if score is not None):
            yield f"{here}: a score is not a number"
        begun = at.state.manifests.get(run.condition)
        if begun is None or manifest_digest(tuple(begun)) != run.before:
            yield f"{here}: it did not start from the listed state of {run.condition}"


def _state(at: DualEvidence) -> Iterator[str]:
    known = set(at.items.id)
    for name in at.state.manifests:
        if name not in at.conditions:
            yield f"state.manifests has {name!r:.60}, which is not a condition"
    paths = {entry.path for entry in at.state.manifests.get("A", ())}
    for name, layer in at.state.layers.items():
        if "A" in at.state.manifests and not set(layer.files) <= paths:
            yield f"layer {name}: it names files that production lacks"
        if not set(layer.mentions or ()) <= known:
            yield f"layer {name}: it mentions unknown items"
        if (layer.rows_from_items or 0) > (layer.rows or 0):
            yield f"layer {name}: it has more rows from items than rows"
    if not at.state.layers:
        yield "the state has no layers"
    remains = at.state.remains
    if "C" in at.state.manifests and remains is None:
        yield "C was not searched for items"
    if remains is not None:
        held = {entry.path for entry in at.state.manifests.get("C", ())}
        named = {trace.file for trace in remains.traces}
        named |= {file.file for file in remains.unreadable}
        if not named <= held:
            yield "state.remains has a file that C has not"
        if "A" in at.state.manifests and not {file.file for file in remains.undivided} <= paths:
            yield "state.remains has a file that production has not"


def _history(history: tuple[Past, ...]) -> Iterator[str]:
    for past in history:
        if not -1.0 <= past.low <= past.value <= past.high <= 1.0:
            yield f"history: {past.value:g} is outside [{past.low:g}, {past.high:g}]"
    if any(earlier.made > later.made for earlier, later in pairwise(history)):
        yield "history is out of order"
    yield from (
        f"history has {mark!r:.80} twice" for mark in _twice(past.checksum for past in history)
    )


def _twice(names: Iterable[T]) -> list[T]:
    return [name for name, count in Counter(names).items() if count > 1]
