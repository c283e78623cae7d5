import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.studies import a_study, write_rows

import assay
from assay import errors

FUNCTIONS = [name for name in assay.__all__ if inspect.isfunction(getattr(assay, name))]
WRONG = (None, 3, "x", "x\0y", b"x", ["x"], object())


def test_all_is_sorted_and_exact():
    assert assay.__all__ == sorted(assay.__all__)
    assert set(assay.__all__) == {*assay._HOME_OF, "__version__"}
    assert dir(assay) == sorted(assay.__all__)


def test_every_public_name_can_be_imported():
    for name in assay.__all__:
        assert getattr(assay, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(assay, "utils")


def test_importing_the_package_imports_nothing_heavy():
    heavy = ("numpy", "click", "rich", "msgspec")
    code = f"import assay, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_verbs_of_a_ledger_import_no_cryptography_until_they_need_it():
    code = (
        "import sys, assay.cli.ledger_, assay.cli.verify_, assay.study.verify.procedure;"
        " print([m for m in ('cryptography', 'rfc3161_client') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_error_of_ours_stands_in_the_drawing_with_its_exit_code():
    lines = [line for line in errors.__doc__.splitlines() if "──" in line]
    drawn = {line.split("── ")[1].split()[0]: line for line in lines}
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.AssayError)
    ]
    assert {kind.__name__ for kind in kinds} == {*drawn, "AssayError"}
    for kind in kinds[1:]:
        assert f" {kind.exit_code}  " in drawn[kind.__name__]


@pytest.fixture(scope="module")
def arguments(tmp_path_factory):
    """Arguments that are right, by the name of the parameter."""
    home = tmp_path_factory.mktemp("api")
    benchmark = assay.load_benchmark(write_rows(home / "few.jsonl", 4))
    return {
        "data": benchmark,
        "benchmark": benchmark,
        "run": assay.run("token-overlap", benchmark),
        "bars": assay.load_bars("plain"),
        "method": "token-overlap",
        "study": a_study(home, "opened"),
        "submission": "001",
    }


def foreign(function, arguments):
    """Every wrong argument at which a function raises something that is not ours."""
    caught = []
    parameters = inspect.signature(function).parameters.values()
    required = [p.name for p in parameters if p.default is p.empty or p.name == "benchmark"]
    for parameter in parameters:
        for wrong in WRONG:
            given = {name: arguments.get(name, "nowhere/x") for name in required}
            given[parameter.name] = wrong
            try:
                function(**given)
            except assay.AssayError:
                pass
            except Exception as error:
                caught.append(f"{parameter.name}={wrong!r}: {type(error).__name__}: {error}")
    return caught


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_wrong_argument_raises_an_error_of_ours(name, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert foreign(getattr(assay, name), arguments) == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_can_be_sent_to_another_process(name):
    function = getattr(assay, name)
    assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301 - our own


def test_a_planted_foreign_exception_is_caught(arguments):
    def planted(benchmark):
        return benchmark.items

    assert len(foreign(planted, arguments)) == len(WRONG)


def test_the_error_names_the_parameter_and_says_what_was_expected(arguments):
    with pytest.raises(assay.SpecError) as refused:
        assay.score(arguments["run"], arguments["benchmark"], 3)
    assert refused.value.message.startswith("score(): bars is int, expected BarSet or text or a")
    assert refused.value.hint == 'Load them: `assay.load_bars("VERSION")`.'
    with pytest.raises(assay.SpecError, match="path is list, expected text or a path") as refused:
        assay.load_run([{"id": 1}])
    assert refused.value.hint.startswith("Write it to a file first, and pass the file's name")
    with pytest.raises(assay.SpecError, match="surface is 'all', expected 'declared' or 'lexical'"):
        assay.confounds("darkcore", surface="all")
    with pytest.raises(assay.SpecError, match="folder is int, expected text or a path"):
        assay.Study.open(3)


def test_a_word_that_no_parameter_has_is_refused_with_one_that_is_near():
    with pytest.raises(assay.SpecError, match=r"confounds\(\): .*unexpected.*'lable'") as refused:
        assay.confounds("darkcore", lable="x")
    assert refused.value.hint == "Did you mean `label=`?"
    with pytest.raises(assay.SpecError, match=r"score\(\): missing.*'run'"):
        assay.score()


def test_the_words_for_columns_are_parameters_that_help_shows():
    shown = inspect.signature(assay.confounds).parameters
    assert {"question", "class_", "split"} <= set(shown)
    with pytest.raises(assay.SpecError, match="label is int, expected text or None"):
        assay.load_benchmark("darkcore", label=3)


def test_no_public_name_is_that_of_a_module():
    """A module takes its name in the package when it is imported, whatever stood there."""
    inside = {path.stem for path in Path(assay.__file__).parent.iterdir()}
    assert inside.isdisjoint(name for name in assay.__all__ if name != "__version__")


def test_every_exception_is_found_in_the_module_of_errors():
    code = "import assay; assert assay.errors.DigestMismatch.exit_code == 4"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_path_may_be_text(arguments, tmp_path):
    study = arguments["study"]
    assert assay.Study.open(str(study.root)).folder.config == study.config
    assay.save_run(arguments["run"], str(tmp_path / "run"))
    assert assay.load_run(str(tmp_path / "run")).records == arguments["run"].records
    with pytest.warns(UserWarning, match="outside the study"):
        opened = assay.Study.create(str(tmp_path / "new"), arguments["benchmark"])
    assert (tmp_path / "new" / "study.toml").is_file()
    assert opened.name == "new"
    with pytest.raises(assay.AssayError):
        assay.dual(str(tmp_path / "none.toml"))
