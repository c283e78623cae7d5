"""A form that is unknown here is read by its harness, where that is installed, and never otherwise.

A stand-in takes the place of inspect_ai: its reader gives what it was told to.
"""

import json
import sys

import pytest
from helpers.inspect_logs import archive, header, members, samples, write_eval

from assay.comparison.sides.read import read_sides
from assay.comparison.sides.reader import SideReading
from assay.errors import SpecError, UnknownForm
from assay.logs.format_table import read_log

MADE = samples(["C", "I", "C"])
STAND_IN = """
from pathlib import Path

class Log:
    def model_dump_json(self, exclude_none):
        return Path({given!r}).read_text()

def read_eval_log(path):
    {body}
    return Log()
"""


@pytest.fixture
def harness(tmp_path, monkeypatch):
    """Install a stand-in whose reader does this, before any inspect_ai that is there."""

    def install(body="pass"):
        given = tmp_path / "given.json"
        given.write_text(json.dumps({**header(MADE), "samples": MADE}))
        package = tmp_path / "installed" / "inspect_ai"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "log.py").write_text(STAND_IN.format(given=str(given), body=body))
        monkeypatch.syspath_prepend(str(package.parent))

    for name in [name for name in sys.modules if name.partition(".")[0] == "inspect_ai"]:
        monkeypatch.delitem(sys.modules, name)
    yield install
    for name in [name for name in sys.modules if name.partition(".")[0] == "inspect_ai"]:
        del sys.modules[name]


@pytest.fixture
def absent(monkeypatch):
    """No harness is installed."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)


def unknown(tmp_path, **changes):
    """An archive whose header is of another form."""
    content = members(MADE) | {name: json.dumps(value).encode() for name, value in changes.items()}
    (tmp_path / "a.eval").write_bytes(archive(content, "deflate"))
    return tmp_path / "a.eval"


OTHER = {"header.json": {"version": "three", "eval": ["another", "form"]}}


def test_an_unknown_version_is_read_as_the_last_one_and_said_to_be_unknown(tmp_path, harness):
    harness("raise AssertionError('not needed')")
    path = write_eval(tmp_path / "a.eval", MADE, version=7)
    [run] = read_log(path)
    assert run.notes == ("log version 7 is unknown; read as version 2",)
    [side] = read_sides([("a", [path])], SideReading())
    assert side.reads[0].caveats[0].code == "unchecked-log"
    assert "inspect_ai" not in sys.modules


def test_an_unknown_form_is_read_by_the_harness_and_said_to_be(tmp_path, harness):
    harness()
    [run] = read_log(unknown(tmp_path, **OTHER))
    assert [sample.scores["match"] for sample in run.samples] == [1.0, 0.0, 1.0]
    assert run.notes == ("in a form that is unknown here, read by inspect_ai",)


def test_what_the_harness_reads_is_held_to_its_mean_too(tmp_path, harness):
    harness()
    given = {**header(MADE, mean=0.9), "samples": MADE}
    (tmp_path / "given.json").write_text(json.dumps(given))
    with pytest.raises(Exception, match=r"reports match 0\.9"):
        read_log(unknown(tmp_path, **OTHER))


def test_an_archive_without_a_known_member_is_an_unknown_form(tmp_path, harness):
    (tmp_path / "a.eval").write_bytes(archive({"index.bin": b"1"}, "deflate"))
    harness("raise RuntimeError('no idea')")
    with pytest.raises(UnknownForm, match=r"without header\.json or _journal/start\.json"):
        read_log(tmp_path / "a.eval")


def test_without_the_harness_the_refusal_stands(tmp_path, absent):
    with pytest.raises(UnknownForm, match=r"header\.json") as error:
        read_log(unknown(tmp_path, **OTHER))
    assert error.value.hint == (
        "Install inspect_ai, and Assay tries its reader: pip install inspect_ai"
    )


def test_a_harness_that_cannot_read_it_either_is_a_typed_error(tmp_path, harness):
    harness("raise RuntimeError('no idea')")
    with pytest.raises(UnknownForm, match=r"cannot read it either: RuntimeError\('no idea'\)"):
        read_log(unknown(tmp_path, **OTHER))


def test_what_is_refused_for_another_reason_is_never_handed_on(tmp_path, harness):
    harness("raise AssertionError('handed on')")
    cut = archive(members(MADE))[:-40]
    deep = archive(members(MADE) | {"header.json": b"[" * 9999 + b"]" * 9999}, "deflate")
    edited = archive(members(MADE), "stored").replace(b"What is q0?", b"What is q9?")
    for data in (cut, deep, edited):
        (tmp_path / "a.eval").write_bytes(data)
        with pytest.raises(SpecError) as error:
            read_log(tmp_path / "a.eval")
        assert "either" not in error.value.message
    assert "inspect_ai" not in sys.modules


def test_an_archive_that_declares_too_much_is_never_handed_on(tmp_path, harness, monkeypatch):
    harness("raise AssertionError('handed on')")
    monkeypatch.setattr("assay.logs.installed_reader.MAX_UNPACKED_BYTES", 100)
    with pytest.raises(UnknownForm) as error:
        read_log(unknown(tmp_path, **OTHER))
    assert "either" not in error.value.message


def test_formats_whose_harness_has_no_reader_refuse_as_before(tmp_path):
    rows = {"evaluation_id": 3, "evaluation_name": "a", "sample_id": "b", "interaction_type": "c",
            "evaluation": {"score": 1}}  # fmt: skip
    (tmp_path / "x_samples.jsonl").write_text(json.dumps(rows) + "\n")
    with pytest.raises(UnknownForm, match="Expected `str`, got `int`"):
        read_log(tmp_path / "x_samples.jsonl")
