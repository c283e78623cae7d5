"""Read a sealed submission: exactly what was sealed, or an error.

Reading checks every byte that the seal names. Only a `SealedPrereg` can be run.
"""

import platform
from collections.abc import Mapping
from pathlib import Path

import msgspec

from assay._version import __version__
from assay.benchmark.benchmark import Benchmark
from assay.digests import derive, digest
from assay.errors import DigestMismatch, IntegrityError, NotSealed, SpecError
from assay.files import read_as
from assay.gauntlet.load import read_bars
from assay.gauntlet.spec import BarSet
from assay.method.installed_files import SITES
from assay.runs.method_loader import Modules
from assay.runs.repeats import Repeats
from assay.runs.result import PROBED, SEEDS
from assay.runs.rounds import FOLDS
from assay.sandbox.levels import Level
from assay.study.entries import records_of
from assay.study.predictions.spec import Prediction, parse_prediction
from assay.study.records import StudyRecords
from assay.study.study import StudyFolder, bars_in, check_id
from assay.study.submissions.asked_models import sealed_models
from assay.study.submissions.bars_in_force import predictable
from assay.study.submissions.distributions import HOME, digested_files, installed_now
from assay.study.submissions.sealed_files import SEAL, folder_contents
from assay.study.submissions.spec import (
    LONGEST_OUTSIDE,
    Prereg,
    Seal,
    is_plain_line,
    parse_prereg,
    parse_seal,
)

_AS_SEALED = "Restore the sealed versions, or draft it again under another name."


class SealedPrereg(msgspec.Struct, frozen=True, kw_only=True):
    """A submission as it was sealed: the seal and everything it names, all checked."""

    id: str
    digest: str
    entry: int
    seal: Seal
    prereg: Prereg
    prediction: Prediction
    contents: Mapping[str, bytes]
    bars: BarSet
    benchmark: Benchmark

    def seed(self, outside: str | None) -> int:
        """The seed of the run, from the seal and the outside value; JSON readers can hold it."""
        if (outside is None) is bool(self.prereg.seed_from):
            expected = self.prereg.seed_from or "no outside value: its seed comes from the seal"
            raise SpecError(
                f"{self.id}: got {'none' if outside is None else repr(outside)} as outside value,"
                f" but the seal says {expected!r:.120}",
                hint="Give the value that the seal names, once it exists: `outside=VALUE`.",
            )
        if outside is not None and not (outside and is_plain_line(outside)):
            raise SpecError(
                f"outside={outside!a:.80}: expected a line of at most {LONGEST_OUTSIDE} ASCII"
                " characters, without spaces at its ends"
            )
        given = () if outside is None else (outside,)
        return derive(0, "seal", self.digest, *given) >> 11

    def repeats(self, outside: str | None) -> Repeats:
        """The further seeds to run it under if its outputs depend on the seed.

        None if the seed comes from outside, or the seal is older than this rule. Such a seal can be
        read and run again to compare, but not run for a result.
        """
        seeds, probe = (self.seal.settings.get(name) for name in ("seeds", "probed"))
        if outside is not None or (seeds, probe) == (None, None):
            return Repeats()
        if seeds != SEEDS or not isinstance(probe, int) or probe < 0:
            raise IntegrityError(
                f"{self.id} was sealed with {seeds!r:.20} seeds, {probe!r:.20} probed"
            )
        return Repeats.of(self.seed(None), seeds=SEEDS, probe=probe)

    def unknown(self, modules: Modules, folder: Path) -> list[str]:
        """The loaded modules that the seal does not name."""
        files = [Path(file).name for file in foreign(modules, folder)]
        known = digested_files(self.seal.distributions)
        brought = {path.rpartition(f"/{site}/")[2] for path in known for site in SITES}
        tops = {path.partition("/")[0].partition(".")[0] for path in brought}
        return files + sorted(set(modules.installed) - tops)


def load_sealed(
    study: StudyFolder,
    submission: str,
    *,
    distributions: bool = True,
    records: StudyRecords | None = None,
) -> SealedPrereg:
    """A sealed submission; everything that its seal names is checked byte by byte.

    Without `distributions`, installed code may differ from the sealed code.
    """
    records = check_sealed(study, submission, records)
    entry = records.submissions[submission].seal
    path = f"preregs/{submission}/{SEAL}"
    data = read_as(study.root, path, entry.files[path])
    sealed = parse_seal(data, where=path)
    if (sealed.study, sealed.submission) != (study.config.origin, submission):
        raise IntegrityError(f"{path} belongs to {sealed.submission} in {sealed.study}")
    contents = _sealed_contents(study, sealed)
    for name in ("prereg.toml", "prediction.toml"):
        if name not in contents:
            raise IntegrityError(f"{path} does not name {name}, which every seal must")
    bars, benchmark = _sealed_plan(study, sealed)
    if records.in_force(sealed.task, entry) != sealed.bars_version:
        raise IntegrityError(
            f"{submission} was sealed with {sealed.task} bars {sealed.bars_version}, which were not"
            " in force then"
        )
    if distributions:
        _check_engine(sealed, study.path(f"preregs/{submission}"))
    prereg = parse_prereg(contents["prereg.toml"], where=f"preregs/{submission}/prereg.toml")
    if (sealed.method, sealed.task) != (prereg.method, prereg.task):
        raise IntegrityError(
            f"{path} names {sealed.method:.80} for {sealed.task}, but prereg.toml names"
            f" {prereg.method:.80} for {prereg.task}"
        )
    if sealed.method_class != prereg.method_class:
        raise IntegrityError(
            f"{path} states the class {sealed.method_class}, but prereg.toml {prereg.method_class}"
        )
    return SealedPrereg(
        id=submission,
        digest=entry.files[path],
        entry=entry.n,
        seal=sealed,
        prereg=prereg,
        prediction=parse_prediction(
            contents["prediction.toml"],
            predictable(study, benchmark, bars, records, before=entry.n),
            where=f"preregs/{submission}/prediction.toml",
        ),
        contents=contents,
        bars=bars,
        benchmark=benchmark,
    )


def check_sealed(
    study: StudyFolder, submission: str, records: StudyRecords | None = None
) -> StudyRecords:
    """Refuse a submission that has no seal; the records of the study."""
    check_id(submission)
    records = records or records_of(study)
    if submission not in records.submissions:
        known = ", ".join(list(records.submissions)[-8:])
        first = study.path(f"preregs/{submission}").is_dir() or not known
        hint = f"Seal it first: assay seal {submission}" if first else f"Sealed are: {known}"
        raise NotSealed(f"{submission} has no seal", hint=hint)
    return records


def _sealed_contents(study: StudyFolder, sealed: Seal) -> dict[str, bytes]:
    """The files of the submission's folder: all sealed files, unchanged, and no others."""
    prefix = f"preregs/{sealed.submission}/"
    check_unchanged(study, sealed)
    contents = folder_contents(study.path(prefix.rstrip("/")))
    for name, data in contents.items():
        known = sealed.files.get(prefix + name)
        if known is None:
            raise IntegrityError(
                f"{prefix}{name} was not there when {sealed.submission} was sealed",
                hint="Remove it: a sealed submission must not change.",
            )
        if digest(data) != known.digest:
            raise DigestMismatch(f"{prefix}{name} changed while it was read")
    return contents


def check_unchanged(study: StudyFolder, sealed: Seal) -> None:
    """Refuse a sealed file that was edited; a mistake is withdrawn, not mended."""
    for name, file in sealed.files.items():
        try:
            read_as(study.root, name, file.digest)
        except DigestMismatch as error:
            error.hint = (
                f"{error.hint}. To take a mistake back, restore the file, then:"
                f" assay withdraw {sealed.submission} `because=TEXT`"
            )
            raise


def _sealed_plan(study: StudyFolder, sealed: Seal) -> tuple[BarSet, Benchmark]:
    path = next((name for name in sealed.files if bars_in(name) is not None), None)
    if path is None or bars_in(path) != (sealed.task, sealed.bars_version):
        raise IntegrityError(f"the seal of {sealed.submission} does not name its bars")
    bars = read_bars(read_as(study.root, path, sealed.files[path].digest), where=path)
    benchmark = study.benchmark(second=sealed.second is not None)
    second = None if benchmark.second is None else benchmark.second.digest
    expected = None if sealed.second is None else sealed.second.digest
    if (benchmark.digest, second) != (sealed.benchmark.digest, expected):
        raise DigestMismatch(
            f"the benchmark differs from the one that {sealed.submission} was sealed on"
        )
    return bars, benchmark


def _check_engine(sealed: Seal, folder: Path) -> None:
    """Refuse to run if the engine, a model or the installed code differs from the sealed one."""
    present = settings(sealed.method, folder)
    for name in dict.fromkeys((*present, *sealed.settings)):
        before, here = sealed.settings.get(name), present.get(name)
        if before != here:
            was = f"without {name}" if before is None else f"with {name} {before!s:.80}"
            raise DigestMismatch(
                f"{sealed.submission} was sealed {was}, but here it is {here}", hint=_AS_SEALED
            )
    found = installed_now(sealed.distributions)
    for name, expected in sealed.distributions.items():
        installed = found.get(name)
        if installed != expected:
            version = "not installed" if installed is None else installed.version
            if version == expected.version:
                version = f"{version} with other bytes"
            raise DigestMismatch(
                f"{sealed.submission} was sealed with {name} {expected.version}, but here it is"
                f" {version}",
                hint=_AS_SEALED,
            )


def settings(method: str, folder: Path) -> dict[str, str | int | float | bool | tuple[str, ...]]:
    """The settings of the engine that decide how a method is asked, and the models that it asks."""
    return {
        "assay": __version__,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "isolation": Level.L1.value,
        "folds": FOLDS,
        "keep_going": True,
        "seeds": SEEDS,
        "probed": PROBED,
        **sealed_models(method, folder),
    }


def foreign(modules: Modules, folder: Path) -> list[str]:
    """Imported files that are neither in the copy, nor installed, nor ours."""
    known = (folder, HOME)
    return [
        file
        for file in modules.files
        if not any(Path(file).is_relative_to(place) for place in known)
    ]
