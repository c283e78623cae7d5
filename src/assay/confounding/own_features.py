"""A user's own surface feature, measured on every record.

A feature is a function of the response, the question, or both, run like a method in its own
process; a callable runs in this one. A function of one argument with any other name gets the
response.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.benchmark.benchmark import Benchmark
from assay.errors import MethodError, SpecError
from assay.runs.answers import check_output, score_of
from assay.runs.worker import start_worker
from assay.surface.feature_table import Feature, On


def measure_feature(feature: str | Callable[..., Any], benchmark: Benchmark) -> Feature:
    """Compute a feature, given as `file.py:function` or a function, for every record."""
    with start_worker(feature) as worker:
        reference = worker.method.text
        if worker.learner:
            raise SpecError(f"feature {reference!r} is a learner, expected a plain function")
        of_response = worker.arguments == ("question",) and not worker.asks_by_name
        on: On = "both"
        if len(worker.arguments) == 1:
            on = "response" if of_response or worker.arguments == ("response",) else "question"
        values = []
        for item in benchmark.items:
            response = item.response or ""
            try:
                raw = worker.ask(response if of_response else item.question, response)
                values.append(score_of(check_output(raw, task="detection", classes=())))
            except MethodError as error:
                error.message = f"feature {reference}, record {item.id}: {error.message}"
                error.args = (error.message,)
                raise
    name = worker.method.attribute.rpartition(".")[2] or reference
    name = "lambda" if name == "<lambda>" else name
    return Feature(name=name, on=on, values=np.array(values, dtype=np.float64))
