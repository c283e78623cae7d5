"""The form of Every Eval Ever: the fields of its two files that a run needs.

Schemas: https://github.com/evaleval/every_eval_ever (`eval.schema.json`,
`instance_level_eval.schema.json`). Our writer adds the keys in capitals in the free details, since
the form has no fields for them.
"""

from typing import Any

import msgspec

SAMPLES = "_samples"
KNOWN_VERSIONS = ("0.2.0", "0.2.1", "0.2.2", "0.3.0")
MEAN_OVER, UNREPORTED, UNSCORED = "mean_over", "not_reported", "unscored"
PLANNED, FINISHED = "planned_rows", "finished"


class LineEvaluation(msgspec.Struct, frozen=True):
    """The score on a line."""

    score: Any = None


class SampleLine(msgspec.Struct, frozen=True):
    """One sample under one result."""

    evaluation_id: str
    evaluation_name: str
    sample_id: str
    evaluation: LineEvaluation
    schema_version: str | None = None
    model_id: str | None = None
    evaluation_result_id: str | None = None
    sample_hash: str | None = None
    input: dict[str, Any] = {}
    output: dict[str, Any] | None = None
    messages: list[Any] | None = None
    token_usage: dict[str, Any] | None = None
    performance: dict[str, Any] | None = None
    error: str | None = None
    metadata: dict[str, Any] | None = None

    @property
    def document(self) -> str:
        """What distinguishes documents with the same id."""
        return self.sample_hash or self.evaluation_name

    @property
    def epoch(self) -> str | None:
        """The number of the repeat, as the converters write it."""
        found = (self.metadata or {}).get("epoch")
        return None if found is None else str(found)


class ResultScore(msgspec.Struct, frozen=True):
    """The score of a result."""

    score: Any = None
    details: dict[str, Any] | None = None
    uncertainty: Any = None


class MetricConfig(msgspec.Struct, frozen=True):
    """The metric of a result."""

    metric_name: str | None = None
    metric_kind: str | None = None
    metric_id: str | None = None
    lower_is_better: bool | None = None
    llm_scoring: Any = None
    metric_parameters: Any = None
    additional_details: dict[str, Any] | None = None


class MetricResult(msgspec.Struct, frozen=True):
    """One result: a metric of one evaluation."""

    evaluation_name: str
    evaluation_result_id: str | None = None
    source_data: dict[str, Any] = {}
    metric_config: MetricConfig = MetricConfig()
    score_details: ResultScore = ResultScore()
    generation_config: dict[str, Any] | None = None

    @property
    def metric(self) -> str:
        """The name of the metric, else of the evaluation."""
        return self.evaluation_result_id or self.evaluation_name


class AggregateResults(msgspec.Struct, frozen=True):
    """The file of results."""

    evaluation_id: str
    schema_version: str | None = None
    model_info: dict[str, Any] = {}
    eval_library: dict[str, Any] = {}
    source_metadata: dict[str, Any] = {}
    evaluation_results: list[MetricResult] = []
    detailed_evaluation_results: dict[str, Any] | None = None
