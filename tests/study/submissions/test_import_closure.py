import os

import pytest
from helpers.studies import METHOD, a_study, drafted, entries, raised, remember_installed

from assay.errors import IntegrityError, MethodError, SpecError
from assay.study.entries import read_records
from assay.study.scorecards.store import read_judgement
from assay.study.submissions.draft import draft
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def written(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def calling(statement, expression="value"):
    return f"def detect(question, response):\n    {statement}\n    return {expression}\n"


HELPED = {
    "a plain import": (
        {"method.py": f"import helper\n{calling('pass', 'helper.value')}", "helper.py": "value=1"},
        {"helper.py"},
    ),
    "inside a function": (
        {"method.py": calling("from helper import value"), "helper.py": "value=1"},
        {"helper.py"},
    ),
    "a helper's helper": (
        {
            "method.py": calling("from one import value"),
            "one.py": "from two import value",
            "two.py": "value = 1",
        },
        {"one.py", "two.py"},
    ),
    "a package with relative imports": (
        {
            "method.py": calling("from parts.one import value"),
            "parts/__init__.py": "from . import two",
            "parts/one.py": "from .deep.three import value",
            "parts/two.py": "x = 1",
            "parts/deep/__init__.py": "",
            "parts/deep/three.py": "from ..two import x as value",
        },
        {
            "parts/__init__.py",
            "parts/one.py",
            "parts/two.py",
            "parts/deep/__init__.py",
            "parts/deep/three.py",
        },
    ),
    "a name handed to importlib": (
        {
            "method.py": "import importlib\n"
            + calling("value = importlib.import_module('helper').value"),
            "helper.py": "value=1",
        },
        {"helper.py"},
    ),
    "a name handed to __import__": (
        {"method.py": calling("value = __import__('helper').value"), "helper.py": "value=1"},
        {"helper.py"},
    ),
    "two that import each other": (
        {
            "method.py": calling("from one import value"),
            "one.py": "import two\nvalue = 1",
            "two.py": "import one",
        },
        {"one.py", "two.py"},
    ),
    "an import that need not be there": (
        {"method.py": calling("try: import gone_for_good\n    except ImportError: value = 1")},
        set(),
    ),
}


@pytest.mark.parametrize("kind", HELPED)
def test_a_draft_copies_what_the_method_imports_and_the_seal_names_it(tmp_path, kind):
    files, helpers = HELPED[kind]
    study = a_study(tmp_path / "home", "opened")
    written(tmp_path / "mine", {"unrelated.py": "", **files})
    folder, copied = draft(study, "001", f"{tmp_path / 'mine/method.py'}:detect")
    assert set(copied) == {"method.py", *helpers}
    (folder / "prediction.toml").write_text("no_idea = true\n")
    made, _ = seal(study, "001")
    assert {f"preregs/001/{name}" for name in copied} < set(made.files)


def test_a_method_that_is_a_module_is_copied_with_its_package(tmp_path, monkeypatch):
    study = a_study(tmp_path / "home", "opened")
    files = {"pack/__init__.py": "", "pack/run.py": "from .help import f as detect"}
    written(tmp_path, {**files, "pack/help.py": METHOD.replace("detect", "f")})
    monkeypatch.chdir(tmp_path)
    folder, copied = draft(study, "001", "pack.run:detect")
    assert set(copied) == {"pack/__init__.py", "pack/run.py", "pack/help.py"}
    (folder / "prediction.toml").write_text("no_idea = true\n")
    monkeypatch.chdir(study.root)
    seal(study, "001")
    run_sealed(study, "001", unwitnessed=True)


@pytest.mark.parametrize("linked", ["helper.py", "method.py"])
def test_a_method_made_of_links_is_copied_as_what_they_lead_to(tmp_path, linked):
    study = a_study(tmp_path / "home", "opened")
    files = {"method.py": calling("from helper import value"), "helper.py": "value = 1"}
    written(tmp_path / "mine", files)
    (tmp_path / "shared").mkdir()
    (tmp_path / "mine" / linked).rename(tmp_path / "shared" / f"real_{linked}")
    (tmp_path / "mine" / linked).symlink_to(tmp_path / "shared" / f"real_{linked}")
    if linked == "method.py":  # it looks for its helper where it really lies, as Python does
        (tmp_path / "mine/helper.py").rename(tmp_path / "shared/helper.py")
    folder, copied = draft(study, "001", f"{tmp_path / 'mine/method.py'}:detect")
    assert "helper.py" in copied
    assert not any(path.is_symlink() for path in folder.iterdir())
    (folder / "prediction.toml").write_text("no_idea = true\n")
    seal(study, "001")


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """A module that other processes find and no submission holds."""
    written(tmp_path / "outside", {"stranger.py": "value = 1\n"})
    places = (str(tmp_path / "outside"), os.environ.get("PYTHONPATH", ""))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, places)))
    return tmp_path / "outside/stranger.py"


def finding(outside, body):
    """A method that looks for modules elsewhere."""
    return f"import sys\nsys.path.append({str(outside.parent)!r})\n{body}"


STRANGERS = {
    "at the top": f"import stranger\n{METHOD}",
    "when it is asked": calling("from stranger import value"),
    "by a name put together": calling("value = __import__('stran' + 'ger').value"),
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_what_only_other_processes_find_is_not_found(tmp_path, outside, kind):
    study = a_study(tmp_path / "home", "opened")
    (drafted(study) / "method.py").write_text(STRANGERS[kind])
    with pytest.raises(MethodError, match="No module named 'stranger'"):
        seal(study, "001")
    assert [entry.kind for entry in entries(study)] == ["study"]


@pytest.mark.parametrize("kind", STRANGERS)
def test_a_module_from_outside_the_folder_is_refused_by_name(tmp_path, outside, kind):
    study = a_study(tmp_path / "home", "opened")
    (drafted(study) / "method.py").write_text(finding(outside, STRANGERS[kind]))
    with pytest.raises(SpecError) as caught:
        seal(study, "001")
    assert str(outside) in caught.value.message
    assert [entry.kind for entry in entries(study)] == ["study"]


def caveats(study, name="001"):
    one = read_records(study.chain().entries).submissions[name]
    card = read_judgement(study, one.scores["mine"]).scorecard
    return {caveat.code: caveat.message for caveat in card.caveats}


LATE = (
    "def detect(question, response):\n    if 'number' in question:\n"
    "        __import__('stran' + 'ger')\n    return len(response)\n"
)


def test_code_that_only_the_run_brings_in_marks_the_result(tmp_path, outside):
    study = a_study(tmp_path / "home", "opened")
    drafted(study, body=finding(outside, LATE))
    seal(study, "001")
    run_sealed(study, "001", unwitnessed=True)
    assert "stranger.py" in caveats(study)["unsealed-code"]


def test_a_method_that_loads_nothing_more_is_not_marked(tmp_path, outside):
    study = a_study(tmp_path / "home", "opened")
    drafted(study)
    seal(study, "001")
    run_sealed(study, "001", unwitnessed=True)
    assert "unsealed-code" not in caveats(study)


LEARNER = """
class Learner:
    def fit(self, examples):
        __import__('stran' + 'ger')
        return lambda question, response: len(response)
"""


def test_what_a_learner_brings_in_while_it_is_fitted_marks_the_result(tmp_path, outside):
    study = a_study(tmp_path / "home", "opened")
    drafted(study, body=finding(outside, LEARNER), function="Learner")
    with pytest.raises(SpecError, match=r"stranger\.py, which is not in"):
        seal(study, "001")  # the probe fits it
    seal(study, "001", probe=False)
    run_sealed(study, "001", unwitnessed=True)
    assert "stranger.py" in caveats(study)["unsealed-code"]


def test_a_helper_that_is_missing_at_its_run_is_seen_before_it(tmp_path):
    study = a_study(tmp_path / "home", "opened")
    files = {"method.py": calling("from helper import value"), "helper.py": "value = 1"}
    written(tmp_path / "mine", files)
    folder, _ = draft(study, "001", f"{tmp_path / 'mine/method.py'}:detect")
    (folder / "prediction.toml").write_text("no_idea = true\n")
    seal(study, "001")
    (folder / "helper.py").unlink()
    error = raised(run_sealed, study, "001", unwitnessed=True)
    assert isinstance(error, IntegrityError)
    assert "preregs/001/helper.py is missing" in error.message


def test_what_a_module_of_a_package_imports_late_is_sealed_too(tmp_path):
    study = a_study(tmp_path, "opened")
    folder = drafted(study)
    (folder / "pkg").mkdir()
    (folder / "pkg/__init__.py").write_text("")
    (folder / "pkg/late.py").write_text("def f():\n    import numpy\n    return numpy\n")
    (folder / "pkg/mod.py").write_text(
        "def detect(question, response):\n    from pkg.late import f\n    return 0.0\n"
    )
    (folder / "prereg.toml").write_text('method = "pkg.mod:detect"\ntask = "detection"\n')
    made, _ = seal(study, "001", probe=False)
    assert "numpy" in made.distributions
