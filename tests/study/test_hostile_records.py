import copy
import json
import os
import pathlib

import msgspec
import pytest
from helpers.command import command
from helpers.scale import scale
from helpers.studies import (
    a_study,
    breach,
    chained,
    entries,
    raised,
    redigest,
    remember_installed,
    rewrite_json,
)

from assay.digests import digest
from assay.errors import AssayError, IntegrityError, SpecError
from assay.report.study.board import board_csv, board_markdown
from assay.report.study.frontier import frontier_csv, frontier_markdown
from assay.report.study.views import VIEWS, write_view
from assay.study.entries import read_records
from assay.study.scorecards.rejudge import judge_in_study, judge_study
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.views import board_of, frontier_of

SEAL = "preregs/001/seal.json"
OUTSIDE = (
    "../../../../../../etc/passwd",
    "/etc/passwd",
    "preregs/../../data.jsonl",
    "preregs//001/method.py",
    "./study.toml",
    "preregs\\001\\method.py",
    "",
    "a/" * 600 + "b",
    "name\x1b[2J",
    "name\x00",
)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def study(tmp_path):
    return a_study(tmp_path / "home", "finished")


@pytest.fixture
def reads(monkeypatch, tmp_path):
    """What is read, by path."""
    found = []
    read = pathlib.Path.read_bytes

    def noting(path):
        found.append(os.path.realpath(path))
        return read(path)

    monkeypatch.setattr(pathlib.Path, "read_bytes", noting)
    return found


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_seal_that_names_a_file_outside_is_a_breach_and_the_file_is_not_read(study, reads, name):
    def change(seal):
        seal["files"][name] = {"size": 1, "digest": "sha256:00"}

    rewrite_json(study.root / SEAL, change)
    redigest(study)
    del reads[:]
    number, found = breach(study)
    assert number == 4
    assert "is not a path inside a study" in found
    assert all(path.startswith(str(study.root.parent.resolve())) for path in reads)
    assert "/etc/passwd" not in reads


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("kind", ["study", "seal", "run", "score", "grade"])
def test_an_entry_that_names_a_file_outside_is_a_breach_and_the_file_is_not_read(
    study, reads, kind, name
):
    fields = [msgspec.to_builtins(entry) for entry in entries(study)]
    one = next(one for one in fields if one["kind"] == kind)
    one["files"] = {name: digest(b"")}
    chained(study, fields)
    del reads[:]
    assert breach(study)[0] == 3
    for action in (board_of, judge_study):
        assert isinstance(raised(action, open_study(study.root)), IntegrityError)
    assert "/etc/passwd" not in reads


@pytest.mark.parametrize(
    ("name", "number"),
    [("runs", 5), ("runs/001", 5), ("preregs", 4), ("preregs/001", 4), ("scorecards", 6),
     ("grades", 6), ("bars", 4), ("ledger.jsonl", 1), ("BOARD.md", 8)],
)  # fmt: skip
def test_a_part_of_the_study_that_leads_out_of_it_is_a_breach(tmp_path, study, name, number):
    write_view(study, "BOARD.md")
    (study.root / name).rename(tmp_path / "elsewhere")
    (study.root / name).symlink_to(tmp_path / "elsewhere")
    found = breach(study)
    assert found[0] == number
    assert "symbolic link" in found[1] or "not a regular file" in found[1]


def test_a_plan_that_leads_out_of_the_study_is_refused(tmp_path, study):
    (study.root / "study.toml").rename(tmp_path / "elsewhere")
    (study.root / "study.toml").symlink_to(tmp_path / "elsewhere")
    assert isinstance(raised(open_study, study.root), IntegrityError)


def test_checkpoints_that_lead_out_of_the_study_are_a_breach(tmp_path, study):
    command(study.root, "ledger", "checkpoint", "--keep")
    (study.root / "checkpoints").rename(tmp_path / "elsewhere")
    (study.root / "checkpoints").symlink_to(tmp_path / "elsewhere")
    assert breach(study)[0] == 2


@pytest.mark.parametrize("name", ["ledger.jsonl", SEAL, "runs/001/run.json", "study.toml"])
def test_a_pipe_in_place_of_a_record_does_not_hold_anybody_up(study, name):
    (study.root / name).unlink()
    os.mkfifo(study.root / name)
    assert isinstance(raised(lambda: _verified(study)), AssayError)
    assert isinstance(raised(lambda: run_sealed(open_study(study.root), "001")), AssayError)


def _verified(study):
    number, found = breach(open_study(study.root))
    if number is not None:
        raise IntegrityError(found)


DEEP = "[" * 5000 + "]" * 5000
TEXTS = {
    "nothing": b"",
    "a list": b"[]",
    "a number": b"1",
    "deep": DEEP.encode(),
    "deep inside": b'{"format": ' + DEEP.encode() + b"}",
    "not text": b"\xff\xfe\x00",
    "half": b'{"format": "assay-seal/1"',
    "twice": b'{"format": "assay-seal/1", "format": "assay-seal/1"}',
    "no number": b'{"format": NaN}',
    "half a pair": b'{"format": "\\ud800"}',
    "many digits": b'{"format": ' + b"9" * 10_000 + b"}",
    "ten megabytes": b'{"format": "' + b"x" * 10_000_000 + b'"}',
}
RECORDS = (SEAL, "runs/001/run.json", "runs/001/outputs.jsonl", "scorecards/001@mine.json",
           "grades/001.json", "bars/detection-mine.toml", "study.toml")  # fmt: skip
NUMBERS = {SEAL: 4, "runs/001/run.json": 5, "runs/001/outputs.jsonl": 5,
           "scorecards/001@mine.json": 6, "grades/001.json": 6,
           "bars/detection-mine.toml": 4}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("name", RECORDS)
def test_a_record_that_is_none_is_a_breach_in_its_own_step(study, name, kind):
    (study.root / name).write_bytes(TEXTS[kind])
    redigest(study)
    if name == "study.toml":
        assert isinstance(raised(open_study, study.root), SpecError)
        return
    assert breach(study)[0] == NUMBERS[name]
    for action in (board_of, judge_study, lambda study: run_sealed(study, "001")):
        error = raised(action, open_study(study.root))
        assert error is None or isinstance(error, AssayError)


VALUES = (None, True, -1, 10**400, 1e308, 0.5, "", "\x1b[2J", "../../etc/passwd", [], {}, [[]])


def places_of(value, place=()):
    """Every place in a JSON value."""
    yield place
    if isinstance(value, dict):
        for key in value:
            yield from places_of(value[key], (*place, key))
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield from places_of(child, (*place, number))


def _drawn_frontier(study):
    found = frontier_of(study)
    return frontier_markdown(found), frontier_csv(found), str(found)


def with_value(head, place, value):
    if not place:
        return value
    changed = copy.deepcopy(head)
    here = changed
    for key in place[:-1]:
        here = here[key]
    here[place[-1]] = value
    return changed


@pytest.mark.parametrize("name", [name for name in RECORDS if name.endswith(".json")])
def test_whatever_stands_in_a_record_nothing_but_errors_of_ours_comes_of_it(study, name):
    """Every value of every record in turn; the ledger is made to agree each time."""
    path = study.root / name
    before, ledger = path.read_bytes(), (study.root / "ledger.jsonl").read_bytes()
    head = json.loads(before)
    cases = [(place, value) for place in places_of(head) for value in VALUES]
    tried = 0
    for place, value in cases[:: scale(41, 1)]:
        path.write_text(json.dumps(with_value(head, place, value)))
        (study.root / "ledger.jsonl").write_bytes(ledger)
        redigest(study)
        views = (breach, board_of, _drawn_frontier, judge_study)
        for action in (*views, lambda study: run_sealed(study, "001")):
            raised(action, open_study(study.root))  # anything else than ours would come through
        tried += 1
    assert tried >= 5


LINES = {
    "a huge number": b'{"n":' + b"9" * 400,
    "a number with a point": b'{"n":0.0',
    "a huge exponent": b'{"n":1e400',
    "deep": b'{"n":' + DEEP.encode(),
    "no number": b'{"n":NaN',
    "a name with a control character": b'{"n":\x1b',
}


@pytest.mark.parametrize("kind", LINES)
def test_a_line_that_no_ledger_holds_is_a_breach(study, kind):
    path = study.root / "ledger.jsonl"
    data = path.read_bytes()
    assert data.startswith(b'{"n":0')
    path.write_bytes(LINES[kind] + data.removeprefix(b'{"n":0'))
    assert breach(study)[0] == 1


@pytest.mark.parametrize("field", ["said", "time", "kind", "subject"])
def test_a_line_longer_than_assay_writes_is_a_breach(study, field):
    fields = [msgspec.to_builtins(entry) for entry in entries(study)]
    long = "x" * 10_000_000
    fields[2][field] = {"witness": long} if field == "said" else long
    lines, before = [], b""
    for number, one in enumerate(fields):
        one.update(n=number, previous=digest(before))
        before = msgspec.json.encode(one)
        lines.append(before + b"\n")
    (study.root / "ledger.jsonl").write_bytes(b"".join(lines))
    number, found = breach(study)
    assert number == 1
    assert "bytes" in found


UGLY = 'a\x1b[2J\r\n|`*<b>[x](http://e)\u202e,"=cmd()'


def ugly(study):
    """A method's name that would do something wherever it is shown as it is."""
    rewrite_json(study.root / SEAL, lambda seal: seal.update(method=f"={UGLY}"))
    redigest(study)
    return open_study(study.root)


def harmless(text):
    return not any(char in text for char in "\x1b\r\u202e")


def test_names_of_methods_are_harmless_wherever_the_board_shows_them(study):
    board = board_of(ugly(study))
    page, table = board_markdown(board), board_csv(board)
    assert harmless(page)
    assert harmless(table)
    (row,) = [line for line in page.splitlines() if "cmd" in line]
    assert "<b>" not in row
    assert "[x](http" not in row
    (header,) = [line for line in page.splitlines() if line.startswith("| submission")]
    assert row.count(" | ") == header.count(" | ")
    (line,) = table.splitlines()[1:]
    assert "\"'=a" in line
    for name in VIEWS:
        assert harmless(VIEWS[name](study, read_records(study.chain().entries)))


def test_the_command_shows_hostile_names_as_harmless_text(study):
    ugly(study)
    for form in ("--markdown", "--csv", None):
        done = command(study.root, "board", *filter(None, [form]))
        assert done.returncode == 0
        assert harmless(done.stdout + done.stderr)
    done = command(study.root, "board", "--json")
    assert json.loads(done.stdout)["tables"][0]["rows"][0]["method"] == f"={UGLY}"
    assert "\x1b" not in done.stdout


def test_what_a_ledger_says_is_shown_as_harmless_text(study):
    fields = [msgspec.to_builtins(entry) for entry in entries(study)]
    fields[2].update(time=UGLY, said={"witness": UGLY, UGLY: "x"})
    chained(study, fields)
    done = command(study.root, "ledger", "show")
    assert done.returncode == 0
    assert harmless(done.stdout)
    fields[2].update(subject=UGLY, kind=UGLY)
    chained(study, fields)
    for words in (["verify"], ["board"], ["ledger", "show"], ["run", "001"], ["score", "--all"]):
        done = command(study.root, *words)
        assert done.returncode in (0, 4), words
        assert harmless(done.stdout + done.stderr), words


@pytest.mark.parametrize(
    "text",
    [
        "name\n" + "9" * 5000 + "\n" + "A" * 43 + "=\n",
        "name\n-1\n" + "A" * 43 + "=\n",
        "name\n1\nAAAA\n",
        "name\n1\n" + "A" * 43 + "=\n\n— x y\n",
        "\x1b[2J\n1\n" + "A" * 43 + "=\n",
        "x" * 100_000,
        "",
    ],
)
def test_a_checkpoint_that_is_none_is_refused(study, text):
    (study.root / "checkpoints").mkdir()
    (study.root / "checkpoints/000001.txt").write_text(text)
    assert breach(study)[0] == 2


def test_a_checkpoint_of_too_many_digits_is_refused_by_the_command(tmp_path, study):
    (tmp_path / "kept.txt").write_text("name\n" + "9" * 5000 + "\n" + "A" * 43 + "=\n")
    done = command(study.root, "verify", "--checkpoint", str(tmp_path / "kept.txt"))
    assert done.returncode == 2
    assert done.stderr.startswith("SpecError: ")


@pytest.mark.parametrize("lacking", ["prereg.toml", "prediction.toml"])
def test_a_seal_that_never_had_a_part_is_a_breach(study, lacking):
    (study.root / "preregs/001" / lacking).unlink()
    rewrite_json(study.root / SEAL, lambda seal: seal["files"].pop(f"preregs/001/{lacking}"))
    redigest(study)
    number, found = breach(study)
    assert number == 4
    assert lacking in found


@pytest.mark.parametrize(
    "place", ["/dev/zero", "/dev/stdin", "/etc", "/proc/self/mem", "pipe", "a\\u0000b", "darkcore/"]
)
def test_data_that_are_no_file_hold_nobody_up(study, place):
    os.mkfifo(study.root / "pipe")
    path = study.root / "study.toml"
    path.write_text(path.read_text().replace("../data.jsonl", place))
    redigest(study)
    assert breach(study)[0] == 4
    assert isinstance(raised(board_of, open_study(study.root)), AssayError)


PLANS = {
    "a column nobody knows": 'columns = { secret = "x" }',
    "a column that is a number": "columns = { label = 1 }",
    "deep": "x = " + "[" * 2000 + "]" * 2000,
    "no digest": "digest = 1",
}


@pytest.mark.parametrize("kind", PLANS)
def test_a_plan_that_is_none_is_refused(study, kind):
    path = study.root / "study.toml"
    path.write_text(path.read_text() + PLANS[kind] + "\n")
    assert isinstance(raised(open_study, study.root), SpecError)


def test_the_commands_exit_with_2_or_4_whatever_the_records_are(study):
    for name, kind in ((SEAL, "deep"), ("study.toml", "half")):
        before = (study.root / name).read_bytes()
        (study.root / name).write_bytes(TEXTS[kind])
        for words in (["verify"], ["board"]):
            assert command(study.root, *words).returncode in (2, 4), (name, words)
        (study.root / name).write_bytes(before)


def test_a_result_for_a_task_that_the_study_has_no_bars_for_is_an_error_of_ours(study):
    rewrite_json(study.root / "runs/001/run.json", lambda run: run.update(task="classification"))
    redigest(study)
    assert breach(study)[0] == 5
    (named,) = judge_study(open_study(study.root))
    assert named.unreadable
    assert named.error.startswith("IntegrityError: ")
    place = study.root / "runs/001"
    assert isinstance(raised(judge_in_study, open_study(study.root), place, None), IntegrityError)


@pytest.mark.parametrize("kept", ["9" * 5000, "-1", "", "\u0663" * 5000, "1" * 16])
def test_a_stop_that_states_no_number_is_a_breach_and_no_crash(tmp_path, kept):
    study = a_study(tmp_path, "finished")
    fields = [msgspec.to_builtins(entry) for entry in entries(study)]
    place = [one["kind"] for one in fields].index("run")
    said = {"kept": kept, "outputs": digest(b"")}
    fields.insert(place, {"kind": "run-stopped", "subject": "001", "said": said})
    chained(study, fields)
    number, found = breach(study)
    assert number == 5
    assert "does not begin with" in found
    assert len(found) < 1000
