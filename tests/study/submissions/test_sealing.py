import os
import socket

import pytest
from helpers.studies import (
    METHOD,
    PREDICTION,
    a_study,
    breach,
    cloned,
    commit,
    drafted,
    git,
    kinds,
    raised,
    remember_installed,
    sealed,
)

from assay.digests import digest
from assay.errors import AlreadySealed, MethodError, MethodNotLoaded, SpecError
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal
from assay.study.submissions.sealed import load_sealed


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def bind(path):
    # The name of a socket may have some hundred characters only, and a test's folder has more.
    here = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


STRANGE = {
    "a link to a file": lambda folder: (folder / "strange").symlink_to("method.py"),
    "a link to a folder": lambda folder: (folder / "strange").symlink_to(folder.parent),
    "a link to nothing": lambda folder: (folder / "strange").symlink_to("nowhere"),
    "a pipe": lambda folder: os.mkfifo(folder / "strange"),
    "a socket": lambda folder: bind(folder / "strange"),
    "a control character": lambda folder: (folder / "strange\x1b[2J").touch(),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_only_regular_files_can_be_sealed(tmp_path, kind):
    study = a_study(tmp_path, "opened")
    STRANGE[kind](drafted(study))
    with pytest.raises(SpecError, match="strange"):
        seal(study, "001")
    assert kinds(study) == ["study"]


def test_a_name_that_is_not_utf_8_cannot_be_sealed(tmp_path):
    study = a_study(tmp_path, "opened")
    folder = drafted(study)
    os.close(os.open(os.fsencode(folder) + b"/strange\xff", os.O_CREAT | os.O_WRONLY))
    with pytest.raises(SpecError, match="must be UTF-8"):
        seal(study, "001")


@pytest.mark.parametrize("pair", [("Words.txt", "words.txt"), ("a/STRASSE", "a/straße")])
def test_names_that_differ_only_in_case_cannot_be_sealed(tmp_path, pair):
    study = a_study(tmp_path, "opened")
    folder = drafted(study)
    for name in pair:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
    with pytest.raises(SpecError, match="differ only in case"):
        seal(study, "001")


def test_line_ends_are_sealed_as_they_are(tmp_path):
    study = a_study(tmp_path, "opened")
    folder = drafted(study)
    data = METHOD.replace("\n", "\r\n").encode()
    (folder / "method.py").write_bytes(data)
    made, _ = seal(study, "001")
    assert made.files["preregs/001/method.py"].digest == digest(data)
    run_sealed(study, "001", unwitnessed=True)


@pytest.mark.parametrize("kept", [True, False])
def test_git_keeps_line_ends_because_the_study_tells_it_to(tmp_path, kept):
    home = tmp_path / "home"
    study = a_study(home, "git-opened")
    (home / ".gitattributes").write_text("data.jsonl -text\n")  # beside the study, so up to us
    folder = drafted(study)
    (folder / "method.py").write_bytes(METHOD.replace("\n", "\r\n").encode())
    (folder / "words.txt").write_bytes(b"one\ntwo\n")
    seal(study, "001")
    if not kept:  # the control: without the attributes the bytes come out otherwise
        (study.root / ".gitattributes").unlink()
    commit(home, "Seal 001")
    copy = cloned(home, tmp_path / "copy", "-c", "core.autocrlf=true")
    assert (breach(copy)[0] is None) is kept


def test_nothing_is_sealed_twice(tmp_path):
    study = a_study(tmp_path)
    before = (study.root / "preregs/001/seal.json").read_bytes()
    with pytest.raises(AlreadySealed, match=r"already sealed \(entry 1\)"):
        seal(study, "001")
    assert (study.root / "preregs/001/seal.json").read_bytes() == before
    assert kinds(study) == ["study", "seal"]


def test_the_seed_comes_from_the_seal_and_from_nothing_else(tmp_path):
    study = a_study(tmp_path)
    assert load_sealed(study, "001").seed(None) == load_sealed(open_study(study.root), "001").seed(
        None
    )
    sealed(study, "002")
    sealed(study, "003", prediction=PREDICTION.replace("0.5", "0.4"))
    seeds = [
        load_sealed(study, name, distributions=False).seed(None) for name in ("001", "002", "003")
    ]
    assert len(set(seeds)) == 3
    run_sealed(study, "003", unwitnessed=True)
    assert f'"seed": {seeds[2]},' in (study.root / "runs/003/run.json").read_text()


def test_the_seed_changes_with_one_character_of_the_prediction(tmp_path):
    seeds = set()
    for name, low in (("one", "0.5"), ("two", "0.4"), ("three", "0.5")):
        study = a_study(tmp_path / name, "opened")
        sealed(study, prediction=PREDICTION.replace("0.5", low))
        seeds.add(load_sealed(study, "001", distributions=False).seed(None))
    assert len(seeds) == 2


PREDICTIONS = {
    "nothing": ("", "commits to nothing"),
    "only a level": ("level = 0.9\n", "commits to nothing"),
    "no toml": ("ranges = [", "not TOML"),
    "not text": (b"\xff\xfe", "not UTF-8"),
    "no such bar": ("[ranges]\nB9 = [0.1, 0.2]\n", "no metric 'B9'"),
    "a range upside down": ("[ranges]\nB1 = [0.9, 0.2]\n", "the lower limit first"),
    "beyond what can be": ("[ranges]\nB1 = [0.9, 1.2]\n", "can only be from 0 to 1"),
    "no number": ("[ranges]\nB1 = [nan, 1.0]\n", "two finite numbers"),
    "shares that do not sum": ("[outcomes]\npass = 0.4\n", "sum to 0.4"),
    "an idea and none": (f"no_idea = true\n{PREDICTION}", "also holds a prediction"),
    "two numbers": ('directions = ["0.1 < 0.2"]\n', "predicts nothing"),
    "a later result": ('directions = ["B1 > 007:B1"]\n', "007 has no result yet"),
    "a key of one's own": ("sure = true\n", "unknown field"),
}


@pytest.mark.parametrize("kind", PREDICTIONS)
def test_a_prediction_that_says_nothing_that_can_be_wrong_is_not_sealed(tmp_path, kind):
    text, words = PREDICTIONS[kind]
    study = a_study(tmp_path, "opened")
    data = text if isinstance(text, bytes) else text.encode()
    (drafted(study) / "prediction.toml").write_bytes(data)
    with pytest.raises(SpecError) as caught:
        seal(study, "001")
    assert words in caught.value.message
    assert "preregs/001/prediction.toml" in caught.value.message
    assert kinds(study) == ["study"]


@pytest.mark.parametrize("name", ["prediction.toml", "prereg.toml"])
def test_without_a_prediction_or_a_plan_nothing_is_sealed(tmp_path, name):
    study = a_study(tmp_path, "opened")
    (drafted(study) / name).unlink()
    with pytest.raises(SpecError, match=f"has no {name}"):
        seal(study, "001")


def test_no_idea_is_a_prediction(tmp_path):
    study = a_study(tmp_path, "opened")
    sealed(study, prediction="no_idea = true\n")
    assert load_sealed(study, "001", distributions=False).prediction.no_idea


BROKEN = {
    "it raises when imported": "raise RuntimeError('no')\n",
    "it has no such function": "def other(question):\n    return 1\n",
    "it leaves when imported": "raise SystemExit(3)\n",
    "it dies when imported": "import os\nos.abort()\n",
    "it takes three arguments": "def detect(a, b, c):\n    return 1\n",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_method_that_cannot_be_loaded_is_not_sealed(tmp_path, kind):
    study = a_study(tmp_path, "opened")
    (drafted(study) / "method.py").write_text(BROKEN[kind])
    with pytest.raises(MethodNotLoaded):
        seal(study, "001")
    assert kinds(study) == ["study"]
    assert not (study.root / "preregs/001/seal.json").exists()


def test_a_method_that_does_not_answer_is_sealed_only_where_one_insists(tmp_path):
    study = a_study(tmp_path, "opened")
    drafted(study, body="def detect(question, response):\n    return 'much'\n")
    error = raised(seal, study, "001")
    assert isinstance(error, MethodError)
    assert "`probe=False`" in error.hint
    assert kinds(study) == ["study"]
    seal(study, "001", probe=False)
    assert kinds(study) == ["study", "seal"]


@pytest.mark.parametrize(
    "method", ["../other.py:detect", "/etc/passwd.py:x", "gone.py:detect", "method.py:no thing"]
)
def test_a_plan_that_names_no_method_in_its_folder_is_not_sealed(tmp_path, method):
    study = a_study(tmp_path, "opened")
    folder = drafted(study)
    (folder.parent / "other.py").write_text(METHOD)
    text = (folder / "prereg.toml").read_text().replace("method.py:detect", method)
    (folder / "prereg.toml").write_text(text)
    with pytest.raises(SpecError, match="method"):
        seal(study, "001")


def test_sealing_while_the_bars_are_revised_is_refused(tmp_path, monkeypatch):
    study = a_study(tmp_path, "opened")
    drafted(study)
    revised = (study.root / "bars/detection-mine.toml").read_text().replace('"mine"', '"mine-2"')

    def late(*given, **more):
        path = study.root / "bars/detection-mine-2.toml"
        path.write_text(revised)
        with study.ledger as ledger:
            ledger.append(
                time="",
                kind="bars",
                subject="detection-mine-2",
                files={"bars/detection-mine-2.toml": digest(path.read_bytes())},
            )
        return found(*given, **more)

    from assay.study.submissions import seal as sealing

    found = sealing._examined
    monkeypatch.setattr(sealing, "_examined", late)
    with pytest.raises(SpecError, match="revised in the meantime"):
        seal(study, "001")
    assert kinds(study) == ["study", "bars"]


def test_a_seal_that_git_is_told_to_ignore_has_no_witness(tmp_path):
    study = a_study(tmp_path, "git-opened")
    (tmp_path / ".gitignore").write_text("seal.json\n")
    sealed(study)
    commit(tmp_path, "Seal 001")
    error = raised(run_sealed, study, "001")
    assert "git ignores study/preregs/001/seal.json" in error.message
    assert git(tmp_path, "status", "--porcelain") == ""
