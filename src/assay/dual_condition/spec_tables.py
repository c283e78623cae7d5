"""The tables of a spec file as they are written, every key typed, and checks of their values."""

import json
import math
import re
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from assay.benchmark.benchmark import Benchmark
from assay.digests import digest
from assay.dual_condition.evidence import Metric, Route, Thresholds
from assay.dual_condition.state.layers import InC, Layer, Match, matches
from assay.errors import SpecError
from assay.files import stays_inside
from assay.sandbox.job import check_places, has_place
from assay.tables.source import read_table
from assay.toml import key_hint, read_toml

Asked = Literal["A", "B", "C", "layers", "shapley", "placebo"]
_AT = re.compile(r"(.*) - at `\$\.(.*)`", re.DOTALL)
_WORDS = {
    "metric": get_args(Metric),
    "conditions": get_args(Asked),
    "match": get_args(Match),
    "in_c": get_args(InC),
    "route": ("in-place",),
}
_HINT = "`assay dual --init` writes one to fill in, with a comment for each key."
NAMES = ("items", "outputs", "seed", "state")
_LONGEST = 7 * 24 * 3600.0
_MOST_SEEDS = 10_000
_ALL_FILES = Layer(files=("**",), match=("id", "text"))
"""The only layer of a state without named layers."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class StatefulSystem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is run: a command, or a method."""

    command: tuple[str, ...] = ()
    method: str | None = None
    folder: str = "."
    reads: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    seconds: float = 600.0
    jobs: int | None = None


class Placebo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A state that can teach nothing: another corpus's, or one with values shuffled."""

    state: str | None = None
    shuffle: tuple[str, ...] = ()


class StateTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[state]`: the folder of production, its layers, and how a run gets a copy."""

    root: str = "state"
    layers: dict[str, Layer] = {}
    fixed: tuple[str, ...] = ()
    variable: str | None = None
    route: Literal["in-place"] | None = None
    forget: tuple[str, ...] = ()


class EvaluationTable(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"cls": "class"}
):
    """`[evaluation]`: the benchmark and its columns, seeds, conditions and metric."""

    benchmark: str
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    positive: str | None = None
    corpus: str | None = None
    conditions: tuple[Asked, ...] = ()
    metric: Metric | None = None
    threshold: float = 0.5
    id: str | None = None
    question: str = "question"
    response: str | None = None
    answer: str | None = None
    label: str | None = None
    cls: str | None = None
    source: str | None = None
    group: str | None = None
    negative: str | None = None
    unknown: Literal["exclude"] | None = None
    missing: Literal["exclude"] | None = None
    ids: Literal["none", "repair"] | None = None
    encoding: str | None = None
    split: str | None = None


class DualFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole spec file."""

    system: StatefulSystem
    state: StateTable = StateTable()
    evaluation: EvaluationTable
    placebo: Placebo | None = None
    thresholds: Thresholds = Thresholds()


def parse_tables(data: bytes, *, where: str) -> DualFile:
    """The tables of a spec file from its bytes."""
    try:
        written = msgspec.convert(read_toml(data, where=where, hint=_HINT), DualFile)
    except msgspec.ValidationError as error:
        hint = key_hint(error, DualFile, _HINT)
        raise SpecError(f"{where}: {_explained(str(error))}", hint=hint) from None
    if written.state.layers or written.state.fixed:
        return written
    return replace(written, state=replace(written.state, layers={"memory": _ALL_FILES}))


def _explained(message: str) -> str:
    """Put the key first, and list its values if they are a fixed set."""
    parts = _AT.fullmatch(message)
    if parts is None:
        return message
    what, place = parts[1], parts[2]
    words = _WORDS.get(place.rpartition(".")[2].partition("[")[0], ())
    expected = f", expected {', '.join(words)}" if words and "enum" in what else ""
    return f"{place}: {what}{expected}"


def plan_digest(written: DualFile) -> str:
    """Digest everything that decides the runs, without parallelism and judging."""
    plan: dict[str, Any] = msgspec.to_builtins(written)
    plan.pop("thresholds")
    for name in ("jobs", "services"):
        plan["system"].pop(name)
    for name in ("metric", "threshold"):
        plan["evaluation"].pop(name)
    if written.evaluation.answer is None:
        plan["evaluation"].pop("answer")
    return digest(msgspec.json.encode(plan, order="deterministic"))


def state_variable(written: DualFile) -> str | None:
    """The variable that names the state folder; a method always has one."""
    return written.state.variable or ("ASSAY_STATE" if written.system.method is not None else None)


def state_route(written: DualFile) -> Route:
    """How a run gets its state, by what the spec declares."""
    if written.state.route is not None:
        return written.state.route
    if written.system.method is None and has_place(written.system.command, "state"):
        return "parameter"
    if written.state.variable is not None or written.system.method is not None:
        return "environment"
    return "namespace"


def check_system(written: DualFile, where: str) -> None:
    """Refuse a command or method that cannot be run or cannot get its state."""
    system, state = written.system, written.state
    if bool(system.command) == (system.method is not None):
        raise SpecError(
            f"{where}: [system] needs either a command or a method",
            hint='command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]',
        )
    if not 0.0 < system.seconds <= _LONGEST:
        raise SpecError(
            f"{where}: system.seconds = {system.seconds:g}, expected over 0, at most {_LONGEST:g}"
        )
    if system.jobs is not None and not 1 <= system.jobs <= 1000:
        raise SpecError(f"{where}: system.jobs = {system.jobs}, expected 1 to 1,000")
    if any("\0" in word for word in (*system.command, *state.forget)):
        raise SpecError(f"{where}: a word of a command holds a NUL")
    check_places(system.command, f"{where}: system.command", allowed=NAMES)
    check_places(state.forget, f"{where}: state.forget", allowed=("items", "state"))
    for name in ("items", "outputs"):
        if system.command and not has_place(system.command, name):
            raise SpecError(
                f"{where}: system.command has no {{{name}}}",
                hint="{items} is the file that it reads, {outputs} the file that it writes.",
            )
    if state.variable is not None and not _VARIABLE.fullmatch(state.variable):
        raise SpecError(f"{where}: state.variable = {state.variable!r} is not a variable name")
    variable = state_variable(written)
    if variable in system.environment:
        raise SpecError(f"{where}: system.environment has {variable}, which state.variable sets")


def check_initial(state: StateTable, home: Path, root: Path, where: str) -> None:
    """Refuse production as the initial state: B would be A."""
    for name, layer in state.layers.items():
        begun = (home / (layer.initial or ".")).resolve()
        if layer.initial is None or not begun.is_relative_to(root.resolve()):
            continue
        inner = begun.relative_to(root.resolve()).as_posix()
        owned = [owner for owner, other in state.layers.items() if matches(inner, other.patterns)]
        if owned or inner == ".":
            raise SpecError(
                f"{where}: state.layers.{name}.initial: {layer.initial} is part of"
                " production's state",
                hint=(
                    "Keep the initial files of a layer outside the state folder, or leave them out."
                ),
            )


def check_ids(written: DualFile, home: Path, benchmark: Benchmark, where: str) -> None:
    """Refuse line numbers as ids where a layer names items by id."""
    path = home / written.evaluation.benchmark
    layers = written.state.layers.items()
    naming = [name for name, layer in layers if layer.provenance is not None or "id" in layer.match]
    numbered = [item.id for item in benchmark.items[:2]] == ["1", "2"][: len(benchmark.items)]
    if not naming or not numbered or written.evaluation.id is not None or not path.exists():
        return
    source = read_table(path, split=written.evaluation.split)
    first = next(source.rows(encoding=written.evaluation.encoding), ("", {}))[1]
    if "id" not in first:
        columns = ", ".join(map(str, first))[:200]
        layer = written.state.layers[naming[0]]
        raise SpecError(
            f"{where}: {written.evaluation.benchmark} has no column 'id', so ids would be 1, 2, 3,"
            f" but layer {naming[0]} names items by id",
            hint=f'Name the column of the ids: evaluation.id = "COLUMN"; the columns are {columns}.'
            f" {_by_texts(naming[0], layer)}",
        )


def _by_texts(name: str, layer: Layer) -> str:
    """How a layer finds what came from an item whose id it cannot know."""
    files = "sqlite" if layer.sqlite is not None else "files"
    which = json.dumps(layer.sqlite if layer.sqlite is not None else layer.files)
    idle = "" if layer.provenance is None else ", without provenance"
    return (
        "Without one, let the layer find what came from an item by its texts:"
        f' [state.layers.{name}] with {files} = {which} and match = ["text"]{idle}.'
    )


def check_evaluation(written: EvaluationTable, where: str) -> None:
    """Refuse seeds and a threshold that cannot be used."""
    seeds = written.seeds
    if not seeds or len(set(seeds)) < len(seeds):
        twice = next((seed for seed in seeds if seeds.count(seed) > 1), None)
        got = "none" if twice is None else f"{twice} twice"
        raise SpecError(f"{where}: evaluation.seeds: got {got}, expected numbers, each once")
    if any(abs(seed) >= 1 << 63 for seed in seeds) or len(seeds) > _MOST_SEEDS:
        raise SpecError(
            f"{where}: evaluation.seeds: expected at most {_MOST_SEEDS:,}, each within 64 bits"
        )
    if written.answer is not None:
        _check_answered(written, where)
    if not math.isfinite(written.threshold):
        raise SpecError(f"{where}: evaluation.threshold = {written.threshold}, expected a number")


def _check_answered(written: EvaluationTable, where: str) -> None:
    """Refuse keys that have no effect on right-or-wrong answers."""
    usual = {"label": None, "cls": None, "positive": None, "threshold": 0.5}
    idle = [name for name, value in usual.items() if getattr(written, name) != value]
    idle += [] if written.metric in (None, "accuracy") else ["metric"]
    if idle:
        raise SpecError(
            f"{where}: evaluation.answer: an answer is right or wrong, so"
            f" {'class' if idle[0] == 'cls' else idle[0]} has no effect",
            hint="Leave it out: the metric is the share of right answers.",
        )


def check_thresholds(written: Thresholds, where: str) -> None:
    """Refuse thresholds of the regimes outside 0 to 1."""
    for name in written.__struct_fields__:
        value = getattr(written, name)
        if value is not None and not 0.0 <= value <= 1.0:
            raise SpecError(f"{where}: thresholds.{name} = {value}, expected 0 to 1")


def check_placebo(written: DualFile, home: Path, where: str) -> None:
    """Refuse a placebo that is requested but not described, or overlaps production."""
    placebo = written.placebo
    asked = written.evaluation.conditions
    if placebo is not None and asked and "placebo" not in asked:
        raise SpecError(
            f"{where}: there is a [placebo], but evaluation.conditions does not name it",
            hint='conditions = [..., "placebo"]',
        )
    if placebo is None:
        if "placebo" in written.evaluation.conditions:
            raise SpecError(
                f"{where}: the placebo condition needs a [placebo] table",
                hint='[placebo] state = "other-state", or shuffle = ["FIELD"]',
            )
        return
    if (placebo.state is None) == (not placebo.shuffle):
        raise SpecError(
            f"{where}: [placebo] needs either a state or fields to shuffle",
            hint='state = "other-state", or shuffle = ["FIELD"]',
        )
    if placebo.state is not None:
        folder, root = ((home / name).resolve() for name in (placebo.state, written.state.root))
        if not folder.is_dir():
            raise SpecError(f"{where}: placebo.state: there is no folder {placebo.state!r}")
        if folder.is_relative_to(root) or root.is_relative_to(folder):
            raise SpecError(
                f"{where}: placebo.state: {placebo.state} and the state folder overlap",
                hint="A placebo is the state of another corpus.",
            )


def check_apart(written: DualFile, home: Path, where: str) -> None:
    """Refuse overlaps of the state, the system's files and the labels."""
    root = (home / written.state.root).resolve()
    labels = (home / written.evaluation.benchmark).resolve()
    if labels.is_relative_to(root):
        raise SpecError(
            f"{where}: evaluation.benchmark: {written.evaluation.benchmark} is in the state"
            " folder, with its labels",
            hint="Keep it elsewhere: every run gets the state folder.",
        )
    for name in written.system.reads:
        path = (home / name).resolve()
        if not path.exists():
            raise SpecError(f"{where}: system.reads: there is no {name}")
        if root.is_relative_to(path) or path.is_relative_to(root):
            raise SpecError(f"{where}: system.reads: {name} and the state folder overlap")
        if labels.is_relative_to(path):
            raise SpecError(f"{where}: system.reads: {name} holds the benchmark with its labels")
    for name in written.state.fixed:
        if not stays_inside(name.rstrip("/")):
            raise SpecError(f"{where}: state.fixed: {name!r} is not a path inside the state folder")
    if not (home / written.system.folder).is_dir():
        raise SpecError(f"{where}: system.folder: there is no folder {written.system.folder!r}")
