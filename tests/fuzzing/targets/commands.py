"""Verbs of the command on mutated files: read, judged and drawn, as a user would have it."""

from pathlib import Path

from helpers.dual_cases import call
from helpers.fakes import detection_bars
from helpers.studies import rows

from fuzzing.campaign import Reader
from fuzzing.dual_results import resealed, result
from fuzzing.files import ScratchFiles, joined, lines
from fuzzing.targets import target
from fuzzing.targets.comparisons import DIMENSIONS


def _verb(
    scratch: Path, names: tuple[str, ...], seeds: list[bytes], *words: str, language: str = "json"
) -> Reader:
    """A verb; a word with an @ is a file's path. Twice: drawn for people, and as JSON."""
    files = ScratchFiles(scratch, *names)
    spelled = [str(scratch / word[1:]) if word.startswith("@") else word for word in words]

    def read(data: bytes) -> object:
        files.put(data)
        more = ("--json",) if len(data) % 2 else ()
        done = call(*spelled, *more)
        if done.error is not None:
            raise done.error
        assert done.code in (0, 1, 3, 4), done.out  # 2 would be a usage of ours
        return done

    return Reader(read=read, seeds=seeds, language=language)


_RUNS = [{"instance": f"i{n}", "score": n % 2, "cost_usd": 0.5 * n} for n in range(12)]


@target("command: compare", thousands=4)
def _compare(scratch: Path) -> Reader:
    names = ("a.jsonl", "b.jsonl")
    return _verb(
        *(scratch, names, [joined(lines(_RUNS), lines(_RUNS))]),
        *("compare", "--baseline", "@a.jsonl", "--candidate", "@b.jsonl"),
        language="numbers",
    )


@target("command: compare with dimensions", thousands=2)
def _compare_with(scratch: Path) -> Reader:
    names = ("dims.toml", "a.jsonl", "b.jsonl")
    rows_ = [{"instance": f"i{n}", "grounded": n % 2, "tokens": n, "score": 2} for n in range(6)]
    return _verb(
        *(scratch, names, [joined(DIMENSIONS, lines(rows_), lines(rows_))]),
        *("compare", "--baseline", "@a.jsonl", "--candidate", "@b.jsonl"),
        *("--config", "@dims.toml"),
        language="toml",
    )


@target("command: power", thousands=3)
def _power(scratch: Path) -> Reader:
    return _verb(
        *(scratch, ("a.jsonl", "b.jsonl"), [joined(lines(_RUNS), lines(_RUNS))]),
        *("power", "--pilot", "@a.jsonl", "--pilot", "@b.jsonl"),
        language="numbers",
    )


@target("command: gate", thousands=2)
def _gate(scratch: Path) -> Reader:
    return _sealed_verb(scratch, "r.json", "gate", "@r.json")


@target("command: matrix", thousands=2)
def _matrix(scratch: Path) -> Reader:
    return _sealed_verb(scratch, "results/r.json", "matrix", "@results", "--history")


def _sealed_verb(scratch: Path, name: str, *words: str) -> Reader:
    inner = _verb(scratch, (name,), [result()], *words)
    return Reader(read=lambda data: inner.read(resealed(data)), seeds=inner.seeds)


@target("command: bars show", thousands=3)
def _bars(scratch: Path) -> Reader:
    seeds = [detection_bars().encode()]
    return _verb(scratch, ("b.toml",), seeds, "bars", "show", "@b.toml", language="toml")


@target("command: confounds", thousands=1)
def _confounds(scratch: Path) -> Reader:
    return _verb(
        *(scratch, ("data.jsonl", "scores.jsonl")),
        [joined(lines([*rows(8)]), lines([{"id": n + 1, "score": n * 0.5} for n in range(8)]))],
        *("confounds", "@data.jsonl", "--scores", "@scores.jsonl", "--no-joint"),
        language="numbers",
    )
