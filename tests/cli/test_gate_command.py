import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from helpers.command import command
from helpers.dual_cases import call, evaluate, lay_out, store
from helpers.studies import git, under_git

from assay.dual_condition.committed_file import SELF_CONSISTENT

ROOT = Path(__file__).parents[2]
LONE = {"condition_a_production_auroc": 0.9}


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    return json.loads(evaluate(lay_out(tmp_path_factory.mktemp("gate"))).path.read_bytes())


@pytest.fixture
def home(tmp_path, monkeypatch, genuine):
    """A folder with one genuine result, where we stand."""
    store(tmp_path / "results", "good", genuine)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_in_order_ends_with_0(home):
    done = call("gate", "results/good.json")
    assert (done.code, done.out) == (0, f"1 file in order\n{SELF_CONSISTENT}\n")
    assert call("gate", "results").code == 0


def test_one_side_ends_with_3_and_says_which(home):
    store(home / "results", "lone", LONE)
    done = call("gate", "results/good.json", "results/lone.json")
    assert done.code == 3
    assert "lone.json: one-sided: it has condition_a_production_auroc and nothing of" in done.out
    assert "1 file in order, 1 refused" in done.out


def test_a_blocked_row_ends_with_0_and_is_said_to_be_blocked(home, tmp_path_factory):
    path = lay_out(tmp_path_factory.mktemp("blocked"), body="raise SystemExit('no idea')")
    store(home / "results", "bad", json.loads(evaluate(path).path.read_bytes()))
    done = call("gate", "results")
    assert done.code == 0
    assert "2 files in order (1 row blocked)" in done.out
    assert "bad.json: its row is blocked, so it has no numbers: runs_completed" in done.out
    assert "no idea" in done.out
    listed = json.loads(call("gate", "results", "--json").out)
    assert [file["blocked"] for file in listed] == [1, 0]


def test_two_numbers_alone_end_with_3(home):
    store(home, "bare", {**LONE, "condition_b_architecture_only_auroc": 0.8,
                         "learning_contribution": 0.1})  # fmt: skip
    done = call("gate", "bare.json")
    assert done.code == 3
    assert "preconditions" in done.out


def test_what_was_edited_ends_with_4(home, genuine):
    for key, value in (("learning_contribution", 0.9), ("corpus", "other"), ("regime", "polish")):
        store(home, "edited", {**genuine, key: value})
        assert call("gate", "edited.json").code == 4
    (home / "cut.json").write_text('{"condition_a_production_auroc": 0.9')
    assert call("gate", "cut.json").code == 4


def test_files_that_are_no_results(home):
    (home / "other.json").write_text("{}")
    done = call("gate", "other.json")
    assert done.code == 2
    assert "neither a dual-condition result nor a matrix" in done.error.message
    assert "`skip_others=True`" in done.error.hint
    assert call("gate", "--skip-others", "other.json", "results/good.json").code == 0
    (home / "empty").mkdir()
    assert "no dual-condition results or matrices here" in call("gate", "empty").out
    assert (
        "no dual-condition results or matrices here"
        in call("gate", "--skip-others", "other.json").out
    )
    for words in (["gone.json"], []):
        assert call("gate", *words).code == 2
    assert call("gate", "--staged", "results/good.json").code == 2


def test_json_holds_every_reason(home):
    store(home / "results", "lone", LONE)
    found = json.loads(call("gate", "results", "--json").out)
    assert [one["kind"] for one in found] == ["result", "result"]
    assert [[fault["kind"] for fault in one["faults"]] for one in found] == [
        [],
        ["one-sided", "preconditions"],
    ]


def test_names_that_would_take_over_a_terminal_are_shown_harmlessly(home):
    (home / "a\x1b[31mb.json").write_text(json.dumps({"condition_a_\x1b[2J": 1}))
    (home / "c.json").write_text(json.dumps({"x\x1b]0;y\x07": [{**LONE}]}))
    done = call("gate", ".")
    assert done.code == 3
    assert "\x1b" not in done.out


def test_links_pipes_and_folders_hold_nothing(home):
    (home / "x.json").mkdir()
    (home / "dangling.json").symlink_to("gone.json")
    done = call("gate", ".")
    assert (done.code, done.out) == (0, f"1 file in order\n{SELF_CONSISTENT}\n")


@pytest.fixture
def repository(home):
    under_git(home)
    return home


def test_what_is_staged_is_judged_and_not_what_lies_there(repository, genuine):
    store(repository / "results", "new", LONE)
    assert call("gate", "--staged").code == 0
    git(repository, "add", "results/new.json")
    store(repository / "results", "new", genuine)
    assert call("gate", "results").code == 0
    done = call("gate", "--staged")
    assert done.code == 3
    assert "results/new.json: one-sided" in done.out


def test_all_that_is_staged_is_seen_from_any_folder(repository, monkeypatch):
    store(repository / "node_modules" / "runs", "new", LONE)
    (repository / "deep" / "er").mkdir(parents=True)
    (repository / "deep" / "er" / "x.txt").write_text("x")
    git(repository, "add", "--all", "--force")
    monkeypatch.chdir(repository / "deep" / "er")
    assert call("gate", "--staged").code == 3


def test_a_matrix_whose_results_are_not_staged_is_refused(repository):
    assert call("matrix", "results", "--out", "MATRIX.md").code == 0
    git(repository, "add", "MATRIX.md")
    assert call("gate", "--staged").code == 0
    git(repository, "rm", "--cached", "--quiet", "results/good.json")
    done = call("gate", "--staged")
    assert done.code == 4
    assert "MATRIX.md: matrix: it cannot be made again" in done.out


def test_outside_a_repository_nothing_is_staged(home):
    done = call("gate", "--staged")
    assert done.code == 2
    assert "not in a git repository" in done.error.message


def test_as_a_hook_it_keeps_a_lone_condition_out(repository, genuine):
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m assay gate --staged\n")
    hook.chmod(0o755)

    def committed(*words):
        done = git(repository, "commit", "--quiet", "-m", "Try", *words, check=False)
        assert "Traceback" not in done.stderr
        return done.returncode == 0

    store(repository / "results", "new", LONE)
    git(repository, "add", "--all")
    assert not committed()
    store(repository / "results", "new", genuine)
    assert not committed()
    git(repository, "add", "--all")
    assert committed()
    (repository / "results" / "new.json").write_text(json.dumps({**genuine, "corpus": "other"}))
    assert not committed("--all")
    assert not committed("results/new.json")
    git(repository, "checkout", "--quiet", "HEAD", "--", "results/new.json")
    shutil.rmtree(repository / "results")
    assert committed("--all")


def test_the_hook_is_offered_to_others():
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entry = hook.split("- id: ")
    gate = next(part for part in entry if part.startswith("assay-gate"))
    for line in ("entry: assay gate --staged", "pass_filenames: false", "always_run: true"):
        assert line in gate


def test_as_a_command_it_has_no_traceback(home):
    done = command(home, "gate", "gone.json")
    assert done.returncode == 2
    assert done.stderr.startswith("SpecError: there is no 'gone.json'")
    done = command(home, "gate", "gone.json", "--json")
    assert json.loads(done.stdout)["error"]
