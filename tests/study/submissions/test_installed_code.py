import importlib
import os
import shutil

import pytest
from helpers.installed import install
from helpers.studies import METHOD, a_study, kinds, raised, sealed

from assay.errors import DigestMismatch, SpecError, StorageError
from assay.study.entries import read_records
from assay.study.scorecards.store import read_judgement
from assay.study.submissions.rerun import rerun
from assay.study.submissions.run import run_sealed

BODY = f"import plantedlib\n{METHOD}"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where a distribution is installed, for this process and for those it starts."""
    found = tmp_path / "lib/site-packages"
    found.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(found))
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(found), known))))
    return found


def again(place, version):
    for old in place.iterdir():
        shutil.rmtree(old)
    install(place, version)


def append(path, text):
    path.write_text(path.read_text() + text)


HARMS = {
    "a byte of its code": lambda place: append(place / "plantedlib/__init__.py", "#"),
    "a byte of its data": lambda place: append(place / "plantedlib/deep/data.txt", "#"),
    "a file gone": lambda place: (place / "plantedlib/deep/data.txt").unlink(),
    "its list of files": lambda place: append(place / "plantedlib-1.0.dist-info/RECORD", "x,,\n"),
    "its version": lambda place: again(place, "1.1"),
    "all of it": lambda place: [shutil.rmtree(old) for old in place.iterdir()],
}


@pytest.mark.parametrize("kind", HARMS)
def test_a_run_with_other_installed_code_is_refused_by_name(tmp_path, place, kind):
    install(place)
    study = a_study(tmp_path / "home", "opened")
    made, _ = sealed(study, body=BODY)
    assert made.distributions["plantedlib"].version == "1.0"
    HARMS[kind](place)
    importlib.invalidate_caches()
    error = raised(run_sealed, study, "001", unwitnessed=True)
    assert isinstance(error, DigestMismatch)
    assert "sealed with plantedlib 1.0" in error.message
    assert kinds(study) == ["study", "seal"]


ODD = (
    "import sys, types, plantedlib\n"
    "sys.modules['_odd'] = types.ModuleType('_odd')\n"
    "sys.modules['_odd'].__file__ = plantedlib.__file__\n"
)


def test_a_module_belongs_to_the_package_it_lies_in_whatever_it_calls_itself(tmp_path, place):
    """Compiled modules of scipy are in `sys.modules` under their last name only."""
    install(place)
    study = a_study(tmp_path / "home", "opened")
    made, _ = sealed(study, body=ODD + METHOD)
    assert "plantedlib" in made.distributions


def test_what_a_distribution_requires_is_sealed_with_it(tmp_path, place):
    install(place, requires="Requires-Dist: plantedbase>=1; python_version > '3'\n")
    install(place, name="plantedbase")
    study = a_study(tmp_path / "home", "opened")
    made, _ = sealed(study, body=BODY)
    assert {"plantedlib", "plantedbase"} < set(made.distributions)
    append(place / "plantedbase/__init__.py", "#")
    error = raised(run_sealed, study, "001", unwitnessed=True)
    assert "sealed with plantedbase 1.0" in error.message


def test_a_distribution_that_is_imported_late_is_sealed_too(tmp_path, place):
    install(place)
    study = a_study(tmp_path / "home", "opened")
    late = "def detect(question):\n    if 'number' in question:\n        import plantedlib\n"
    made, _ = sealed(study, body=f"{late}    return 1\n")
    assert "plantedlib" in made.distributions


def test_without_the_guard_other_installed_code_would_run(tmp_path, place, monkeypatch):
    install(place)
    study = a_study(tmp_path / "home", "opened")
    sealed(study, body=BODY)
    append(place / "plantedlib/__init__.py", "#")
    monkeypatch.setattr("assay.study.submissions.sealed._check_engine", lambda *_: None)
    run_sealed(study, "001", unwitnessed=True)
    assert rerun(study, "001").same_installed
    monkeypatch.undo()
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.setenv("PYTHONPATH", f"{place}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    assert not rerun(study, "001").same_installed


def test_a_list_of_files_that_cannot_be_read_is_an_error_of_ours(tmp_path, place):
    install(place)
    study = a_study(tmp_path / "home", "opened")
    sealed(study, body=BODY)
    append(place / "plantedlib-1.0.dist-info/RECORD", "\n\n")
    error = raised(run_sealed, study, "001", unwitnessed=True)
    assert isinstance(error, StorageError)
    assert "the installed distributions" in error.message


LATE = "def detect(question):\n    'number' in question and __import__('loose')\n    return 1\n"


def test_an_installed_module_that_belongs_to_nobody_marks_the_result(tmp_path, place):
    (place / "loose.py").write_text("value = 1\n")
    study = a_study(tmp_path / "home", "opened")
    sealed(study, body=LATE.replace("'loose'", "'lo' + 'ose'"))
    run_sealed(study, "001", unwitnessed=True)
    one = read_records(study.chain().entries).submissions["001"]
    card = read_judgement(study, one.scores["mine"]).scorecard
    told = {caveat.code: caveat.message for caveat in card.caveats}
    assert "loose" in told["unsealed-code"]


@pytest.mark.parametrize(
    ("setting", "patched", "value"),
    [
        ("python", "platform.python_version", lambda: "3.99.1"),
        ("implementation", "platform.python_implementation", lambda: "Other"),
        ("assay", "assay.study.submissions.sealed.__version__", "99.0"),
        ("folds", "assay.study.submissions.sealed.FOLDS", 7),
    ],
)
def test_a_run_with_another_engine_is_refused_by_name(
    tmp_path, monkeypatch, setting, patched, value
):
    study = a_study(tmp_path)
    monkeypatch.setattr(patched, value)
    error = raised(run_sealed, study, "001", unwitnessed=True)
    assert isinstance(error, DigestMismatch)
    assert f"sealed with {setting} " in error.message
    assert kinds(study) == ["study", "seal"]


def test_a_byte_of_assay_itself_is_sealed(tmp_path, monkeypatch):
    study = a_study(tmp_path / "home")
    ours = tmp_path / "assay"
    ours.mkdir()
    (ours / "other.py").write_text("")
    monkeypatch.setattr("assay.study.submissions.distributions.HOME", ours)
    error = raised(run_sealed, study, "001", unwitnessed=True)
    assert isinstance(error, DigestMismatch)
    assert "sealed with assay-eval" in error.message


def test_a_module_that_no_distribution_owns_is_not_sealed(tmp_path, place):
    (place / "plantedlib.py").write_text("value = 1\n")
    importlib.invalidate_caches()
    study = a_study(tmp_path / "home", "opened")
    error = raised(sealed, study, body=BODY)
    assert isinstance(error, SpecError)
    assert "imports plantedlib, which belongs to no installed distribution" in error.message
    assert kinds(study) == ["study"]


def test_a_distribution_without_a_list_of_files_is_sealed_by_the_files_it_has(tmp_path, place):
    info = install(place)
    (info / "RECORD").unlink()
    (info / "top_level.txt").write_text("plantedlib\n")
    importlib.invalidate_caches()
    study = a_study(tmp_path / "home", "opened")
    made, _ = sealed(study, body=BODY)
    assert made.distributions["plantedlib"].record is None
    append(place / "plantedlib/__init__.py", "#")
    error = raised(run_sealed, study, "001", unwitnessed=True)
    assert isinstance(error, DigestMismatch)
    assert "sealed with plantedlib 1.0" in error.message
