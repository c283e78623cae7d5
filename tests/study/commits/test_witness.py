import os

import pytest
from helpers.command import command
from helpers.studies import (
    METHOD,
    a_study,
    breach,
    cloned,
    commit,
    entries,
    git,
    kinds,
    raised,
    redigest,
    remember_installed,
    rewrite_json,
    sealed,
    steps,
    under_git,
)

from assay.errors import NotWitnessed
from assay.report.study.board import board_markdown
from assay.study.entries import read_records
from assay.study.scorecards.store import (
    judge,
    judgement_bytes,
    load_result,
    load_version,
    read_judgement,
)
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.views import board_of


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def caveats(study):
    one = read_records(study.chain().entries).submissions["001"]
    return [c.code for c in read_judgement(study, one.scores["mine"]).scorecard.caveats]


def test_outside_git_a_run_is_refused(tmp_path):
    study = a_study(tmp_path)
    with pytest.raises(NotWitnessed, match="not in a git repository") as caught:
        run_sealed(study, "001")
    assert "`unwitnessed=True`" in caught.value.hint
    assert kinds(study) == ["study", "seal"]


def test_without_the_guard_it_would_run(tmp_path, monkeypatch):
    study = a_study(tmp_path)
    monkeypatch.setattr("assay.study.submissions.run.witness_of", lambda *given, **more: None)
    run_sealed(study, "001")
    assert kinds(study)[-1] == "grade"


def test_a_run_without_a_witness_says_so_everywhere(tmp_path):
    study = a_study(tmp_path, "finished")
    assert "unwitnessed" in caveats(study)
    assert "| unwitnessed" in board_markdown(board_of(study))
    under_git(tmp_path)
    assert steps(study)[3] == ("noted", "1 seal, 1 run, 1 result; 1 run had no witness")


def test_a_run_with_a_witness_says_nothing_of_it(tmp_path):
    study = a_study(tmp_path, "git-finished")
    assert "unwitnessed" not in caveats(study)
    assert "unwitnessed" not in board_markdown(board_of(study))
    assert steps(study)[3] == ("ok", "1 seal, 1 run, 1 result")


def test_a_witness_can_be_done_without_only_where_one_insists(tmp_path):
    study = a_study(tmp_path, "git-opened")
    sealed(study)
    assert isinstance(raised(run_sealed, study, "001"), NotWitnessed)
    run_sealed(study, "001", unwitnessed=True)
    assert "unwitnessed" in caveats(study)


def test_a_repository_without_a_commit_is_no_witness(tmp_path):
    study = a_study(tmp_path)
    git(tmp_path, "init", "--quiet")
    assert "no commit holds the seal" in raised(run_sealed, study, "001").message


def test_a_seal_that_is_only_added_has_no_witness(tmp_path):
    study = a_study(tmp_path, "git-opened")
    sealed(study)
    git(tmp_path, "add", "--all")
    error = raised(run_sealed, study, "001")
    assert isinstance(error, NotWitnessed)
    assert "git commit" in error.hint


@pytest.mark.parametrize(
    "left",
    [
        "preregs/001/method.py",
        "preregs/001/prediction.toml",
        "preregs/001/prereg.toml",
        "bars/detection-mine.toml",
        "study.toml",
        "preregs/001/seal.json",
    ],
)
def test_a_commit_that_lacks_one_sealed_file_is_no_witness(tmp_path, left):
    study = a_study(tmp_path)
    git(tmp_path, "init", "--quiet")
    under_git(tmp_path)
    git(tmp_path, "rm", "--quiet", "--cached", f"study/{left}")
    git(tmp_path, "commit", "--quiet", "-m", "Without it")
    error = raised(run_sealed, study, "001")
    assert isinstance(error, NotWitnessed)
    assert left in error.message
    assert kinds(study) == ["study", "seal"]


def test_a_commit_with_an_older_draft_of_a_file_is_no_witness(tmp_path):
    study = a_study(tmp_path, "git-opened")
    folder = study.root / "preregs/001"
    folder.mkdir(parents=True)
    (folder / "method.py").write_text("an older draft\n")
    commit(tmp_path, "Draft")
    (folder / "method.py").unlink()
    folder.rmdir()
    sealed(study)
    git(tmp_path, "add", "study/ledger.jsonl", "study/preregs/001/seal.json")
    git(tmp_path, "commit", "--quiet", "-m", "Seal alone")
    error = raised(run_sealed, study, "001")
    assert "preregs/001/method.py" in error.message


def test_a_commit_whose_ledger_lacks_the_seal_is_no_witness(tmp_path):
    study = a_study(tmp_path, "git-opened")
    sealed(study)
    git(tmp_path, "add", "study/preregs")
    git(tmp_path, "commit", "--quiet", "-m", "All but the ledger")
    assert isinstance(raised(run_sealed, study, "001"), NotWitnessed)


def test_the_witness_is_recorded_and_a_clone_can_check_it(tmp_path):
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    head = git(home, "rev-parse", "HEAD~1")
    assert entries(study)[2].said == {"witness": f"git:{head}", "place": "study"}
    assert breach(cloned(home, tmp_path / "copy")) == (None, "")


def test_the_witness_may_be_on_a_branch_that_was_merged(tmp_path):
    study = a_study(tmp_path, "git-opened")
    git(tmp_path, "checkout", "--quiet", "-b", "side")
    sealed(study)
    commit(tmp_path, "Seal 001")
    run_sealed(study, "001")
    commit(tmp_path, "Result of 001")
    git(tmp_path, "checkout", "--quiet", "main")
    (tmp_path / "README").write_text("meanwhile\n")
    commit(tmp_path, "Meanwhile")
    git(tmp_path, "merge", "--quiet", "-m", "Merge", "side")
    assert breach(study) == (None, "")


def test_history_that_was_rewritten_is_a_breach(tmp_path):
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    git(home, "reset", "--quiet", "--soft", "HEAD~2", check=False)
    git(home, "update-ref", "-d", "HEAD")
    commit(home, "All at once")
    number, found = breach(study)
    assert number == 3
    assert "is not an ancestor of the checked-out commit" in found
    number, found = breach(cloned(home, tmp_path / "copy"))
    assert number == 3
    assert "its history was rewritten" in found


def test_a_witness_that_was_amended_is_a_breach(tmp_path):
    home = tmp_path / "home"
    study = a_study(home, "git-sealed")
    run_sealed(study, "001")
    git(home, "commit", "--quiet", "--amend", "-m", "Seal, said better")
    commit(home, "Result of 001")
    assert breach(study)[0] == 3


def forge_witness(study, commit):
    """Name a commit as the witness, in every record that tells of it."""
    rewrite_json(
        study.root / "runs/001/run.json", lambda run: run["provenance"].update(witness=commit)
    )
    redigest(study, run_started={"witness": commit})
    data = judgement_bytes("001", judge_run(study))
    (study.root / "scorecards/001@mine.json").write_bytes(data)
    redigest(study)


def judge_run(study):
    records = read_records(study.chain().entries)
    run = load_result(study, records.submissions["001"])
    return judge(study, run, load_version(study, records.bars[0]))


def test_a_witness_that_holds_the_run_already_is_a_breach(tmp_path):
    """Run first, commit after, and name that commit: what a seal exists to stop."""
    study = a_study(tmp_path, "finished")
    under_git(tmp_path)
    head = git(tmp_path, "rev-parse", "HEAD")
    forge_witness(study, f"git:{head}")
    commit(tmp_path, "Now it looks better")
    assert breach(study, since=head)[0] == 1
    number, found = breach(study)
    assert number == 3
    assert "is not between the seal and the run" in found


def test_a_witness_that_holds_only_the_outputs_already_is_a_breach(tmp_path):
    study = a_study(tmp_path, "finished")
    ledger = (study.root / "ledger.jsonl").read_bytes()
    (study.root / "ledger.jsonl").write_bytes(b"".join(ledger.splitlines(keepends=True)[:2]))
    under_git(tmp_path)
    head = git(tmp_path, "rev-parse", "HEAD")
    (study.root / "ledger.jsonl").write_bytes(ledger)
    forge_witness(study, f"git:{head}")
    commit(tmp_path, "Result of 001")
    number, found = breach(study)
    assert number == 3
    assert "already holds its outputs" in found


def test_a_witness_with_another_history_is_a_breach(tmp_path):
    """The commit holds this very seal, in a ledger that says something else besides."""
    study = a_study(tmp_path, "git-sealed")
    ledger = study.root / "ledger.jsonl"
    line = ledger.read_bytes().splitlines(keepends=True)[1]
    ledger.write_bytes(b'{"other": 1}\n' + line)
    head = commit(tmp_path, "Another ledger")
    git(tmp_path, "checkout", "--quiet", "HEAD~1", "--", "study/ledger.jsonl")
    commit(tmp_path, "The ledger again")
    run_sealed(study, "001")
    commit(tmp_path, "Result of 001")
    assert breach(study) == (None, "")
    forge_witness(study, f"git:{head}")
    commit(tmp_path, "Another witness")
    number, found = breach(study)
    assert number == 3
    assert "is not between the seal and the run" in found


def test_a_witness_from_before_the_seal_is_a_breach(tmp_path):
    study = a_study(tmp_path, "git-opened")
    head = git(tmp_path, "rev-parse", "HEAD")
    sealed(study)
    run_sealed(study, "001", unwitnessed=True)
    redigest(study, run_started={"witness": f"git:{head}"})
    number, found = breach(study)
    assert number == 3
    assert "does not hold the seal that was run" in found


@pytest.mark.parametrize("name", ["HEAD~1", "main~1", "tagged", "@{0}", ":/Begin"])
def test_a_witness_is_a_commit_and_no_name_that_can_be_moved(tmp_path, name):
    study = a_study(tmp_path, "git-sealed")
    run_sealed(study, "001")
    git(tmp_path, "tag", "tagged")
    forge_witness(study, f"git:{name}")
    commit(tmp_path, "Result of 001")
    number, found = breach(study)
    assert number == 3
    assert "is not the full name of a commit" in found


def test_a_shallow_clone_says_how_to_get_the_rest(tmp_path):
    home = tmp_path / "home"
    a_study(home, "git-finished")
    copy = cloned(home, tmp_path / "copy", "--depth", "1")
    outcome, found = steps(copy)[3]
    assert outcome == "unchecked"
    assert "--unshallow" in found
    git(tmp_path / "copy", "fetch", "--quiet", "--unshallow")
    assert breach(copy) == (None, "")


@pytest.fixture
def trap(tmp_path):
    """A script that leaves a trace when somebody runs it."""
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path / 'sprung'}\nexit 1\n")
    script.chmod(0o755)
    return script


def promise(home, trap, url):
    """Tell git that what is missing can be had from somewhere."""
    git(home, "config", "core.repositoryformatversion", "1")
    git(home, "config", "extensions.partialClone", "origin")
    git(home, "config", "remote.origin.promisor", "true")
    git(home, "config", "remote.origin.url", url)
    git(home, "config", "remote.origin.uploadpack", str(trap))
    git(home, "config", "protocol.ext.allow", "always")


SETTINGS = {
    "fsmonitor": lambda home, trap: git(home, "config", "core.fsmonitor", str(trap)),
    "hooks": lambda home, trap: git(home, "config", "core.hooksPath", str(trap.parent)),
    "a promise on this disk": lambda home, trap: promise(home, trap, f"file://{home}"),
    "a promise by a command": lambda home, trap: promise(home, trap, f"ext::{trap}"),
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_verifying_runs_nothing_that_a_repository_names(tmp_path, trap, kind):
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    hook = trap.parent / "post-index-change"
    hook.write_bytes(trap.read_bytes())
    hook.chmod(0o755)
    redigest(study, run_started={"witness": f"git:{'ab' * 20}"})  # which git would go and fetch
    commit(home, "A witness that nobody has")
    SETTINGS[kind](home, trap)
    assert breach(study)[0] == 3
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("kind", SETTINGS)
def test_the_traps_are_sprung_by_plain_git(tmp_path, trap, kind):
    """The control: each of the settings does run the script where nothing forbids it."""
    home = tmp_path / "home"
    a_study(home, "git-finished")
    hook = trap.parent / "post-index-change"
    hook.write_bytes(trap.read_bytes())
    hook.chmod(0o755)
    SETTINGS[kind](home, trap)
    (home / "data.jsonl").touch()
    git(home, "status", check=False)
    git(home, "cat-file", "blob", f"{'ab' * 20}", check=False)
    assert (tmp_path / "sprung").exists()


def test_what_git_is_told_by_the_environment_does_not_lead_it_astray(tmp_path, monkeypatch):
    """A hook in a linked work tree runs with GIT_DIR set, and the study lies deeper."""
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    lines = (study.root / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (study.root / "ledger.jsonl").write_bytes(b"".join(lines[:-1]))
    assert breach(study)[0] == 1
    for value in (".git", str(home / ".git")):
        monkeypatch.setenv("GIT_DIR", value)
        monkeypatch.setenv("GIT_INDEX_FILE", os.path.join(value, "index"))  # noqa: PTH118
        assert breach(study)[0] == 1
    other = tmp_path / "other"
    a_study(other, "git-opened")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(home))
    assert breach(study)[0] == 1


def test_the_command_refuses_and_says_what_to_do(tmp_path):
    study = a_study(tmp_path)
    done = command(study.root, "run", "001")
    assert done.returncode == 3
    assert done.stderr.startswith("NotWitnessed: 001 has no witness")
    done = command(study.root, "run", "001", "--unwitnessed", "--json")
    assert done.returncode == 0
    assert kinds(open_study(study.root))[-1] == "grade"
    done = command(study.root, "verify")
    assert done.returncode == 0
    assert "no witness was checked" in done.stdout


def test_a_method_named_like_a_revision_is_only_a_name(tmp_path):
    study = a_study(tmp_path, "git-opened")
    sealed(study, "head", METHOD)
    commit(tmp_path, "Seal head")
    run_sealed(study, "head")
    assert breach(study) == (None, "")
