"""Methods and their runs: references, sources, answers, the worker's lines, stored runs, bars."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
from helpers.fakes import detection_bars
from helpers.studies import BARS, write_rows

from assay.benchmark.benchmark import Task
from assay.benchmark.load import load_benchmark
from assay.comparison.stored_run import read_stored_run
from assay.digests import digest, is_name
from assay.gauntlet.bar import Bar
from assay.gauntlet.judge import score
from assay.gauntlet.load import BUNDLED_BARS, load_bars
from assay.gauntlet.revision import control_bar, next_version, revised_text
from assay.gauntlet.spec import Regression, parse_bars
from assay.gauntlet.store import keep_scorecard, kept_scorecards
from assay.method.closure import closure_of
from assay.method.registry import REGISTERED, MethodRef, parse_method
from assay.runs.answers import check_output
from assay.runs.collect import run
from assay.runs.result import Limits
from assay.runs.store import load_run, save_run
from assay.runs.worker_process import ProcessWorker
from fuzzing.campaign import Reader
from fuzzing.files import ScratchFile, ScratchFiles, joined
from fuzzing.targets import target

REFERENCE = MethodRef(text="m:f", kind="module", target="m", attribute="f")


@target("bars", thousands=80)
def _bars(_: Path) -> Reader:
    bundled = [path.read_bytes() for path in sorted(BUNDLED_BARS.glob("*-v[13].toml"))]
    seeds = [*bundled, detection_bars().encode(), BARS.encode()]
    return Reader(
        read=lambda data: parse_bars(data, where="bars.toml"), seeds=seeds, language="toml"
    )


@target("bars: file", thousands=30)
def _bars_file(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "mine.toml")
    return Reader(
        read=lambda data: load_bars(file.put(data)),
        seeds=[detection_bars().encode()],
        language="toml",
    )


@target("bars: revisions", thousands=50)
def _revision(_: Path) -> Reader:
    base = parse_bars(BARS.encode(), where="base")
    cheat = Regression(method="constant", passes=("B1",), fails=("B9",))

    def read(data: bytes) -> object:
        """What the flags of `assay bars revise` hold, one a line, and how they are written out."""
        texts = data.decode("utf-8", "surrogateescape").split("\n")
        identity, control, because, *_ = (*texts, "", "", "")
        bar: Bar = control_bar(identity, control, 0.1, ("p",))
        named = texts[3] if len(texts) > 3 and is_name(texts[3]) else base.version
        version = next_version(named)
        return revised_text(base, bar, version=version, because=because, regression=cheat)

    seeds = [b"B9\nfeature:word_length\nit counts words\nv1\n", b"B9\nsurface\nbecause\nmine-9\n"]
    return Reader(read=read, seeds=seeds, language="text")


@target("methods: references", thousands=40)
def _reference(_: Path) -> Reader:
    return Reader(
        read=lambda data: parse_method(
            data.decode("utf-8", "surrogateescape"), registered=REGISTERED
        ),
        seeds=[
            *(b"oracle:word_length", b"json:loads", b"package.module:function"),
            *(b"likelihood:local", b"disagreement:local:a.gguf,https://a.org/v1#m"),
        ],
        language="text",
    )


@target("methods: sources", thousands=20)
def _source(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "method.py")
    method = MethodRef(
        text="method.py:detect", kind="file", target=str(file.path), attribute="detect"
    )

    def read(data: bytes) -> object:
        file.put(data)
        return closure_of(method, folder=scratch)

    source = (
        b"# -*- coding: utf-8 -*-\nimport json, os.path\nfrom . import near\nfrom math import pi\n"
        b"import importlib\n\n\ndef detect(question, response):\n"
        b"    importlib.import_module('x.y')\n"
        b'    return __import__("zlib").crc32(response.encode())\n'
    )
    return Reader(read=read, seeds=[source], language="text")


def _reads_answers(task: Task) -> Reader:
    def read(data: bytes) -> object:
        try:
            raw = json.loads(data)  # as lenient as a method's own process
        except (ValueError, RecursionError):
            return None
        return check_output(raw, task=task, classes=("truth", "folklore"))

    plain = b"0.5" if task == "detection" else b'"truth"'
    return Reader(read=read, seeds=[plain, b'{"score": 0.25, "class": "folklore"}'])


@target("runs: scores as answers", thousands=500)
def _scores(_: Path) -> Reader:
    return _reads_answers("detection")


@target("runs: classes as answers", thousands=500)
def _classes(_: Path) -> Reader:
    return _reads_answers("classification")


class _Answering(ProcessWorker):
    """The parent's end of a worker that is not there: each line is handed to it."""

    def __init__(self) -> None:
        self.limits, self._number, self._buffer, self.broken = Limits(), 0, b"", False
        self.method, self.seed, self.line = REFERENCE, 0, b""
        self._process = None

    def _write(self, data: bytes, deadline: float) -> None:
        pass

    def _read_line(self, deadline: float, most: int) -> bytes:
        return self.line


def _reads_worker(step: Callable[[_Answering], object], *said: object) -> Reader:
    worker = _Answering()

    def read(data: bytes) -> object:
        worker.line, worker._buffer, worker._number = data, b"", 0
        return step(worker)

    return Reader(read=read, seeds=[json.dumps({"n": 1, "ok": each}).encode() for each in said])


@target("runs: answers of a worker", thousands=500)
def _asked(_: Path) -> Reader:
    def step(worker: _Answering) -> object:
        return check_output(worker.ask("q", "r"), task="detection", classes=("truth",))

    return _reads_worker(step, 0.5, {"score": 1, "class": "truth"})


@target("runs: modules of a worker", thousands=150)
def _modules(_: Path) -> Reader:
    return _reads_worker(lambda worker: worker.modules(), [["json"], ["/a/b.py"]])


@target("runs: methods loaded by a worker", thousands=150)
def _loaded(_: Path) -> Reader:
    return _reads_worker(lambda worker: worker._load(), [["question"], False, True, False])


def _stored(scratch: Path) -> tuple[bytes, bytes, bytes]:
    """The files of a run with one scorecard: the run, its outputs, the scorecard."""
    data = load_benchmark(write_rows(scratch / "data.jsonl", 8))
    bars = parse_bars(BARS.encode(), where="bars")
    made = run(lambda question, response: float(len(response)), data)
    folder = scratch / "made"
    save_run(made, folder)
    keep_scorecard(folder, score(made, data, bars))
    (card,) = (folder / "scorecards").glob("*.json")
    return (
        (folder / "run.json").read_bytes(),
        (folder / "outputs.jsonl").read_bytes(),
        card.read_bytes(),
    )


def _with_digest(data: bytes) -> bytes:
    """A stored run whose outputs have the digest that it names, as a forger would leave it."""
    head, between, rest = data.partition(b"\n=====\n")
    outputs = rest.partition(b"\n=====\n")[0]
    with contextlib.suppress(Exception):  # no object any more: it is read as it is
        record = json.loads(head)
        record["outputs"] = {
            "digest": digest(outputs),
            "lines": sum(bool(line.strip()) for line in outputs.split(b"\n")),
        }
        return json.dumps(record).encode() + between + rest
    return data


@target("runs: stored", thousands=60)
def _run(scratch: Path) -> Reader:
    head, outputs, _ = _stored(scratch)
    files = ScratchFiles(scratch / "run", "run.json", "outputs.jsonl")

    def read(data: bytes) -> object:
        return load_run(files.put(_with_digest(data)))

    return Reader(read=read, seeds=[joined(head, outputs)])


@target("runs: stored and judged", thousands=4)
def _judged(scratch: Path) -> Reader:
    head, outputs, _ = _stored(scratch)
    files = ScratchFiles(scratch / "run", "run.json", "outputs.jsonl")
    benchmark = load_benchmark(scratch / "data.jsonl")
    bars = parse_bars(BARS.encode(), where="bars")

    def read(data: bytes) -> object:
        made = load_run(files.put(_with_digest(data)))
        return msgspec.json.encode(score(made, benchmark, bars))

    return Reader(read=read, seeds=[joined(head, outputs)])


@target("runs: scorecards", thousands=40)
def _cards(scratch: Path) -> Reader:
    _, _, card = _stored(scratch)
    file = ScratchFile(scratch / "run" / "scorecards" / "a.json")

    def read(data: bytes) -> object:
        file.put(data)
        return kept_scorecards(scratch / "run")

    return Reader(read=read, seeds=[card])


@target("runs: stored, as trials", thousands=12)
def _as_trial(scratch: Path) -> Reader:
    parts = _stored(scratch)
    files = ScratchFiles(scratch / "run", "run.json", "outputs.jsonl", "scorecards/a.json")

    def read(data: bytes) -> object:
        return read_stored_run(files.put(_with_digest(data)))

    return Reader(read=read, seeds=[joined(*parts)])
