"""Writes the pages of docs/reference that are made from the code; a test compares them.

python docs/generate.py
"""

import re
from pathlib import Path

import click
from api_page import api

from assay.caveats import rank_of
from assay.cli.group import assay
from assay.cli.verbs import HELP, VERBS
from assay.comparison.judge.caveats import CODES as COMPARISON
from assay.confounding.caveats import BALANCED
from assay.confounding.caveats import CODES as CONFOUNDING
from assay.confounding.lint.linter import CODES as LINT
from assay.critic.asymmetry.judge import CODES as ASYMMETRY
from assay.critic.caveats import CODES as CRITIQUE
from assay.critic.faithfulness.judge import CODES as FAITHFULNESS
from assay.dual_condition.judge.caveats import CODES as DUAL
from assay.gauntlet.caveats import CODES
from assay.gauntlet.metrics.table import METRICS
from assay.logs.format_table import FORMATS
from assay.method.classes import METHOD_CLASSES
from assay.method.registry import listed
from assay.surface.feature_table import truncated
from assay.surface.features import QUESTION_FEATURES, TEXT_FEATURES, question_overlap

REFERENCE = Path(__file__).parent / "reference"
MADE = "<!-- made by docs/generate.py -->"


def commands() -> str:
    """The help of every verb, as the terminal shows it."""
    parts = [f"# Commands\n\n{MADE}\n\n```text\n{HELP}```\n"]
    group = click.Context(assay, info_name="assay", **assay.context_settings)
    for verb in VERBS:
        command = assay.get_command(group, verb)
        if command is None:
            raise SystemExit(f"no command {verb}")
        context = click.Context(command, info_name=verb, parent=group, terminal_width=90)
        parts.append(f"## assay {verb}\n\n```text\n{command.get_help(context)}\n```\n")
        if isinstance(command, click.Group):
            named = [one for one in command.commands.values() if not one.hidden]
            parts += [_part(f"assay {verb}", one, context) for one in named]
    return "\n".join(parts)


def _part(name: str, command: click.Command, parent: click.Context) -> str:
    """The help of a verb's part."""
    context = click.Context(command, info_name=command.name, parent=parent, terminal_width=90)
    return f"### {name} {command.name}\n\n```text\n{command.get_help(context)}\n```\n"


_ABOUT_CAVEATS = """A screen and a printed result write out three caveats and name the others by
their codes: first those that block a verdict (of these, all), then those that could overturn it,
then those that limit what it covers, and last those for the record. `--caveats` writes out all;
the JSON, and `.caveats` in Python, always hold all.
"""


def caveats() -> str:
    """Every caveat's code."""
    head = "| code | what it does to the verdict | what it warns of |\n|---|---|---|"
    parts = [f"# Caveats\n\n{MADE}\n\n{_ABOUT_CAVEATS}"]
    kinds = (
        ("Of a scorecard", CODES),
        ("Of a confound audit", CONFOUNDING),
        ("Of a balanced subset", BALANCED),
        ("Of a comparison", COMPARISON),
        ("Of a dual-condition result", DUAL),
        ("Of a critique", CRITIQUE),
        ("Of a faithfulness audit", FAITHFULNESS),
        ("Of an asymmetry experiment", ASYMMETRY),
    )
    for title, codes in kinds:
        rows = "\n".join(
            f"| `{code}` | {rank_of(code).meaning} | {about} |" for code, about in codes.items()
        )
        parts.append(f"## {title}\n\n{head}\n{rows}\n")
    return "\n".join(parts)


_ABOUT_METHODS = """Every oracle also has an inverse, such as `oracle:word_length:inverse`. A method
with `MODEL` or `ENCODER` in its name [asks a model](../how-to/ask-a-model.md#as-a-method).
"""


def methods() -> str:
    """Every bundled method, and the classes of methods."""
    rows = "\n".join(
        f"| `{name}` | {m.method_class} | {', '.join(m.tasks)} | {m.about} |"
        for name, m in listed().items()
        if not name.endswith(":inverse")
    )
    top = "| method | class | tasks | what |\n|---|---|---|---|"
    kinds = "\n".join(f"| {name} | {about} |" for name, about in METHOD_CLASSES.items())
    classes = f"## Classes\n\n| class | what its scores are made from |\n|---|---|\n{kinds}\n"
    return f"# Methods\n\n{MADE}\n\n{_ABOUT_METHODS}\n{top}\n{rows}\n\n{classes}"


def metrics() -> str:
    """Every metric that a bar may ask for."""
    rows = "\n".join(
        f"| `{m.name}` | {m.needs} | {', '.join(f'`{key}`' for key in m.keys)} | {m.about} |"
        for m in METRICS
    )
    head = "What a bar may ask for ([how to write bars](../how-to/write-bars.md))."
    top = "| metric | needs | keys | what |\n|---|---|---|---|"
    return f"# Metrics of bars\n\n{MADE}\n\n{head}\n\n{top}\n{rows}\n"


def lint() -> str:
    """Every finding of the linter."""
    rows = "\n".join(f"| `{code}` | {about} |" for code, about in LINT.items())
    head = "What `assay confounds` reports of a file, the weightiest first."
    return f"# Faults of the data\n\n{MADE}\n\n{head}\n\n| code | what it is |\n|---|---|\n{rows}\n"


def features() -> str:
    """Every declared surface feature."""
    rows = [
        *(("response", name, one.__doc__) for name, one in TEXT_FEATURES.items()),
        ("response", "truncated", truncated.__doc__),
        ("both", "question_overlap", question_overlap.__doc__),
        *(("question", name, one.__doc__) for name, one in QUESTION_FEATURES.items()),
        ("both", "source", "The share of positives in the record's source, from other folds."),
    ]
    table = "\n".join(
        f"| `{name}` | {on} | {(about or '').splitlines()[0]} |" for on, name, about in rows
    )
    head = (
        "What *surface* means. Each is also a method, `oracle:NAME` (`oracle:question.NAME` for one"
        " of the question), except `truncated` and `source`, which need the whole file."
    )
    top = "| feature | on | what |\n|---|---|---|"
    return f"# Surface features\n\n{MADE}\n\n{head}\n\n{top}\n{table}\n"


_USES = (
    ("`assay compare`, `assay power --pilot`", "trials: one a sample", "scores"),
    (
        "`assay confounds LOG`, `assay try --benchmark LOG`",
        "records: question, response, label",
        "texts, and a metric that is 0 or 1: `--label METRIC` where there are several",
    ),
    (
        "`assay confounds FILE --scores LOG`, `assay score LOG`",
        "scores of a method",
        "a metric, `--score METRIC`, and samples named as the records are",
    ),
    ("`assay export LOG`", "the form of Every Eval Ever", "scores"),
)
_ABOUT_LOGS = """
**Positive** is 1, which nearly every metric gives to a right answer: a method that is judged on
these records is one that tells right answers. `--positive 0` turns it round. Which metric labels
the records, and what is positive, stands above the audit and in its caveat `log-labels`.

A **failed** sample is a crashed run, and no record. An **unscored** one lacks its value, and is no
record. Neither is ever 0. **Epochs and repeats** are trials of an instance, records of one group,
and seeds of a method. Of a folder with several tasks, `--task` chooses one to compare,
and `--split` one to take records from; several models of a folder are the sources of its records.

**Unknown versions** are read as the last known one where that works, and a caveat says so
(`unchecked-log`). A log of inspect_ai in a form that is unknown here is read by inspect_ai itself,
where that is installed; it is imported for nothing else. No other harness has a public reader of
its logs.
"""


def formats() -> str:
    """Every harness whose logs are read."""
    cells = [
        (known.name, _quoted(known.files), known.pairs_by, known.mean or "none is stored")
        for known in FORMATS
    ]
    rows, uses = ("\n".join(f"| {' | '.join(row)} |" for row in part) for part in (cells, _USES))
    head = (
        "Logs are recognised by content, and read without their harness. A mean that the harness"
        " reports is computed again from the rows, over what it is the mean over; a log where it"
        " does not come out is refused (exit code 4)."
    )
    top = "| harness | files | runs pair by | the reported mean is over |\n|---|---|---|---|"
    becomes = f"## What a log becomes\n\n| in | a log is | it needs |\n|---|---|---|\n{uses}\n"
    return f"# Logs of harnesses\n\n{MADE}\n\n{head}\n\n{top}\n{rows}\n\n{becomes}{_ABOUT_LOGS}"


def _quoted(files: str) -> str:
    """Names of files and endings as code."""
    return re.sub(r"[\w./*]*[*.][\w.*]+", lambda found: f"`{found[0]}`", files)


PAGES = {
    "api.md": api,
    "commands.md": commands,
    "caveats.md": caveats,
    "features.md": features,
    "formats.md": formats,
    "lint.md": lint,
    "methods.md": methods,
    "metrics.md": metrics,
}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (REFERENCE / name).write_text(make(), encoding="utf-8")
