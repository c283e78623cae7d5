"""The plan of a dual-condition evaluation: a system, its state, a benchmark, and conditions.

docs/how-to/tell-capability-from-memory.md shows every key.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from assay.benchmark.benchmark import Benchmark, Columns, Item
from assay.benchmark.load import load_benchmark
from assay.digests import is_name
from assay.dual_condition.evidence import Metric, Thresholds
from assay.dual_condition.spec_tables import (
    Asked,
    DualFile,
    EvaluationTable,
    Placebo,
    StatefulSystem,
    check_apart,
    check_evaluation,
    check_ids,
    check_initial,
    check_placebo,
    check_system,
    check_thresholds,
    parse_tables,
    plan_digest,
    state_route,
    state_variable,
)
from assay.dual_condition.state.layers import State, check_layer
from assay.errors import OneClassPartition, SpecError, storage
from assay.files import read_spec
from assay.wording import PARAMETER

MOST_SHAPLEY = 5


class DualSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A spec with its files resolved; paths are relative to `home`.

    Items are `solved` if the system answers them; their class is the right answer. `digest` covers
    everything that decides the runs, but not how they are judged.
    """

    home: Path
    digest: str
    system: StatefulSystem
    state: State
    benchmark: Benchmark
    solved: bool
    corpus: str
    seeds: tuple[int, ...]
    asked: tuple[Asked, ...]
    placebo: Placebo | None
    metric: Metric
    threshold: float
    thresholds: Thresholds

    @property
    def jobs(self) -> int:
        """How many runs are made at once: each has its own copy, so several are safe."""
        return self.system.jobs or min(os.cpu_count() or 1, 2)

    @property
    def known_items(self) -> tuple[Item, ...]:
        """The items with all that a memory of them may hold: a right answer is a response."""
        items = self.benchmark.items
        if not self.solved:
            return items
        return tuple(replace(item, response=item.response or item.cls) for item in items)

    @property
    def folder(self) -> Path:
        """The folder in which the system runs."""
        return self.home / self.system.folder

    @property
    def reads(self) -> tuple[Path, ...]:
        """What it may read besides its code."""
        return tuple(self.home / name for name in self.system.reads)


def load_dual_spec(
    spec: str | Path | Mapping[str, Any], *, metric: Metric | None = None
) -> DualSpec:
    """Load a spec file, or a dictionary of its keys, and check every part."""
    text = read_spec(spec, verb="dual")
    where, home = text.where, text.home.absolute()
    written = parse_tables(text.data, where=where)
    check_system(written, where)
    state = _state(written, home, where)
    check_evaluation(written.evaluation, where)
    benchmark = _benchmark(written.evaluation, home, where)
    default: Metric = "auroc" if written.evaluation.answer is None else "accuracy"
    if metric is not None and written.evaluation.answer is not None and metric != "accuracy":
        raise SpecError(
            f"{where}: evaluation.answer: the metric of answers is accuracy, not {metric}"
        )
    check_ids(written, home, benchmark, where)
    check_thresholds(written.thresholds, where)
    with storage(where):  # a name may be too long to be looked for
        check_placebo(written, home, where)
        check_apart(written, home, where)
    return DualSpec(
        home=home,
        digest=plan_digest(written),
        system=written.system,
        state=state,
        benchmark=benchmark,
        corpus=_corpus(written.evaluation, where),
        seeds=written.evaluation.seeds,
        asked=_asked(written, state, where),
        placebo=written.placebo,
        solved=written.evaluation.answer is not None,
        metric=metric or written.evaluation.metric or default,
        threshold=written.evaluation.threshold,
        thresholds=written.thresholds,
    )


def _state(written: DualFile, home: Path, where: str) -> State:
    state = written.state
    if not state.layers:
        raise SpecError(
            f"{where}: [state] has no layers", hint='[state.layers.memory] files = ["..."]'
        )
    for name, layer in state.layers.items():
        if not is_name(name):
            raise SpecError(
                f"{where}: state.layers: invalid layer name {name!r:.80}, expected a-z, 0-9, . _ -"
            )
        check_layer(name, layer, where)
        with storage(where):
            if layer.initial is not None and not (home / layer.initial).exists():
                raise SpecError(
                    f"{where}: state.layers.{name}.initial: there is no {layer.initial}"
                )
    root = home / state.root
    with storage(root):
        if root.is_symlink() or not root.is_dir():
            raise SpecError(
                f"{where}: state.root: there is no folder {state.root!r}",
                hint="It is relative to the spec's folder and must not be a link.",
            )
        check_initial(state, home, root, where)
    return State(
        root=root.resolve(),
        layers=state.layers,
        fixed=state.fixed,
        route=state_route(written),
        variable=state_variable(written),
        forget=state.forget,
    )


def _benchmark(written: EvaluationTable, home: Path, where: str) -> Benchmark:
    columns = Columns(**{name: getattr(written, name) for name in Columns.__struct_fields__})
    if written.answer is not None:
        columns = replace(columns, cls=written.answer)
    path = home / written.benchmark
    with storage(where):
        place = str(path) if path.exists() else written.benchmark
    try:
        benchmark = load_benchmark(place, columns=columns)
    except SpecError as error:
        # Parameters elsewhere are keys here.
        hint = None if error.hint is None else PARAMETER.sub(_as_key, error.hint)
        if hint is not None and "evaluation.label" in hint:
            hint = (
                f"{hint.rstrip('.')}. For a system that answers, name the right answers:"
                ' evaluation.answer = "COLUMN".'
            )
        message = PARAMETER.sub(_as_key, error.message)
        details = [PARAMETER.sub(_as_key, detail) for detail in error.details]
        raise type(error)(f"{where}: {message}", hint=hint, details=details) from None
    if written.answer is not None:
        lost = next((item.id for item in benchmark.items if not item.cls), None)
        if lost is not None:
            raise SpecError(f"{where}: record {lost!r} of {written.benchmark} has no right answer")
        return benchmark
    blind = next((item.id for item in benchmark.items if item.label is None), None)
    if blind is not None:
        raise SpecError(
            f"{where}: record {blind!r} of {written.benchmark} is neither positive nor negative",
            hint='Say which are positive: evaluation.positive = "label == 1".',
        )
    positives = sum(bool(item.label) for item in benchmark.items)
    if not 0 < positives < len(benchmark.items):
        raise OneClassPartition(
            f"{where}: {positives} of the {len(benchmark.items)} records of {written.benchmark}"
            " are positive; both classes are needed",
            hint="Check evaluation.positive and the label column.",
        )
    return benchmark


def _as_key(parameter: re.Match[str]) -> str:
    name = f"evaluation.{parameter[1].rstrip('_')}"
    return f'{name} = "{parameter[2]}"' if parameter[2] else name


def _corpus(written: EvaluationTable, where: str) -> str:
    called = written.corpus or Path(written.benchmark).stem
    name = re.sub(r"[^a-z0-9._-]+", "-", called.lower()).strip("-._")
    if not is_name(name) or (written.corpus is not None and name != written.corpus):
        raise SpecError(
            f"{where}: invalid corpus name {called!r:.80}",
            hint="evaluation.corpus = a name of at most 64 characters: a-z, 0-9, . _ -",
        )
    return name


def _asked(written: DualFile, state: State, where: str) -> tuple[Asked, ...]:
    """The requested conditions; by default A, B, and if possible C and placebo."""
    asked = written.evaluation.conditions
    if not asked:
        more: list[Asked] = ["C"] if state.can_forget else []
        more += ["placebo"] if written.placebo is not None else []
        return ("A", "B", *more)
    for name in ("A", "B"):
        if name not in asked:
            raise SpecError(
                f"{where}: evaluation.conditions lacks {name}: both A and B are needed",
                hint='conditions = ["A", "B"]',
            )
    if "C" in asked and not state.can_forget:
        mute = next(
            name
            for name, layer in state.layers.items()
            if not layer.tells_items and layer.in_c is None
        )
        raise SpecError(
            f"{where}: evaluation.conditions: C needs to know which parts of layer {mute} came"
            " from which item",
            hint='Add provenance = "FIELD", match = ["id", "text"], in_c = "initial" (or "keep");'
            " or state.forget = a command that removes those parts.",
        )
    if "shapley" in asked and len(state.layers) > MOST_SHAPLEY:
        raise SpecError(
            f"{where}: evaluation.conditions: shapley is for up to {MOST_SHAPLEY} layers,"
            f" got {len(state.layers)}",
            hint='"layers" leaves out each in turn, for any number of layers.',
        )
    return tuple(dict.fromkeys(asked))
