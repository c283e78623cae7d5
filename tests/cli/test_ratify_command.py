import json
import os
import pty
import subprocess
import sys

import pytest
from helpers.command import command
from helpers.ratifiable import compared, forge, skill, skill_folder
from helpers.studies import a_study, breach, kinds, tree

from assay.digests import digest


def prepared(home):
    artifact = skill(home)
    compared(home, artifact)
    return ("comparison.json", "--artifact", "skill.md", "--into", "skills")


def test_with_yes_it_is_frozen_and_taken_back(tmp_path):
    words = prepared(tmp_path)
    done = command(tmp_path, "ratify", *words, "--yes")
    assert (done.returncode, (tmp_path / "skills" / "skill.md").is_file()) == (0, True)
    assert "Froze" in done.stdout
    assert command(tmp_path, "ratify", "--check", "--into", "skills").returncode == 0
    back = command(tmp_path, "ratify", "--revert", "skill.md", "--into", "skills", "--yes")
    assert back.returncode == 0
    assert "nothing is installed now" in back.stdout
    assert not (tmp_path / "skills" / "skill.md").exists()


def test_where_nobody_can_confirm_nothing_is_done(tmp_path):
    words = prepared(tmp_path)
    before = tree(tmp_path)
    for more in (words, ("--revert", "skill.md", "--into", "skills")):
        done = command(tmp_path, "ratify", *more)
        assert done.returncode == 3
        assert "--yes" in done.stderr
    assert tree(tmp_path) == before


@pytest.mark.parametrize("answer", [b"y\n", b"n\n", b"\n", b"\x04"], ids=["y", "n", "-", "end"])
def test_a_person_at_a_terminal_is_asked(tmp_path, answer):
    words = prepared(tmp_path)
    outer, inner = pty.openpty()
    os.write(outer, answer)
    with subprocess.Popen(
        [sys.executable, "-m", "assay", "ratify", *words],
        cwd=tmp_path,
        stdin=inner,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        _, said = process.communicate(timeout=60)
    os.close(inner)
    os.close(outer)
    assert "RATIFY" in said
    assert "Freeze skill.md" in said
    frozen = (tmp_path / "skills" / "skill.md").exists()
    assert frozen is (answer == b"y\n")
    assert (process.returncode == 0) is frozen
    assert process.returncode in (0, 3, 130)


REFUSED = {
    "another artifact": (lambda home: skill(home, "other"), 3, "not the measured artifact"),
    "no gain": (
        lambda home: compared(home, home / "skill.md", before=1, after=0),
        3,
        "the verdict is",
    ),
    "an edited comparison": (
        lambda home: (home / "comparison.json").write_bytes(
            (home / "comparison.json").read_bytes().replace(b"a gain", b"a grain")
        ),
        4,
        "edited",
    ),
    "no comparison": (lambda home: (home / "comparison.json").unlink(), 2, "comparison.json"),
    "no JSON": (lambda home: (home / "comparison.json").write_text("{"), 2, "not JSON"),
    "another file": (lambda home: (home / "comparison.json").write_text("{}"), 2, "format"),
    "no artifact": (lambda home: (home / "skill.md").unlink(), 2, "does not exist"),
    "a blocked one": (
        lambda home: forge(
            home / "comparison.json",
            lambda record: record["caveats"].append(
                {"code": "harness-differs", "message": "x", "blocking": True}
            ),
        ),
        3,
        "blocked: harness-differs",
    ),
    "a folder that is a file": (lambda home: (home / "skills").write_text("x"), 2, "skills"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refusals_have_their_codes_and_change_nothing(tmp_path, kind):
    words = prepared(tmp_path)
    change, code, said = REFUSED[kind]
    change(tmp_path)
    before = tree(tmp_path)
    done = command(tmp_path, "ratify", *words, "--yes")
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert tree(tmp_path) == before
    as_json = command(tmp_path, "ratify", *words, "--yes", "--json")
    assert (as_json.returncode, "error" in json.loads(as_json.stdout)) == (code, True)


USAGE = [
    (),
    ("--into", "skills"),
    ("comparison.json", "--into", "skills"),
    ("comparison.json", "--artifact", "skill.md"),
    ("comparison.json", "--check", "--into", "skills"),
    ("--check", "--revert", "skill.md", "--into", "skills"),
]


@pytest.mark.parametrize("words", USAGE, ids=range(len(USAGE)))
def test_half_a_command_is_bad_usage(tmp_path, words):
    prepared(tmp_path)
    before = tree(tmp_path)
    assert command(tmp_path, "ratify", *words, "--yes").returncode == 2
    assert tree(tmp_path) == before


def test_an_artifact_is_not_frozen_into_itself(tmp_path):
    artifact = skill_folder(tmp_path)
    compared(tmp_path, artifact)
    before = tree(tmp_path)
    for into in ("skill.md", "skill.md/inner", "skill.md/new"):
        words = ("comparison.json", "--artifact", "skill.md", "--into", into, "--yes")
        assert command(tmp_path, "ratify", *words).returncode == 2
    assert tree(tmp_path) == before


RUNS = ("--baseline", "comparison-baseline.jsonl", "--candidate", "comparison-candidate.jsonl")


def test_a_forged_comparison_passes_alone_and_fails_beside_its_runs(tmp_path):
    """A checksum keeps nobody from computing another; only the runs can tell."""
    words = prepared(tmp_path)
    assert command(tmp_path, "ratify", *words, *RUNS, "--yes").returncode == 0
    skill(tmp_path, "evil")
    evil = digest(b"evil")
    forge(tmp_path / "comparison.json", lambda record: record.update(artifact=evil))
    done = command(tmp_path, "ratify", *words, *RUNS, "--yes")
    assert done.returncode == 4
    assert "another artifact" in done.stderr
    assert (tmp_path / "skills" / "skill.md").read_text() != "evil"
    assert command(tmp_path, "ratify", *words, "--yes").returncode == 0


def test_one_side_alone_cannot_be_compared_again(tmp_path):
    words = prepared(tmp_path)
    for side in (RUNS[:2], RUNS[2:]):
        assert command(tmp_path, "ratify", *words, *side, "--yes").returncode in (2, 3, 4)
    assert not (tmp_path / "skills").exists()


def test_a_check_sees_an_edit_and_makes_nothing(tmp_path):
    words = prepared(tmp_path)
    command(tmp_path, "ratify", *words, "--yes")
    (tmp_path / "skills" / "skill.md").write_text("edited")
    done = command(tmp_path, "ratify", "--check", "--into", "skills")
    assert done.returncode == 4
    assert "was changed" in done.stderr


def test_a_check_of_a_folder_that_is_not_there_makes_none(tmp_path):
    done = command(tmp_path, "ratify", "--check", "--into", "typo")
    assert done.returncode == 2
    assert command(tmp_path, "ratify", "--revert", "x", "--into", "typo", "--yes").returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_in_a_study_verify_tells_of_it(tmp_path):
    study = a_study(tmp_path / "home", "finished")
    words = prepared(study.root.parent)
    words = (*words[:-1], "study/skills")
    assert command(study.root.parent, "ratify", *words, "--yes").returncode == 0
    assert kinds(study)[-1] == "ratify"
    done = command(study.root, "verify", "--json")
    assert "1 artifact as ratified" in done.stdout
    (study.root / "skills" / "skill.md").write_text("edited")
    assert command(study.root, "verify").returncode == 4
    assert breach(study)[0] == 4


def test_names_that_would_take_over_a_terminal_are_shown_harmlessly(tmp_path):
    prepared(tmp_path)
    name = "\x1b[2Jevil"
    skill(tmp_path, name=name)
    for words in (
        ("comparison.json", "--artifact", name, "--into", "skills"),
        ("--revert", name, "--into", name),
        ("--check", "--into", name),
    ):
        done = command(tmp_path, "ratify", *words, "--yes")
        assert "\x1b" not in done.stdout + done.stderr
        assert done.returncode in (2, 3)
