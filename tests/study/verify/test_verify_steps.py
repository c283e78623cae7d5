import json

import msgspec
import pytest
from helpers.command import command
from helpers.studies import (
    BARS,
    PREDICTION,
    a_study,
    breach,
    chained,
    commit,
    entries,
    forged,
    git,
    kinds,
    redigest,
    remember_installed,
    revised_unjudged,
    rewrite_json,
    sealed,
    steps,
)

from assay.digests import digest
from assay.ledger.checkpoint import checkpoint_of, parse_checkpoint
from assay.ledger.note import new_key
from assay.report.study.views import write_view
from assay.study.entries import read_records
from assay.study.scorecards.store import (
    grade_bytes,
    grade_of,
    judge,
    judgement_bytes,
    load_result,
    load_version,
)
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.submissions.sealed import load_sealed


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def study(tmp_path):
    """A finished study outside git, where only the records speak for themselves."""
    return a_study(tmp_path, "finished")


def test_a_study_that_nobody_harmed_is_intact_in_eight_steps(tmp_path):
    found = steps(a_study(tmp_path, "git-finished"))
    assert list(found) == list(range(1, 9))
    assert {number for number, (outcome, _) in found.items() if outcome != "ok"} == {2}
    assert command(tmp_path / "study", "verify").returncode == 0


def lines_of(study):
    return (study.root / "ledger.jsonl").read_bytes().splitlines(keepends=True)


def write_lines(study, lines):
    (study.root / "ledger.jsonl").write_bytes(b"".join(lines))


LEDGERS = {
    "a line edited": lambda lines: [lines[0].replace(b"study", b"stuDy", 1), *lines[1:]],
    "a time edited": lambda lines: (
        [*lines[:2], lines[2].replace(b'"time":"2', b'"time":"3', 1), *lines[3:]]
    ),
    "a line taken out": lambda lines: [*lines[:2], *lines[3:]],
    "two lines swapped": lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]],
    "a line twice": lambda lines: [*lines[:3], *lines[2:]],
    "the first line gone": lambda lines: lines[1:],
    "an empty line": lambda lines: [*lines[:3], b"\n", *lines[3:]],
    "a blank put in": lambda lines: [*lines[:3], lines[3].replace(b":", b": ", 1), *lines[4:]],
    "a key more": lambda lines: [*lines[:-1], lines[-1].replace(b"}\n", b',"x":1}\n')],
    "a carriage return": lambda lines: [*lines[:-1], lines[-1].replace(b"\n", b"\r\n")],
    "no text": lambda lines: [*lines[:-1], b"\xff" + lines[-1]],
}


@pytest.mark.parametrize("kind", LEDGERS)
def test_step_1_sees_a_ledger_that_does_not_hold_together(study, kind):
    write_lines(study, LEDGERS[kind](lines_of(study)))
    assert breach(study)[0] == 1


LAST = {
    "its last line edited": lambda lines: [
        *lines[:-1],
        lines[-1].replace(b'"time":"2', b'"time":"3'),
    ],
    "its last line gone": lambda lines: lines[:-1],
    "its last lines gone": lambda lines: lines[:2],
    "all of it gone": lambda lines: [],
}


@pytest.mark.parametrize("kind", LAST)
def test_step_1_sees_the_end_of_the_ledger_change_because_the_last_commit_holds_it(tmp_path, kind):
    study = a_study(tmp_path, "git-finished")
    write_lines(study, LAST[kind](lines_of(study)))
    assert breach(study)[0] == 1


def test_step_1_cannot_see_the_end_of_a_ledger_change_where_nothing_holds_it(study):
    """Outside git the last line has no successor; that is what checkpoints are for."""
    kept = checkpoint_of(study.chain(), origin=study.config.origin)
    write_lines(study, LAST["its last line edited"](lines_of(study)))
    assert breach(study) == (None, "")
    assert breach(study, checkpoints=(kept,))[0] == 2


def test_step_1_compares_with_the_revision_that_one_names(tmp_path):
    study = a_study(tmp_path, "git-finished")
    git(tmp_path, "tag", "published")
    write_lines(study, LAST["its last line edited"](lines_of(study)))
    commit(tmp_path, "Rewritten and committed")
    assert breach(study, since="published")[0] == 1
    assert breach(study, since="HEAD~2")[0] == 3  # where the history tells
    git(tmp_path, "reset", "--quiet", "--soft", "HEAD~2")
    commit(tmp_path, "In a history that never had the other")
    assert breach(study) == (None, "")
    assert breach(study, since="published")[0] == 1
    assert breach(study, since="0" * 40) == (None, "")
    for name in ("nowhere", "--help", "a\x00b"):
        assert steps(study, since=name)[1][0] == "unchecked"


def test_step_1_notes_a_line_that_was_cut_off(study):
    write_lines(study, [*lines_of(study), b'{"n":6,"prev'])
    found = steps(study)
    assert found[1][0] == "noted"
    assert found[8][0] == "ok"


def rewritten(study):
    """All of the ledger written anew, every link right."""

    def change(one):
        one["time"] = "2031-01-01T00:00:00.000+00:00"

    forged(study, change)


def test_step_2_sees_a_ledger_that_was_rewritten_as_a_whole(study):
    kept = checkpoint_of(study.chain(), origin=study.config.origin)
    assert breach(study, checkpoints=(kept,)) == (None, "")
    rewritten(study)
    assert breach(study) == (None, "")  # nothing inside the study can tell
    number, found = breach(study, checkpoints=(kept,))
    assert number == 2
    assert "do not match the checkpoint of 6 entries" in found


def test_step_2_sees_entries_taken_away(study):
    kept = checkpoint_of(study.chain(), origin=study.config.origin)
    write_lines(study, lines_of(study)[:-1])
    number, found = breach(study, checkpoints=(kept,))
    assert number == 2
    assert "entries were removed" in found


def test_step_2_sees_the_checkpoint_of_another_study(tmp_path, study):
    other = a_study(tmp_path / "other", "git-finished")
    kept = checkpoint_of(other.chain(), origin=other.config.origin)
    assert breach(study, checkpoints=(kept,))[0] == 2


def test_step_2_reads_checkpoints_that_were_kept_in_the_study(study):
    assert command(study.root, "ledger", "checkpoint", "--keep").returncode == 0
    assert breach(study) == (None, "")
    rewritten(study)
    assert breach(study)[0] == 2
    (kept,) = (study.root / "checkpoints").iterdir()
    kept.write_text("what is this\n")
    assert breach(study)[0] == 2


def test_step_2_wants_the_signature_that_one_asks_for(study):
    mine, other = new_key("example.org/me"), new_key("example.org/other")
    plain = checkpoint_of(study.chain(), origin=study.config.origin)
    asked = {"keys": (mine.verifier,)}
    assert breach(study, checkpoints=(plain.signed_by(mine),), **asked) == (None, "")
    for wrong in (plain, plain.signed_by(other)):
        number, found = breach(study, checkpoints=(wrong,), **asked)
        assert number == 2
        assert "is not signed by example.org/me" in found
    assert breach(study, **asked)[0] == 2
    both = plain.signed_by(other).signed_by(mine)
    assert breach(study, checkpoints=(both,), **asked) == (None, "")


def test_step_2_sees_a_signature_that_is_of_another_text(study):
    mine = new_key("example.org/me")
    signed = checkpoint_of(study.chain(), origin=study.config.origin).signed_by(mine)
    moved = msgspec.structs.replace(signed, size=2, root=study.chain().tree().root(2))
    moved = parse_checkpoint(str(moved).encode(), where="moved")
    number, found = breach(study, checkpoints=(moved,), keys=(mine.verifier,))
    assert number == 2
    assert "does not match this text" in found


def test_step_2_sees_a_key_of_the_same_name(study):
    mine, false = new_key("example.org/me"), new_key("example.org/me")
    signed = checkpoint_of(study.chain(), origin=study.config.origin).signed_by(false)
    assert breach(study, checkpoints=(signed,), keys=(mine.verifier,))[0] == 2


ORDERS = {
    "a result without a seal": lambda fields: [fields[0], *fields[2:]],
    "a result without a start": lambda fields: [*fields[:2], *fields[3:]],
    "a score without a result": lambda fields: [*fields[:3], *fields[4:]],
    "a start before its seal": lambda fields: [fields[0], fields[2], fields[1], *fields[3:]],
    "two starts": lambda fields: [*fields[:3], *fields[2:]],
    "two results": lambda fields: [*fields[:4], *fields[3:]],
    "two seals": lambda fields: [*fields[:2], *fields[1:]],
    "two grades": lambda fields: [*fields, fields[-1]],
    "two scores": lambda fields: [*fields[:5], *fields[4:]],
    "taken up after its end": lambda fields: [*fields, {**fields[2], "kind": "run-resumed"}],
    "a study opened twice": lambda fields: [*fields, fields[0]],
    "a study that never opened": lambda fields: fields[1:],
    "a kind nobody knows": lambda fields: [*fields, {**fields[2], "kind": "blessing"}],
    "a score under bars that are none": lambda fields: [
        *fields,
        {**fields[4], "said": {"bars": "v9"}, "files": {"scorecards/001@v9.json": "x"}},
    ],
    "another study's name": lambda fields: [{**fields[0], "subject": "other"}, *fields[1:]],
    "a seal of something else": lambda fields: [
        fields[0],
        {**fields[1], "files": {"preregs/002/seal.json": "x"}},
        *fields[2:],
    ],
    "no bars": lambda fields: [
        {**fields[0], "files": {"study.toml": fields[0]["files"]["study.toml"]}},
        *fields[1:],
    ],
}


@pytest.mark.parametrize("kind", ORDERS)
def test_step_3_sees_what_the_protocol_does_not_allow(study, kind):
    fields = [msgspec.to_builtins(entry) for entry in entries(study)]
    chained(study, ORDERS[kind](fields))
    assert breach(study)[0] == 3


STRAYS = (
    "scorecards/002@mine.json",
    "scorecards/001@v2.json",
    "grades/002.json",
    "bars/detection-v2.toml",
    "preregs/002/seal.json",
    "runs/002/outputs.jsonl",
    "runs/002",
)


@pytest.mark.parametrize("name", STRAYS)
def test_step_3_sees_a_record_that_no_entry_knows(study, name):
    path = study.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    number, found = breach(study)
    assert number == 3
    assert name.removesuffix("/outputs.jsonl") in found


def test_step_3_passes_over_what_was_being_written_when_something_stopped_it(study):
    for name in ("scorecards/.001@mine.json.x1", "grades/.001.json.x2", "bars/.detection-v2.x3"):
        (study.root / name).write_text("{")
    assert breach(study) == (None, "")


def test_step_3_says_how_to_end_what_was_cut_off(tmp_path):
    study = a_study(tmp_path, "opened")
    (study.root / "preregs/001").mkdir(parents=True)
    (study.root / "preregs/001/seal.json").write_text("{}")
    assert "assay seal 001" in breach(study)[1]


CLOSURES = ("preregs/001/method.py", "preregs/001/prediction.toml", "preregs/001/prereg.toml",
            "bars/detection-mine.toml", "preregs/001/seal.json")  # fmt: skip


@pytest.mark.parametrize("name", CLOSURES)
def test_step_4_sees_that_a_sealed_file_changed(study, name):
    path = study.root / name
    path.write_bytes(path.read_bytes() + b"\n")
    number, found = breach(study)
    assert number == 4
    assert name in found
    path.unlink()
    assert breach(study)[0] == 4


def test_step_4_sees_a_plan_that_changed(study):
    path = study.root / "study.toml"
    path.write_bytes(path.read_bytes() + b"\n")
    number, found = breach(study)
    assert number == 4
    assert "study.toml" in found


def test_step_4_sees_other_data(study):
    with (study.root.parent / "data.jsonl").open("a") as file:
        file.write('{"question": "One more?", "response": "Yes.", "label": 1}\n')
    number, found = breach(study)
    assert number == 4
    assert "data.jsonl" in found


def test_step_4_sees_a_file_put_beside_the_method(study):
    (study.root / "preregs/001/more.py").write_text("")
    assert breach(study)[0] == 4


def lower_bars(study, version="mine-2"):
    """A version of the bars that anything meets, entered after the seal."""
    path = study.root / f"bars/detection-{version}.toml"
    path.write_text(BARS.replace('"mine"', f'"{version}"').replace("0.6", "0.01"))
    return f"bars/detection-{version}.toml"


def test_step_4_sees_a_seal_that_names_bars_which_were_not_in_force(tmp_path):
    study = a_study(tmp_path)
    name = lower_bars(study)
    bars = (study.root / name).read_bytes()
    with study.ledger as ledger:
        files = {name: digest(bars)}
        ledger.append(time="", kind="bars", subject="detection-mine-2", files=files)

    def change(seal):
        seal["bars_version"] = "mine-2"
        del seal["files"]["bars/detection-mine.toml"]
        seal["files"][name] = {"size": len(bars), "digest": digest(bars)}
        seal["files"] = dict(sorted(seal["files"].items()))

    rewrite_json(study.root / "preregs/001/seal.json", change)
    redigest(study)
    number, found = breach(study)
    assert number == 4
    assert "not in force then" in found


def test_step_4_sees_a_seal_of_another_study(tmp_path, study):
    rewrite_json(study.root / "preregs/001/seal.json", lambda seal: seal.update(study="other/1"))
    redigest(study)
    assert breach(study)[0] == 4


def test_step_4_sees_a_seal_whose_manifest_lacks_a_file(study):
    rewrite_json(
        study.root / "preregs/001/seal.json",
        lambda seal: seal["files"].pop("preregs/001/prediction.toml"),
    )
    redigest(study)
    assert breach(study)[0] == 4


def resign(study, change):
    """Change outputs and make run.json agree, as a forger would who knows no ledger."""
    path = study.root / "runs/001/outputs.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    change(records)
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in records))

    def head(run):
        run["outputs"].update(digest=digest(path.read_bytes()), lines=len(records))

    rewrite_json(study.root / "runs/001/run.json", head)


def better(records):
    """Every positive gets the highest score."""
    for one in records:
        one["output"] = float(int(one["item"]) % 2 == 0) * 100.0


def test_step_5_sees_outputs_that_were_changed_with_the_digest_beside_them(study):
    resign(study, better)
    number, found = breach(study)
    assert number == 5
    assert "runs/001" in found


@pytest.mark.parametrize("name", ["run.json", "outputs.jsonl"])
def test_step_5_sees_a_result_that_is_gone_or_longer(study, name):
    path = study.root / "runs/001" / name
    path.write_bytes(path.read_bytes() + b"\n")
    assert breach(study)[0] == 5
    path.unlink()
    assert breach(study)[0] == 5


CLAIMS = {
    "another seed": lambda run: run.update(seed=1),
    "another method": lambda run: run.update(method="method.py:other"),
    "another task": lambda run: run.update(task="classification"),
    "other data": lambda run: run["benchmark"].update(digest="sha256:00"),
    "a second corpus": lambda run: run.update(second=run["benchmark"]),
    "a witness": lambda run: run["provenance"].update(witness="git:" + "ab" * 20),
    "that it was cut off": lambda run: run["provenance"].update(resumed=3),
    "that it is not complete": lambda run: run.update(complete=False),
    "another seal": lambda run: run["provenance"].update(seal="sha256:00"),
    "no seal": lambda run: run.update(provenance=None),
}


@pytest.mark.parametrize("kind", CLAIMS)
def test_step_5_sees_a_result_that_claims_what_its_entries_deny(study, kind):
    rewrite_json(study.root / "runs/001/run.json", CLAIMS[kind])
    redigest(study)
    assert breach(study)[0] == 5


ITEMS = {
    "one item less": lambda records: records.pop(),
    "an item that is none": lambda records: records[0].update(item="ghost"),
    "an item for another": lambda records: records[0].update(item=records[1]["item"]),
}


@pytest.mark.parametrize("kind", ITEMS)
def test_step_5_sees_outputs_that_are_not_one_for_each_item(study, kind):
    resign(study, ITEMS[kind])
    redigest(study)
    assert breach(study)[0] == 5


def test_step_5_sees_an_item_that_was_recorded_twice(study):
    resign(study, lambda records: records.append(records[0]))
    redigest(study)
    assert breach(study)[0] == 5


CARDS = {
    "the verdict": lambda card: card.update(verdict="fail"),
    "a value": lambda card: card["bars"][0].update(value=0.999),
    "a bound": lambda card: card["bars"][0]["parts"][0].update(lower_bound=0.99),
    "the threshold": lambda card: card["bars"][0].update(threshold=0.1),
    "a caveat less": lambda card: card["caveats"].pop(),
    "the count of bars met": lambda card: card["point"].update(passed=0),
    "unscored items": lambda card: card.update(unscored=1),
    "a digest": lambda card: card["digests"].update(bars="sha256:00"),
    "that it was not sealed": lambda card: card.update(sealed=False),
}


@pytest.mark.parametrize("kind", CARDS)
def test_step_6_sees_a_scorecard_that_was_changed_with_its_entry(study, kind):
    rewrite_json(
        study.root / "scorecards/001@mine.json", lambda head: CARDS[kind](head["scorecard"])
    )
    assert breach(study)[0] == 6  # as the entry says another digest
    redigest(study)
    number, found = breach(study)
    assert number == 6
    assert "differs from what the outputs give" in found


def test_step_6_sees_a_caveat_left_out_in_the_name_of_another_version(study):
    def change(head):
        card = head["scorecard"]
        card["signature"] = card["signature"].rpartition(" · ")[0] + " · assay 0.0.1"

    rewrite_json(study.root / "scorecards/001@mine.json", change)
    redigest(study)
    assert breach(study) == (None, "")  # another version's words need not be ours

    def leave_out(head):
        card = head["scorecard"]
        card["caveats"] = [one for one in card["caveats"] if one["code"] != "unwitnessed"]

    rewrite_json(study.root / "scorecards/001@mine.json", leave_out)
    redigest(study)
    number, found = breach(study)
    assert number == 6
    assert "unwitnessed" in found


def test_step_6_sees_a_verdict_replaced_by_an_excuse(study):
    def change(head):
        head.update(scorecard=None, error="SpecError: too bad")

    rewrite_json(study.root / "scorecards/001@mine.json", change)
    redigest(study)
    assert breach(study)[0] == 6


GRADES = {
    "a range that was missed": lambda grade: grade["ranges"][0].update(where="above"),
    "another range": lambda grade: grade["ranges"][0].update(low=0.9),
    "another value": lambda grade: grade["ranges"][0].update(value=0.5),
    "that one had no idea": lambda grade: grade.update(no_idea=True),
    "other bars": lambda grade: grade.update(bars="v9"),
}


@pytest.mark.parametrize("kind", GRADES)
def test_step_6_sees_a_grade_that_was_changed_with_its_entry(study, kind):
    rewrite_json(study.root / "grades/001.json", GRADES[kind])
    redigest(study)
    number, found = breach(study)
    assert number == 6
    assert "grades/001.json differs from what the result gives" in found


def test_step_6_sees_a_prediction_that_was_never_graded(study):
    (study.root / "grades/001.json").unlink()
    forged(study, drop=(5,))
    number, found = breach(study)
    assert number == 6
    assert "was never graded" in found


def test_step_7_sees_bars_under_which_nobody_was_judged(study):
    revised_unjudged(study)
    number, found = breach(study)
    assert number == 7
    assert "001 is not judged under detection bars mine-2" in found
    assert "assay score `all=True`" in found
    assert command(study.root, "score", "--all").returncode in (0, 1)
    assert breach(study) == (None, "")


@pytest.mark.parametrize("name", ["BOARD.md", "CALIBRATION.md", "FALSIFIED.md"])
def test_step_8_sees_a_page_that_was_edited_by_hand(study, name):
    path = write_view(study, name)
    assert breach(study) == (None, "")
    path.write_text(path.read_text() + "\nPASS\n")
    number, found = breach(study)
    assert number == 8
    assert name in found


def forge_everything(study):
    """Better outputs, and every record made again from them, as only the run itself denies."""
    resign(study, better)
    redigest(study)
    for _ in range(2):  # the grade is made from the scorecard as the ledger knows it
        records = read_records(study.chain().entries)
        one = records.submissions["001"]
        run = load_result(study, one)
        again = judge(study, run, load_version(study, records.bars[0]))
        card = judgement_bytes("001", again)
        (study.root / "scorecards/001@mine.json").write_bytes(card)
        redigest(study)
        records = read_records(study.chain().entries)
        plan = load_sealed(study, "001", distributions=False)
        one = records.submissions["001"]
        grade = grade_of(study, records, one, plan.prediction, plan.bars)
        (study.root / "grades/001.json").write_bytes(grade_bytes(grade))
        redigest(study)


def test_step_9_alone_sees_outputs_that_were_forged_throughout(study):
    forge_everything(study)
    found = steps(study)
    assert len(found) == 8
    assert {outcome for outcome, _ in found.values()} <= {"ok", "noted"}  # nothing else sees it
    number, said = breach(study, rerun=())
    assert number == 9
    assert "of 24 outputs differ" in said


def test_step_9_finds_nothing_where_nothing_was_forged(study):
    found = steps(study, rerun=())
    assert found[9] == ("ok", "1 submission run again, all outputs equal")


def test_a_checkpoint_sees_the_forgery_too(study):
    kept = checkpoint_of(study.chain(), origin=study.config.origin)
    forge_everything(study)
    assert breach(study, checkpoints=(kept,))[0] == 2


HARMS = {
    1: lambda study: write_lines(study, lines_of(study)[1:]),
    3: lambda study: (study.root / "grades/002.json").write_text("{}"),
    4: lambda study: (study.root / "preregs/001/method.py").write_text(""),
    5: lambda study: resign(study, better),
    6: lambda study: (study.root / "grades/001.json").write_text("{}"),
    8: lambda study: (study.root / "BOARD.md").write_text("PASS"),
    9: forge_everything,
}


@pytest.mark.parametrize("number", HARMS)
def test_the_command_names_the_step_and_exits_with_4(study, number):
    HARMS[number](study)
    done = command(study.root, "verify", "--json", *(["--rerun"] if number == 9 else []))
    assert done.returncode == 4
    found = json.loads(done.stdout)
    assert (found["intact"], found["steps"][-1]["number"]) == (False, number)
    assert found["steps"][-1]["outcome"] == "breach"


def test_a_study_that_was_only_begun_is_intact(tmp_path):
    study = a_study(tmp_path, "git-opened")
    assert breach(study) == (None, "")
    sealed(study, prediction=PREDICTION)
    assert breach(study) == (None, "")
    commit(tmp_path, "Seal 001")
    run_sealed(study, "001")
    assert breach(open_study(study.root)) == (None, "")
    assert kinds(study)[-1] == "grade"


def test_step_1_compares_with_the_last_commit_even_where_the_plan_was_rewritten_too(tmp_path):
    study = a_study(tmp_path, "git-finished")
    plan = study.root / "study.toml"
    plan.write_bytes(plan.read_bytes() + b"# another plan\n")
    lines = lines_of(study)
    write_lines(study, lines[:-1])
    number, found = breach(study)
    assert number == 1
    assert "some were removed" in found


def test_a_committed_edit_is_traced_to_the_commit_that_holds_the_recorded_file(tmp_path):
    study = a_study(tmp_path, "git-finished")
    name = "preregs/001/prediction.toml"
    first = git(
        tmp_path, "log", "--format=%h", "--abbrev=12", "--diff-filter=A", "--", f"**/{name}"
    )
    (study.root / name).write_text("no_idea = true\n")
    commit(tmp_path, "Tidy")
    said = command(study.root, "verify").stdout
    text = " ".join(said.split())
    assert f"git checkout {first} -- {name}" in text and "checkout HEAD" not in text
    git(study.root, "checkout", first, "--", name)
    commit(tmp_path, "Put it back")
    assert name not in command(study.root, "verify").stdout


def test_a_broken_ledger_is_traced_to_the_last_commit_in_which_it_is_whole(tmp_path):
    study = a_study(tmp_path, "git-finished")
    ledger = study.root / "ledger.jsonl"
    whole = git(tmp_path, "log", "-1", "--format=%h", "--abbrev=12", "--", "**/ledger.jsonl")
    ledger.write_bytes(ledger.read_bytes().replace(b"sha256:", b"sha257:", 1))
    commit(tmp_path, "Tidy")
    text = " ".join(command(study.root, "verify").stdout.split())
    assert f"then restore it: git checkout {whole} -- ledger.jsonl" in text
    git(study.root, "checkout", whole, "--", "ledger.jsonl")
    commit(tmp_path, "Put it back")
    assert "breach" not in command(study.root, "verify").stdout


def test_every_changed_file_is_traced(tmp_path):
    study = a_study(tmp_path, "git-finished")
    name = "runs/001/outputs.jsonl"
    first = git(
        tmp_path, "log", "--format=%h", "--abbrev=12", "--diff-filter=A", "--", f"**/{name}"
    )
    (study.root / name).write_bytes((study.root / name).read_bytes().replace(b"1", b"2", 1))
    text = " ".join(command(study.root, "verify").stdout.split())
    assert f"It was recorded in commit {first}. Restore it: git checkout {first} -- {name}" in text


def test_the_board_says_that_it_verifies_nothing(study):
    said = " ".join(command(study.root, "board").stdout.split())
    assert "Not verified here. Check every record: assay verify" in said
    assert "Not verified" not in command(study.root, "board", "--markdown").stdout


def test_results_on_the_board_are_judged_already(study):
    said = command(study.root, "score", "--all").stdout
    assert "judged already" in said and "judged for the first time" not in said
