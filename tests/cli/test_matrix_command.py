import csv
import json

import pytest
from helpers.command import command
from helpers.dual_cases import call, evaluate, lay_out, remade, store


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    return json.loads(evaluate(lay_out(tmp_path_factory.mktemp("matrix"))).path.read_bytes())


@pytest.fixture
def home(tmp_path, monkeypatch, genuine):
    """A folder with two results and one that is one-sided, where we stand."""
    store(tmp_path / "results", "old", remade(genuine, made="2030-01-01T00:00:00.000+00:00"))
    store(tmp_path / "results", "new", remade(genuine, made="2030-01-02T00:00:00.000+00:00",
                                              threshold=0.7))  # fmt: skip
    store(tmp_path / "results", "lone", {"condition_b_architecture_only_auroc": 0.9})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_table_for_people(home):
    done = call("matrix", "results")
    assert done.code == 0
    assert "one-sided" in done.out
    assert "memorised " in done.out
    assert "2030" not in done.out
    assert max(map(len, done.out.splitlines())) <= 110
    assert "2030-01-01" in call("matrix", "results", "--history").out


def test_every_format_is_printed(home):
    found = json.loads(call("matrix", "results", "--json").out)
    assert found == json.loads(call("matrix", "results", "--format", "json").out)
    assert [row["state"] for row in found["rows"]] == ["reported", "one-sided"]
    rows = list(csv.DictReader(call("matrix", "results", "--format", "csv").out.splitlines()))
    assert [row["corpus"] for row in rows] == ["bench", "lone"]
    text = call("matrix", "results", "--format", "markdown").out
    assert text.startswith("<!-- assay matrix of results -->")


@pytest.mark.parametrize("ending", ["md", "csv", "json"])
@pytest.mark.parametrize("flags", [[], ["--history"]])
def test_what_is_written_passes_the_gate(home, ending, flags):
    (home / "docs").mkdir()
    for place in (f"M.{ending}", f"docs/M.{ending}", f"results/M.{ending}", f"U.{ending.upper()}"):
        done = call("matrix", "results", "--out", place, *flags)
        assert done.code == 0
        assert done.out == f"{place}: 2 rows\n"
        assert call("gate", place).code == 0
    assert call("matrix", "results", "--out", f"M.{ending}", *flags).code == 0


def test_what_cannot_be_done_is_said(home, genuine):
    assert "ends in .md, .csv, .json" in call("matrix", "results", "--out", "M.txt").error.message
    assert call("matrix", "gone").code == 2
    assert call("matrix", "results", "--format", "html").code == 2
    (home / "results" / "bad.json").write_text("{")
    (home / "results" / "list.json").write_text("[]")
    assert call("matrix", "results").code == 0
    (home / "results" / "bad.json").write_text('{"condition_a_production_auroc": 1')
    assert call("matrix", "results").code == 2
    (home / "results" / "bad.json").unlink()
    store(home / "results", "new", {**genuine, "corpus": "fover"})
    done = call("matrix", "results")
    assert done.code == 4
    assert "new.json" in done.error.message


def test_as_a_command_it_has_no_traceback(home):
    done = command(home, "matrix", "gone")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("SpecError: there is no folder 'gone'")
    done = command(home, "matrix", "results")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout


def test_several_folders_are_one_matrix(home, genuine):
    store(home / "elsewhere", "other", remade(genuine, corpus="elsewhere"))
    shown = call("matrix", "results", "elsewhere")
    assert (shown.code, "elsewhere" in shown.out, "bench" in shown.out) == (0, True, True)
    for words in (("--json",), ("--format", "csv"), ("--out", "M.md")):
        refused = call("matrix", "results", "elsewhere", *words)
        assert (refused.code, "single" in str(refused.error)) == (2, True)


def test_results_in_the_usual_folder_below_are_named(home):
    refused = call("matrix", ".")
    assert "Did you mean results?" in str(refused.error) + str(getattr(refused.error, "hint", ""))
