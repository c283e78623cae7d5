"""Options of the verbs of a study, and the command to type next."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def study_flag(command: Decorated) -> Decorated:
    """--study: a study's folder, by default the one that contains the working directory."""
    return click.option(
        "--study",
        "folder",
        type=click.Path(path_type=Path),
        default=".",
        help="The study's folder. Default: the one you are in.",
    )(command)


def typed(words: str, folder: Path) -> str:
    """A command to type next, from where the user is."""
    beside = "" if str(folder) == "." else f" --study {shlex.quote(str(folder))}"
    return f"assay {words}{beside}"
