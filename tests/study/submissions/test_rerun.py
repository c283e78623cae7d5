import json

import pytest
from helpers.command import command
from helpers.studies import (
    METHOD,
    a_study,
    drafted,
    raised,
    redigest,
    remember_installed,
    rewrite_json,
    sealed,
    tree,
)

from assay.errors import SpecError
from assay.runs.result import SEEDS
from assay.study.submissions.rerun import rerun
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal

RANDOM = (
    "import os\n\ndef detect(question, response):\n"
    "    return int.from_bytes(os.urandom(4), 'big') / 2**32\n"
)
SEEDED = "import random\n\ndef detect(question, response):\n    return random.random()\n"
WRITING = f"""
from pathlib import Path

{METHOD.replace("detect", "answer")}
def detect(question, response):
    Path("left-behind.txt").write_text("x")
    Path(__file__).with_name("method.py").write_text("")
    return answer(question, response)
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def ran(home, body):
    study = a_study(home, "opened")
    sealed(study, body=body)
    run_sealed(study, "001", unwitnessed=True)
    return study


@pytest.mark.parametrize(
    ("body", "same"), [(METHOD, True), (SEEDED, True), (RANDOM, False), (WRITING, True)]
)
def test_a_rerun_changes_no_byte_of_the_study(tmp_path, body, same):
    study = ran(tmp_path, body)
    before = tree(tmp_path)
    found = rerun(study, "001")
    assert tree(tmp_path) == before
    assert (found.changed == 0) is same


LEARNER = """
import random
class detect:
    def fit(self, examples):
        return lambda question, response: random.random()
"""


def test_a_learner_that_draws_while_it_answers_is_reproduced(tmp_path):
    study = ran(tmp_path, LEARNER)
    assert rerun(study, "001").same


def test_a_rerun_sees_a_learner_that_was_hidden(tmp_path):
    study = a_study(tmp_path, "opened")
    folder = drafted(study, body=LEARNER)
    text = (folder / "prereg.toml").read_text()
    (folder / "prereg.toml").write_text(text + 'seed_from = "the beacon"\n')
    seal(study, "001")
    run_sealed(study, "001", unwitnessed=True, outside="9f2c")
    rewrite_json(study.root / "runs/001/run.json", lambda head: head.update(folds=None))
    redigest(study)
    assert "in 5 folds" in rerun(study, "001").seeding


def test_a_rerun_reports_the_largest_difference(tmp_path):
    study = ran(tmp_path, RANDOM)
    found = rerun(study, "001")
    every = SEEDS * 24
    assert (found.items, found.changed, found.unmatched) == (every, every, 0)
    assert 0.0 < found.largest < 1.0
    assert found.item is not None


def test_a_rerun_sees_where_an_output_is_on_one_side_only(tmp_path):
    body = (
        "import os\n\ndef detect(question, response):\n"
        "    if os.environ['HOME'] == '/' and 'number 3?' in question:\n"
        "        raise ValueError\n    return 1.0\n"
    )
    study = ran(tmp_path, body)
    with pytest.MonkeyPatch.context() as elsewhere:
        elsewhere.setenv("HOME", "/")
        found = rerun(study, "001")
    assert (found.changed, found.unmatched) == (0, 1)


def test_there_is_nothing_to_rerun_before_a_result(tmp_path):
    study = a_study(tmp_path)
    before = tree(tmp_path)
    assert isinstance(raised(rerun, study, "001"), SpecError)
    assert tree(tmp_path) == before


def test_the_command_says_what_differs(tmp_path):
    study = ran(tmp_path, RANDOM)
    before = tree(tmp_path)
    done = command(study.root, "verify", "--rerun", "001", "--json")
    assert done.returncode == 4
    last = json.loads(done.stdout)["steps"][-1]
    every = SEEDS * 24
    assert f"{every} of {every} outputs differ, by up to 0." in last["found"]
    (again,) = last["reruns"]
    assert (again["submission"], again["changed"]) == ("001", every)
    assert again["item"] is not None
    assert tree(tmp_path) == before


def test_only_the_submissions_that_are_named_run_again(tmp_path):
    study = ran(tmp_path, METHOD)
    sealed(study, "002", body=RANDOM)
    run_sealed(study, "002", unwitnessed=True)
    assert command(study.root, "verify", "--rerun", "001").returncode == 0
    assert command(study.root, "verify", "--rerun", "001", "--rerun", "002").returncode == 4
    every = command(study.root, "verify", "--json", "--rerun")
    assert [one["submission"] for one in json.loads(every.stdout)["steps"][-1]["reruns"]] == [
        "001",
        "002",
    ]


@pytest.mark.parametrize("name", ["003", "002"])
def test_a_submission_without_a_result_is_unchecked_and_no_breach(tmp_path, name):
    study = ran(tmp_path, METHOD)
    sealed(study, "002")
    done = command(study.root, "verify", "--rerun", name)
    assert done.returncode == 2
    assert f"{name} has no result to compare with" in done.stdout


def test_a_folder_after_the_flag_is_not_taken_for_a_submission(tmp_path):
    ran(tmp_path, METHOD)
    done = command(tmp_path, "verify", "--rerun", "study")
    assert done.returncode == 2
    assert "assay verify study --rerun" in done.stderr
