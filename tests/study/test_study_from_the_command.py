import json

from helpers.command import command
from helpers.studies import commit, git, settle

METHOD = "def detect(question, response):\n    return len(response.split())\n"


def test_a_study_from_its_opening_to_a_clone_that_verifies_it(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    git(home, "init", "--quiet", "--initial-branch", "main")
    settle(home)
    (home / "mine.py").write_text(METHOD)
    words = ("new", "study", "--benchmark", "darkcore", "--bars", "v1", "--task", "detection")
    assert command(home, *words).returncode == 0
    study = home / "study"
    done = command(study, "draft", "001", "--method", "../mine.py:detect")
    assert done.returncode == 0, done.stderr
    assert command(study, "seal", "001").returncode == 2  # the prediction commits to nothing yet
    (study / "preregs/001/prediction.toml").write_text("[outcomes]\nfail = 1.0\n")
    assert command(study, "run", "001").returncode == 3
    done = command(study, "seal", "001", "--commit")
    assert done.returncode == 0, done.stderr
    done = command(study, "run", "001", "--json", "--commit")
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    assert found["grade"]["outcome"]["happened"] in ("pass", "fail", "unresolved")
    assert command(study, "run", "001").returncode == 3
    assert command(study, "seal", "001").returncode == 3
    assert command(study, "board", "--write").returncode == 0
    assert commit(home, "The board")
    git(tmp_path, "clone", "--quiet", str(home), "copy")
    done = command(tmp_path / "copy/study", "verify", "--json")
    assert done.returncode == 0, done.stdout
    steps = {step["number"]: step["outcome"] for step in json.loads(done.stdout)["steps"]}
    assert steps == {1: "ok", 2: "noted", 3: "ok", 4: "ok", 5: "ok", 6: "ok", 7: "ok", 8: "ok"}
