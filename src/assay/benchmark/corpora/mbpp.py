"""MBPP: small programming tasks in a sentence, each with a few asserts.

`mbpp.jsonl` has `text` and `test_setup_code`, `sanitized-mbpp.json` `prompt` and `test_imports`.
The question is the sentence and the asserts, which name the function. The setup may use the
solution's definitions and comes after it. Some asserts use a module that only the published
solution imports: they get that import, whatever a completion imports.
"""

from collections.abc import Sequence

from assay.benchmark.corpora.corpus_files import CorpusRecord
from assay.benchmark.corpora.format import Format, fields
from assay.benchmark.corpora.programming_tasks import Task, check_tests, defined, imports_for
from assay.errors import SpecError


def _tasks(records: Sequence[CorpusRecord]) -> dict[str, Task]:
    tasks: dict[str, Task] = {}
    for record in records:
        number = record.key("task_id")
        name = number if "/" in number else f"MBPP/{number}"
        if name in tasks:
            raise SpecError(f"{record.where}, field 'task_id': {name!r} occurs twice")
        asserts = record.texts("test_list")
        if not asserts:
            raise SpecError(f"{record.where}, field 'test_list': no tests")
        before = record.texts("test_imports") if record.has("test_imports") else []
        if record.has("test_setup_code"):
            before = [*before, record.text("test_setup_code")]
        tests = "\n".join([*before, *asserts]) + "\n"
        check_tests(tests, f"{record.where}, field 'test_list'")
        asked = record.text("prompt" if record.has("prompt") else "text")
        tasks[name] = Task(
            id=name,
            question="\n\n".join([asked, "\n".join(asserts)]),
            before="",
            tests=tests,
            names=defined(record.text("code")),
            given=imports_for(tests, record.text("code")),
        )
    return tasks


FORMAT = Format(
    name="mbpp",
    about="programs for small tasks, samples labelled by running their tests",
    told_by=(fields("task_id", "code", "test_list"),),
    tasks=_tasks,
)
