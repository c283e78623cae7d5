"""Match samples with their programming tasks, and label them by whether they pass.

A sample is `{task_id, completion}`, as in HumanEval's evaluation, or `{task_id, solution}`, the
whole program. A file of results also has `passed` (and `result`), from a run elsewhere.
"""

import ast
import builtins
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.benchmark.benchmark import Item
from assay.benchmark.corpora.collected_items import Gathered
from assay.benchmark.corpora.corpus_files import CorpusRecord
from assay.benchmark.programs.execute import Program, ProgramOutcome
from assay.benchmark.programs.tests_process import names_in
from assay.errors import SpecError

NO_SAMPLE = "task without a sample"
NOT_JUDGED = "sample whose tests cannot be put to it"


@dataclass(frozen=True, kw_only=True)
class Task:
    """A programming task: the question, the code before a completion, and the tests.

    `names` are those the completion must define; `given` is the task's code that its tests may use.
    """

    id: str
    question: str
    before: str
    tests: str
    names: tuple[str, ...]
    given: str = ""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One sample: its task, its text, the resulting program, and whether it passed."""

    task: Task
    number: int
    response: str
    program: Program
    known: ProgramOutcome | None

    def item(self, outcome: ProgramOutcome) -> Item:
        """The sample as an item, wrong unless it passed."""
        return Item(
            id=f"{self.task.id}#{self.number}",
            question=self.task.question,
            response=self.response,
            label=outcome is not ProgramOutcome.PASSED,
            cls=outcome.value,
            group=self.task.id,
        )


def match(tasks: Mapping[str, Task], samples: Sequence[CorpusRecord]) -> list[Attempt]:
    """Every sample with its task, in order."""
    by_name = {_folded(name): task for name, task in tasks.items()}
    numbers: Counter[str] = Counter()
    attempts = []
    for sample in samples:
        if not sample.has("task_id") or not (sample.has("completion") or sample.has("solution")):
            raise SpecError(
                f"{sample.where}: not a sample: expected 'task_id' and 'completion' (or"
                f" 'solution'), got {', '.join(map(repr, list(sample.fields)[:12]))}"
            )
        task = by_name.get(_folded(sample.key("task_id")))
        if task is None:
            raise SpecError(
                f"{sample.where}, field 'task_id': no task {sample.key('task_id')!r}",
                hint=f"The tasks are {', '.join(list(tasks)[:3])}, ...",
            )
        numbers[task.id] += 1
        whole = not sample.has("completion")
        response = sample.text("solution" if whole else "completion")
        solution = response if whole else task.before + response
        attempts.append(
            Attempt(
                task=task,
                number=numbers[task.id],
                response=response,
                program=Program(
                    solution=solution, tests=task.tests, names=task.names, given=task.given
                ),
                known=_known(sample),
            )
        )
    _check_all_or_none(attempts, samples)
    return attempts


def labelled(
    tasks: Mapping[str, Task], attempts: Sequence[Attempt], outcomes: Sequence[ProgramOutcome]
) -> Gathered:
    """The samples as items. Copies are kept, samples without a verdict are left out."""
    judged = [
        attempt.item(how)
        for attempt, how in zip(attempts, outcomes, strict=True)
        if how is not ProgramOutcome.UNVERIFIABLE
    ]
    left_out = {
        NO_SAMPLE: len(tasks) - len({attempt.task.id for attempt in attempts}),
        NOT_JUDGED: len(attempts) - len(judged),
    }
    counted = {why: count for why, count in left_out.items() if count}
    return Gathered(items=tuple(judged), left_out=counted)


def known_outcomes(attempts: Sequence[Attempt]) -> list[ProgramOutcome]:
    """The outcomes in the samples' `passed` fields; refuses samples without them."""
    known = [attempt.known for attempt in attempts if attempt.known is not None]
    if len(known) < len(attempts):
        raise SpecError(
            "the samples have no `passed` field, and Assay does not run untrusted programs unasked",
            hint="Add `execute=True` to run them here, without network and within limits; or name a"
            " file of results with `passed` in every line.",
        )
    return known


def check_tests(tests: str, where: str) -> None:
    """Refuse tests that are not Python, since samples would fail because of them."""
    try:
        ast.parse(tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SpecError(f"{where}: the tests are not Python: {error}") from None


def defined(code: str) -> tuple[str, ...]:
    """The functions and classes that some code defines; none if it cannot be parsed."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names: list[str] = []
    for node in _body(code):
        if isinstance(node, kinds):
            names.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return tuple(dict.fromkeys(names))


def imports_for(tests: str, code: str) -> str:
    """The imports of a task's solution that its tests use but lack."""
    used, made = names_in(tests)
    imports = [node for node in _body(code) if isinstance(node, ast.Import | ast.ImportFrom)]
    named = {_bound_by(alias) for node in imports for alias in node.names}
    wanted = used - made - set(defined(code))
    if wanted - named - set(dir(builtins)):
        wanted.add("*")  # a star import may define it
    for node in imports:
        node.names = [alias for alias in node.names if _bound_by(alias) in wanted]
    return "\n".join(ast.unparse(node) for node in imports if node.names)


def _bound_by(alias: ast.alias) -> str:
    """The name that an import defines."""
    return (alias.asname or alias.name).partition(".")[0]


def _body(code: str) -> list[ast.stmt]:
    """The statements of some code; none if it cannot be parsed."""
    try:
        return ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _folded(name: str) -> str:
    """Task 7 is also called MBPP/7 and Mbpp/7."""
    folded = name.strip().lower()
    return folded.removeprefix("mbpp/")


def _known(sample: CorpusRecord) -> ProgramOutcome | None:
    if not sample.has("passed"):
        return None
    passed = sample.fields["passed"]
    if not isinstance(passed, bool):
        raise sample.wrong("passed", "true or false", passed)
    if passed:
        return ProgramOutcome.PASSED
    late = str(sample.fields.get("result")).strip().lower().startswith("timed out")
    return ProgramOutcome.TIMED_OUT if late else ProgramOutcome.FAILED


def _check_all_or_none(attempts: Sequence[Attempt], samples: Sequence[CorpusRecord]) -> None:
    known = [attempt.known is not None for attempt in attempts]
    if any(known) and not all(known):
        place = samples[known.index(False)].where
        raise SpecError(f"{place}: no field 'passed', but other samples have it")
