"""HumanEval: the beginning of a function to complete, and its test.

Tests may use code before that function (`poly` of HumanEval/32). They get the task's own version,
not a completion's.
"""

import ast
from collections.abc import Sequence

from assay.benchmark.corpora.corpus_files import CorpusRecord
from assay.benchmark.corpora.format import Format, fields
from assay.benchmark.corpora.programming_tasks import Task, check_tests
from assay.errors import SpecError


def _tasks(records: Sequence[CorpusRecord]) -> dict[str, Task]:
    tasks: dict[str, Task] = {}
    for record in records:
        name, entry = record.key("task_id"), record.text("entry_point")
        if name in tasks:
            raise SpecError(f"{record.where}, field 'task_id': {name!r} occurs twice")
        if not entry.isidentifier():
            raise record.wrong("entry_point", "the name of a function", entry)
        tests = f"{record.text('test')}\n\ncheck({entry})\n"
        check_tests(tests, f"{record.where}, field 'test'")
        prompt = record.text("prompt")
        if not prompt.strip():
            raise record.wrong("prompt", "the beginning of a function", prompt)
        tasks[name] = Task(
            id=name,
            question=prompt,
            before=prompt,
            tests=tests,
            names=(entry,),
            given=_without(entry, prompt),
        )
    return tasks


def _without(entry: str, prompt: str) -> str:
    """The code of the prompt without the function to complete."""
    for text in (prompt, f"{prompt.rstrip()}\n    pass\n", f"{prompt.rstrip()} pass\n"):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        tree.body = [one for one in tree.body if getattr(one, "name", None) != entry]
        return ast.unparse(tree)
    return ""


FORMAT = Format(
    name="humaneval",
    about="completions of functions, samples labelled by running their tests",
    told_by=(fields("task_id", "prompt", "entry_point", "test"),),
    tasks=_tasks,
)
