import json
import shutil

import msgspec
import pytest
from helpers.command import command
from helpers.studies import (
    BARS,
    a_study,
    breach,
    cloned,
    commit,
    entries,
    forged,
    git,
    kinds,
    raised,
    redigest,
    remember_installed,
    sealed,
    settle,
    steps,
    tree,
)

from assay.digests import digest
from assay.errors import AlreadySealed, BrokenChain
from assay.ledger.checkpoint import checkpoint_of
from assay.study.scorecards.rejudge import judge_study
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal

BAR = "bars/detection-mine.toml"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def lowered(study):
    path = study.root / BAR
    path.write_text(path.read_text().replace("0.6", "0.01"))


def test_hole_1_a_bar_edited_without_a_commit_judges_nothing(tmp_path):
    study = a_study(tmp_path, "git-finished")
    lowered(study)
    before = tree(study.root)
    for words in (["runs/001"], ["runs/001", "--bars", "mine"], ["runs/001", "--bars", BAR]):
        done = command(study.root, "score", *words)
        assert (done.returncode, done.stdout) == (4, "")
        assert "DigestMismatch" in done.stderr
        assert "bars/detection-mine.toml has changed" in done.stderr
    judge_study(study)  # nothing is left to judge
    assert tree(study.root) == before
    assert breach(study)[0] == 4


def test_hole_1_a_lower_bar_from_elsewhere_is_shown_under_its_own_digest_and_kept_nowhere(tmp_path):
    study = a_study(tmp_path, "git-finished")
    (tmp_path / "lower.toml").write_text(BARS.replace("0.6", "0.01"))
    before = tree(study.root)
    done = command(study.root, "score", "runs/001", "--bars", "../lower.toml", "--json")
    found = json.loads(done.stdout)
    assert found["digests"]["bars"] == digest((tmp_path / "lower.toml").read_bytes())
    assert tree(study.root) == before


def sealed_again(study, *, rolled_back):
    """Take a seal away, lower the bar, and seal the same submission as if for the first time."""
    if rolled_back:
        lines = (study.root / "ledger.jsonl").read_bytes().splitlines(keepends=True)
        (study.root / "ledger.jsonl").write_bytes(lines[0])
        for name in ("runs", "scorecards", "grades"):
            shutil.rmtree(study.root / name)
    lowered(study)
    if rolled_back:
        redigest(study)
    (study.root / "preregs/001/seal.json").unlink()
    study = open_study(study.root)
    return study, raised(seal, study, "001")


def test_hole_2_a_seal_that_is_deleted_cannot_be_made_again(tmp_path):
    study = a_study(tmp_path, "git-finished")
    study, error = sealed_again(study, rolled_back=False)
    assert isinstance(error, AlreadySealed)
    assert breach(study)[0] == 4


def test_hole_2_nor_with_the_ledger_put_back_to_before_it(tmp_path):
    study = a_study(tmp_path, "git-finished")
    git(tmp_path, "tag", "published")
    kept = checkpoint_of(study.chain(), origin=study.config.origin)
    study, error = sealed_again(study, rolled_back=True)
    assert error is None  # sealing looks at no commit; running and verifying do
    assert breach(study)[0] == 1
    assert isinstance(raised(run_sealed, study, "001"), BrokenChain)
    commit(tmp_path, "Seal 001, as if for the first time")
    run_sealed(study, "001")
    commit(tmp_path, "Result of 001")
    assert breach(study, since="published")[0] == 1
    assert breach(study, checkpoints=(kept,))[0] == 2


def typed(study, name="002"):
    """Results copied from another submission and made better by hand."""
    folder = study.root / "runs" / name
    shutil.copytree(study.root / "runs/001", folder)
    path = folder / "outputs.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for one in records:
        one["output"] = float(int(one["item"]) % 2 == 0)
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in records))
    return folder


def test_hole_3_a_result_typed_by_hand_is_seen(tmp_path):
    study = a_study(tmp_path, "git-finished")
    typed(study)
    number, found = breach(study)
    assert number == 3
    assert "runs/002 is a result without a seal" in found


def test_hole_3_also_with_entries_of_its_own(tmp_path):
    study = a_study(tmp_path, "git-finished")
    typed(study)
    name = "runs/002"
    files = {
        f"{name}/{file}": digest((study.root / name / file).read_bytes())
        for file in ("outputs.jsonl", "run.json")
    }
    with study.ledger as ledger:
        ledger.append(time="", kind="run-started", subject="002", said={"witness": "none"})
        ledger.append(time="", kind="run", subject="002", files=files)
    number, found = breach(study)
    assert number == 3
    assert "was never sealed" in found


def test_hole_3_also_for_a_seal_that_never_ran(tmp_path):
    study = a_study(tmp_path, "git-finished")
    sealed(study, "002")
    commit(tmp_path, "Seal 002")
    typed(study)
    assert breach(study)[0] == 3
    run = study.root / "runs/002"
    files = {
        f"runs/002/{file}": digest((run / file).read_bytes())
        for file in ("outputs.jsonl", "run.json")
    }
    with study.ledger as ledger:
        ledger.append(time="", kind="run-started", subject="002", said={"witness": "none"})
        ledger.append(time="", kind="run", subject="002", files=files)
    assert breach(study)[0] == 5


def revised(home):
    """Two results, and bars that were revised after them, all in commits."""
    study = a_study(home, "git-finished")
    sealed(study, "002", "def detect(question, response):\n    return -len(response)\n")
    commit(home, "Seal 002")
    run_sealed(study, "002")
    commit(home, "Result of 002")
    words = ("--add", "B2", "--control", "feature:word_length", "--margin", "0.1")
    done = command(study.root, "bars", "revise", *words, "--because", "counting words passes")
    assert done.returncode == 0, done.stderr
    commit(home, "Bars mine-2")
    return open_study(study.root)


def test_hole_4_a_submission_dropped_from_the_re_score_is_seen(tmp_path):
    study = revised(tmp_path)
    assert kinds(study)[-3:] == ["bars", "score", "score"]
    assert breach(study) == (None, "")
    git(tmp_path, "tag", "published")
    kept = checkpoint_of(study.chain(), origin=study.config.origin)
    last = entries(study)[-1]
    assert (last.subject, last.said) == ("002", {"bars": "mine-2"})
    (study.root / "scorecards/002@mine-2.json").unlink()
    assert breach(study)[0] == 6
    forged(study, drop=(last.n,))
    assert breach(study)[0] == 1
    commit(tmp_path, "Bars mine-2, without 002")
    assert breach(study)[0] == 3  # its history holds what was taken away
    git(tmp_path, "reset", "--quiet", "--soft", "HEAD~2")
    commit(tmp_path, "Bars mine-2, as if they had always been without 002")
    number, found = breach(study)
    assert number == 7
    assert "002 is not judged under detection bars mine-2" in found
    assert breach(study, since="published")[0] == 1
    assert breach(study, checkpoints=(kept,))[0] == 2


def test_hole_4_a_version_of_the_bars_cannot_be_taken_back(tmp_path):
    study = revised(tmp_path)
    for name in ("bars/detection-mine-2.toml", "scorecards/001@mine-2.json"):
        (study.root / name).unlink()
        assert breach(study)[0] in (4, 6)
        git(tmp_path, "checkout", "--quiet", "--", ".")
    assert breach(study) == (None, "")


def test_hole_5_a_rewritten_ledger_that_was_forced_upon_a_remote_is_seen(tmp_path):
    home, remote = tmp_path / "home", tmp_path / "remote.git"
    study = a_study(home, "git-finished")
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch", "main", str(remote))
    git(home, "push", "--quiet", str(remote), "main")
    kept = checkpoint_of(study.chain(), origin=study.config.origin)
    honest = cloned(remote, tmp_path / "honest")
    assert breach(honest, checkpoints=(kept,)) == (None, "")

    # Another run of the same seal, in a history that never had the first one.
    git(home, "reset", "--quiet", "--hard", "HEAD~1")
    study = open_study(study.root)
    run_sealed(study, "001")
    commit(home, "Result of 001")
    refused = git(home, "push", "--quiet", str(remote), "main", check=False)
    assert refused.returncode != 0
    git(home, "push", "--quiet", "--force", str(remote), "main")

    fresh = cloned(remote, tmp_path / "fresh")
    assert breach(fresh) == (None, "")  # by itself it looks like any other
    number, found = breach(fresh, checkpoints=(kept,))
    assert number == 2
    assert "do not match the checkpoint" in found
    git(tmp_path / "honest", "fetch", "--quiet", "--force", "origin", "main")
    git(tmp_path / "honest", "tag", "mine", "HEAD")
    git(tmp_path / "honest", "reset", "--quiet", "--hard", "FETCH_HEAD")
    assert breach(honest, since="mine")[0] == 1


def test_hole_5_the_command_sees_it_with_a_checkpoint_from_a_file(tmp_path):
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    (tmp_path / "kept.txt").write_text(
        str(checkpoint_of(study.chain(), origin=study.config.origin))
    )
    words = ("verify", "--checkpoint", str(tmp_path / "kept.txt"), "--json")
    assert command(study.root, *words).returncode == 0
    git(home, "reset", "--quiet", "--hard", "HEAD~1")
    done = command(study.root, *words)
    assert done.returncode == 4
    assert json.loads(done.stdout)["steps"][-1]["number"] == 2


def test_a_study_in_which_nobody_did_any_of_this_is_intact(tmp_path):
    study = revised(tmp_path)
    settle(tmp_path)
    found = steps(study, rerun=())
    assert [outcome for outcome, _ in found.values()].count("ok") == 8
