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


def test_a_study_records_which_records_were_left_out(tmp_path):
    home = tmp_path / "study"
    home.mkdir()
    git(home, "init", "--quiet", "--initial-branch", "main")
    settle(home)
    rows = [f"r{i},Q{i}?,{'a ' * (1 + i % 5)},{'yes' if i % 2 else 'no'}" for i in range(40)]
    rows += ["r1,Again?,a,yes", "r41,Which?,a,N/A", "r42,Where?,,no"]
    (home / "mine.csv").write_text("\n".join(["id,question,response,label", *rows]))
    (tmp_path / "mine.py").write_text(METHOD)
    words = ("new", "study", "--benchmark", "study/mine.csv", "--bars", "plain")
    flags = ("--unknown", "exclude", "--missing", "exclude", "--ids", "repair")
    done = command(tmp_path, *words, "--positive", "yes", "--negative", "no", *flags)
    assert done.returncode == 0, done.stderr
    assert "left-out: Records of the file were left out. 2 of 43" in done.stderr
    text = (home / "study.toml").read_text(encoding="utf-8")
    assert 'unknown = "exclude"\nmissing = "exclude"\nids = "repair"\n' in text
    done = command(home, "draft", "001", "--method", "../mine.py:detect")
    assert done.returncode == 0, done.stderr
    (home / "preregs/001/prediction.toml").write_text("no_idea = true\n")
    assert command(home, "seal", "001", "--commit").returncode == 0
    done = command(home, "run", "001", "--commit", "--json")
    assert done.returncode == 1, done.stderr
    assert "left-out" in done.stdout
    assert command(home, "verify").returncode == 0
    (home / "study.toml").write_text(text.replace('missing = "exclude"\n', ""))
    assert command(home, "verify").returncode == 4
    (home / "study.toml").write_text(text)
    with (home / "mine.csv").open("a") as file:
        file.write("\nr43,Who?,a,no")
    assert command(home, "verify").returncode == 4
