"""Small studies to do harm to: twenty-four records, one bar, a method that counts letters."""

import atexit
import json
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from unittest.mock import patch

import msgspec

import assay
from assay.digests import digest
from assay.errors import AssayError
from assay.gauntlet.proposal import Proposal
from assay.ledger.chain import read_chain
from assay.ledger.entry import Entry, encode_line
from assay.report.study.views import VIEWS
from assay.study.create import new_study
from assay.study.locate import LEDGER
from assay.study.scorecards.revise import revise_study
from assay.study.scorecards.store import Judged
from assay.study.study import open_study
from assay.study.submissions.draft import draft
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal
from assay.study.verify.context import Shown
from assay.study.verify.procedure import StepOutcome
from assay.study.verify.procedure import verify_with as verify
from helpers.fakes import detection_bars

if os.environ.get("PYTHONPATH"):
    # A sealed method starts in a folder of its own, where a relative entry would lead elsewhere.
    entries = os.environ["PYTHONPATH"].split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(str(Path(entry).resolve()) for entry in entries)

METHOD = "def detect(question, response):\n    return len(response)\n"
PREDICTION = "[ranges]\nB1 = [0.5, 1.0]\n"
BARS = detection_bars(positive="label == 1", negative="label == 0", at_least="0.6")
ITEMS = 24
GIT = shutil.which("git") or "git"
DATES = {"GIT_AUTHOR_DATE": "2030-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2030-01-01T00:00:00Z"}


def rows(count=ITEMS):
    """Records whose positives have the longer responses, most of the time."""
    for number in range(count):
        label = number % 2
        response = "word " * (2 + number % 3 + 4 * label)
        yield {"question": f"What is number {number}?", "response": response, "label": label}


def write_rows(path, count=ITEMS):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(count)))
    return path


def opened(home, *, second=False):
    """A study in home/study, its data beside it; nothing is under git yet."""
    data = assay.load_benchmark(write_rows(home / "data.jsonl"))
    bars = BARS
    if second:
        data = data.with_second(assay.load_benchmark(write_rows(home / "second.jsonl", 20)))
        bars = 'second = "second.jsonl"\n' + bars
        bars += (
            '[[bar]]\nid = "B2"\nmetric = "auc"\npartitions = ["p"]\n'
            'at_least = 0.5\ncorpus = "second"\n'
        )
    (home / "bars.toml").write_text(bars)
    return new_study(home / "study", data, bars=str(home / "bars.toml"), task="detection")


def drafted(study, name="001", body=METHOD, *, prediction=PREDICTION, function="detect"):
    """A draft of a method with this body, its prediction filled in."""
    source = study.root.parent / f"methods-{name}" / "method.py"
    source.parent.mkdir(exist_ok=True)
    source.write_text(body)
    folder, _ = draft(study, name, f"{source}:{function}")
    (folder / "prediction.toml").write_text(prediction)
    return folder


def sealed(study, name="001", body=METHOD, **more):
    drafted(study, name, body, **more)
    return seal(study, name)


def git(folder, *words, check=True, **environment):
    """What git prints; nothing of the user's own settings takes part."""
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    # What a test sets for the code under test must not lead our own calls elsewhere.
    around = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        [GIT, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        env={**around, **alone, **environment},
        check=False,
    )
    assert not check or done.returncode == 0, done.stderr
    return done.stdout.strip() if check else done


def settle(folder):
    """Who commits here, without a word to anybody."""
    for name, value in (
        ("user.name", "A Tester"),
        ("user.email", "tester@example.org"),
        ("commit.gpgsign", "false"),
    ):
        git(folder, "config", name, value)


def under_git(home):
    git(home, "init", "--quiet", "--initial-branch", "main")
    settle(home)
    return commit(home, "Begin")


def commit(home, message="More", **environment):
    git(home, "add", "--all")
    git(home, "commit", "--quiet", "--allow-empty", "-m", message, **environment)
    return git(home, "rev-parse", "HEAD")


def cloned(home, place, *words):
    git(home.parent, "clone", "--quiet", *words, f"file://{home}", str(place))
    settle(place)
    return open_study(place / "study")


@cache
def _templates():
    """A folder for what is made once and copied, gone when the tests are."""
    folder = Path(tempfile.mkdtemp(prefix="assay-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _made(stage):
    """A study that has come so far: opened, sealed, finished; `git-` before it: in commits too."""
    home = _templates() / stage
    home.mkdir()
    study = opened(home, second=stage == "second")
    (home / "methods-001").mkdir()
    witnessed = stage.startswith("git-")
    if stage in ("opened", "git-opened"):
        if witnessed:
            under_git(home)
        return home
    sealed(study)
    if witnessed:
        under_git(home)
    if stage.endswith("finished"):
        run_sealed(study, "001", unwitnessed=not witnessed)
        if witnessed:
            commit(home, "Result of 001")
    return home


def a_study(home, stage="sealed"):
    """A copy of a study that has come so far."""
    shutil.copytree(_made(stage), home, dirs_exist_ok=True, symlinks=True)
    return open_study(home / "study")


def breach(study, **shown):
    """The number of the step that a verification ends at with a breach, and what it found."""
    found = verify(open_study(study.root), VIEWS, Shown(**shown))
    last = found.steps[-1]
    return (None, "") if last.outcome is not StepOutcome.BREACH else (last.number, last.found)


def steps(study, **shown):
    """Every step's outcome, by number."""
    found = verify(open_study(study.root), VIEWS, Shown(**shown))
    return {step.number: (step.outcome.value, step.found) for step in found.steps}


def entries(study):
    return list(study.chain().entries)


def kinds(study):
    return [entry.kind for entry in entries(study)]


def forged(study, change=None, *, drop=(), more=()):
    """Write the ledger anew as someone would who knows how: entries changed, every link right.

    `change` gets the fields of each entry and may alter them; `drop` are numbers to leave out, and
    `more` fields of entries to append.
    """
    fields = [msgspec.to_builtins(entry) for entry in entries(study)]
    kept = [one for number, one in enumerate(fields) if number not in drop]
    for one in kept if change is not None else ():
        change(one)
    chained(study, [*kept, *more])


def chained(study, fields):
    """Write entries as a ledger whose links are right."""
    lines = []
    for number, one in enumerate(fields):
        before = digest(lines[-1] if lines else b"")
        blank = {"time": "2030-01-01T00:00:00.000+00:00", "files": {}, "said": {}}
        entry = msgspec.convert({**blank, **one, "n": number, "previous": before}, Entry)
        lines.append(encode_line(entry))
    data = b"".join(line + b"\n" for line in lines)
    read_chain(data, where="the forged ledger")  # a forgery that does not hold shows nothing
    (study.root / LEDGER).write_bytes(data)


def redigest(study, **said):
    """Make every entry agree with the files as they are now, as a careful forger would."""

    def change(one):
        for name in one["files"]:
            path = study.root / name
            if path.is_file():
                one["files"][name] = digest(path.read_bytes())
        one["said"].update(said.get(one["kind"].replace("-", "_"), {}))

    forged(study, change)


def revised_unjudged(study):
    """Revise the bars of a study, cut off before any result is judged under the new version."""
    proposal = Proposal(id="B2", control="feature:word_length", margin=0.1, because="so")
    with patch("assay.study.scorecards.revise.judge_missing", return_value=Judged([], ())):
        revise_study(study, proposal)


def rewrite_json(path, change):
    """Edit a record as Assay would have written it."""
    head = json.loads(path.read_bytes())
    change(head)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(head), indent=2) + b"\n")


def tree(folder):
    """Every file below a folder with its bytes; links as what they point to."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name] = None
    return found


def raised(action, *arguments, **named):
    """The error that a refusal is, or None where there was none."""
    try:
        action(*arguments, **named)
    except AssayError as error:
        return error
    return None


def in_child(action):
    """Do something in a forked copy of this process, which may die of it; how it ended.

    The study must be opened in there: a copy shares the locks of files that were open before.

    An error of ours ends it with that error's exit code, any other with 70, a signal with minus
    its number.
    """
    child = os.fork()
    if child == 0:
        code = 70
        with suppress(BaseException):
            devnull = os.open(os.devnull, os.O_WRONLY)
            os.dup2(devnull, 1)
            os.dup2(devnull, 2)
            try:
                action()
                code = 0
            except AssayError as error:
                code = error.exit_code
        os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def die():
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def remember_installed(monkeypatch):
    """Look only once which distributions there are; what they hold is still read every time."""
    monkeypatch.setattr("importlib.metadata.packages_distributions", _installed)


_installed = cache(metadata.packages_distributions)
