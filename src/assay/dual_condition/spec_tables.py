"""The tables of a spec file, as they are written.

Every key is known and typed; what the values mean together is checked elsewhere.
"""

import re
import tomllib
from typing import Any, Literal, get_args

import msgspec

from assay.digests import decode_utf8, digest
from assay.dual_condition.evidence import Metric, Route, Thresholds
from assay.dual_condition.state.layers import InC, Layer, Match
from assay.errors import SpecError
from assay.sandbox.command_template import has_place

Asked = Literal["A", "B", "C", "layers", "shapley", "placebo"]
_AT = re.compile(r"(.*) - at `\$\.(.*)`", re.DOTALL)
_WORDS = {
    "metric": get_args(Metric),
    "conditions": get_args(Asked),
    "match": get_args(Match),
    "in_c": get_args(InC),
    "route": ("in-place",),
}
_HINT = "docs/how-to/tell-capability-from-memory.md shows every key and its values."


class StatefulSystem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is run: a command, or a method."""

    command: tuple[str, ...] = ()
    method: str | None = None
    folder: str = "."
    reads: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    seconds: float = 600.0
    jobs: int | None = None


class Placebo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A state that can teach nothing: another corpus's, or one with values shuffled."""

    state: str | None = None
    shuffle: tuple[str, ...] = ()


class StateTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[state]`: the folder of production, its layers, and how a run is given a copy."""

    root: str
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


class DualFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole spec file."""

    system: StatefulSystem
    state: StateTable
    evaluation: EvaluationTable
    placebo: Placebo | None = None
    thresholds: Thresholds = Thresholds()


def parse_tables(data: bytes, *, where: str) -> DualFile:
    """The tables of a spec file from its bytes."""
    try:
        return msgspec.convert(tomllib.loads(decode_utf8(data, where=where)), DualFile)
    except msgspec.ValidationError as error:
        raise SpecError(f"{where}: {_explained(str(error))}", hint=_HINT) from None
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{where}: not TOML: {error}", hint=_HINT) from None


def _explained(message: str) -> str:
    """Put the key first, and name its values where it has a fixed set of them."""
    parts = _AT.fullmatch(message)
    if parts is None:
        return message
    what, place = parts[1], parts[2]
    words = _WORDS.get(place.rpartition(".")[2].partition("[")[0], ())
    expected = f", expected {', '.join(words)}" if words and "enum" in what else ""
    return f"{place}: {what}{expected}"


def plan_digest(written: DualFile) -> str:
    """Digest what decides the runs; parallelism and thresholds of judging are left out."""
    plan: dict[str, Any] = msgspec.to_builtins(written)
    plan.pop("thresholds")
    plan["system"].pop("jobs")
    for name in ("metric", "threshold"):
        plan["evaluation"].pop(name)
    return digest(msgspec.json.encode(plan, order="deterministic"))


def state_variable(written: DualFile) -> str | None:
    """The variable that names the state folder; a method always has one."""
    return written.state.variable or ("ASSAY_STATE" if written.system.method is not None else None)


def state_route(written: DualFile) -> Route:
    """How a run is given its state, by what the spec declares."""
    if written.state.route is not None:
        return written.state.route
    if written.system.method is None and has_place(written.system.command, "state"):
        return "parameter"
    if written.state.variable is not None or written.system.method is not None:
        return "environment"
    return "namespace"
