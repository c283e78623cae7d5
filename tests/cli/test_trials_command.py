import json
import os
import pty
import subprocess
import sys

import pytest
from helpers.command import command
from helpers.trial_systems import HONEST, READ, SCORE, journal, plan

from assay.comparison.trials.collect import Trials
from assay.report.comparison import draw_trials
from assay.report.terminal import console

USELESS = f"{READ}\ns=1\n{SCORE}\n"


def test_a_gain_is_told_with_what_was_saved(tmp_path):
    plan(tmp_path, trials=20)
    done = command(tmp_path, "trials", "trial.toml")
    assert done.returncode == 0
    assert "stopped on a verdict" in done.stdout
    assert "saved: " in done.stdout
    assert "RATIFY" in done.stdout
    assert (tmp_path / "trial" / "comparison.json").is_file()


def test_no_gain_ends_with_1(tmp_path):
    plan(tmp_path, USELESS)
    done = command(tmp_path, "trials", "trial.toml", "--jobs", "8")
    assert done.returncode == 1
    assert "all pairs were run" in done.stdout


def test_void_and_crashed_runs_are_told_of_with_their_reasons(tmp_path):
    plan(tmp_path, "cat HOME_OF_ALL/skill.md\necho oh dear; exit 3\n", trials=4)
    done = command(tmp_path, "trials", "trial.toml")
    assert done.returncode == 1
    assert "stopped: every run crashed" in done.stdout
    assert "void: 2 pairs" in done.stdout
    assert "opened the original" in done.stdout
    assert "crashed: 4 runs" in done.stdout
    assert "oh dear" in done.stdout
    assert "no verdict" in done.stdout


def test_a_score_that_no_run_has_ends_the_trials_at_once(tmp_path):
    plan(tmp_path, trials=20)
    spec = tmp_path / "trial.toml"
    spec.write_text(spec.read_text() + "\n[dimensions.corect]\n")
    done = command(tmp_path, "trials", "trial.toml")
    assert done.returncode == 2
    assert "no run has a score 'corect'" in done.stderr
    assert len((tmp_path / "trial" / "runs.jsonl").read_text().splitlines()) <= 3


def test_json_holds_all_of_it(tmp_path):
    plan(tmp_path, trials=20)
    done = command(tmp_path, "trials", "trial.toml", "--json")
    found = json.loads(done.stdout)
    assert (found["ended"], found["comparison"]["verdict"]) == ("verdict", "ratify")
    assert found["saved_runs"] > 0


REFUSED = {
    "a spec that changed": (lambda home: plan(home, seconds=21), 3),
    "a system that changed": (lambda home: (home / "agent" / "x").write_text("x"), 3),
    "an artifact that changed": (lambda home: (home / "skill.md").write_text("x"), 3),
    "no spec": (lambda home: (home / "trial.toml").unlink(), 2),
    "no artifact": (lambda home: (home / "skill.md").unlink(), 2),
    "no system": (lambda home: (home / "agent").rename(home / "gone"), 2),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refusals_say_so_and_have_their_codes(tmp_path, kind):
    plan(tmp_path, USELESS)
    assert command(tmp_path, "trials", "trial.toml").returncode == 1
    change, code = REFUSED[kind]
    plan(tmp_path, USELESS)
    change(tmp_path)
    done = command(tmp_path, "trials", "trial.toml")
    assert done.returncode == code
    assert done.stderr
    as_json = command(tmp_path, "trials", "trial.toml", "--json")
    assert as_json.returncode == code
    assert "error" in json.loads(as_json.stdout)


def test_jobs_may_change_from_one_time_to_the_next(tmp_path):
    plan(tmp_path, USELESS)
    for jobs in ("1", "3"):
        assert command(tmp_path, "trials", "trial.toml", "--jobs", jobs).returncode == 1
    assert command(tmp_path, "trials", "trial.toml", "--jobs", "0").returncode == 2


def test_while_one_runs_another_is_refused(tmp_path):
    plan(tmp_path, f"while [ ! -e HOME_OF_ALL/go ]; do sleep 0.05; done\n{HONEST}", trials=1)
    words = [sys.executable, "-m", "assay", "trials", "trial.toml"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as first:
        while not (tmp_path / "trial" / "plan.json").exists():
            assert first.poll() is None
        second = command(tmp_path, "trials", "trial.toml")
        (tmp_path / "go").touch()
    assert second.returncode == 3
    assert "another process is making runs" in second.stderr
    assert first.returncode == 1


def test_names_that_would_take_over_a_terminal_are_shown_harmlessly(tmp_path):
    plan(
        tmp_path,
        "cat HOME_OF_ALL/skill.md; printf 'x\\033]0;owned\\007' >&2; exit 3\n",
        instances=["\x1b[2Jevil"],
        trials=1,
    )
    done = command(tmp_path, "trials", "trial.toml")
    assert "\x1b" not in done.stdout + done.stderr
    assert "evil" in done.stdout


def test_a_system_gets_no_terminal_to_ask_at(tmp_path):
    """A program that waits for an answer would wait for ever."""
    plan(tmp_path, f"[ -t 0 ] && exit 8; read answer && exit 9\n{HONEST}", trials=1)
    outer, inner = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "assay", "trials", "trial.toml"],
        cwd=tmp_path,
        stdin=inner,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        process.wait(timeout=60)
    os.close(outer)
    os.close(inner)
    (tmp_path / "trial").rename(tmp_path / "results")
    assert {row["status"] for row in journal(tmp_path)} == {"scored"}


def test_every_way_to_end_has_its_words(capsys):
    for ended in (
        *("verdict", "complete"),
        *("budget of runs", "budget of minutes", "budget of money"),
    ):
        numbers = dict.fromkeys(("pairs", "planned_pairs", "void_pairs", "runs", "crashed"), 0)
        trials = Trials(
            **numbers,
            ended=ended,
            seconds=0.0,
            money=None,
            saved_runs=0,
            saved_seconds=0.0,
            saved_money=None,
            voids=(),
            crashes=(),
            comparison=None,
        )
        draw_trials(trials, console())
        assert "no pair can be compared" in capsys.readouterr().out
