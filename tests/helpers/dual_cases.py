"""Small systems with a memory, to evaluate and to do harm to."""

import json
from dataclasses import dataclass

import msgspec
from click.testing import CliRunner

from assay.cli.group import assay
from assay.dual_condition.collect import run_dual
from assay.dual_condition.judge.judge import judge_dual
from assay.dual_condition.result_file import evidence_of, result_bytes, result_record
from assay.dual_condition.spec import load_dual_spec
from assay.dual_condition.store import check_file
from assay.errors import AssayError
from assay.report.matrix import WRITERS

ITEMS = 80
SYSTEM = """
import json, pathlib, random, sys
items, outputs, seed, state = sys.argv[1:5]
chance = random.Random(int(seed))
memory = pathlib.Path(state, "memory.jsonl")
known = {}
if memory.exists():
    for line in memory.read_text().splitlines():
        row = json.loads(line)
        known[row["item"]] = row["verdict"]
with open(outputs, "w") as out:
    for line in open(items):
        item = json.loads(line)
        score = 0.3 * ("wrong" in item["response"]) + chance.random()
        score += known.get(item["id"], 0)
        out.write(json.dumps({"id": item["id"], "score": score}) + "\\n")
"""
COMMAND = '["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]'


def gate_file(path, **given):
    """A file as `assay gate` checks it."""
    return check_file(path, writers=WRITERS, **given)


def bench_rows(count=ITEMS):
    """Items of which every second is wrong, as words of its response say, most of the time."""
    for number in range(count):
        label = number % 2
        said = "wrong" if label == (number % 5 != 0) else "right"
        yield {
            "id": f"q{number}",
            "question": f"Is statement number {number} of the long list true?",
            "response": f"It is {said}, by rule {number}.",
            "label": label,
        }


def memory_rows(items=range(40)):
    """What the system remembers: half of the benchmark's items, and some of another's."""
    for number in items:
        yield {"item": f"q{number}", "verdict": number % 2}
    for number in range(10):
        yield {"item": f"other-{number}", "verdict": number % 2}


def write_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def spec_text(
    *, command=COMMAND, system="", state="", layer='provenance = "item"', more_layers="",
    evaluation="", conditions='["A", "B", "C"]', seeds="[1, 2, 3]", more="",
):  # fmt: skip
    """A spec at its smallest, and what else is wanted in each of its tables."""
    named = f"command = {command}" if command else ""
    asked = f"conditions = {conditions}" if conditions else ""
    return f"""
[system]
{named}
{system}
[state]
root = "state"
{state}
[state.layers.memory]
files = ["memory.jsonl"]
{layer}
{more_layers}
[evaluation]
benchmark = "bench.jsonl"
positive = "label == 1"
seeds = {seeds}
{asked}
{evaluation}
{more}
"""


def lay_out(home, *, body=SYSTEM, count=ITEMS, **spec):
    """A system, its state, a benchmark and a spec, ready to be run; the spec's path."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "system.py").write_text(body)
    write_lines(home / "bench.jsonl", bench_rows(count))
    write_lines(home / "state" / "memory.jsonl", memory_rows())
    path = home / "dual.toml"
    path.write_text(spec_text(**spec))
    return path


def evaluate(path, **more):
    """Run a spec into the results folder beside it."""
    return run_dual(load_dual_spec(path), path.parent / "results", **more)


def remade(record, *, made=None, **fields):
    """A result with other evidence, judged anew: as another evaluation would have left it."""
    evidence = msgspec.structs.replace(evidence_of(record, where="x"), **fields)
    return result_record(evidence, judge_dual(evidence), made=made or record["made"])


def with_scores(record, better):
    """The scores of a result with a condition's positives raised by so much."""
    scores = {name: {seed: list(row) for seed, row in held.items()}
              for name, held in record["scores"].items()}  # fmt: skip
    for name, by in better.items():
        for row in scores[name].values():
            row[:] = [
                score + by * positive
                for score, positive in zip(row, record["items"]["positive"], strict=True)
            ]
    return scores


def store(folder, name, record):
    """Write a result where `assay dual` would."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_bytes(result_bytes(record))
    return path


@dataclass(frozen=True)
class Called:
    """A verb that was called in this process."""

    code: int
    out: str
    error: AssayError | None


def call(*words):
    """A verb, called through the group as the command does it."""
    found = CliRunner().invoke(assay, [str(word) for word in words])
    failed = found.exception
    if isinstance(failed, AssayError):
        return Called(failed.exit_code, found.output, failed)
    if failed is not None and not isinstance(failed, SystemExit):
        raise failed
    return Called(found.exit_code, found.output, None)
