"""The folder of a dual-condition evaluation: its plan and its runs, beside its results.

    OUT/CORPUS-PLAN.json          the result file
    OUT/runs/CORPUS-PLAN/         plan.json, and runs.jsonl: a run a line, with all its scores,
                                  made durable before the next is begun

PLAN is the beginning of a digest over all that decides the runs: the spec, the state, the code, the
benchmark. If one of these changes, the new result gets its own file beside the old one.
"""

import random
from pathlib import Path

import msgspec

from assay.digests import derive, parse_object, pretty_json
from assay.dual_condition.answered import AnswerForms
from assay.dual_condition.evidence import DualRun, Scores
from assay.dual_condition.spec import DualSpec
from assay.dual_condition.state.conditions import Condition, Conditions
from assay.dual_condition.system.code_files import FileDigests, code_files, code_name
from assay.errors import IntegrityError, storage
from assay.files import write_whole
from assay.folders import state_digest
from assay.journal import append, cut_torn

JOURNAL = "runs.jsonl"
_READING = 2
"""The rules by which answers are compared: of 1, 1,530 was not 1530."""


class MadeRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run with its scores, in the benchmark's order; of answers, how they are written."""

    run: DualRun
    scores: Scores
    answers: AnswerForms | None = None


Made = dict[tuple[str, int], MadeRun]


def begin_journal(folder: Path, plan: dict[str, object]) -> Made:
    """Write the plan, or resume with its finished runs; an incomplete last line is dropped."""
    path = folder / "plan.json"
    with storage(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with storage(path):
        old = path.read_bytes() if path.exists() else None
    if old is None:
        write_whole(path, pretty_json(plan))
    elif parse_object(old, where=str(path)) != plan:
        raise IntegrityError(f"{path} differs from the plan that this folder was made for")
    journal = folder / JOURNAL
    with storage(journal):
        whole = cut_torn(journal)
    made: Made = {}
    decoder = msgspec.json.Decoder(MadeRun)
    for number, line in enumerate(whole.split(b"\n")[:-1], 1):
        try:
            entry = decoder.decode(line)
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
            raise IntegrityError(f"{journal}, line {number}: {error}") from None
        made[entry.run.condition, entry.run.seed] = entry
    return made


def note_run(folder: Path, made: MadeRun) -> None:
    """Append a finished run, durably."""
    with storage(folder):
        append(folder / JOURNAL, msgspec.json.encode(made))


def plan_of(spec: DualSpec, conditions: Conditions) -> dict[str, object]:
    """Everything that decides the runs, by digest."""
    known = FileDigests()
    placebo = None
    if spec.placebo is not None and spec.placebo.state is not None:
        with storage(spec.placebo.state):
            placebo = state_digest(spec.home / spec.placebo.state)
    reads = {}
    for path in spec.reads:
        with storage(path):
            reads[path.name] = state_digest(path) if path.is_dir() else known.of(str(path))
    return {
        "format": "assay-dual-plan/2",  # runs of 1 were watched less closely
        **({"answers": _READING} if spec.solved else {}),
        "spec": spec.digest,
        "benchmark": spec.benchmark.digest,
        "state": conditions.digest,
        "initial": conditions.initial_digest,
        "code": {code_name(str(path), spec.home): known.of(str(path)) for path in code_files(spec)},
        "reads": reads,
        "placebo": placebo,
    }


def run_order(spec: DualSpec, asked: list[Condition]) -> list[tuple[Condition, int]]:
    """The runs seed by seed, the conditions of each in random order."""
    cells: list[tuple[Condition, int]] = []
    for seed in spec.seeds:
        mixed = list(asked)
        order = derive(seed, "conditions", spec.digest)
        random.Random(order).shuffle(mixed)  # noqa: S311 - a seeded order, not a secret
        cells += [(condition, seed) for condition in mixed]
    return cells
