"""Propose, ratify, freeze: an artifact goes into use only where it was shown to help."""

from collections.abc import Sequence
from pathlib import Path

from assay.clock import now
from assay.comparison.result import Comparison, NetVerdict
from assay.digests import digest, short
from assay.errors import DigestMismatch, NotRatified, SpecError, storage
from assay.files import is_record_path
from assay.folders import artifact_digest
from assay.study.ratify.frozen import (
    NONE,
    Frozen,
    Step,
    can_hold,
    digest_there,
    history,
    is_kept,
    keep,
    note,
    put,
)
from assay.study.study import RECORDS


def check_ratifiable(comparison: Comparison, artifact: Path) -> str:
    """Refuse what was not shown to help; the artifact's digest."""
    if comparison.verdict is not NetVerdict.RATIFY:
        raise NotRatified(
            f"the verdict is {comparison.verdict.value}: {comparison.because}",
            hint="Only an artifact that was shown to help is frozen.",
        )
    blocking = [caveat.code for caveat in comparison.caveats if caveat.blocking]
    if blocking:
        raise NotRatified(f"the comparison is blocked: {', '.join(blocking)}")
    if comparison.artifact is None:
        raise NotRatified(
            "the comparison does not say which artifact was measured",
            hint="Trials say it; else: assay compare ... `artifact=PATH` `out=comparison.json`",
        )
    found = artifact_digest(artifact)
    if found != comparison.artifact:
        raise NotRatified(
            f"{artifact} is not what was measured: its digest is {short(found)}, and"
            f" {short(comparison.artifact)} was measured",
            hint="An edit since then is another artifact; measure that one.",
        )
    return found


def ratify(at: Frozen, comparison: tuple[Comparison, bytes], artifact: Path) -> Step:
    """Put an artifact in place, after noting that it is."""
    measured = check_ratifiable(comparison[0], artifact)
    name = artifact.resolve().name
    _check_place(at, name)
    before = standing(at, name)
    found = digest_there(at.place(name))
    if before is not None and found != before:
        raise _mismatch(at, name, found, before)
    if found == measured and before == measured:
        raise NotRatified(f"{name} is in place already, as it was measured")
    if found != NONE:
        keep(at, at.place(name), found)
    keep(at, artifact, measured)
    step = Step(
        kind="ratify",
        name=name,
        artifact=measured,
        previous=found,
        comparison=digest(comparison[1]),
        time=now(),
    )
    note(at, step, comparison[1])
    put(at, step)
    return step


def check_apart(artifact: Path, folder: Path) -> None:
    """Refuse a folder inside the artifact, which would become another one by it."""
    with storage(folder):
        whole, place = artifact.resolve(), folder.resolve()
    if whole in (place, *place.parents):
        raise SpecError(f"{folder} lies in the artifact {artifact}", hint="Name another: `into=`.")


def _check_place(at: Frozen, name: str) -> None:
    """Refuse a place that cannot be told of afterwards, or that is a record of the study."""
    inner = name if at.study is None else at.inner(name)
    if not can_hold(name) or not is_record_path(inner):
        raise SpecError(
            f"{name!r:.200} cannot be ratified under its name", hint="Give it another name."
        )
    if at.study is not None and inner.split("/")[0] in RECORDS:
        raise SpecError(
            f"{inner:.200} is a place of the study's own records", hint="Name another: `into=`."
        )


def revert(at: Frozen, name: str) -> Step:
    """Take back what was ratified last, and put in place what was there before it."""
    steps = [step for step in history(at) if step.name == name]
    stack = _stack(steps)
    if not stack:
        known = sorted({step.name for step in history(at)})
        raise NotRatified(
            f"nothing that was ratified under {name!r:.80} stands"
            + (f"; ratified once: {', '.join(known[:5])}" if known else "")
        )
    last = stack[-1]
    found = digest_there(at.place(name))
    if found != last.artifact:
        raise _mismatch(at, name, found, last.artifact)
    if last.previous != NONE and not is_kept(at, last.previous):
        raise DigestMismatch(
            f"{at.kept(last.previous)} is not what was kept there, so it cannot be put back"
        )
    step = Step(
        kind="revert",
        name=name,
        artifact=last.previous,
        previous=last.artifact,
        comparison=None,
        time=now(),
    )
    note(at, step, None)
    put(at, step)
    return step


def check_frozen(at: Frozen) -> list[Step]:
    """Hold everything in place against what was ratified; what stands."""
    standing_now = []
    for name in dict.fromkeys(step.name for step in history(at)):
        expected = standing(at, name)
        found = digest_there(at.place(name))
        if expected is not None and found != expected:
            raise _mismatch(at, name, found, expected)
        standing_now += _stack_of(at, name)[-1:]
    return standing_now


def _mismatch(at: Frozen, name: str, found: str, expected: str) -> DigestMismatch:
    """What is in place is not what was ratified, and how to put that right."""
    place = at.place(name)
    if expected == NONE:
        return DigestMismatch(
            f"{place} was taken back, and something that nobody ratified is in its place",
            hint="Move it away.",
        )
    said = "is gone" if found == NONE else f"was changed: its digest is {short(found)}"
    return DigestMismatch(
        f"{place} {said}; {short(expected)} was ratified",
        hint=f"What was ratified is kept: copy {at.kept(expected)} to {place}. If a command was cut"
        " off, the next one here finishes it.",
    )


def standing(at: Frozen, name: str) -> str | None:
    """The digest that must be in place under a name; None where nothing was ever noted of it."""
    steps = [step for step in history(at) if step.name == name]
    return steps[-1].artifact if steps else None


def _stack_of(at: Frozen, name: str) -> list[Step]:
    return _stack([step for step in history(at) if step.name == name])


def _stack(steps: Sequence[Step]) -> list[Step]:
    """The ratifications that were not taken back, oldest first."""
    found: list[Step] = []
    for step in steps:
        if step.kind == "ratify":
            found.append(step)
        elif found:
            found.pop()
    return found
