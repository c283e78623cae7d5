"""The fields that are read from a promptfoo evaluation: rows, tests and sums."""

from typing import Any

import msgspec

from assay.logs.lenient_json import Count

_BROKE = 2
"""The failure reason of a row whose request or grader failed."""


class PromptSums(msgspec.Struct, frozen=True, rename="camel"):
    """The counts and sums that promptfoo reports."""

    score: float | None = None
    test_pass_count: Count | None = None
    test_fail_count: Count | None = None
    test_error_count: Count | None = None
    named_scores: dict[str, Any] | None = None
    named_score_weights: dict[str, Any] | None = None


class GradedPart(msgspec.Struct, frozen=True):
    """One assertion."""

    assertion: Any = None


class GradingResult(msgspec.Struct, frozen=True, rename="camel"):
    """The assertions' result for an answer."""

    component_results: list[GradedPart] | None = None
    named_score_weights: dict[str, Any] | None = None


class PromptfooTest(msgspec.Struct, frozen=True):
    """A test: the variables of the prompt, and the assertions on the answer."""

    description: str | None = None
    vars: dict[str, Any] | None = None
    assertions: Any = msgspec.field(name="assert", default=None)
    options: Any = None


class TokenUsage(msgspec.Struct, frozen=True):
    """Tokens of one answer."""

    total: float | None = None


class ProviderResponse(msgspec.Struct, frozen=True, rename="camel"):
    """The provider's answer."""

    output: Any = None
    token_usage: TokenUsage | None = None


class RenderedPrompt(msgspec.Struct, frozen=True):
    """A prompt as sent, and its name."""

    raw: Any = None
    label: str | None = None


class PromptfooRow(msgspec.Struct, frozen=True, rename="camel"):
    """One answer to one test."""

    success: bool
    score: float | None = None
    named_scores: dict[str, Any] | None = None
    failure_reason: int | None = None
    error: Any = None
    grading_result: GradingResult | None = None
    provider: Any = None
    prompt: RenderedPrompt | None = None
    prompt_id: str | None = None
    prompt_idx: int | None = None
    latency_ms: float | None = None
    response: ProviderResponse | None = None
    test_case: PromptfooTest | None = None
    vars: dict[str, Any] | None = None

    @property
    def failed(self) -> bool:
        """Whether the request or the grader failed; in old versions the grading is then missing."""
        if self.failure_reason is not None:
            return self.failure_reason == _BROKE
        return bool(self.error) and self.grading_result is None

    @property
    def test(self) -> PromptfooTest:
        """The test; if the row has none, made from its variables and assertions."""
        if self.test_case is not None:
            return self.test_case
        graded = (self.grading_result and self.grading_result.component_results) or []
        return PromptfooTest(vars=self.vars, assertions=[part.assertion for part in graded] or None)


class PromptColumn(msgspec.Struct, frozen=True):
    """A prompt under a provider."""

    label: str | None = None
    provider: Any = None
    metrics: PromptSums | None = None


class TableHead(msgspec.Struct, frozen=True):
    """The prompts of a table."""

    prompts: list[PromptColumn] = []


class ResultTable(msgspec.Struct, frozen=True):
    """The table in which version 2 keeps the prompts."""

    head: TableHead = TableHead()


class EvaluateResults(msgspec.Struct, frozen=True):
    """The rows of an evaluation."""

    version: int | None = None
    results: list[PromptfooRow] = []
    prompts: list[PromptColumn] | None = None
    table: ResultTable | None = None


class PromptfooConfig(msgspec.Struct, frozen=True):
    """The configuration of the evaluation."""

    providers: Any = None


class PromptfooMetadata(msgspec.Struct, frozen=True, rename="camel"):
    """The version that wrote the file."""

    promptfoo_version: str | None = None


class Evaluation(msgspec.Struct, frozen=True):
    """The whole file."""

    results: EvaluateResults
    config: PromptfooConfig | None = None
    metadata: PromptfooMetadata | None = None
