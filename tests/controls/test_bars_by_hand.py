"""Bars that were put into the ledger by hand: `verify` checks a revision as it checks a result."""

import json
import shutil
from unittest.mock import patch

import pytest
from helpers.command import command
from helpers.fakes import detection_bars
from helpers.studies import (
    BARS,
    a_study,
    breach,
    commit,
    forged,
    opened,
    redigest,
    remember_installed,
    rewrite_json,
    sealed,
    steps,
    write_rows,
)
from msgspec.structs import replace

import assay
from assay.digests import digest
from assay.errors import SpecError
from assay.files import read_as
from assay.gauntlet.load import BUNDLED_BARS
from assay.runs.store import RunFolder, load_run
from assay.study.create import new_study
from assay.study.entries import enter, records_of
from assay.study.scorecards.controls import keep_control, load_control
from assay.study.scorecards.store import judge_missing
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed

ADD = ("--add", "B2", "--control", "feature:word_length", "--margin", "0.1")
BECAUSE = ("--because", "counting words passes")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def entered_by_hand(study, text, version="mine-2", *, said=None):
    """Append bars to the ledger as its own code does, and judge everything under them."""
    name = f"bars/detection-{version}.toml"
    (study.root / name).write_text(text)
    files = {name: digest((study.root / name).read_bytes())}
    with study.ledger as ledger:
        ledger.append(
            time="", kind="bars", subject=f"detection-{version}", files=files, said=said or {}
        )
    judge_missing(open_study(study.root))


def weaker(version="mine-2", more=""):
    return BARS.replace('"mine"', f'"{version}"\n{more}').replace("0.6", "0.01")


FAULTS = {
    "superseding nothing": (weaker(), "supersedes"),
    "superseding what never was": (weaker(more='supersedes = "v9"'), "supersedes"),
    "a lower threshold": (weaker(more='supersedes = "mine"'), "B1"),
    "a bar left out": (
        weaker(more='supersedes = "mine"').replace('id = "B1"', 'id = "X1"'),
        "B1",
    ),
    "another partition under the same name": (
        BARS.replace('"mine"', '"mine-2"\nsupersedes = "mine"').replace(
            'positive = "label == 1"', 'positive = "label == 0"'
        ).replace('negative = "label == 0"\n', 'negative = "label == 1"\n', 1),
        "B1",
    ),
    "the same bars, and no control": (
        BARS.replace('"mine"', '"mine-2"\nsupersedes = "mine"'),
        "control",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FAULTS)
def test_bars_appended_by_hand_are_a_breach(tmp_path, kind):
    study = a_study(tmp_path, "git-finished")
    text, words = FAULTS[kind]
    entered_by_hand(study, text)
    commit(tmp_path, "Bars mine-2")
    number, found = breach(study)
    assert number == 7
    assert words in found


def test_a_weaker_bar_that_is_named_as_dropped_still_needs_its_control(tmp_path):
    study = a_study(tmp_path, "git-finished")
    more = 'supersedes = "mine"\ndrops = ["B1"]'
    entered_by_hand(study, weaker(more=more))
    number, found = breach(study)
    assert number == 7
    assert "control" in found


def revised(home, *words):
    study = a_study(home, "git-finished")
    done = command(study.root, "bars", "revise", *ADD, *BECAUSE, *words)
    assert done.returncode == 0, done.stderr
    return open_study(study.root)


def test_a_revision_by_the_command_is_intact_and_keeps_its_control(tmp_path):
    study = revised(tmp_path)
    assert (study.root / "controls/detection-mine-2/outputs.jsonl").is_file()
    found = steps(study)
    assert found[7][0] == "ok"
    assert "1 revision" in found[7][1]


def test_a_control_that_was_changed_after_the_revision_is_seen(tmp_path):
    study = revised(tmp_path)
    path = study.root / "controls/detection-mine-2/outputs.jsonl"
    path.write_bytes(path.read_bytes().replace(b"1", b"2"))
    assert breach(study)[0] == 7
    path.unlink()
    assert breach(study)[0] == 7


def test_a_control_that_does_not_pass_the_old_bars_is_seen(tmp_path):
    """The outputs turned round, with every digest made right."""
    study = revised(tmp_path)
    folder = study.root / "controls/detection-mine-2"
    records = [json.loads(line) for line in (folder / "outputs.jsonl").read_text().splitlines()]
    for one in records:
        one["output"] = -one["output"]
    data = b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in records)
    (folder / "outputs.jsonl").write_bytes(data)
    rewrite_json(folder / "run.json", lambda run: run["outputs"].update(digest=digest(data)))
    redigest(study)
    number, found = breach(study)
    assert (number, "does not pass detection-mine" in found) == (7, True)


def without_control(study, **said):
    """The study as it would be had its revision been made before controls were stored."""
    shutil.rmtree(study.root / "controls")

    def change(one):
        if one["kind"] == "bars":
            one["files"] = {name: it for name, it in one["files"].items() if "controls" not in name}
            one["said"].update(said)

    forged(study, change)
    return open_study(study.root)


@pytest.mark.parametrize("said", [{}, {"after": "001"}])
def test_a_registered_control_that_is_not_stored_is_run_again_and_noted(tmp_path, said):
    """The submission after which the bars were revised is another method, and no control."""
    study = without_control(revised(tmp_path), **said)
    outcome, found = steps(study)[7]
    assert outcome == "noted"
    assert "the control of mine-2, oracle:word_length, is not stored and was run again" in found


def test_a_registered_control_that_does_not_fail_the_new_bar_is_a_breach(tmp_path):
    study = a_study(tmp_path, "git-finished")
    text = BARS.replace('"mine"', '"mine-2"\nsupersedes = "mine"')
    bar = text[text.index("[[bar]]") :].replace("B1", "B2")
    control = '[[regression]]\nmethod = "oracle:word_length"\npasses = ["B1"]\nfails = ["B2"]\n'
    entered_by_hand(study, f"{text}\n{bar}\n{control}")
    number, found = breach(study)
    assert (number, "also passes the new bar" in found) == (7, True)


def test_a_control_that_is_not_stored_and_is_not_ours_is_unchecked(tmp_path):
    """An honest study from before controls were stored; it cannot be told from a forged one."""
    method = tmp_path / "cheat.py"
    method.write_text("def detect(question, response):\n    return len(response.split())\n")
    study = without_control(revised(tmp_path, "--regression", f"{method}:detect"))
    outcome, found = steps(study)[7]
    assert outcome == "unchecked"
    assert "is not stored" in found
    assert command(study.root, "verify").returncode == 2


def test_the_control_is_the_bytes_that_were_checked(tmp_path):
    """Another process changes the file between the check and the reading."""
    study = revised(tmp_path)
    path = study.root / "controls/detection-mine-2/outputs.jsonl"

    def read_and_change(root, name, expected):
        data = read_as(root, name, expected)
        if name.startswith("controls/"):
            (root / name).write_bytes(b"")
        return data

    records = records_of(study)
    with patch("assay.study.scorecards.controls.read_as", read_and_change):
        run = load_control(study, records, records.bars[-1], "oracle:word_length", second=False).run
    assert path.read_bytes() == b""
    assert len(run.records) == 24


def test_the_digest_of_a_control_is_of_the_bytes_that_were_written(tmp_path):
    study = a_study(tmp_path, "finished")
    run = load_run(study.root / "runs/001")
    finish = RunFolder.finish

    def finish_and_change(folder, run):
        finish(folder, run)
        (folder.path / "outputs.jsonl").write_bytes(b"")

    with patch.object(RunFolder, "finish", finish_and_change):
        files = keep_control(study, "detection-mine-2", run)
    assert set(files) == {f"controls/detection-mine-2/{n}" for n in ("outputs.jsonl", "run.json")}
    written = digest((study.root / "runs/001/outputs.jsonl").read_bytes())
    assert files["controls/detection-mine-2/outputs.jsonl"] == written


def test_a_stray_control_is_seen(tmp_path):
    study = a_study(tmp_path, "git-finished")
    (study.root / "controls/detection-mine-9").mkdir(parents=True)
    assert breach(study)[0] == 3


def test_a_bar_is_dropped_only_by_name_and_verify_says_so(tmp_path):
    study = revised(tmp_path, "--drop", "B1")
    assert 'drops = ["B1"]' in (study.root / "bars/detection-mine-2.toml").read_text()
    outcome, found = steps(study)[7]
    assert outcome == "noted"
    assert "mine-2 drops B1" in found


def test_a_bar_that_is_not_there_cannot_be_dropped(tmp_path):
    study = a_study(tmp_path, "git-finished")
    done = command(study.root, "bars", "revise", *ADD, *BECAUSE, "--drop", "B7")
    assert done.returncode == 2
    assert "B7" in done.stderr


def test_a_submission_is_the_control_where_it_was_the_cheat(tmp_path):
    study = revised(tmp_path, "--regression", "001")
    assert not (study.root / "controls").exists()
    assert breach(study) == (None, "")

    def change(one):
        if one["kind"] == "bars":
            one["said"]["control"] = "009"

    forged(study, change)
    number, found = breach(study)
    assert (number, "009" in found) == (7, True)


BUNDLED = [path.stem.partition("-") for path in sorted(BUNDLED_BARS.glob("*.toml"))]


@pytest.mark.parametrize(("task", "_", "version"), BUNDLED)
def test_a_bundled_name_with_other_bytes_is_refused_when_read(tmp_path, task, _, version):
    path = tmp_path / "mine.toml"
    path.write_bytes((BUNDLED_BARS / f"{task}-{version}.toml").read_bytes() + b"\n")
    with pytest.raises(SpecError, match=f"{version}"):
        assay.load_bars(str(path), task=task)
    path.write_bytes((BUNDLED_BARS / f"{task}-{version}.toml").read_bytes())
    assert assay.load_bars(str(path), task=task).version == version


def lowered_v1():
    return detection_bars(positive="label == 1", negative="label == 0", at_least="0.01").replace(
        '"mine"', '"v1"'
    )


def test_a_bundled_name_with_other_bytes_makes_no_study(tmp_path):
    data = assay.load_benchmark(write_rows(tmp_path / "data.jsonl"))
    (tmp_path / "v1.toml").write_text(lowered_v1())
    with pytest.raises(SpecError, match="bundled"):
        new_study(tmp_path / "study", data, bars=str(tmp_path / "v1.toml"), task="detection")
    done = command(tmp_path, "bars", "show", "v1.toml")
    assert done.returncode == 2


def test_a_bundled_name_with_other_bytes_is_seen_by_verify(tmp_path):
    study = a_study(tmp_path, "opened")
    for path in (study.root / "study.toml", study.root / "bars/detection-mine.toml"):
        path.write_text(path.read_text().replace('"mine"', '"v1"'))
    (study.root / "bars/detection-mine.toml").rename(study.root / "bars/detection-v1.toml")

    def change(one):
        one["files"] = {
            "study.toml": digest((study.root / "study.toml").read_bytes()),
            "bars/detection-v1.toml": digest((study.root / "bars/detection-v1.toml").read_bytes()),
        }

    forged(study, change)
    number, found = breach(study)
    assert number == 4
    assert "bundled" in found


def test_no_revision_takes_a_bundled_name(tmp_path):
    words = ("--because", "x", "--out", str(tmp_path / "out.toml"))
    add = ("--add", "D3", "--control", "feature:word_length", "--margin", ".10")
    done = command(tmp_path, "bars", "revise", "v1", *add, *words, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["bars"]["version"] == "v1-2"
    words = ("--because", "x", "--out", str(tmp_path / "other.toml"), "--version", "v2")
    done = command(tmp_path, "bars", "revise", "v1", *add, *words)
    assert done.returncode == 2
    assert "bundled" in done.stderr


def test_a_study_opens_with_one_version_a_task(tmp_path):
    """Weaker bars beside the named ones in the opening would be in force without a revision."""
    study = a_study(tmp_path, "opened")
    name = "bars/detection-other.toml"
    (study.root / name).write_text(weaker("other"))

    def change(one):
        one["files"][name] = digest((study.root / name).read_bytes())

    forged(study, change)
    assert breach(study)[0] == 3


POOR = """
def detect(question, response):
    number = int("0" + "".join(filter(str.isdigit, question)))
    return number * 7 % 24 - 8 * (len(response) > 25)
"""


def test_a_fail_that_more_bars_took_back_is_noted(tmp_path):
    """150 bars that everybody meets make a miss too hard to show, and drop nothing."""
    study = opened(tmp_path)
    sealed(study, "001", POOR)
    run_sealed(study, "001", unwitnessed=True)
    label = {item.id: item.label for item in study.benchmark(second=False).items}
    run = load_run(study.root / "runs/001")
    perfect = [replace(one, output=float(label[one.item])) for one in run.records]
    made_up = replace(
        run, method="made-up", method_digest=None, provenance=None, records=tuple(perfect)
    )
    text = BARS.replace('"mine"', '"mine-2"\nsupersedes = "mine"').replace(
        "[[bar]]", '[partition.swapped]\npositive = "label == 0"\nnegative = "label == 1"\n[[bar]]'
    )
    for number in range(150):
        text += f'[[bar]]\nid = "N{number}"\nmetric = "auc"\n'
        text += 'partitions = ["swapped"]\nat_least = 0.01\n'
    text += '[[regression]]\nmethod = "made-up"\npasses = ["B1"]\nfails = ["N0"]\n'
    (study.root / "bars/detection-mine-2.toml").write_text(text)
    files = {"bars/detection-mine-2.toml": digest(text.encode())}
    files |= keep_control(study, "detection-mine-2", made_up)
    with study.ledger as ledger:
        enter(ledger, "bars", "detection-mine-2", files=files, said={"cheat": "made-up"})
    judge_missing(study)
    outcome, found = steps(study)[7]
    assert outcome == "noted"
    assert "001 failed under mine and now is unresolved" in found
