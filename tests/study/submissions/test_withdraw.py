"""A sealed mistake that was never started is withdrawn in public."""

import json

import pytest
from helpers.command import command
from helpers.studies import (
    METHOD,
    a_study,
    breach,
    chained,
    commit,
    drafted,
    entries,
    forged,
    git,
    kinds,
    raised,
    remember_installed,
    sealed,
    steps,
    tree,
)

from assay.errors import (
    AlreadyRun,
    AlreadySealed,
    DigestMismatch,
    NotSealed,
    SpecError,
    Withdrawn,
)
from assay.report.study.board import board_csv
from assay.report.study.views import write_view
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal
from assay.study.submissions.withdraw import withdraw
from assay.study.views import board_of

WHY = "the wrong file was copied"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def study(tmp_path):
    return a_study(tmp_path, "git-sealed")


def test_a_withdrawal_is_an_entry_with_its_reason(study):
    entry = withdraw(study, "001", because=f"  {WHY}\n")
    assert (entry.kind, entry.subject, entry.said) == ("withdraw", "001", {"because": WHY})
    assert kinds(study)[-1] == "withdraw"
    outcome, found = steps(study)[3]
    assert outcome == "noted"
    assert "001 withdrawn" in found
    assert breach(study) == (None, "")


@pytest.mark.parametrize(
    "act", [run_sealed, lambda study, name: withdraw(study, name, because=WHY)]
)
def test_a_sealed_file_that_was_edited_is_restored_before_it_is_withdrawn(study, act):
    path = study.root / "preregs/001/prediction.toml"
    sealed_bytes = path.read_bytes()
    path.write_bytes(sealed_bytes + b"# mended")
    with pytest.raises(DigestMismatch, match=r"prediction\.toml has changed") as error:
        act(study, "001")
    assert "restore the file, then: assay withdraw 001" in error.value.hint
    path.write_bytes(sealed_bytes)
    withdraw(study, "001", because=WHY)
    assert breach(study) == (None, "")


def test_what_was_withdrawn_never_runs(study, tmp_path):
    withdraw(study, "001", because=WHY)
    commit(tmp_path, "Withdraw 001")
    before = tree(study.root)
    error = raised(run_sealed, study, "001")
    assert isinstance(error, Withdrawn)
    assert error.exit_code == 3
    assert WHY in error.message
    assert isinstance(raised(run_sealed, study, "001", unwitnessed=True), Withdrawn)
    assert command(study.root, "run", "001", "--unwitnessed").returncode == 3
    assert tree(study.root) == before


def test_a_run_that_is_about_to_start_meanwhile_is_refused(study, monkeypatch):
    from assay.study.submissions import run as running

    witness_of = running.witness_of

    def slowly(*arguments, **named):
        with study.ledger as ledger:
            said = {"because": WHY}
            ledger.append(time="", kind="withdraw", subject="001", said=said)
        return witness_of(*arguments, **named)

    monkeypatch.setattr(running, "witness_of", slowly)
    assert isinstance(raised(run_sealed, study, "001"), Withdrawn)
    assert kinds(study)[-1] == "withdraw"


def test_what_was_started_cannot_be_withdrawn(tmp_path):
    study = a_study(tmp_path, "finished")
    error = raised(withdraw, study, "001", because=WHY)
    assert isinstance(error, AlreadyRun)
    assert command(study.root, "withdraw", "001", "--because", WHY).returncode == 3
    fields = entries(study)[:3]
    assert fields[-1].kind == "run-started"
    forged(study, drop=range(3, len(entries(study))))
    assert isinstance(raised(withdraw, open_study(study.root), "001", because=WHY), AlreadyRun)


def test_nothing_is_withdrawn_twice_or_unsealed(study):
    withdraw(study, "001", because=WHY)
    assert isinstance(raised(withdraw, study, "001", because=WHY), Withdrawn)
    assert isinstance(raised(withdraw, study, "002", because=WHY), NotSealed)


def test_its_name_is_taken_for_good(study):
    withdraw(study, "001", because=WHY)
    assert isinstance(raised(seal, study, "001"), AlreadySealed)
    assert isinstance(raised(drafted, study, "001", METHOD), AlreadySealed)
    sealed(study, "002")
    assert breach(study) == (None, "")


@pytest.mark.parametrize("because", ["", " \n", "x" * 1001, "half \ud83d of a pair"])
def test_a_withdrawal_needs_a_reason_that_can_be_kept(study, because):
    before = tree(study.root)
    assert isinstance(raised(withdraw, study, "001", because=because), SpecError)
    assert tree(study.root) == before


def test_it_stays_on_the_board(study):
    sealed(study, "002")
    withdraw(study, "001", because=WHY)
    made = board_of(study)
    rows = {row.id: row for row in made.tables[0].rows}
    assert (made.sealed, made.withdrawn, made.started) == (2, 1, 0)
    assert (rows["001"].status.value, rows["001"].because) == ("withdrawn", WHY)
    assert (rows["002"].status.value, rows["002"].because) == ("sealed", None)
    page = write_view(study, "BOARD.md").read_text()
    assert "1 withdrawn" in page
    assert f"withdrawn: {WHY}" in page
    assert "001" in board_csv(made)
    assert breach(study) == (None, "")


ORDERS = {
    "before its seal": lambda fields, it: [fields[0], it, *fields[1:]],
    "twice": lambda fields, it: [*fields[:2], it, it],
    "after its start": lambda fields, it: [*fields[:3], it],
    "before its start": lambda fields, it: [*fields[:2], it, *fields[2:]],
    "without a reason": lambda fields, it: [*fields[:2], {**it, "said": {}}],
    "with a blank reason": lambda fields, it: [*fields[:2], {**it, "said": {"because": " "}}],
    "with files": lambda fields, it: [*fields[:2], {**it, "files": {"study.toml": "x"}}],
}


@pytest.mark.parametrize("kind", ORDERS)
def test_verify_sees_a_withdrawal_that_the_protocol_does_not_allow(tmp_path, kind):
    import msgspec

    study = a_study(tmp_path, "finished")
    fields = [msgspec.to_builtins(entry) for entry in entries(study)]
    it = {"kind": "withdraw", "subject": "001", "said": {"because": WHY}}
    chained(study, ORDERS[kind](fields, it))
    number, found = breach(study)
    assert number == 3
    assert "withdraw" in found


def test_a_result_of_what_was_withdrawn_is_a_stray(study):
    withdraw(study, "001", because=WHY)
    (study.root / "runs/001").mkdir(parents=True)
    assert breach(study)[0] == 3


def test_the_command_says_what_it_did_and_commits(study, tmp_path):
    done = command(study.root, "withdraw", "001", "--because", WHY, "--commit", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == {"submission", "because", "entry", "commit"}
    assert (found["submission"], found["because"], found["entry"]) == ("001", WHY, 2)
    assert found["commit"] == git(tmp_path, "rev-parse", "HEAD")
    assert git(tmp_path, "status", "--porcelain") == ""
    assert command(study.root, "withdraw", "001", "--because", WHY).returncode == 3


def test_the_command_names_the_way_to_publish_it(study):
    done = command(study.root, "withdraw", "001", "--because", WHY)
    assert done.returncode == 0, done.stderr
    assert "001 is withdrawn" in done.stdout
    assert "git add" in done.stdout


def test_the_library_has_it_too(study):
    assert withdraw(study, "001", because=WHY).kind == "withdraw"
