"""The folder of a dual-condition evaluation, and its results beside it.

    OUT/CORPUS-PLAN.json          the result file
    OUT/runs/CORPUS-PLAN/         plan.json, and runs.jsonl: a run a line, with all its scores,
                                  made durable before the next is begun

PLAN is the beginning of a digest over all that decides what is run: the spec, the state, the code,
the benchmark. Where one of these changes, a new result stands beside the old one.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from assay.digests import parse_object, pretty_json
from assay.dual_condition.evidence import DualRun, Scores
from assay.errors import IntegrityError, storage
from assay.files import write_whole
from assay.journal import append, cut_torn

JOURNAL = "runs.jsonl"


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    run: DualRun
    scores: Sequence[float | None]


Made = dict[tuple[str, int], tuple[DualRun, Scores]]


def begin_journal(folder: Path, plan: dict[str, object]) -> Made:
    """Write the plan, or resume with the runs made of it; drops half a line at the end."""
    path = folder / "plan.json"
    with storage(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with storage(path):
        old = path.read_bytes() if path.exists() else None
    if old is None:
        write_whole(path, pretty_json(plan))
    elif parse_object(old, where=str(path)) != plan:
        raise IntegrityError(f"{path} is not what this plan's folder began with")
    journal = folder / JOURNAL
    with storage(journal):
        whole = cut_torn(journal)
    made: Made = {}
    decoder = msgspec.json.Decoder(_Line)
    for number, line in enumerate(whole.split(b"\n")[:-1], 1):
        try:
            entry = decoder.decode(line)
        except msgspec.MsgspecError as error:
            raise IntegrityError(f"{journal}, line {number}: {error}") from None
        made[entry.run.condition, entry.run.seed] = entry.run, list(entry.scores)
    return made


def note_run(folder: Path, run: DualRun, scores: Scores) -> None:
    """Enter a run that has ended, durably."""
    with storage(folder):
        append(folder / JOURNAL, msgspec.json.encode(_Line(run=run, scores=scores)))
