"""Try a method on made-up input before it is sealed, since a bug would waste its only run.

A method is asked one made-up question. A learner is first fitted to made-up examples of every
target, in the copy that it would also have in a run. Nothing of the benchmark is shown, but what
its records lack is missing here too.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from assay.benchmark.benchmark import Benchmark
from assay.errors import MethodError
from assay.runs.answers import check_output
from assay.runs.method_loader import Modules
from assay.runs.rounds import Example
from assay.runs.worker_process import ProcessWorker
from assay.sandbox.environment import missing_variable
from assay.study.submissions.spec import Prereg

PROBE = ("Is this a question?", "It is one.")
"""The test question, and a response to it."""
_PASSED = 'environment = ["NAME"] in prereg.toml'
_SUBJECTS = ("river", "mountain", "clock", "engine", "garden", "violin")
_ANSWERS = ("It is.", "No, as far as anyone has measured.", "Perhaps once, it is said.")


def ask_made_up(worker: ProcessWorker, prereg: Prereg, benchmark: Benchmark) -> Modules:
    """Fit a learner to made-up examples, ask the made-up question; what was imported after it."""
    if worker.learner:
        examples = made_up_examples(prereg, benchmark)
        with _blamed(prereg, f"as it was fitted to {len(examples)} made-up examples"):
            worker.branch()
            worker.fit(examples)
    with _blamed(prereg, f"on the test question {PROBE[0]!r}"):
        for response in _responses(benchmark, PROBE[1]):
            answer = worker.ask(PROBE[0], response)
            check_output(answer, task=prereg.task, classes=_classes(benchmark))
    modules = worker.modules()
    if worker.learner:
        worker.forget()
    return modules


def made_up_examples(prereg: Prereg, benchmark: Benchmark) -> list[Example]:
    """Examples in the form of a run's, as many of each target."""
    detects = prereg.task == "detection"
    targets: tuple[int | str, ...] = (0, 1) if detects else tuple(sorted(benchmark.classes))
    lacks = _responses(benchmark, "")
    return [
        {
            "question": f"Is the {subject} of number {number} {'very ' * place}old?",
            "response": None if lacks[number % len(lacks)] is None else answer,
            "target": target,
        }
        for place, target in enumerate(targets)
        for number, (subject, answer) in enumerate(
            (subject, answer) for subject in _SUBJECTS for answer in _ANSWERS
        )
    ]


def _responses(benchmark: Benchmark, response: str) -> list[str | None]:
    """The response if records have one, None if records have none, or both."""
    second = () if benchmark.second is None else benchmark.second.items
    missing = {item.response is None for item in (*benchmark.items, *second)}
    return [None if lacks else response for lacks in sorted(missing)]


def _classes(benchmark: Benchmark) -> set[str]:
    second = benchmark.second.classes if benchmark.second is not None else {}
    return {*benchmark.classes, *second}


@contextmanager
def _blamed(prereg: Prereg, when: str) -> Iterator[None]:
    """Say when the method failed, and that it can be sealed nevertheless."""
    try:
        yield
    except MethodError as error:
        raise type(error)(
            f"{prereg.method} failed {when}: {error.message}",
            hint=missing_variable(error.message, prereg.environment, how=_PASSED)
            or "Fix it before its only run, or seal it anyway: `probe=False`.",
        ) from None
