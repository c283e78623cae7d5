"""A study by the library: every verb is a method, and the command sees the same record."""

import json

import pandas as pd
import pytest
from helpers.command import command
from helpers.studies import BARS, METHOD, PREDICTION, a_study, under_git, write_rows

import assay


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    write_rows(folder / "data.jsonl")
    (folder / "bars.toml").write_text(BARS, encoding="utf-8")
    (folder / "method.py").write_text(METHOD, encoding="utf-8")
    return folder


def drafted(study, home, name):
    folder = study.draft(name, f"{home / 'method.py'}:detect")
    (folder / "prediction.toml").write_text(PREDICTION, encoding="utf-8")


@pytest.fixture(scope="module")
def study(home):
    """A study with one result, one submission withdrawn and none witnessed."""
    with pytest.warns(UserWarning, match="data.jsonl is outside the study, which is not in a git"):
        made = assay.Study.create(home / "whole", home / "data.jsonl", bars=home / "bars.toml")
    for name in ("001", "002"):
        drafted(made, home, name)
        made.seal(name)
    made.run("001", unwitnessed=True)
    made.withdraw("002", "the wrong file was copied")
    return made


ROWS = [{"q": f"Is {n} évén?", "label": n % 2, "a": f"Yes, {n}."} for n in range(40)]


@pytest.mark.parametrize("kind", [list, pd.DataFrame, assay.load_benchmark])
def test_rows_from_memory_are_kept_in_the_study_and_their_digest_is_sealed(kind, tmp_path):
    columns = {"question": "q", "response": "a"}
    rows = kind(ROWS, **columns) if kind is assay.load_benchmark else kind(ROWS)
    named = {} if kind is assay.load_benchmark else columns
    made = assay.Study.create(tmp_path / "s", benchmark=rows, bars="plain", **named)
    kept = made.root / "benchmark.jsonl"
    assert [json.loads(line) for line in kept.read_text("utf-8").splitlines()] == ROWS
    assert made.folder.config.benchmark.digest == assay.load_benchmark(ROWS, **columns).digest
    made.draft("001", "oracle:word_length", prediction={"no_idea": True})
    made.seal("001", probe=False)
    made.run("001", unwitnessed=True)
    assert made.verify().intact
    kept.write_text(kept.read_text("utf-8").replace("Yes", "No", 1), encoding="utf-8")
    assert not assay.Study.open(made.root).verify().intact


def test_a_second_corpus_from_memory_is_kept_too(tmp_path):
    second = [{"question": f"Is {n} odd?", "label": n % 2} for n in range(40)]
    made = assay.Study.create(tmp_path / "s", benchmark=ROWS, question="q", second=second)
    assert made.folder.config.second.place == "second.jsonl"
    assert made.folder.benchmark(second=True).second.records == 40


def test_a_file_that_is_there_is_not_overwritten_by_rows(tmp_path):
    (tmp_path / "benchmark.jsonl").write_text("mine")
    with pytest.raises(assay.SpecError, match=r"benchmark\.jsonl already exists"):
        assay.Study.create(tmp_path, name="s", benchmark=ROWS, question="q")
    assert [path.name for path in tmp_path.iterdir()] == ["benchmark.jsonl"]


def test_a_study_is_opened_from_a_folder_inside_it(study):
    inside = assay.Study.open(study.root / "runs" / "001")
    assert inside.root.resolve() == study.root.resolve()
    assert repr(inside).startswith("<Study whole: a study on ")
    with pytest.raises(assay.SpecError, match="is not in a study"):
        assay.Study.open(study.root.parent)


def test_the_views_are_those_of_the_command(study):
    for name in ("board", "calibration"):
        view = getattr(study, name)()
        shown = json.loads(command(study.root, name, "--json").stdout)
        assert json.loads(json.dumps(view.to_dict())) == shown
    shown = json.loads(command(study.root, "falsified", "--json").stdout)
    assert json.loads(json.dumps(study.falsified().to_dict()["entries"])) == shown
    rows = study.board().to_rows()
    assert [(row["submission"], row["status"]) for row in rows] == [
        ("001", "finished"),
        ("002", "withdrawn"),
    ]


def test_it_is_verified_and_audited(study):
    found = study.verify()
    assert found.intact
    assert str(found).startswith("whole is intact: ")
    again = study.audit("001")
    assert again.same
    assert str(again) == "001: all 24 outputs are the same"
    with_rerun = study.verify(rerun="001")
    assert with_rerun.steps[-1].name == "runs again"


def test_a_breach_is_the_first_line(study, home, tmp_path):
    import shutil

    copy = tmp_path / "copy" / "whole"
    shutil.copytree(home, tmp_path / "copy", dirs_exist_ok=True)
    outputs = copy / "runs" / "001" / "outputs.jsonl"
    outputs.write_text(outputs.read_text().replace('"q', '"x', 1) + "\n")
    found = assay.Study.open(copy).verify()
    assert found.exit_code == 4
    assert str(found).splitlines()[0].startswith("whole is NOT intact")


def test_everything_is_judged_again(study):
    judged = study.score()
    assert [row["verdict"] for row in judged.to_rows()] == ["pass"]
    assert study.score(study.root / "runs" / "001").verdict == "pass"
    with pytest.raises(assay.SpecError, match="every version of its bars"):
        study.score(bars="v1")


def test_a_seal_and_a_run_are_committed(home):
    root = home / "committed"
    under_git(home)
    study = assay.Study.create(root, home / "data.jsonl", bars=home / "bars.toml")
    drafted(study, home, "001")
    sealed = study.seal("001", commit=True)
    assert sealed.commit is not None
    assert f"committed as {sealed.commit[:12]}" in str(sealed)
    finished = study.run("001", commit=True)
    assert finished.favourable
    assert "no commit" not in str(finished)
    assert study.verify().intact
    with pytest.raises(assay.ProtocolError):
        study.run("001")


def test_without_git_a_commit_is_refused_before_anything_is_done(tmp_path, home):
    with pytest.warns(UserWarning, match="others will not be able to run or verify"):
        study = assay.Study.create(tmp_path / "lone", home / "data.jsonl", bars=home / "bars.toml")
    drafted(study, home, "001")
    with pytest.raises(assay.SpecError, match="not in a git repository"):
        study.seal("001", commit=True)
    with pytest.raises(assay.ProtocolError):
        study.run("001", unwitnessed=True)


@pytest.mark.parametrize(
    ("method", "words", "said"),
    [
        ("draft", {"id": 1, "method": "token-overlap"}, "id is int, expected text"),
        ("draft", {"id": "003", "method": "token-overlap", "task": "guess"}, "task is 'guess'"),
        ("seal", {"id": "001", "commit": "yes"}, "commit is 'yes'"),
        ("run", {"id": None}, "id is NoneType"),
        ("withdraw", {"id": "001", "because": 3}, "because is int"),
        ("verify", {"checkpoint": 3}, "checkpoint is int"),
        ("verify", {"rerun": 3}, "rerun is int"),
    ],
)
def test_a_wrong_type_is_named(study, method, words, said):
    with pytest.raises(assay.SpecError, match=said):
        getattr(study, method)(**words)


def test_what_is_no_study_is_told_how_to_make_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("nowhere", "."):
        with pytest.raises(
            assay.SpecError, match=r"there is no 'nowhere'|is not in a study"
        ) as refused:
            assay.Study.open(folder)
        assert refused.value.__notes__ == [
            'Name the folder of one. Make one: `assay.Study.create("DIR")`'
        ]


def test_a_function_is_no_draft_and_the_error_says_what_is(tmp_path):
    study = assay.Study(a_study(tmp_path, "opened"))
    with pytest.raises(assay.SpecError, match="method is function, expected text") as refused:
        study.draft("002", lambda question: 1)
    assert "FILE.py:FUNCTION" in refused.value.hint


def test_a_draft_does_not_keep_the_value_of_a_variable(tmp_path):
    study = assay.Study(a_study(tmp_path, "opened"))
    with pytest.raises(assay.SpecError, match="MY_KEY is given with a value") as refused:
        study.draft("002", "constant", env="MY_KEY=abc")
    assert "abc" not in f"{refused.value}{refused.value.hint}"
    assert not (study.root / "preregs/002").exists()
