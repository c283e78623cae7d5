"""Propose, ratify, freeze: an artifact goes into use only where it was shown to help."""

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
            hint="Trials say it; else: assay compare BASELINE CANDIDATE `artifact=PATH`"
            " `out=comparison.json`",
        )
    present = artifact_digest(artifact)
    if present != comparison.artifact:
        raise NotRatified(
            f"{artifact} is not what was measured: its digest is {short(present)}, and"
            f" {short(comparison.artifact)} was measured",
            hint="An edit since then is another artifact; measure that one.",
        )
    return present


def ratify(at: Frozen, comparison: tuple[Comparison, bytes], artifact: Path) -> Step:
    """Put an artifact in place, after noting that it is."""
    measured = check_ratifiable(comparison[0], artifact)
    name = artifact.resolve().name
    _check_place(at, name)
    steps = [step for step in history(at) if step.name == name]
    previous = _check_in_place(at, name, steps[-1].artifact if steps else None)
    if steps and previous == measured:
        raise NotRatified(f"{name} is in place already, as it was measured")
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
    if at.study is not None and _is_of_study(at, at.study, name):
        raise SpecError(
            f"{inner:.200} is a place of the study's own records, pages or data",
            hint="Name another: `into=`.",
        )
    if _holds_ratified(at, name):
        raise SpecError(
            f"{at.place(name)} holds artifacts that were ratified", hint="Name another: `into=`."
        )


def _is_of_study(at: Frozen, study: StudyFolder, name: str) -> bool:
    """Whether a place is, or holds, something that the study is made of."""
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
    """Take back what was ratified last, and put in place what was there before it."""
    steps = [step for step in history(at) if step.name == name]
    stack = standing(steps)
    if not stack:
        known = sorted({step.name for step in history(at)})
        raise NotRatified(
            f"nothing that was ratified under {name!r:.80} stands"
            + (f"; ratified once: {', '.join(known[:5])}" if known else "")
        )
    last = stack[-1]
    _check_in_place(at, name, last.artifact)
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
    in_place = []
    steps_of: dict[str, list[Step]] = {}
    for step in history(at):
        steps_of.setdefault(step.name, []).append(step)
    for name, steps in steps_of.items():
        _check_in_place(at, name, steps[-1].artifact)
        in_place += standing(steps)[-1:]
    return in_place


def _check_in_place(at: Frozen, name: str, expected: str | None) -> str:
    """The digest of what is in place, which must be the expected one, where one is."""
    place = at.place(name)
    present = digest_there(place)
    if expected is None or expected == present:
        return present
    if expected == NONE:
        raise DigestMismatch(
            f"{place} was taken back, and something that was never ratified is in its place",
            hint="Move it away.",
        )
    change = "is gone" if present == NONE else f"was changed: its digest is {short(present)}"
    raise DigestMismatch(
        f"{place} {change}; {short(expected)} was ratified",
        hint=f"What was ratified is kept: copy {at.kept(expected)} to {place}. If a command was cut"
        " off, the next one here finishes it.",
    )
