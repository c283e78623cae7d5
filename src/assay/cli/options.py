"""Flags, exit codes and hints that several verbs share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from assay.api.columns import ColumnWords, columns_of
from assay.benchmark.benchmark import POLICIES, Benchmark, Columns

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
json_flag = click.option("--json", "as_json", is_flag=True, help="Print JSON with stable keys.")
study_flag = click.option(
    "--study",
    "folder",
    type=PATH,
    default=".",
    help="The study's folder. Default: the one around the current folder.",
)
study_argument = click.argument("named", metavar="[STUDY]", required=False, type=PATH)
"""The study's folder as a word of its own, as `assay verify` takes it."""
caveats_flag = click.option(
    "--caveats", is_flag=True, help="Write out every caveat, not only the first three in rank."
)
EXIT_CODES = (
    "Exit codes: 0 pass; 1 fail or unresolved; 2 bad usage or input; 3 refused by the protocol;"
    " 4 integrity broken; 5 the method failed."
)
_COLUMNS = (
    ("id", "the record's id (default: id, else its number)"),
    ("question", "the question (default: question)"),
    ("response", "the response (default: response)"),
    ("label", "the label, 0 or 1 (default: label)"),
    ("class", "the class (default: class)"),
    ("source", "the record's source (default: source)"),
    ("group", "the group of records that belong together (default: group)"),
)


_POLICIES = (
    ("unknown", "Leave out records that are neither positive nor negative. Default: refuse."),
    (
        "missing",
        "Leave out records without a question, label or response. Default: refuse, and keep"
        " blank responses.",
    ),
    ("ids", "Number the records, or give blank and repeated ids new ones. Default: refuse."),
)


encoding_flag = click.option(
    "--encoding",
    metavar="NAME",
    help="Encoding of the file, if not UTF-8: utf-16, cp1252, latin-1, ...",
)


split_flag = click.option(
    "--split", metavar="NAME", help="The split to read, if a folder has several."
)


def column_flags(command: Decorated) -> Decorated:
    """--question, --response and similar: which column holds what, and which records to use."""
    command = split_flag(command)
    command = encoding_flag(command)
    for name, about in reversed(_POLICIES):
        command = click.option(f"--{name}", type=click.Choice(POLICIES[name]), help=about)(command)
    for name in ("negative", "positive"):
        command = click.option(
            f"--{name}",
            metavar="VALUE",
            help=f"Which label (or class, or expression such as 'class != truth') means {name}.",
        )(command)
    for name, what in reversed(_COLUMNS):
        flag = click.option(
            f"--{name}",
            "class_" if name == "class" else name,
            metavar="COLUMN",
            help=f"The column that holds {what}.",
        )
        command = flag(command)
    return command


def note_changes(benchmark: Benchmark) -> None:
    """Report records left out or renamed, if no caveat of a result does."""
    from assay.benchmark.benchmark import CHANGES
    from assay.wording import printable

    for code, detail in benchmark.changes.items():
        click.echo(printable(f"{code}: {CHANGES[code]} {detail}"), err=True)


def words_from(flags: dict[str, Any]) -> ColumnWords:
    """The flags that name columns, as parameters of the library."""
    words: Any = {name: flags[name] for name in ColumnWords.__annotations__}
    named: ColumnWords = words
    return named


def command_on(verb: str, file: str, flags: dict[str, Any]) -> str:
    """A command that reads a file with the columns, and judges the surface, that were given."""
    import shlex

    words = ["assay", verb, file]
    for name, value in words_from(flags).items():
        if value is not None:
            words += [f"--{name.rstrip('_')}", str(value)]
    if flags["surface"] != "declared":
        words += ["--surface", flags["surface"]]
    return shlex.join(words)


def columns_from(flags: dict[str, Any]) -> Columns:
    """The flags that were given, over the defaults."""
    return columns_of(words_from(flags))


def typed(words: str, folder: Path) -> str:
    """A command to type next, for the user's current folder."""
    import shlex

    beside = "" if str(folder) == "." else f" --study {shlex.quote(str(folder))}"
    return f"assay {words}{beside}"


def one_study(named: Path | None, folder: Path) -> Path:
    """The study that was named, as an argument or by --study."""
    if named is None:
        return folder
    if str(folder) != "." and folder.resolve() != named.resolve():
        raise click.UsageError(f"two studies are named, {named} and --study {folder}. Name one.")
    return named
