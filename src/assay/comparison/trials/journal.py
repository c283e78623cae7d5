"""The folder of paired trials: its plan, its journal of runs, and the outputs of each run.

    plan.json        the plan: digests of the spec, of the system and of the artifact
    runs.jsonl       one line per finished run, made durable before the next starts
    runs/N-ARM/      what run N of that arm wrote

An interrupted run has no line and is made again.
"""

import errno
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from assay.bounds import MAX_FILE_BYTES, MAX_LINE_BYTES
from assay.comparison.trials.arm_run import ArmRun
from assay.comparison.trials.schedule import Pair
from assay.comparison.trials.spec import ARMS, Arm
from assay.digests import json_lines, parse_object, pretty_json
from assay.errors import IntegrityError, ProtocolError, SpecError, storage
from assay.files import read_bounded, write_whole
from assay.folders import remove
from assay.journal import append, cut_torn

FORMAT = "assay-trials/1"
JOURNAL = "runs.jsonl"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The plan of a folder of trials; a changed spec is another plan."""

    format: str
    spec: str
    system: str | None
    artifact: str
    scorer: str | None
    pairs: int


@dataclass(kw_only=True)
class Progress:
    """Runs as they end, by pair and arm."""

    made: dict[tuple[int, Arm], ArmRun] = field(default_factory=dict)

    def whole(self, pair: Pair) -> bool:
        """Whether both arms of a pair were run."""
        return all((pair.number, arm) in self.made for arm in ARMS)

    def void(self, pair: Pair) -> str | None:
        """Why a pair does not count."""
        for arm in ARMS:
            wrong = self.made[pair.number, arm].treatment.wrong
            if wrong is not None:
                return f"{pair.instance}, trial {pair.trial}: {wrong}"
        return None

    def money(self, dimension: str) -> float | None:
        """What all scored runs cost; None if some do not say."""
        known = [
            run.dimensions.get(dimension) for run in self.made.values() if run.status == "scored"
        ]
        return None if None in known else sum(cost or 0.0 for cost in known)


def begin(out: Path, plan: Plan) -> None:
    """Write the plan, or compare it with the one in the folder."""
    path = out / "plan.json"
    with storage(path):
        exists = path.exists()
        if not exists and any(not file.name.startswith(".") for file in out.iterdir()):
            raise SpecError(f"{out} is not empty", hint="Name a new folder: `out=DIR`.")
    if not exists:
        write_whole(path, pretty_json(plan))
        return
    old = parse_object(read_bounded(path, MAX_FILE_BYTES), where=str(path))
    for name, now in msgspec.to_builtins(plan).items():
        if old.get(name) != now:
            raise ProtocolError(
                f"{out}: these trials were started with another {name}",
                hint="The runs so far belong to that one. Start again in a new folder: `out=DIR`.",
            )


def read_journal(out: Path, pairs: Sequence[Pair]) -> dict[tuple[int, Arm], ArmRun]:
    """The runs that were made; drops half a line at the end."""
    path = out / JOURNAL
    with storage(path):
        whole = cut_torn(path)
    known = {pair.number: pair for pair in pairs}
    made: dict[tuple[int, Arm], ArmRun] = {}
    for number, row in json_lines(whole, where=str(path)):
        try:
            run = msgspec.convert(row, ArmRun)
        except msgspec.ValidationError as error:
            raise IntegrityError(f"{path}, line {number}: {error}") from None
        pair = known.get(run.pair)
        if pair is None or (pair.instance, pair.trial) != (run.instance, run.trial):
            raise IntegrityError(f"{path}, line {number}: not a run of this plan")
        if (run.pair, run.arm) in made:
            raise IntegrityError(f"{path}, line {number}: this run is already in the journal")
        made[run.pair, run.arm] = run
    return made


def note(out: Path, run: ArmRun) -> None:
    """Enter a run that has ended, durably; never a line that could not be read again."""
    line = msgspec.json.encode(run)
    if len(line) > MAX_LINE_BYTES:
        raise SpecError(f"a run of {len(line):,} bytes, at most {MAX_LINE_BYTES:,} fit on a line")
    with storage(out):
        append(out / JOURNAL, line)


def check_journal(out: Path, made: Mapping[tuple[int, Arm], ArmRun], pairs: Sequence[Pair]) -> None:
    """Refuse to conclude if another process changed the journal.

    Conclusions use the runs in memory; a changed journal would be trusted on the next start.
    """
    if read_journal(out, pairs) != dict(made):
        raise IntegrityError(
            f"{out / JOURNAL} was changed while the runs were made",
            hint="Another process wrote to it, perhaps the system under trial. Start again:"
            " `out=DIR`.",
        )


def keep_outputs(outputs: Path, target: Path) -> None:
    """Keep a run's outputs, links as links; an empty folder if it left none.

    A copy leaves pipes, sockets and devices out.
    """
    target.parent.mkdir(exist_ok=True)
    remove(target)
    if outputs.is_symlink() or not outputs.is_dir():
        target.mkdir()
        return
    try:
        outputs.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.copytree(outputs, target, symlinks=True, ignore=_special)


def _special(folder: str, names: Sequence[str]) -> set[str]:
    """The names of pipes, sockets and devices, which cannot be copied."""
    paths = [Path(folder, name) for name in names]
    return {
        path.name for path in paths if not (path.is_symlink() or path.is_file() or path.is_dir())
    }
