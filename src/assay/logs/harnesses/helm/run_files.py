"""The fields that are read from the files of a HELM run."""

from typing import Any

import msgspec

from assay.logs.lenient_json import Count
from assay.logs.log_file import LogFile


class StatName(msgspec.Struct, frozen=True):
    """The name of a metric, and its part of the run."""

    name: str
    split: str | None = None
    sub_split: str | None = None
    perturbation: dict[str, Any] | None = None


class Stat(msgspec.Struct, frozen=True):
    """The count and the sum of a measurement."""

    name: StatName
    count: Count = 0
    sum: float | None = None
    mean: float | None = None


class InstanceStats(msgspec.Struct, frozen=True):
    """The stats of one metric class for an instance in a train trial."""

    instance_id: str
    stats: list[Stat]
    train_trial_index: int = 0


class HelmInstance(msgspec.Struct, frozen=True):
    """What was asked, and the answers to choose from or to compare with."""

    id: str | None = None
    input: Any = None
    references: list[dict[str, Any]] = []
    split: str | None = None
    sub_split: str | None = None
    perturbation: dict[str, Any] | None = None


class RequestResult(msgspec.Struct, frozen=True):
    """The result of a request; without success there is no completion."""

    success: bool = True
    completions: list[dict[str, Any]] = []


class RequestState(msgspec.Struct, frozen=True):
    """A request for an instance in a train trial."""

    instance: HelmInstance
    train_trial_index: int = 0
    result: RequestResult | None = None


class ScenarioState(msgspec.Struct, frozen=True):
    """Every request of a run."""

    request_states: list[RequestState] = []


class RunSpec(msgspec.Struct, frozen=True):
    """The specification of a run."""

    name: str = ""
    scenario_spec: Any = None
    adapter_spec: dict[str, Any] = {}
    metric_specs: list[dict[str, Any]] = []
    data_augmenter_spec: Any = None
    annotators: Any = None


class HelmRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run without its instance stats; None for each missing file."""

    spec: RunSpec
    reported: list[Stat] | None
    requests: list[RequestState] | None
    files: tuple[LogFile, ...]
