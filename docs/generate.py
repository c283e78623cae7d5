"""Writes docs/reference/{commands,caveats,methods}.md from the code; a test compares them.

python docs/generate.py
"""

from pathlib import Path

import click

from assay.cli.group import assay
from assay.cli.verbs import HELP, VERBS
from assay.judges.caveats import CODES
from assay.methods.registry import REGISTERED

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
    return "\n".join(parts)


def caveats() -> str:
    """Every caveat's code."""
    rows = "\n".join(f"| `{code}` | {about} |" for code, about in CODES.items())
    return f"# Caveats\n\n{MADE}\n\n| code | what it warns of |\n|---|---|\n{rows}\n"


def methods() -> str:
    """Every registered method."""
    rows = "\n".join(
        f"| `{m.name}` | {', '.join(m.tasks)} | {m.about} |"
        for m in REGISTERED.values()
        if not m.name.endswith(":inverse")
    )
    head = "Every oracle also has an inverse, such as `oracle:word_length:inverse`."
    return f"# Methods\n\n{MADE}\n\n{head}\n\n| method | tasks | what |\n|---|---|---|\n{rows}\n"


PAGES = {"commands.md": commands, "caveats.md": caveats, "methods.md": methods}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (REFERENCE / name).write_text(make(), encoding="utf-8")
