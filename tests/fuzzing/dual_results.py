"""A small result of a dual-condition evaluation, made without running anything."""

import contextlib
import json

from assay.digests import FileEntry, digest, manifest_digest
from assay.dual_condition.evidence import (
    Code,
    DualEvidence,
    DualRun,
    Inputs,
    Items,
    ItemTrace,
    LayerEvidence,
    Past,
    Remains,
    StateEvidence,
    Thresholds,
)
from assay.dual_condition.judge.judge import judge_dual
from assay.dual_condition.result_file import (
    DIGEST,
    checksum,
    evidence_of,
    result_bytes,
    result_digest,
    result_record,
)

MADE = "2026-02-03T04:05:06Z"
_COUNT = 8
_MARK = digest(b"x")
_FILES = (FileEntry(path="memory.jsonl", size=3, digest=_MARK),)
_STATES = {"A": _FILES, "B": (), "C": _FILES}


def observed(condition: str, seed: int) -> DualRun:
    """One run, as it was watched."""
    begun = manifest_digest(_STATES[condition])
    return DualRun(
        condition=condition,
        seed=seed,
        items=_MARK,
        before=begun,
        after=begun,
        opened=("memory.jsonl",) if condition != "B" else (),
        changed=(),
        code={"system.py": _MARK},
        undeclared=(),
        outside=(),
        production=(),
        peers=(),
        all_noted=True,
        unscored=0,
        seconds=0.5,
        python="3.11",
    )


def evidence() -> DualEvidence:
    """The evidence of a small evaluation: eight items, two seeds, A, B and C."""
    gains = {"A": 0.9, "B": 0.2, "C": 0.5}
    return DualEvidence(
        corpus="small",
        system="system.py",
        metric="auroc",
        threshold=0.5,
        thresholds=Thresholds(),
        seeds=(1, 2),
        conditions=("A", "B", "C"),
        inputs=Inputs(
            benchmark="bench.jsonl",
            benchmark_digest=_MARK,
            items={"1": _MARK, "2": _MARK},
            changes={"new-ids": "2 of 8 records."},
        ),
        state=StateEvidence(
            route="parameter",
            private=True,
            canary="it was seen",
            canary_caught=True,
            snapshot=manifest_digest(_FILES),
            initial=manifest_digest(()),
            after=manifest_digest(_FILES),
            undeclared=(),
            layers={"memory": LayerEvidence(files=("memory.jsonl",), mentions=("q1",), rows=4)},
            manifests=_STATES,
            remains=Remains(
                files=1, traces=(ItemTrace(file="memory.jsonl", items=1, example="q1"),)
            ),
        ),
        code=Code(spec=_MARK, python="3.11", files={"system.py": _MARK}),
        runs=tuple(observed(condition, seed) for condition in "ABC" for seed in (1, 2)),
        items=Items(
            id=tuple(f"q{n}" for n in range(_COUNT)),
            positive=tuple(n % 2 == 1 for n in range(_COUNT)),
        ),
        scores={
            condition: {
                str(seed): [gain * (n % 2) + 0.13 * (n * seed % 5) for n in range(_COUNT)]
                for seed in (1, 2)
            }
            for condition, gain in gains.items()
        },
        history=(Past(made="2025-01-01T00:00:00Z", checksum=_MARK, value=0.5, low=0.4, high=0.6),),
    )


def result() -> bytes:
    """A result file."""
    held = evidence()
    return result_bytes(result_record(held, judge_dual(held), made=MADE))


def resealed(data: bytes) -> bytes:
    """A result with its checksums made anew, as a forger would who knows how."""
    with contextlib.suppress(Exception):  # no result any more: it is read as it is
        record = json.loads(data)
        record["reproducibility_checksum"] = checksum(evidence_of(record, where="x"))
        record[DIGEST] = result_digest(record)
        return result_bytes(record)
    return data
