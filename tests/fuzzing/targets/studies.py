"""Studies: plans, predictions, preregistrations, seals, judgements, grades, frozen artifacts."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from helpers.graded import bar, direction_grade, graded, judged, outcome_grade, range_grade
from helpers.ledgers import TIME
from helpers.studies import BARS, a_study, forged

from assay.digests import digest
from assay.errors import AssayError
from assay.gauntlet.spec import parse_bars
from assay.ledger.entry import Entry
from assay.report.study.views import VIEWS
from assay.study.entries import records_of
from assay.study.predictions.grade import Grade, grade
from assay.study.predictions.spec import Predictable, parse_prediction
from assay.study.ratify.frozen import Frozen, history
from assay.study.records import SubmissionRecord
from assay.study.scorecards.store import (
    grade_bytes,
    grade_of,
    judgement_bytes,
    read_grade,
    read_judgement,
)
from assay.study.study import StudyFolder, open_study
from assay.study.submissions.bars_in_force import read_seal
from assay.study.submissions.sealed import load_sealed
from assay.study.submissions.spec import parse_prereg, parse_seal
from assay.study.verify.context import Shown
from assay.study.verify.procedure import verify_with
from fuzzing.campaign import Reader
from fuzzing.files import ScratchFile, lines
from fuzzing.targets import target

ABOUT = Predictable(
    metrics={"D1": 0.0, "D2": -1.0, "D3.folklore": 0.0}, bars=3, submissions=("007",)
)
PREDICTION = b"""
level = 0.8
directions = ["D2 > D1", "D1 >= 0.7", "D1 > 007:D1"]
notes = "why"
[ranges]
D1 = [0.70, 0.85]
"D3.folklore" = { range = [0.0, 0.1], level = 0.9 }
[outcomes]
pass = 0.25
fail = 0.75
"""
PREREG = b"""
method = "method.py:detect"
method_class = "likelihood"
task = "detection"
item_seconds = 1.5
load_seconds = 60
environment = ["MY_KEY"]
"""
STEPS = [
    {
        "kind": "ratify",
        "name": "skill.md",
        "artifact": digest(b"1"),
        "previous": "none",
        "comparison": digest(b"c"),
        "time": TIME,
    },
    {
        "kind": "revert",
        "name": "skill.md",
        "artifact": "none",
        "previous": digest(b"1"),
        "comparison": None,
        "time": TIME,
    },
]


@target("study: predictions", thousands=150)
def _prediction(_: Path) -> Reader:
    judgement = judged("fail", bar("D1", 0.4), bar("D2", 0.6), bar("D3", 0.6, 0.6, 0.7))
    bars = parse_bars(BARS.encode(), where="bars")

    def read(data: bytes) -> object:
        made = parse_prediction(data, ABOUT, where="prediction.toml")
        return grade("001", made, judgement, bars, {"007": judgement})

    return Reader(
        read=read,
        seeds=[PREDICTION, b"no_idea = true\n", b'[outcomes]\n"0/3" = 0.5\n"3/3" = 0.5\n'],
        language="toml",
    )


@target("study: grades of forged judgements", thousands=40)
def _forged_grade(_: Path) -> Reader:
    bars = parse_bars(BARS.encode(), where="bars")
    forged_card = judged("fail", bar("D1", 0.4), passed=7)

    def read(data: bytes) -> object:
        made = parse_prediction(data, ABOUT, where="prediction.toml")
        return grade("001", made, forged_card, bars, {"007": forged_card})

    seeds = [b"no_idea = true\n", b'directions = ["D1 > 007:D1"]\n[outcomes]\npass = 1\n']
    return Reader(read=read, seeds=seeds, language="toml")


@target("study: preregistrations", thousands=300)
def _prereg(_: Path) -> Reader:
    return Reader(
        read=lambda data: parse_prereg(data, where="prereg.toml"), seeds=[PREREG], language="toml"
    )


@target("study: seals", thousands=150)
def _seal(scratch: Path) -> Reader:
    study = a_study(scratch / "home", "sealed")
    seed = (study.root / "preregs/001/seal.json").read_bytes()
    return Reader(read=lambda data: parse_seal(data, where="seal.json"), seeds=[seed])


@target("study: plans", thousands=25)
def _plan(scratch: Path) -> Reader:
    study = a_study(scratch / "home", "opened")
    seed = (study.root / "study.toml").read_bytes()
    file = ScratchFile(study.root / "study.toml")
    more = seed + b'[benchmark.columns]\nquestion = "question"\nids = "none"\n'

    def read(data: bytes) -> object:
        file.put(data)
        return open_study(study.root).benchmark(second=True)

    return Reader(read=read, seeds=[seed, more], language="toml")


def _entry(path: Path, data: bytes) -> Entry:
    """The entry that brought a file, whatever its bytes are."""
    return Entry(
        n=1, previous="", time=TIME, kind="score", subject="001", files={path.name: digest(data)}
    )


@target("study: judgements", thousands=60)
def _judgement(scratch: Path) -> Reader:
    study = a_study(scratch / "home", "opened")
    file = ScratchFile(study.root / "card.json")
    seed = judgement_bytes("001", judged("fail", bar("D1", 0.4), caveats=("small-n",)))

    def read(data: bytes) -> object:
        return read_judgement(study, _entry(file.put(data), data))

    return Reader(read=read, seeds=[seed])


@target("study: grades", thousands=60)
def _grade(scratch: Path) -> Reader:
    study = a_study(scratch / "home", "opened")
    file = ScratchFile(study.root / "grade.json")
    outcome = outcome_grade("fail", **{"fail": 0.75, "unresolved": 0.0, "pass": 0.25})
    directions = [direction_grade("D2 > D1", True)]
    made = graded("001", range_grade("inside"), outcome=outcome, directions=directions)

    def read(data: bytes) -> object:
        return read_grade(study, _entry(file.put(data), data))

    return Reader(read=read, seeds=[grade_bytes(made)])


@target("study: frozen artifacts", thousands=60)
def _frozen(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "ratified.jsonl")
    at = Frozen(folder=scratch, study=None)

    def read(data: bytes) -> object:
        file.put(data)
        return history(at)

    return Reader(read=read, seeds=[lines(STEPS), lines(STEPS[:1])])


@target("study: verified with a forged record", thousands=1)
def _verified(scratch: Path) -> Reader:
    study = a_study(scratch / "home", "finished")
    names = (
        *("preregs/001/seal.json", "runs/001/run.json", "runs/001/outputs.jsonl"),
        *("scorecards/001@mine.json", "grades/001.json", "bars/detection-mine.toml"),
        *("preregs/001/prediction.toml", "preregs/001/prereg.toml"),
    )
    whole = {name: (study.root / name).read_bytes() for name in names}
    original = (study.root / "ledger.jsonl").read_bytes()

    def read(data: bytes) -> object:
        """The first line is the name of a record, and the rest stands in place of it."""
        name, _, rest = data.partition(b"\n")
        for known, content in whole.items():
            (study.root / known).write_bytes(content)
        (study.root / "ledger.jsonl").write_bytes(original)
        chosen = name.decode("utf-8", "replace")
        if chosen in whole:
            (study.root / chosen).write_bytes(rest)
        with contextlib.suppress(ValueError, KeyError):
            forged(study, _redigested(study.root))
        opened = open_study(study.root)
        for record in records_of(opened).submissions.values():
            with contextlib.suppress(AssayError):
                grade_again(opened, record)
        return verify_with(opened, VIEWS, Shown())

    return Reader(read=read, seeds=[name.encode() + b"\n" + text for name, text in whole.items()])


def grade_again(study: StudyFolder, record: SubmissionRecord) -> Grade:
    """Grade a prediction from the stored judgement, as the end of an interrupted run does."""
    read_seal(study, record)
    sealed = load_sealed(study, record.id, distributions=False)
    return grade_of(study, records_of(study), record, sealed.prediction, sealed.bars)


def _redigested(root: Path) -> Callable[[dict[str, dict[str, str]]], None]:
    def change(one: dict[str, dict[str, str]]) -> None:
        for name in one["files"]:
            one["files"][name] = digest((root / name).read_bytes())

    return change
