"""Every reader reads or refuses: nothing else comes of any input."""

import ast
import sys
import zlib
from pathlib import Path

import pytest
from helpers.scale import scale

import assay
from assay.benchmark.expression import parse_expression
from assay.digests import parse_object
from assay.errors import AssayError, SpecError
from fuzzing.campaign import Reader, fuzz, trouble
from fuzzing.crashers import CRASHERS
from fuzzing.targets import (  # noqa: F401 - each enters its targets in the table
    SHORT,
    TARGETS,
    benchmarks,
    claims,
    commands,
    comparisons,
    corpora,
    duals,
    harness_logs,
    ledgers,
    models,
    runs,
    states,
    studies,
    texts,
)

SOURCE = Path(assay.__file__).parent
FEWEST_INPUTS = 10_000_000
READING = ("parse", "read", "load", "decode")
LEFT_OUT = {
    "execute.read_verdict": "a pipe; its tests write to it",
    "controls.load_control": "finds a stored run, which `load_run` reads",
    "method_loader.load": "imports a method, in the worker: running, not reading",
    "inspect_ai.read_by_harness": "inspect_ai's own reader, where it is installed",
    "installed_reader.read_unknown": "the same",
    "benchmarks.load_benchmark": "checks its arguments, and calls the loader",
    "trial_sources.load_trials": "the same",
    "method_signature.read_signature": "looks at a function that is loaded",
    "joint_model.read_surface": "fits a model to items that have been read",
}
"""Readers without a target, and why."""


def number_of(name):
    """A seed for each target, the same in every process."""
    return zlib.crc32(name.encode())


@pytest.mark.parametrize("name", TARGETS)
def test_an_input_is_read_or_refused(name, tmp_path, record_property):
    target = TARGETS[name]
    inputs = scale(max(target.inputs // SHORT, 20), target.inputs)
    reader = target.make(tmp_path)
    for seed in reader.seeds:
        reader.read(seed)  # what is valid is not refused
    tally = fuzz(name, reader, inputs=inputs, number=number_of(name))
    record_property(f"fuzzed: {name}", str(tally))
    assert tally.finding is None, str(tally.finding)
    assert tally.inputs == inputs


def test_the_campaign_has_ten_million_inputs(record_property):
    inputs = sum(target.inputs for target in TARGETS.values())
    record_property("fuzzed in all, at full length", f"{inputs:,} inputs, {len(TARGETS)} targets")
    assert inputs >= FEWEST_INPUTS


@pytest.mark.parametrize(("name", "data"), CRASHERS)
def test_what_crashed_once_is_read_or_refused(name, data, tmp_path):
    assert trouble(TARGETS[name].make(tmp_path).read, data) is None


def test_a_database_whose_schema_is_not_utf_8_is_refused(tmp_path):
    reader = TARGETS["dual: state in SQLite"].make(tmp_path)
    broken = reader.seeds[0].replace(b"PRIMARY KEY", b"PRIMARY \xed\xbf\xbf")
    assert trouble(reader.read, broken) is None


def test_a_flipped_bit_at_the_end_of_a_parquet_file_is_read_or_refused(tmp_path):
    reader = TARGETS["benchmark: Parquet"].make(tmp_path)
    seed = reader.seeds[0]
    reader.read(seed)
    for place in range(len(seed) // 2, len(seed)):
        broken = seed[:place] + bytes([seed[place] ^ 1]) + seed[place + 1 :]
        assert trouble(reader.read, broken) is None


def readers_in(source):
    """The public functions that read, by name: module and function."""
    found = set()
    for path in source.rglob("*.py"):
        module = ".".join(("assay", *path.relative_to(source).with_suffix("").parts))
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.split("_")[0] in READING:
                found.add(f"{module}.{node.name}")
    return found


def called_by(reader):
    """The functions of Assay that reading the seeds goes through."""
    found = set()

    def note(frame, event, _argument):
        if event == "call":
            module = frame.f_globals.get("__name__", "")
            if module.startswith("assay."):
                found.add(f"{module}.{frame.f_code.co_name}")

    sys.setprofile(note)
    try:
        for seed in reader.seeds:
            reader.read(seed)
    finally:
        sys.setprofile(None)
    return found


def missed(source, called):
    """Readers that no target goes through, and that are not known to be left out."""
    return sorted(name for name in readers_in(source) - called if in_short(name) not in LEFT_OUT)


def in_short(name):
    """The last module and the function."""
    return ".".join(name.split(".")[-2:])


def test_every_reader_is_a_target(tmp_path):
    called = set()
    parse_expression.cache_clear()
    for number, target in enumerate(TARGETS.values()):
        scratch = tmp_path / str(number)
        scratch.mkdir()
        called |= called_by(target.make(scratch))
    assert missed(SOURCE, called) == []
    assert set(LEFT_OUT) <= set(map(in_short, readers_in(SOURCE)))


def test_a_reader_without_a_target_is_seen(tmp_path):
    (tmp_path / "new.py").write_text("def read_more():\n    pass\n\ndef reader():\n    pass\n")
    assert missed(tmp_path, {"assay.other.read_more"}) == ["assay.new.read_more"]


def planted(read):
    """What the campaign finds of a reader that has something planted in it."""

    def whole(data):
        return read(parse_object(data, where="planted"))

    seeds = [b'{"name": "a", "size": 3, "inner": {"deep": [1, 2]}}']
    return fuzz("planted", Reader(read=whole, seeds=seeds), inputs=20_000, number=1).finding


def test_a_hidden_crash_is_found_and_made_small():
    def read(record):
        inner = record.get("inner")
        if isinstance(inner, dict) and isinstance(inner.get("deep"), list):
            return [1 / value for value in inner["deep"] if isinstance(value, int)]
        return None

    found = planted(read)
    assert found.what.startswith("ZeroDivisionError")
    assert found.data in (b'{"inner":{"deep":[0]}}', b'{"inner":{"deep":[-0]}}')
    assert repr(found.data) in str(found)
    assert "with the seed 1" in str(found)


def test_a_number_too_large_for_a_float_is_found():
    def read(record):
        return float(record["size"]) if isinstance(record.get("size"), int) else None

    assert planted(read).what.startswith("OverflowError")


def test_a_text_that_cannot_be_written_down_in_a_detail_is_found():
    def read(record):
        name = record.get("name")
        if isinstance(name, str) and name.startswith("\x1b"):
            error = SpecError("no name")
            error.details = (f"not {name}\ud800",)  # as a caller may, past what it writes
            raise error

    assert planted(read).what == "SpecError that cannot be told"


def test_an_error_without_an_exit_code_of_its_own_is_found():
    def read(record):
        if "size" not in record:
            raise AssayError("something")

    assert planted(read).what == "AssayError that cannot be told"


def test_a_reader_that_takes_too_long_is_found():
    def read(record):
        while isinstance(record.get("size"), bool):
            pass

    assert planted(read).what.startswith("TooSlow")


@pytest.mark.parametrize("refused", [True, False])
def test_a_reader_that_takes_too_long_and_hides_it_is_found(refused):
    def read(record):
        try:
            while isinstance(record.get("size"), bool):
                pass
        except BaseException:
            if refused:
                raise SpecError("not readable") from None

    assert planted(read).what.startswith("TooSlow")


def test_a_reader_that_takes_too_much_memory_is_found():
    def read(record):
        if isinstance(record.get("size"), int):
            bytes(min(abs(record["size"]), 1 << 32))

    assert planted(read).what.startswith("MemoryError")


def test_the_same_seed_gives_the_same_inputs():
    tallies = []
    for _ in range(2):
        seen = []
        reader = Reader(read=seen.append, seeds=[b'{"a": [1, "b"]}'])
        fuzz("same", reader, inputs=300, number=7)
        tallies.append(seen)
    assert tallies[0] == tallies[1]
    assert len(set(tallies[0])) > 150
