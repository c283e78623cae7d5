"""The verbs of a study as a user types them, and the JSON that the reference promises."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.command import command
from helpers.fakes import detection_bars
from helpers.studies import a_study, commit, git, settle

import assay

ROOT = Path(__file__).parents[2]
BARS = detection_bars(positive="label == 1", negative="label == 0", at_least="0.6")
PREDICTION = """
directions = ["B1 > 0.5"]
[ranges]
B1 = [0.9, 1.0]
[outcomes]
fail = 0.1
unresolved = 0.2
pass = 0.7
"""


def _row(i):
    return {"question": f"q{i}?", "response": "a " * (1 + i % 2), "label": i % 2}


@pytest.fixture
def study(assay_cmd, tmp_path, monkeypatch):
    """A repository with a study in it, one submission drafted and predicted."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "n")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "e")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    rows = [_row(i) for i in range(40)]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "mine.toml").write_text(BARS)
    (tmp_path / "helper.py").write_text("def count(text):\n    return float(len(text.split()))\n")
    (tmp_path / "method.py").write_text(
        "from helper import count\ndef detect(question, response):\n    return count(response)\n"
    )
    git(tmp_path, "init", "-q")
    settle(tmp_path)
    made = assay_cmd("new", "s", "--benchmark", "answers.jsonl", "--bars", "mine.toml", "--json")
    assert made.code == 0, made.err
    drafted = assay_cmd("draft", "001", "--method", "method.py:detect", "--study", "s", "--json")
    assert drafted.json["copied"] == ["helper.py", "method.py"]
    (tmp_path / "s/preregs/001/prediction.toml").write_text(PREDICTION)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "a study")
    return tmp_path / "s"


@pytest.fixture
def finished(assay_cmd, study):
    """The same, sealed, run and committed."""
    assert assay_cmd("seal", "001", "--study", "s", "--commit").code == 0
    assert assay_cmd("run", "001", "--study", "s", "--commit").code == 0
    return study


def test_a_study_from_end_to_end_in_json(assay_cmd, study):
    sealed = assay_cmd("seal", "001", "--study", "s", "--commit", "--json").json
    assert sorted(sealed) == ["commit", "digest", "entry", "seal", "submission"]
    assert set(sealed["seal"]["files"]) == {
        "study.toml",
        "bars/detection-mine.toml",
        *(f"preregs/001/{n}" for n in ("helper.py", "method.py", "prediction.toml", "prereg.toml")),
    }
    ran = assay_cmd("run", "001", "--study", "s", "--commit", "--json")
    assert ran.code == 0
    assert sorted(ran.json) == [
        "commit",
        "grade",
        "judgements",
        "original",
        "resumed",
        "submission",
        "unreadable",
    ]
    card = ran.json["judgements"][0]["scorecard"]
    assert card["sealed"] is True
    assert card["digests"]["seal"] == sealed["digest"]
    codes = [caveat["code"] for caveat in card["caveats"]]
    assert "time-unproven" in codes
    assert not {"unsealed", "unwitnessed"} & set(codes)
    grade = ran.json["grade"]
    assert grade["ranges"][0]["where"] == "inside"
    assert grade["outcome"]["probability"] == 0.7
    assert grade["directions"][0]["held"] is True
    board = assay_cmd("board", "--study", "s", "--json").json
    assert board["tables"][0]["rows"][0]["cells"][0]["verdict"] == "pass"
    assert board["tables"][0]["rows"][0]["witnessed"] is True
    assert assay_cmd("calibration", "--study", "s", "--json").json["coverage"][0]["inside"] == 1
    assert assay_cmd("falsified", "--study", "s", "--json").json == []
    rerun = assay_cmd("verify", "s", "--rerun", "001", "--json")
    (again,) = rerun.json["steps"][-1]["reruns"]
    assert (rerun.code, again["changed"], again["largest"]) == (0, 0, 0.0)
    verified = assay_cmd("verify", "s", "--json")
    assert verified.code == 0
    assert [step["number"] for step in verified.json["steps"]] == list(range(1, 9))
    assert {*verified.json["steps"][-1]} == {"number", "name", "outcome", "found"}
    kinds = [entry["kind"] for entry in assay_cmd("ledger", "show", "--study", "s", "--json").json]
    assert kinds == ["study", "seal", "run-started", "run", "score", "grade"]


def test_a_second_run_and_a_second_seal_are_refused(assay_cmd, finished):
    again = assay_cmd("run", "001", "--study", "s")
    assert (again.code, "AlreadyRun" in again.err) == (3, True)
    sealed = assay_cmd("seal", "001", "--study", "s")
    assert (sealed.code, "AlreadySealed" in sealed.err) == (3, True)


def test_the_frontier_names_the_best_of_each_class_and_the_untried(assay_cmd, finished, tmp_path):
    words = ("draft", "002", "--method", "method.py:detect", "--study", "s")
    refused = assay_cmd(*words, "--method-class", "lexicla")
    assert (refused.code, "Did you mean lexical?" in refused.err) == (2, True)
    assert assay_cmd(*words, "--method-class", "lexical").code == 0
    (finished / "preregs/002/prediction.toml").write_text(PREDICTION)
    assert assay_cmd("seal", "002", "--study", "s", "--commit").code == 0
    shown = assay_cmd("board", "--study", "s", "--frontier")
    assert (shown.code, "1 never run: 002 (lexical)" in shown.out) == (0, True)
    assert assay_cmd("run", "002", "--study", "s", "--commit").code == 0
    found = assay_cmd("board", "--study", "s", "--frontier", "--json").json
    (table,) = found["tables"]
    assert {row["method_class"]: row["submission"] for row in table["rows"]} == {
        "lexical": "002",
        "unclassified": "001",
    }
    assert found == json.loads(json.dumps(assay.Study.open(finished).frontier().to_dict()))
    assert "lexical" not in table["not_tried"]
    assert (
        assay_cmd("board", "--study", "s", "--frontier", "--bars", "mine", "--json").json == found
    )
    page = assay_cmd("board", "--study", "s", "--frontier", "--markdown").out
    assert page.startswith("# Frontier of s\n")
    table = assay_cmd("board", "--study", "s", "--frontier", "--csv").out
    assert table.startswith("task,bars,method_class,")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("--bars", "mine"), "the board shows every version of the bars, so it takes no --bars"),
        (("--frontier", "--write"), "so --frontier takes no --write"),
        (("--frontier", "--bars", "v9"), "the study has no bars 'v9'"),
    ],
)
def test_words_that_do_not_go_with_the_board_are_refused(assay_cmd, finished, words, found):
    refused = assay_cmd("board", "--study", "s", *words)
    assert (refused.code, found in refused.err) == (2, True)
    assert not (finished / "BOARD.md").exists()


def test_views_are_written_and_checked(assay_cmd, finished):
    for verb, name in (
        ("board", "BOARD"),
        ("calibration", "CALIBRATION"),
        ("falsified", "FALSIFIED"),
    ):
        assert assay_cmd(verb, "--study", "s", "--write").code == 0
        assert (finished / f"{name}.md").read_text().startswith("# ")
    assert assay_cmd("verify", "s").code == 0
    (finished / "BOARD.md").write_text("# I won\n")
    refused = assay_cmd("verify", "s")
    assert refused.code == 4
    assert "8. views" in refused.out
    assert "BOARD.md differs from what the records give" in refused.out


def test_an_entry_is_proved_to_someone_without_the_ledger(assay_cmd, finished, tmp_path):
    assert assay_cmd("ledger", "checkpoint", "--study", "s", "--out", "old.txt").code == 0
    (finished / "preregs/x").mkdir()
    (finished / "preregs/x/prediction.toml").write_text("no_idea = true")
    (finished / "preregs/x/prereg.toml").write_text('method = "constant"\ntask = "detection"\n')
    assert assay_cmd("seal", "x", "--study", "s").code == 0
    assert assay_cmd("ledger", "checkpoint", "--study", "s", "--out", "new.txt").code == 0
    assert assay_cmd("ledger", "prove", "3", "--study", "s", "--out", "p.json").code == 0
    checked = assay_cmd("ledger", "check", "p.json", "--checkpoint", "new.txt")
    assert checked.code == 0
    assert '"kind":"run"' in checked.out
    assert assay_cmd("ledger", "check", "p.json", "--checkpoint", "old.txt").code == 2
    entry = (tmp_path / "p.json").read_text()
    (tmp_path / "f.json").write_text(entry.replace("001", "002"))
    assert assay_cmd("ledger", "check", "f.json", "--checkpoint", "new.txt").code == 4
    proof = ("ledger", "prove", "6", "--consistency", "--study", "s", "--out", "c.json")
    assert assay_cmd(*proof).code == 0
    both = ("--checkpoint", "new.txt", "--older", "old.txt")
    assert assay_cmd("ledger", "check", "c.json", *both).code == 0
    text = (tmp_path / "old.txt").read_text()
    (tmp_path / "old.txt").write_text(text.replace("\n6\n", "\n5\n"))
    assert assay_cmd("ledger", "check", "c.json", *both).code == 4


def test_a_signed_checkpoint_is_demanded_where_a_key_is_named(assay_cmd, finished, tmp_path):
    public = assay_cmd("key", "new", "key", "--name", "me", "--json").json["public"]
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    other = assay_cmd("key", "new", "other", "--name", "me", "--json").json["public"]
    assert assay_cmd("key", "show", "key").out.strip() == public
    assay_cmd("ledger", "checkpoint", "--study", "s", "--key", "key", "--out", "signed.txt")
    assay_cmd("ledger", "checkpoint", "--study", "s", "--out", "unsigned.txt")
    shown = ("verify", "s", "--key", public, "--checkpoint")
    assert assay_cmd(*shown, "signed.txt").code == 0
    assert assay_cmd(*shown, "unsigned.txt").code == 4
    assert assay_cmd("verify", "s", "--key", other, "--checkpoint", "signed.txt").code == 4
    assert assay_cmd("verify", "s", "--key", public).code == 4
    assert "PRIVATE" not in assay_cmd("verify", "s", "--key", (tmp_path / "key").read_text()).err


def test_a_private_key_is_not_made_in_a_study_or_over_a_file(assay_cmd, finished, tmp_path):
    assert assay_cmd("key", "new", "s/key", "--name", "me").code == 2
    (tmp_path / "there").write_text("mine")
    assert assay_cmd("key", "new", "there", "--name", "me").code == 2
    assert (tmp_path / "there").read_text() == "mine"


def test_every_study_is_verified_and_a_missing_one_missed(assay_cmd, finished, tmp_path):
    assert "s: intact, 6 entries" in assay_cmd("verify", "--all").out
    finished.rename(tmp_path / "t")
    assert "t: intact, 6 entries" in assay_cmd("verify", "--all").out
    (tmp_path / "t/study.toml").unlink()
    gone = assay_cmd("verify", "--all")
    assert gone.code == 4
    assert "the study s is in HEAD, but missing here" in gone.err


def test_a_moved_study_still_has_its_witnesses_and_its_past(assay_cmd, finished, tmp_path):
    git(tmp_path, "mv", "s", "t")
    git(tmp_path, "commit", "-qm", "moved")
    assert assay_cmd("verify", "t").code == 0
    lines = (tmp_path / "t/ledger.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "t/ledger.jsonl").write_bytes(b"".join(lines[:-1]))
    refused = assay_cmd("verify", "t", "--since", "HEAD~1")
    assert refused.code == 4
    assert "some were removed" in refused.out


def test_what_is_staged_is_verified_and_not_what_lies_there(assay_cmd, finished, tmp_path):
    card = finished / "scorecards/001@mine.json"
    good = card.read_bytes()
    card.write_bytes(good.replace(b'"pass"', b'"fail"'))
    git(tmp_path, "add", "-A")
    card.write_bytes(good)
    assert assay_cmd("verify", "--all").code == 0
    refused = assay_cmd("verify", "--all", "--staged")
    assert refused.code == 4
    assert "scorecards/001@mine.json has changed" in refused.out
    git(tmp_path, "add", "-A")
    assert assay_cmd("verify", "--all", "--staged").code == 0


def test_laying_out_what_is_staged_runs_no_filter(assay_cmd, finished, tmp_path):
    trace = tmp_path / "ran"
    git(tmp_path, "config", "filter.evil.smudge", f"touch {trace}; cat")
    (tmp_path / ".git/info").mkdir(exist_ok=True)
    (tmp_path / ".git/info/attributes").write_text("* filter=evil\n")
    assert assay_cmd("verify", "--all", "--staged").code == 0
    assert not trace.exists()


def test_a_place_that_is_not_there_is_not_verified(assay_cmd, finished):
    assert assay_cmd("verify", "s/nowhere").code == 2
    assert assay_cmd("verify", "--all", "nowhere").code == 2
    (finished / "ledger.jsonl").unlink()
    assert assay_cmd("verify", "s").code == 4


def test_a_repository_that_git_will_not_open_is_not_taken_for_none(assay_cmd, finished, tmp_path):
    (tmp_path / ".git/HEAD").unlink()
    done = assay_cmd("verify", "s")
    assert done.code == 2
    assert "git will not open" in done.err


def test_pages_are_kept_fresh_so_that_a_start_can_be_committed(assay_cmd, finished, tmp_path):
    for verb in ("board", "calibration", "falsified"):
        assay_cmd(verb, "--study", "s", "--write")
    hook = tmp_path / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\nexec {sys.executable} -m assay verify --all --staged\n")
    hook.chmod(0o755)
    drafted = assay_cmd("draft", "002", "--method", "constant", "--study", "s")
    assert drafted.code == 0
    (finished / "preregs/002/prediction.toml").write_text("no_idea = true\n")
    sealed = assay_cmd("seal", "002", "--study", "s", "--commit")
    assert sealed.code == 0, sealed.err
    assert sealed.out.endswith("assay run 002 --commit --study s\n")
    ran = assay_cmd("run", "002", "--study", "s", "--commit")
    assert ran.code == 1, ran.err
    assert git(tmp_path, "log", "--format=%s", "-3").split("\n")[:3] == [
        "Result of 002",
        "Start 002",
        "Seal 002",
    ]


def test_outputs_that_something_else_wrote_to_are_never_a_result(assay_cmd, study):
    (study / "preregs/001/method.py").write_text(
        "from pathlib import Path\n"
        f"OUT = Path({str(study / 'runs/001/outputs.jsonl')!r})\n"
        "def detect(question, response):\n"
        "    if OUT.exists():\n"
        "        OUT.write_bytes(OUT.read_bytes().replace(b'0.0', b'9.9'))\n"
        "    return 0.0\n"
    )
    assert assay_cmd("seal", "001", "--study", "s", "--commit").code == 0
    first = assay_cmd("run", "001", "--study", "s")
    assert first.code == 4
    again = assay_cmd("run", "001", "--study", "s")
    assert again.code == 4
    assert "differs from the outputs when the run" in again.err


def test_the_hook_and_the_workflow_run_commands_that_exist(assay_cmd, finished, tmp_path):
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    workflow = (ROOT / "examples/verify-in-ci/assay-verify.yml").read_text()
    entries = [line.split(": ", 1)[1] for line in hook.splitlines() if "entry:" in line]
    assert entries == ["assay verify --all --staged", "assay gate --staged", "assay claims"]
    for entry in entries[:2]:
        assert assay_cmd(*entry.split()[1:]).code == 0
    (tmp_path / "values.json").write_text('{"auc": 0.71}')
    for said, code in (("0.71", 0), ("0.72", 1)):
        claim = '<!-- claim: json_path_equals path="values.json" key_path="auc" -->'
        (tmp_path / "README.md").write_text(f"The AUC is {said}{claim}.")
        assert assay_cmd(*entries[2].split()[1:], "README.md").code == code
    (run,) = [
        line.split("run: ", 1)[1] for line in workflow.splitlines() if "assay verify -" in line
    ]
    head = git(finished, "rev-parse", "HEAD~1").strip()
    for since in (head, "0" * 40):
        words = run.replace('"$SINCE"', since).split()[1:]
        assert assay_cmd(*words).code == 0
    assert assay_cmd("verify", "--all", "--since", "f" * 40).code == 2


def test_bars_revised_in_a_study_judge_everything_again(assay_cmd, finished):
    words = ("--add", "B2", "--control", "feature:word_length", "--margin", "0.1")
    revise = [sys.executable, "-m", "assay", "bars", "revise", *words]
    done = subprocess.run(
        [*revise, "--regression", "001", "--because", "words"],
        capture_output=True,
        text=True,
        cwd=finished,
    )
    assert done.returncode == 0, done.stderr
    assert "bars/detection-mine-2.toml is in force" in done.stdout
    board = assay_cmd("board", "--study", "s", "--json").json
    cells = board["tables"][0]["rows"][0]["cells"]
    assert [(cell["version"], cell["original"]) for cell in cells] == [
        ("mine", True),
        ("mine-2", False),
    ]
    assert cells[1]["passed"] == 1
    (found,) = assay_cmd("falsified", "--study", "s", "--json").json
    assert (found["kind"], found["submission"]) == ("bars", "001")
    assert found["revised"][0]["version"] == "mine-2"
    assert assay_cmd("verify", "s").code == 0


def test_a_commit_goes_to_the_repository_of_the_study_whatever_the_environment_says(
    assay_cmd, study, tmp_path
):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    led = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)}
    done = assay_cmd("seal", "001", "--study", "s", "--commit", **led)
    assert done.code == 0, done.err
    assert git(tmp_path, "log", "-1", "--format=%s").strip() == "Seal 001"
    assert git(other, "rev-list", "--all") == ""


def test_a_folder_whose_name_is_no_text_is_shown_in_json_by_escapes(tmp_path):
    home = Path(os.fsdecode(os.fsencode(tmp_path) + b"/st\xff"))
    study = a_study(home, "git-opened")
    study.root.rename(home / os.fsdecode(b"na\xffme"))
    commit(home, "Renamed")
    done = command(home / os.fsdecode(b"na\xffme"), "verify", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["folder"] == "na\\udcffme"
    done = command(home, "verify", "--all", "--json")
    assert done.returncode == 0, done.stderr
    folder = home / os.fsdecode(b"na\xffme")
    done = command(folder, "draft", "002", "--method", "oracle:word_length", "--json")
    assert done.returncode == 0, done.stderr
    assert "\\udcff" in json.loads(done.stdout)["folder"]


@pytest.mark.parametrize("verb", ["board", "calibration", "falsified"])
def test_a_study_may_be_named_as_verify_takes_it(assay_cmd, finished, verb):
    named = assay_cmd(verb, "s", "--json")
    assert (named.code, named.json) == (0, assay_cmd(verb, "--study", "s", "--json").json)
    both = assay_cmd(verb, "s", "--study", ".")
    assert both.code in (0, 2)
    other = assay_cmd(verb, "s", "--study", "elsewhere")
    assert (other.code, "two studies are named" in other.err) == (2, True)


def test_a_study_in_the_wrong_place_is_told_the_right_one(assay_cmd, study):
    typed = assay_cmd("seal", "001", "s")
    assert (typed.code, "Name the study so: --study s" in typed.err) == (2, True)


def test_what_draft_seal_and_run_say_to_type_next_is_one_way(assay_cmd, study):
    drafted = assay_cmd("draft", "002", "--method", "method.py:detect", "--study", "s")
    assert "assay seal 002 --commit --study s" in drafted.out
    (study / "preregs/002/prediction.toml").write_text("no_idea = true\n")
    sealed = assay_cmd("seal", "002", "--study", "s")
    (told,) = [line.strip() for line in sealed.out.splitlines() if "git add" in line]
    refused = assay_cmd("run", "002", "--study", "s")
    assert "NotWitnessed" in refused.err
    (again,) = [line for line in refused.err.splitlines() if "git add" in line]
    assert again == f"Commit it: {told}"
    subprocess.run(["sh", "-c", told], cwd=study.parent, check=True, capture_output=True)
    assert assay_cmd("run", "002", "--study", "s").code == 0


def test_one_number_in_two_spellings_is_refused(assay_cmd, study):
    for name in ("1", "0001"):
        drafted = assay_cmd("draft", name, "--method", "method.py:detect", "--study", "s")
        assert (drafted.code, f"{name} and 001" in drafted.err) == (2, True)
    assert assay_cmd("draft", "2", "--method", "method.py:detect", "--study", "s").code == 0


def test_an_unreadable_submission_is_counted_and_named_once(assay_cmd, finished):
    (card,) = (finished / "scorecards").glob("001@*.json")
    card.write_text(card.read_text() + " ")
    board = assay_cmd("board", "s")
    assert board.code == 4
    assert "1 sealed, 0 run, 1 unreadable" in board.out
    assert (board.out + board.err).count("Not shown, unreadable: 001") == 1
    assert "unreadable: 001" in assay_cmd("board", "s", "--csv").err
    assert "unreadable: 001" in assay_cmd("falsified", "s").err
