"""The plan of a dual-condition evaluation: a system, its state, a benchmark, and conditions.

    [system]
    command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]
    # or: method = "file.py:function", which finds its state in the variable ASSAY_STATE
    folder = "."                 # where it runs; default: the spec's folder
    reads = ["model.bin"]        # files and folders beside its code, which no run may change
    environment = ["API_KEY"]    # variables to pass on, by name
    seconds = 600                # for one run; default: 600
    jobs = 1                     # runs at a time; default: 2, where there are two cores

    [state]
    root = "state"               # production: copied, never touched
    variable = "AGENT_HOME"      # the variable that names the folder, where no {state} does
    route = "in-place"           # only where the path is fixed and no private view can be had
    fixed = ["README.md"]        # files of the folder that are part of the system
    forget = ["python", "forget.py", "{state}", "{items}"]   # makes C; default: the layers' rules

    [state.layers.memory]        # see `assay.dual_condition.state`
    files = ["memory.jsonl"]
    provenance = "item"

    [placebo]
    state = "other-state"        # the state of another corpus; or shuffle = ["verdict"]

    [evaluation]
    benchmark = "bench.jsonl"
    positive = "label == 1"      # and columns: id, question, response, label, class, group, source
    corpus = "bench"             # its name in the matrix; default: the file's
    seeds = [1, 2, 3]
    conditions = ["A", "B", "C"] # also: layers, shapley, placebo; default: all but these that can
    metric = "auroc"             # or accuracy, f1, average-precision
    threshold = 0.5              # at which a score means positive, for accuracy and f1

    [thresholds]                 # of the regimes
    polish = 0.02
    memory_gap = 0.05
    memory_floor = 0.65
    dependent = 0.02

In commands `{items}` is a JSONL file (`id`, `question`, `response`), `{outputs}` the file to write
(`id`, `score`), `{seed}` and `{state}` what they say.
"""

import math
import os
import re
import tomllib
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from assay.arguments import checked
from assay.benchmark.benchmark import Benchmark, Columns
from assay.benchmark.load import load_benchmark
from assay.benchmark.rows import rows_of
from assay.digests import decode_utf8, digest, is_name
from assay.dual_condition.state import InC, Layer, Match, Route, State, check_layer, matches
from assay.errors import OneClassPartition, SpecError, storage
from assay.paths import stays_inside
from assay.sandbox.command_template import check_places, has_place
from assay.wording import PARAMETER

Metric = Literal["auroc", "accuracy", "f1", "average-precision"]
Asked = Literal["A", "B", "C", "layers", "shapley", "placebo"]
NAMES = ("items", "outputs", "seed", "state")
MOST_SHAPLEY = 5
_LONGEST = 7 * 24 * 3600.0
_MOST_SEEDS = 10_000
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_AT = re.compile(r"(.*) - at `\$\.(.*)`", re.DOTALL)
_WORDS = {
    "metric": get_args(Metric),
    "conditions": get_args(Asked),
    "match": get_args(Match),
    "in_c": get_args(InC),
    "route": ("in-place",),
}
_HINT = "docs/how-to/tell-capability-from-memory.md shows every key and its values."


class System(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is run: a command, or a method."""

    command: tuple[str, ...] = ()
    method: str | None = None
    folder: str = "."
    reads: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    seconds: float = 600.0
    jobs: int | None = None


class Thresholds(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the regimes begin and end."""

    polish: float = 0.02
    memory_gap: float = 0.05
    memory_floor: float = 0.65
    dependent: float = 0.02


class Placebo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A state that can teach nothing: another corpus's, or one with values shuffled."""

    state: str | None = None
    shuffle: tuple[str, ...] = ()


class _State(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    root: str
    layers: dict[str, Layer] = {}
    fixed: tuple[str, ...] = ()
    variable: str | None = None
    route: Literal["in-place"] | None = None
    forget: tuple[str, ...] = ()


class _Evaluation(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"cls": "class"}
):
    benchmark: str
    seeds: tuple[int, ...]
    positive: str | None = None
    corpus: str | None = None
    conditions: tuple[Asked, ...] = ()
    metric: Metric = "auroc"
    threshold: float = 0.5
    id: str | None = None
    question: str = "question"
    response: str | None = None
    label: str | None = None
    cls: str | None = None
    source: str | None = None
    group: str | None = None


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    system: System
    state: _State
    evaluation: _Evaluation
    placebo: Placebo | None = None
    thresholds: Thresholds = Thresholds()


class DualSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A spec with everything it names found; `home` is the folder that its paths are seen from.

    `digest` is of all that decides what is run; how it is judged is no part of it.
    """

    home: Path
    digest: str
    system: System
    state: State
    benchmark: Benchmark
    corpus: str
    seeds: tuple[int, ...]
    asked: tuple[Asked, ...]
    placebo: Placebo | None
    metric: Metric
    threshold: float
    thresholds: Thresholds

    @property
    def jobs(self) -> int:
        """How many runs are made at a time: each has its own copy, so two are no harm."""
        return self.system.jobs or min(os.cpu_count() or 1, 2)

    @property
    def folder(self) -> Path:
        """Where the system runs."""
        return self.home / self.system.folder

    @property
    def reads(self) -> tuple[Path, ...]:
        """What it may read beside its code."""
        return tuple(self.home / name for name in self.system.reads)


@checked
def load_dual_spec(path: str | Path, *, metric: Metric | None = None) -> DualSpec:
    """A spec file, every part checked."""
    path = Path(path)
    with storage(path):
        data = path.read_bytes()
    where = str(path)
    try:
        written = msgspec.convert(tomllib.loads(decode_utf8(data, where=where)), _File)
    except msgspec.ValidationError as error:
        raise SpecError(f"{where}: {_explained(str(error))}", hint=_HINT) from None
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{where}: not TOML: {error}", hint=_HINT) from None
    home = path.absolute().parent
    _check_system(written, where)
    state = _state(written, home, where)
    benchmark = _benchmark(written.evaluation, home, where)
    _check_evaluation(written.evaluation, where)
    _check_ids(written, home, benchmark, where)
    _check_thresholds(written.thresholds, where)
    _check_placebo(written, home, where)
    _check_apart(written, home, where)
    return DualSpec(
        home=home,
        digest=_plan_digest(written),
        system=written.system,
        state=state,
        benchmark=benchmark,
        corpus=_corpus(written.evaluation, where),
        seeds=written.evaluation.seeds,
        asked=_asked(written, state, where),
        placebo=written.placebo,
        metric=metric or written.evaluation.metric,
        threshold=written.evaluation.threshold,
        thresholds=written.thresholds,
    )


def _explained(said: str) -> str:
    """What does not fit: the key first, and which words it may be where it is one of some."""
    found = _AT.fullmatch(said)
    if found is None:
        return said
    what, place = found[1], found[2]
    words = _WORDS.get(place.rpartition(".")[2].partition("[")[0], ())
    expected = f", expected {', '.join(words)}" if words and "enum" in what else ""
    return f"{place}: {what}{expected}"


def _plan_digest(written: _File) -> str:
    """What is run; how many at a time, and how it is judged afterwards, are no part of it."""
    plan: dict[str, Any] = msgspec.to_builtins(written)
    plan.pop("thresholds")
    plan["system"].pop("jobs")
    for name in ("metric", "threshold"):
        plan["evaluation"].pop(name)
    return digest(msgspec.json.encode(plan, order="deterministic"))


def _check_system(written: _File, where: str) -> None:
    system, state = written.system, written.state
    if bool(system.command) == (system.method is not None):
        raise SpecError(
            f"{where}: [system] needs a command or a method, and not both",
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
        raise SpecError(f"{where}: state.variable = {state.variable!r} names no variable")
    variable = _variable(written)
    if variable in system.environment:
        raise SpecError(f"{where}: system.environment has {variable}, which is to name the state")


def _variable(written: _File) -> str | None:
    """The variable that names the state folder; a method has no other way to be told."""
    return written.state.variable or ("ASSAY_STATE" if written.system.method is not None else None)


def _state(written: _File, home: Path, where: str) -> State:
    state = written.state
    if not state.layers:
        raise SpecError(
            f"{where}: [state] has no layers", hint='[state.layers.memory] files = ["..."]'
        )
    for name, layer in state.layers.items():
        if not is_name(name):
            raise SpecError(
                f"{where}: state.layers: a layer is called {name!r:.80}, expected a-z, 0-9, . _ -"
            )
        check_layer(name, layer, where)
        if layer.initial is not None and not (home / layer.initial).exists():
            raise SpecError(f"{where}: state.layers.{name}.initial: there is no {layer.initial}")
    root = home / state.root
    with storage(root):
        if root.is_symlink() or not root.is_dir():
            raise SpecError(
                f"{where}: state.root: there is no folder {state.root!r}",
                hint="It is seen from the spec's folder, and no link.",
            )
        _check_initial(state, home, root, where)
    return State(
        root=root.resolve(),
        layers=state.layers,
        fixed=state.fixed,
        route=_route(written),
        variable=_variable(written),
        forget=state.forget,
    )


def _check_initial(state: _State, home: Path, root: Path, where: str) -> None:
    """Refuse production as the beginning: B would be A, and the state seem to add nothing."""
    for name, layer in state.layers.items():
        begun = (home / (layer.initial or ".")).resolve()
        if layer.initial is None or not begun.is_relative_to(root.resolve()):
            continue
        inner = begun.relative_to(root.resolve()).as_posix()
        owned = [one for one, other in state.layers.items() if matches(inner, other.patterns)]
        if owned or inner == ".":
            raise SpecError(
                f"{where}: state.layers.{name}.initial: {layer.initial} is state of production",
                hint="Keep what a layer begins with outside the state folder, or leave it out.",
            )


def _route(written: _File) -> Route:
    if written.state.route is not None:
        return written.state.route
    if written.system.method is None and has_place(written.system.command, "state"):
        return "parameter"
    if written.state.variable is not None or written.system.method is not None:
        return "environment"
    return "namespace"


def _benchmark(written: _Evaluation, home: Path, where: str) -> Benchmark:
    names = Columns.__struct_fields__
    columns = Columns(**{name: getattr(written, name) for name in names})
    path = home / written.benchmark
    place = str(path) if path.exists() else written.benchmark
    try:
        found = load_benchmark(place, columns=columns)
    except SpecError as error:
        # Parameters elsewhere are keys here.
        hint = None if error.hint is None else PARAMETER.sub(r'evaluation.\1 = "\2"', error.hint)
        message = error.message.replace("`positive=`", "evaluation.positive")
        raise type(error)(f"{where}: {message}", hint=hint) from None
    blind = next((item.id for item in found.items if item.label is None), None)
    if blind is not None:
        raise SpecError(
            f"{where}: record {blind!r} of {written.benchmark} is neither positive nor negative",
            hint='Say which are positive: evaluation.positive = "label == 1".',
        )
    positives = sum(bool(item.label) for item in found.items)
    if not 0 < positives < len(found.items):
        raise OneClassPartition(
            f"{where}: {positives} of the {len(found.items)} records of {written.benchmark} are"
            " positive, so nothing can be told apart",
            hint="Look at evaluation.positive, and at the label column.",
        )
    return found


def _check_ids(written: _File, home: Path, benchmark: Benchmark, where: str) -> None:
    """Refuse line numbers for ids where a layer names items by their ids."""
    path = home / written.evaluation.benchmark
    layers = written.state.layers
    naming = [
        name for name, one in layers.items() if one.provenance is not None or "id" in one.match
    ]
    numbered = [item.id for item in benchmark.items[:2]] == ["1", "2"][: len(benchmark.items)]
    if not naming or not numbered or written.evaluation.id is not None or not path.is_file():
        return
    with storage(path):
        first = next(iter(rows_of(path, path.read_bytes())), ("", {}))[1]
    if "id" not in first:
        raise SpecError(
            f"{where}: {written.evaluation.benchmark} has no column 'id', so items would be called"
            f" 1, 2, 3; and layer {naming[0]} names items",
            hint="Say which column holds the ids: evaluation.id = ...; the columns are"
            f" {', '.join(map(str, first))[:200]}",
        )


def _corpus(written: _Evaluation, where: str) -> str:
    given = written.corpus or Path(written.benchmark).stem
    name = re.sub(r"[^a-z0-9._-]+", "-", given.lower()).strip("-._")
    if not is_name(name) or (written.corpus is not None and name != written.corpus):
        raise SpecError(
            f"{where}: the corpus cannot be called {given!r:.80}",
            hint="evaluation.corpus = a name of a-z, 0-9, . _ -, at most 64 long.",
        )
    return name


def _check_evaluation(written: _Evaluation, where: str) -> None:
    seeds = written.seeds
    if not seeds or len(set(seeds)) < len(seeds):
        twice = next((seed for seed in seeds if seeds.count(seed) > 1), None)
        got = "none" if twice is None else f"{twice} twice"
        raise SpecError(f"{where}: evaluation.seeds: got {got}, expected numbers, each once")
    if any(abs(seed) >= 1 << 63 for seed in seeds) or len(seeds) > _MOST_SEEDS:
        raise SpecError(
            f"{where}: evaluation.seeds: expected at most {_MOST_SEEDS:,}, each within 64 bits"
        )
    if not math.isfinite(written.threshold):
        raise SpecError(f"{where}: evaluation.threshold = {written.threshold}, expected a number")


def _check_thresholds(written: Thresholds, where: str) -> None:
    for name in written.__struct_fields__:
        value = getattr(written, name)
        if not 0.0 <= value <= 1.0:
            raise SpecError(f"{where}: thresholds.{name} = {value}, expected 0 to 1")


def _check_placebo(written: _File, home: Path, where: str) -> None:
    placebo = written.placebo
    asked = written.evaluation.conditions
    if placebo is not None and asked and "placebo" not in asked:
        raise SpecError(
            f"{where}: there is a [placebo], and evaluation.conditions does not ask for it",
            hint='conditions = [..., "placebo"]',
        )
    if placebo is None:
        if "placebo" in written.evaluation.conditions:
            raise SpecError(
                f"{where}: a placebo is asked for, and [placebo] does not say which",
                hint='[placebo] state = "other-state", or shuffle = ["FIELD"]',
            )
        return
    if (placebo.state is None) == (not placebo.shuffle):
        raise SpecError(
            f"{where}: [placebo] needs a state or fields to shuffle, and not both",
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


def _asked(written: _File, state: State, where: str) -> tuple[Asked, ...]:
    """The conditions that were asked for, or all that the spec makes possible without asking."""
    given = written.evaluation.conditions
    if not given:
        more: list[Asked] = ["C"] if state.can_forget else []
        more += ["placebo"] if written.placebo is not None else []
        return ("A", "B", *more)
    for name in ("A", "B"):
        if name not in given:
            raise SpecError(
                f"{where}: evaluation.conditions has no {name}: one side tells nothing",
                hint='conditions = ["A", "B"]',
            )
    if "C" in given and not state.can_forget:
        mute = next(
            name
            for name, layer in state.layers.items()
            if not layer.tells_items and layer.in_c is None
        )
        raise SpecError(
            f"{where}: evaluation.conditions: C needs to know what of layer {mute} came from"
            " which item",
            hint='Add provenance = "FIELD", match = ["id", "text"], in_c = "initial" (or "keep");'
            " or state.forget = a command that takes it out.",
        )
    if "shapley" in given and len(state.layers) > MOST_SHAPLEY:
        raise SpecError(
            f"{where}: evaluation.conditions: shapley is for up to {MOST_SHAPLEY} layers,"
            f" got {len(state.layers)}",
            hint='"layers" leaves out each in turn, however many they are.',
        )
    return tuple(dict.fromkeys(given))


def _check_apart(written: _File, home: Path, where: str) -> None:
    """Refuse what would make the state part of the system, or the labels part of either."""
    root = (home / written.state.root).resolve()
    labels = (home / written.evaluation.benchmark).resolve()
    if labels.is_relative_to(root):
        raise SpecError(
            f"{where}: evaluation.benchmark: {written.evaluation.benchmark} lies in the state"
            " folder, labels and all",
            hint="Keep it elsewhere: what is in the state folder is given to every run.",
        )
    for name in written.system.reads:
        path = (home / name).resolve()
        if not path.exists():
            raise SpecError(f"{where}: system.reads: there is no {name}")
        if root.is_relative_to(path) or path.is_relative_to(root):
            raise SpecError(f"{where}: system.reads: {name} and the state folder overlap")
        if labels.is_relative_to(path):
            raise SpecError(f"{where}: system.reads: {name} holds the benchmark, labels and all")
    for name in written.state.fixed:
        if not stays_inside(name.rstrip("/")):
            raise SpecError(f"{where}: state.fixed: {name!r} is no path inside the state folder")
    if not (home / written.system.folder).is_dir():
        raise SpecError(f"{where}: system.folder: there is no folder {written.system.folder!r}")
