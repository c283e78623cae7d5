"""What one submission answers, or leaves behind, does not keep the others from going on."""

import json

import msgspec
import pytest
from helpers.command import command
from helpers.studies import (
    a_study,
    breach,
    entries,
    forged,
    opened,
    redigest,
    remember_installed,
    revised_unjudged,
    rewrite_json,
    sealed,
    steps,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.bounds import LONGEST_TEXT_BYTES, MAX_LINE_BYTES, text_fault
from assay.digests import digest
from assay.errors import BadOutput
from assay.runs.answers import check_output
from assay.runs.result import Failure, Record
from assay.runs.store import parse_records
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.views import board_of, calibration_of

ANSWER = """
def detect(question, response):
    return {"score": 1.0, "class": CLASS if "number 7?" in question else "none"}
"""
ANSWERS = {
    "long": "'x' * 1_048_500",
    "longer": "'x' * 1_060_000",
    "half a pair": "'\\ud800'",
    "escaped": "chr(1) * 100_000",
}
ADD = ("--add", "B2", "--control", "feature:word_length", "--margin", "0.1")
ODD_MODULE = """
import sys, types
odd = types.ModuleType("odd")
odd.__file__ = "/somewhere/\\udcff.py"
def detect(question, response):
    if "number" in question:
        sys.modules["odd"] = odd
    return len(response)
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_could_not_be_read_back_is_no_answer_and_the_study_goes_on(tmp_path, answer):
    study = opened(tmp_path)
    sealed(study, "001", ANSWER.replace("CLASS", ANSWERS[answer]))
    sealed(study, "002")
    run_sealed(study, "001", unwitnessed=True)
    assert breach(study)[0] is None
    records = (study.root / "runs/001/outputs.jsonl").read_text().splitlines()
    errors = [json.loads(line)["error"] for line in records]
    assert [error["kind"] for error in errors if error] == ["bad-output"]
    run_sealed(study, "002", unwitnessed=True)
    assert breach(study)[0] is None


def test_a_module_whose_file_name_is_no_text_is_noted_and_stored(tmp_path):
    study = opened(tmp_path)
    sealed(study, "001", ODD_MODULE)
    run_sealed(study, "001", unwitnessed=True)
    assert breach(study)[0] is None


def unreadable(study):
    """A finished run whose outputs the ledger knows, and which no reader takes."""
    path = study.root / "runs/001/outputs.jsonl"
    lines = path.read_text().splitlines()
    first = json.loads(lines[0])
    first["output"] = {"score": 1.0, "class": "x" * (MAX_LINE_BYTES + 1)}
    path.write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    head = study.root / "runs/001/run.json"
    record = json.loads(head.read_bytes())
    record["outputs"]["digest"] = digest(path.read_bytes())
    head.write_bytes(msgspec.json.encode(record))
    redigest(study)
    return open_study(study.root)


def test_an_unreadable_result_is_named_and_the_others_are_run_judged_and_shown(tmp_path):
    study = a_study(tmp_path, "finished")
    study = unreadable(study)
    (study.root / "scorecards/001@mine.json").write_text("{}")
    redigest(study)
    sealed(study, "002")
    finished = run_sealed(study, "002", unwitnessed=True)
    assert finished.submission == "002"
    assert finished.unreadable == ()
    number, found = breach(study)
    assert number == 5
    assert "runs/001" in found
    assert "002" not in found
    table = board_of(study).tables[0]
    assert [row.id for row in table.rows] == ["002"]
    for page in (board_of(study), calibration_of(study)):
        assert [each.submission for each in page.unreadable] == ["001"]
        assert "001@mine.json" in page.unreadable[0].why
    assert [row.submission for row in calibration_of(study).submissions] == ["002"]
    for verb in ("board", "board --frontier", "board --markdown", "calibration", "falsified"):
        done = command(study.root, *verb.split())
        assert done.returncode == 4, done.stderr
        said = done.stdout + done.stderr
        assert said.count("unreadable: 001") == 1, said
    assert command(study.root, "verify").returncode == 4


def test_a_result_that_cannot_be_judged_again_is_named_and_the_others_are_judged(tmp_path):
    study = a_study(tmp_path, "finished")
    (study.root / "runs/001/outputs.jsonl").write_text("nonsense\n")
    forged(
        study, drop=[n for n, one in enumerate(entries(study)) if one.kind in ("score", "grade")]
    )
    for name in ("scorecards/001@mine.json", "grades/001.json"):
        (study.root / name).unlink()
    study = open_study(study.root)
    sealed(study, "002")
    finished = run_sealed(study, "002", unwitnessed=True)
    assert [each.submission for each in finished.unreadable] == ["001"]
    assert "outputs.jsonl" in finished.unreadable[0].why
    done = command(study.root, "score", "--all")
    assert done.returncode == 4
    assert "runs/001" in done.stdout


def unjudged(study):
    """The study without its judgements and grades, every link right."""
    late = [n for n, one in enumerate(entries(study)) if one.kind in ("score", "grade")]
    for number in late:
        for name in entries(study)[number].files:
            (study.root / name).unlink()
    forged(study, drop=late)
    return open_study(study.root)


REVISE = ("bars", "revise", *ADD, "--because", "so")
ALL = ("score", "--all")


@pytest.mark.parametrize(("words", "judged"), [(ALL, True), (ALL, False), (REVISE, True)])
def test_a_result_whose_seal_was_damaged_is_named_and_no_verb_ends_well(tmp_path, words, judged):
    study = a_study(tmp_path, "finished")
    if not judged:
        study = unjudged(study)
        revised_unjudged(study)
    seal = study.root / "preregs/001/seal.json"
    seal.write_bytes(seal.read_bytes() + b"\n")
    done = command(study.root, *words)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "runs/001" in done.stdout
    assert "seal.json" in done.stdout.replace("\n", "")


def test_a_revision_that_left_a_result_unjudged_says_so_in_json_too(tmp_path):
    study = a_study(tmp_path, "finished")
    seal = study.root / "preregs/001/seal.json"
    seal.write_bytes(seal.read_bytes() + b"\n")
    done = command(study.root, *REVISE, "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout)["bars"]["version"] == "mine-2"
    assert "unreadable: runs/001" in done.stderr


def test_a_result_that_no_run_could_have_made_stops_no_other(tmp_path):
    """A record of an item that there is not, every digest right."""
    study = unjudged(a_study(tmp_path, "finished"))
    path = study.root / "runs/001/outputs.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[0]["item"] = "no such item"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    made = digest(path.read_bytes())
    rewrite_json(study.root / "runs/001/run.json", lambda run: run["outputs"].update(digest=made))
    redigest(study)
    study = open_study(study.root)
    sealed(study, "002")
    finished = run_sealed(study, "002", unwitnessed=True)
    assert finished.judgements
    assert [each.submission for each in finished.unreadable] == ["001"]
    assert "no such item" in finished.unreadable[0].why
    done = command(study.root, "score", "--all", "--json")
    assert done.returncode == 4
    judged = {one["run"]: one["unreadable"] for one in json.loads(done.stdout)}
    assert judged == {"runs/001": True, "runs/002": False}


def test_data_that_are_not_here_make_no_result_unreadable(tmp_path):
    study = unjudged(a_study(tmp_path, "finished"))
    (tmp_path / "data.jsonl").rename(tmp_path / "elsewhere.jsonl")
    done = command(study.root, "score", "--all")
    assert done.returncode == 2
    assert "data.jsonl" in done.stderr


texts = (
    st.text()
    | st.text(alphabet="\x00\x01\ud800\udfff\U0001f600é")
    | st.sampled_from(
        ["x" * LONGEST_TEXT_BYTES, "\x01" * LONGEST_TEXT_BYTES, "é" * (LONGEST_TEXT_BYTES // 2 + 1)]
    )
)
numbers = st.floats() | st.integers() | st.integers(min_value=10**400, max_value=10**401)
answers = numbers | texts | st.dictionaries(st.sampled_from(["score", "class"]), numbers | texts)


@settings(max_examples=300)
@given(answers, st.sampled_from(["detection", "classification"]), texts, texts)
def test_whatever_the_store_takes_the_reader_reads(raw, task, item, cls):
    names = [name for name in (item, cls) if text_fault(name) is None]
    key = "1" if item not in names else item
    classes = [name for name in ("truth", cls) if name == "truth" or name in names]
    try:
        output = check_output(raw, task=task, classes=classes)
    except BadOutput as error:
        failure = Failure(kind=error.kind, message=error.message)
        record = Record(item=key, output=None, error=failure, ms=1.0)
    else:
        record = Record(item=key, output=output, error=None, ms=1e308)
    line = msgspec.json.encode(record) + b"\n"
    assert parse_records(line, "outputs.jsonl") == (record,)


def test_a_benchmark_with_an_id_or_a_class_that_no_record_could_hold_is_refused(tmp_path):
    long = "x" * (LONGEST_TEXT_BYTES + 1)
    for field in ("id", "class"):
        row = {"question": "q", "response": "r", "label": 1, field: long}
        (tmp_path / "data.jsonl").write_text(json.dumps(row) + "\n")
        done = command(tmp_path, "try", "oracle:word_length", "--benchmark", "data.jsonl")
        assert done.returncode == 2
        assert f"field {field!r}" in done.stderr
        assert f"{LONGEST_TEXT_BYTES:,} bytes" in done.stderr


def test_steps_beyond_the_unreadable_one_are_not_called_ok(tmp_path):
    study = unreadable(a_study(tmp_path, "finished"))
    assert max(steps(study)) == 5
