"""A dual-condition result that was made up whole agrees with itself, and that is all."""

import json

import pytest
from helpers.command import command
from helpers.dual_cases import lay_out, remade, store, with_scores
from helpers.studies import (
    a_study,
    breach,
    chained,
    commit,
    entries,
    forged,
    git,
    kinds,
    redigest,
    steps,
)

from assay.dual_condition.collect import run_dual
from assay.dual_condition.spec import load_dual_spec

SHOWN = "nothing shows that its scores were measured"


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    """A result, loose: no study was there."""
    home = tmp_path_factory.mktemp("loose")
    return run_dual(load_dual_spec(lay_out(home)), home / "results").path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A study with one result that its own run entered."""
    home = tmp_path_factory.mktemp("entered")
    study = a_study(home / "home", "git-finished")
    lay_out(study.root / "dual")
    done = command(study.root, "dual", "dual/dual.toml")
    assert done.returncode in (0, 1), done.stderr
    assert "entry 6" in done.stdout
    return home / "home"


@pytest.fixture
def home(made, tmp_path):
    import shutil

    shutil.copytree(made, tmp_path / "home", symlinks=True)
    return tmp_path / "home"


@pytest.fixture
def study(home):
    from assay.study.study import open_study

    return open_study(home / "study")


def result_in(study):
    (path,) = (study.root / "dual/results").glob("*.json")
    return path


def forgery(path):
    """A result with better scores, everything in it computed again: no run ever gave it."""
    record = json.loads(path.read_bytes())
    scores = with_scores(record, {"A": 5.0, "B": 5.0})
    return remade(record, made="2030-01-01T00:00:00.000+00:00", scores=scores)


def test_the_gate_says_that_self_consistency_is_all_it_shows(genuine, tmp_path):
    path = store(tmp_path, "forged", forgery(genuine))
    done = command(tmp_path, "gate", str(path))
    assert done.returncode == 0
    assert SHOWN in done.stdout.replace("\n", " ")
    (found,) = json.loads(command(tmp_path, "gate", str(path), "--json").stdout)
    assert found["entered"] is None
    assert SHOWN in found["shows"]


def test_the_matrix_says_which_rows_are_loose(genuine, tmp_path):
    store(tmp_path / "results", "forged", forgery(genuine))
    done = command(tmp_path, "matrix", "results")
    assert SHOWN in done.stdout.replace("\n", " ")
    found = json.loads(command(tmp_path, "matrix", "results", "--json").stdout)
    assert [row["entered"] for row in found["rows"]] == [None]
    for name in ("M.md", "M.csv", "M.json"):
        assert command(tmp_path, "matrix", "results", "--out", name).returncode == 0
        assert command(tmp_path, "gate", name).returncode == 0
    assert SHOWN in (tmp_path / "M.md").read_text()


def test_a_run_inside_a_study_enters_its_result(study):
    assert kinds(study)[-1] == "dual"
    path = result_in(study)
    last = entries(study)[-1]
    assert list(last.files) == [path.relative_to(study.root).as_posix()]
    outcome, found = steps(study)[5]
    assert outcome == "ok"
    assert "1 dual-condition result" in found


def test_gate_and_matrix_tell_entered_rows_from_loose_ones(study, genuine):
    path = result_in(study)
    loose = store(path.parent, "loose", {**forgery(genuine), "corpus": "bench"})
    record = json.loads(loose.read_bytes())
    found = {
        one["file"]: one["entered"]
        for one in json.loads(command(study.root, "gate", "dual/results", "--json").stdout)
    }
    assert found[f"dual/results/{path.name}"] == {"study": "study", "entry": 6}
    assert found["dual/results/loose.json"] is None
    done = command(study.root, "gate", f"dual/results/{path.name}")
    assert "entry 6" in done.stdout
    assert SHOWN not in done.stdout
    loose.unlink()
    store(path.parent, "loose", remade(record, corpus="another"))
    rows = json.loads(command(study.root, "matrix", "dual/results", "--json").stdout)["rows"]
    assert {row["corpus"]: row["entered"] and row["entered"]["entry"] for row in rows} == {
        "another": None,
        "bench": 6,
    }
    shown = command(study.root, "matrix", "dual/results").stdout
    assert "entered in the ledger of study: bench" in shown
    assert "loose: another" in shown
    assert command(study.root, "matrix", "dual/results", "--out", "M.md").returncode == 0
    assert command(study.root, "gate", "M.md").returncode == 0


def test_what_was_entered_and_changed_is_refused_by_gate_and_verify(study):
    path = result_in(study)
    path.write_bytes(store(path.parent, "x", forgery(path)).read_bytes())
    (path.parent / "x.json").unlink()
    done = command(study.root, "gate", f"dual/results/{path.name}")
    assert done.returncode == 4
    assert "entry 6" in done.stdout
    assert command(study.root, "matrix", "dual/results").returncode == 4
    number, found = breach(study)
    assert (number, path.name in found) == (5, True)
    path.unlink()
    assert breach(study)[0] == 5


def test_what_was_entered_and_does_not_agree_with_itself_is_a_breach(study, home):
    git(home, "reset", "--quiet", "HEAD")
    path = result_in(study)
    record = json.loads(path.read_bytes())
    path.write_text(json.dumps({**record, "learning_contribution": 0.9}))
    redigest(study)
    number, found = breach(study)
    assert (number, path.name in found) == (5, True)


def test_the_same_result_is_entered_once(study):
    for _ in range(2):  # this copy of the study lies elsewhere, so its plan is another
        assert command(study.root, "dual", "dual/dual.toml").returncode in (0, 1)
    assert kinds(study).count("dual") == 2


def test_a_result_that_was_made_anew_is_noted(study):
    path = result_in(study)
    path.write_bytes(store(path.parent, "x", forgery(path)).read_bytes())
    (path.parent / "x.json").unlink()
    name = path.relative_to(study.root).as_posix()
    from assay.digests import digest

    with study.ledger as ledger:
        files = {name: digest(path.read_bytes())}
        ledger.append(time="", kind="dual", subject="bench", files=files)
    outcome, found = steps(study)[5]
    assert outcome == "noted"
    assert "repeated" in found


def test_a_study_can_be_named(home, study):
    lay_out(home / "elsewhere", seeds="[4, 5]")
    words = ("dual", "elsewhere/dual.toml", "--study", "study")
    assert command(home, *words).returncode in (0, 1)
    assert kinds(study)[-1] == "dual"
    assert next(iter(entries(study)[-1].files)).startswith("results/")
    done = command(home, *words, "--out", "elsewhere/results")
    assert done.returncode == 2
    assert "study" in done.stderr


@pytest.mark.parametrize("out", ["runs", "preregs/x", "."])
def test_no_result_goes_among_the_records(study, out):
    before = kinds(study)
    assert command(study.root, "dual", "dual/dual.toml", "--out", out).returncode == 2
    assert kinds(study) == before


ENTRIES = {
    "no file": {"files": {}},
    "two files": {"files": {"a.json": "sha256:" + "0" * 64, "b.json": "sha256:" + "0" * 64}},
    "a record": {"files": {"runs/001/run.json": "sha256:" + "0" * 64}},
    "a path that leads out": {"files": {"../a.json": "sha256:" + "0" * 64}},
}


@pytest.mark.parametrize("kind", ENTRIES)
def test_verify_sees_an_entry_of_a_result_that_is_none(tmp_path, kind):
    import msgspec

    study = a_study(tmp_path, "finished")
    fields = [msgspec.to_builtins(entry) for entry in entries(study)]
    chained(study, [*fields, {"kind": "dual", "subject": "bench", **ENTRIES[kind]}])
    number, found = breach(study)
    assert number == 3
    assert "dual" in found


def test_a_staged_result_is_known_by_the_staged_ledger(study, home):
    commit(home, "A dual-condition result")
    path = result_in(study)
    found = json.loads(command(home, "gate", "--staged", "--json").stdout)
    entered = {one["file"]: one["entered"] for one in found}
    assert entered[path.relative_to(home).as_posix()] == {"study": "study", "entry": 6}


def test_an_entry_taken_back_leaves_a_loose_result(study):
    forged(study, drop=(6,))
    (found,) = json.loads(command(study.root, "gate", "dual/results", "--json").stdout)
    assert found["entered"] is None
