import os
import subprocess

import pytest
from helpers.trial_systems import alive, eventually

from assay.sandbox.guardian import Guardian


def asleep(mark, home, *, told=None):
    """A process in a group of its own that would go on for long."""
    process = subprocess.Popen(
        ["sleep", mark], start_new_session=True, env={"HOME": str(home), "PATH": os.environ["PATH"]}
    )
    if told is not None:
        told.began(process.pid)
    return process


def vanish(guardian):
    """Be gone without a word, as whoever is killed is."""
    guardian._process.stdin.close()
    guardian._process.wait(timeout=60)


@pytest.mark.parametrize("told", [True, False], ids=["told of", "not told of"])
def test_what_runs_when_its_starter_is_gone_is_ended_and_its_folder_too(tmp_path, told):
    folder = tmp_path / "scratch"
    (folder / "home").mkdir(parents=True)
    mark = f"77{os.getpid()}.{int(told)}"
    guardian = Guardian(folder)
    home = tmp_path if told else folder / "home"
    process = asleep(mark, home, told=guardian if told else None)
    assert eventually(lambda: alive(mark))
    vanish(guardian)
    assert process.wait(timeout=60) < 0
    assert not folder.exists()


def test_what_has_ended_is_left_alone(tmp_path):
    """Its number may be another's by then."""
    mark = f"78{os.getpid()}.5"
    guardian = Guardian(tmp_path / "scratch")
    process = asleep(mark, tmp_path, told=guardian)
    guardian.ended(process.pid)
    vanish(guardian)
    assert process.poll() is None
    process.kill()
    process.wait()


def test_a_starter_that_takes_leave_has_its_folder_thrown_away_and_nothing_ended(tmp_path):
    folder = tmp_path / "scratch"
    (folder / "home").mkdir(parents=True)
    with Guardian(folder) as guardian:
        process = asleep(f"79{os.getpid()}.5", folder / "home", told=guardian)
    assert process.poll() is None
    assert not folder.exists()
    process.kill()
    process.wait()


def test_a_guardian_that_was_killed_keeps_nobody_from_going_on(tmp_path):
    with Guardian(tmp_path / "scratch") as guardian:
        guardian._process.kill()
        guardian._process.wait()
        guardian.began(1 << 22)
        guardian.ended(1 << 22)
    assert guardian._process.returncode == -9
