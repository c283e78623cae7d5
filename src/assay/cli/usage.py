"""Errors for a wrong command line: what was typed, and suggestions."""

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from assay.cli.verbs import VERBS
from assay.wording import did_you_mean

OTHER_WORDS = {
    "confounds": "analyse analyze audit check inspect leak lint scan shortcut surface validate",
    "balance": "dedupe filter sample subset",
    "compare": "ab diff evaluate eval regress regression test versus vs",
    "try": "bench detect evaluate eval judge method predict test",
    "dual": "contamination forget memorisation memorization memory",
    "benchmark": "corpus data dataset import list ls",
    "methods": "baseline list ls oracle",
    "bars": "list ls threshold",
    "new": "create init start study",
    "draft": "predict prediction prereg register submit",
    "seal": "commit freeze lock sign",
    "board": "frontier history leaderboard rank report result status summary",
    "ledger": "history log",
    "verify": "audit check validate",
    "gate": "check",
    "power": "mde n samples size",
    "completion": "autocomplete complete completions",
}
"""Verbs, and the words of other programs that mean the same."""
OTHER_OPTIONS = {
    "--item-seconds": "deadline max-time seconds time-limit timeout wait",
    "--keep-going": "continue ignore-errors skip-errors",
    "--because": "comment message reason why",
    "--out": "destination output save to write",
    "--force": "overwrite replace",
    "--save": "out output",
    "--json": "format",
    "--label": "gold target truth y",
    "--response": "answer completion reply text",
    "--question": "input prompt query",
}
"""Options, and the words of other programs that mean the same; only those a command has count."""
_TABLES = (
    "assay confounds {}",
    "assay try FILE.py:FUNCTION --benchmark {}",
    "assay compare {} OTHER",
)
_EXAMPLE = re.compile(r"Examples?:\n\s+(assay [^\n]*[^\n\\])\n?")


def no_such_command(typed: str, context: click.Context, known: Iterable[str]) -> click.UsageError:
    """The error for an unknown verb or part, or for a file in place of a verb."""
    message = f"No such command {typed!r}."
    if context.parent is not None:
        hint = did_you_mean(typed, known)
        parts = f"`{context.command_path}` has: {', '.join(known)}."
        return click.UsageError(f"{message} {hint or parts}", ctx=context)
    path = Path(typed)
    if "/" in typed or path.suffix or path.is_dir():
        return click.UsageError(_about_file(path), ctx=context)
    word = typed.lower()
    forms = {word, word.removesuffix("s")}
    meant = [verb for verb, words in OTHER_WORDS.items() if forms & set(words.split())]
    if not meant:
        hint = did_you_mean(word, [*VERBS, "--version"])
        listed = "`assay --help` lists the commands."
        return click.UsageError(f"{message} {hint or listed}", ctx=context)
    lines = "".join(f"\n  assay {verb:<13}{VERBS[verb]}" for verb in meant)
    return click.UsageError(f"{message} The nearest:{lines}", ctx=context)


def _about_file(path: Path) -> str:
    """Commands for a file or folder that was given in place of a command."""
    kind = "folder" if path.is_dir() else "file"
    here = f"{path} is a {kind}" if path.exists() else f"There is no {kind} {path} here"
    lines = "".join(f"\n  {line.format(path)}" for line in _uses(path))
    return f"{here}, and a command comes first. For example:{lines}"


def _uses(path: Path) -> Sequence[str]:
    if path.is_dir():
        if (path / "study.toml").is_file():
            return ("assay verify {}", "assay board {}")
        if (path / "run.json").is_file():
            return ("assay score {}", "assay confounds FILE --scores {}")
        return ("assay compare {} OTHER", "assay confounds {}", "assay verify {}")
    if path.suffix == ".py":
        return ("assay try {}:FUNCTION", "assay try {}:FUNCTION --benchmark answers.jsonl")
    if path.suffix == ".toml":
        return ("assay dual {}", "assay trials {}", "assay bars show {}")
    if path.suffix == ".eval":
        return ("assay compare {} OTHER", "assay confounds {}", "assay export {} --out DIR")
    return _TABLES


def explained(error: click.ClickException) -> click.ClickException:
    """The same error with the likely option, value or example."""
    message = " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    hint = None
    if isinstance(error, click.NoSuchOption) and context is not None:
        flags = [flag for param in context.command.get_params(context) for flag in param.opts]
        message = f"No such option {error.option_name!r}."
        hint = _option_meant(error.option_name, [flag for flag in flags if flag.startswith("--")])
    elif isinstance(error, click.MissingParameter) and context is not None:
        example = _EXAMPLE.search(context.command.help or "")
        hint = None if example is None else f"For example: {example[1]}"
        message = message if message.endswith(".") else f"{message}."
    elif isinstance(error, click.BadParameter) and error.param is not None:
        got = re.match(r"'(.*?)' is not one of", error.message)
        choices = getattr(error.param.type, "choices", ())
        hint = None if got is None else did_you_mean(got[1], map(str, choices))
        number = re.fullmatch(r"'(.*)' is not a valid (?:float|integer)\.", error.message)
        if number is not None:
            hint = _as_number(number[1])
            message = f"{error.format_message().partition(':')[0]}: {error.message[:100]}"
    else:
        extra = re.fullmatch(r"Got unexpected extra arguments? \((.+)\)", error.format_message())
        hint = None if extra is None or context is None else _study_meant(extra[1], context)
        message = message if message.endswith(".") else f"{message}."
    return error if hint is None else click.UsageError(f"{message} {hint}", ctx=context)


def _study_meant(typed: str, context: click.Context) -> str | None:
    """How to name a study that was typed where no argument is expected."""
    flags = {flag for param in context.command.get_params(context) for flag in param.opts}
    is_study = (Path(typed) / "study.toml").is_file()
    return (
        f"Name the study so: --study {shlex.quote(typed)}"
        if is_study and "--study" in flags
        else None
    )


def _as_number(typed: str) -> str:
    """How to write what was typed for a number."""
    share = re.fullmatch(r"(\d{1,3}(?:\.\d+)?)\s*%", typed)
    written = "" if share is None else f" Write {typed} as {float(share[1]) / 100:g}."
    return f"Expected a number.{written}"


def _option_meant(typed: str, flags: Sequence[str]) -> str | None:
    """The option of another name that means the same, else the nearest by its letters."""
    word = typed.lstrip("-").replace("_", "-").lower()
    meant = [flag for flag in flags if word in OTHER_OPTIONS.get(flag, "").split()]
    return f"Did you mean {meant[0]}?" if meant else did_you_mean(typed, flags)
