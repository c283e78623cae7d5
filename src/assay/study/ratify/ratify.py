"""Propose, ratify, freeze: an artifact goes into use only if it was shown to help."""

from pathlib import Path

from assay.clock import now
from assay.comparison.result import Comparison, NetVerdict
from assay.digests import digest, short
from assay.errors import DigestMismatch, NotRatified, SpecError, storage
from assay.files import is_record_path
from assay.folders import artifact_digest
from assay.study.entries import records_of
from assay.study.ratify.frozen import (
    NONE,
    STORE,
    Frozen,
    Step,
    can_hold,
    digest_there,
    history,
    in_place,
    is_kept,
    keep,
    note,
    put,
)
from assay.study.ratify.standing import standing
from assay.study.study import PAGES, RECORDS, StudyFolder


def check_ratifiable(comparison: Comparison, artifact: Path) -> str:
    """Refuse an artifact that was not shown to help; returns its digest."""
    if comparison.verdict is not NetVerdict.RATIFY:
        raise NotRatified(
            f"the verdict is {comparison.verdict.value}: {comparison.because}",
            hint="Only an artifact that was shown to help can be ratified.",
        )
    blocking = [caveat.code for caveat in comparison.caveats if caveat.blocking]
    if blocking:
        raise NotRatified(f"the comparison is blocked: {', '.join(blocking)}")
    if comparison.artifact is None:
        raise NotRatified(
            "the comparison does not say which artifact was measured",
            hint="Trials say it; else: assay compare BASELINE CANDIDATE `artifact=PATH`"
            " `out=comparison.json`",
        )
    present = artifact_digest(artifact)
    if present != comparison.artifact:
        raise NotRatified(
            f"{artifact} is not the measured artifact: its digest is {short(present)}, expected"
            f" {short(comparison.artifact)}",
            hint="It was edited since. Measure it again.",
        )
    return present


def ratify(at: Frozen, comparison: tuple[Comparison, bytes], artifact: Path) -> Step:
    """Put an artifact in place, after recording the step."""
    measured = check_ratifiable(comparison[0], artifact)
    name = artifact.resolve().name
    _check_place(at, name)
    steps = [step for step in history(at) if step.name == name]
    previous = _check_in_place(at, name, steps[-1].artifact if steps else None)
    if steps and previous == measured:
        raise NotRatified(f"{name} is already in place")
    if previous != NONE:
        keep(at, at.place(name), previous)
    keep(at, artifact, measured)
    step = Step(
        kind="ratify",
        name=name,
        artifact=measured,
        previous=previous,
        comparison=digest(comparison[1]),
        time=now(),
    )
    note(at, step, comparison[1])
    put(at, step)
    return step


def check_apart(artifact: Path, folder: Path) -> None:
    """Refuse a folder inside the artifact: it would change the artifact."""
    with storage(folder):
        whole, place = artifact.resolve(), folder.resolve()
    if whole in (place, *place.parents):
        raise SpecError(
            f"{folder} is inside the artifact {artifact}", hint="Name another: `into=`."
        )


def _check_place(at: Frozen, name: str) -> None:
    """Refuse a path that cannot be recorded, or that belongs to the study's records."""
    inner = name if at.study is None else at.inner(name)
    if not can_hold(name) or not is_record_path(inner):
        raise SpecError(
            f"{name!r:.200} is not a valid name for a ratified artifact",
            hint="Give it another name.",
        )
    if at.study is not None and _is_of_study(at, at.study, name):
        raise SpecError(
            f"{inner:.200} is reserved for the study's own records, pages or data",
            hint="Name another: `into=`.",
        )
    if _holds_ratified(at, name):
        raise SpecError(f"{at.place(name)} holds ratified artifacts", hint="Name another: `into=`.")


def _is_of_study(at: Frozen, study: StudyFolder, name: str) -> bool:
    """Whether a path is, or holds, a part of the study."""
    inner = at.inner(name)
    with storage(at.folder):
        place = at.place(name).resolve()
        data = any(file.is_relative_to(place) for file in study.data_files())
    files = records_of(study).files
    named = any(file == inner or file.startswith(f"{inner}/") for file in files)
    return data or named or inner.split("/")[0] in RECORDS | PAGES


def _holds_ratified(at: Frozen, name: str) -> bool:
    """Whether a folder of ratified artifacts would be replaced."""
    place = at.place(name)
    if at.study is not None and any(path.startswith(f"{at.inner(name)}/") for path in in_place(at)):
        return True
    known = any(step.name == name for step in history(at))  # its own bytes are its own affair
    with storage(place):
        return not known and place.is_dir() and any(place.rglob(STORE))


def revert(at: Frozen, name: str) -> Step:
    """Revert the last ratification, and restore the version before it."""
    steps = [step for step in history(at) if step.name == name]
    stack = standing(steps)
    if not stack:
        known = sorted({step.name for step in history(at)})
        raise NotRatified(
            f"no ratification of {name!r:.80} stands"
            + (f"; earlier ratified: {', '.join(known[:5])}" if known else "")
        )
    last = stack[-1]
    _check_in_place(at, name, last.artifact)
    if last.previous != NONE and not is_kept(at, last.previous):
        raise DigestMismatch(f"{at.kept(last.previous)} is missing or was changed")
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
    """Check that every artifact in place is the ratified one; returns those that stand."""
    in_place = []
    steps_of: dict[str, list[Step]] = {}
    for step in history(at):
        steps_of.setdefault(step.name, []).append(step)
    for name, steps in steps_of.items():
        _check_in_place(at, name, steps[-1].artifact)
        in_place += standing(steps)[-1:]
    return in_place


def _check_in_place(at: Frozen, name: str, expected: str | None) -> str:
    """The digest of the artifact in place, which must be the expected one, if any."""
    place = at.place(name)
    present = digest_there(place)
    if expected is None or expected == present:
        return present
    if expected == NONE:
        raise DigestMismatch(
            f"{place} was reverted, but something that was never ratified is in its place",
            hint="Move it away.",
        )
    change = "is gone" if present == NONE else f"was changed: its digest is {short(present)}"
    raise DigestMismatch(
        f"{place} {change}; {short(expected)} was ratified",
        hint=f"Restore it: copy {at.kept(expected)} to {place}. If a command was interrupted, the"
        " next one finishes it.",
    )
