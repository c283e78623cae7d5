"""Stored tables say by which code they were made."""

import json
from pathlib import Path

import provenance
import pytest
from provenance import STORED, changed, made_by, note, state

SCRIPT = """
from typing import TYPE_CHECKING

from assay.stats.mean import mean
from shapes import SHAPES
from result_tables import insert
from numpy.linalg import svd

if TYPE_CHECKING:
    from assay.stats.other import unused
"""
TREE = {
    "src/stats/__init__.py": '"""Numbers."""',
    "src/stats/mean.py": "def mean(x):\n    from assay.data.load import load\n    return load(x)",
    "src/stats/other.py": "unused = 1",
    "src/data/__init__.py": "",
    "src/data/load.py": "from assay.errors import Wrong\nload = sum",
    "src/data/bundled/items.jsonl": "{}",
    "src/errors.py": "class Wrong(Exception): ...",
    "rates.py": SCRIPT,
    "shapes.py": "SHAPES = ('round',)",
    "result_tables.py": "def insert(): ...",
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(provenance, "SOURCE", tmp_path / "src")
    return tmp_path


def test_all_that_a_script_imports_and_reads_made_its_tables(tree):
    assert list(made_by(tree / "rates.py")) == [
        "assay/data/__init__.py",
        "assay/data/bundled/items.jsonl",
        "assay/data/load.py",
        "assay/stats/__init__.py",
        "assay/stats/mean.py",
        "numpy",
        "rates.py",
        "shapes.py",
    ]


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("src/stats/mean.py", "mean = sum", "assay/stats/mean.py"),
        ("src/data/bundled/items.jsonl", "{ }", "assay/data/bundled/items.jsonl"),
        ("shapes.py", "SHAPES = ('long',)", "shapes.py"),
    ],
)
def test_a_change_of_what_made_a_table_is_named(tree, name, text, named):
    then = made_by(tree / "rates.py")
    (tree / name).write_text(text)
    assert named in changed(then, made_by(tree / "rates.py"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/stats/__init__.py", '"""Other words."""  # and a comment\n'),
        ("src/stats/other.py", "unused = 2"),
        ("src/errors.py", "class Wrong(Exception):\n    said = 'otherwise'"),
        ("result_tables.py", "def insert(): return 1"),
        ("rates.py", SCRIPT.replace("import svd", "import svd  # once")),
    ],
)
def test_words_and_other_modules_are_no_change(tree, name, text):
    then = made_by(tree / "rates.py")
    (tree / name).write_text(text)
    assert changed(then, made_by(tree / "rates.py")) == []


def test_a_table_is_current_until_its_code_changes(tree):
    folder = tree / "results"
    folder.mkdir()
    for name in ("single", "single-2", "single-shared"):
        (folder / f"{name}.csv").touch()
    note("single", script=tree / "rates.py", folder=folder)
    assert state(folder, script=tree / "rates.py") == {"single": [], "single-shared": None}
    (tree / "shapes.py").write_text("SHAPES = ()")
    note("single-shared", script=tree / "rates.py", folder=folder)
    made = {"single": ["shapes.py"], "single-shared": []}
    assert state(folder, script=tree / "rates.py") == made
    note("single", script=tree / "rates.py", folder=folder)
    assert len(json.loads((folder / STORED).read_bytes())["code"]) == 1, "old code is dropped"


def test_every_stored_table_says_by_which_code_it_was_made():
    results = Path(provenance.BENCHMARKS) / "results"
    for folder in results.iterdir():
        tables = state(folder, script=provenance.BENCHMARKS / f"{folder.name}.py")
        assert None not in tables.values(), f"{folder.name}: python benchmarks/provenance.py"
