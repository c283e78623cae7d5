"""Shell completion: the scripts, and the names that a verb's parameters complete to.

click does the work. Its bash script splits `oracle:word_length` at the colon, and offers names or
files but never both, so bash has its own script here.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
)

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_ASSAY_COMPLETE"
_BASH = """\
%(complete_func)s() {
    local line="${COMP_LINE:0:COMP_POINT}" current="${COMP_WORDS[COMP_CWORD]}" type value
    local typed="${line##*[[:space:]]}"
    local split="${typed%%"${typed##*:}"}"
    [[ $COMP_WORDBREAKS == *:* ]] || split=""
    [[ $current == : ]] && current=""
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            plain) COMPREPLY+=("${value#"$split"}") ;;
            dir | file)
                compopt -o filenames
                mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -${type:0:1} -- "$current") ;;
        esac
    done < <(COMP_LINE="$line" %(complete_var)s=bash_complete "$1" 2>/dev/null)
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class Bash(BashComplete):
    """Bash, with words that contain a colon, and with names and files together."""

    source_template = _BASH

    def source(self) -> str:
        """The script, without a check of the bash version."""
        return self.source_template % self.source_vars()

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one to complete, and the typed part of that one."""
        from shlex import shlex

        line = os.environ.get("COMP_LINE", "")
        reader = shlex(line, posix=True)
        reader.whitespace_split, reader.commenters = True, ""
        words: list[str] = []
        whole = not line[-1:].isspace()
        try:
            words.extend(reader)
        except ValueError:  # a quote is still open
            words, whole = [*words, reader.token], True
        return (words[1:-1], words[-1]) if whole and words else (words[1:], "")


add_completion_class(Bash)


def script(shell: str, group: click.Command) -> str:
    """The script that turns completion on in a shell."""
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"click knows no shell {shell!r}")
    return made(group, {}, "assay", VARIABLE).source()


class Names(click.types.StringParamType):
    """A value that is one of some names, or a file."""

    def __init__(self, names: Callable[[], Iterable[str]], *, files: bool = True) -> None:
        self._names, self._files = names, files

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        param: click.Parameter,  # noqa: ARG002 - the same
        incomplete: str,
    ) -> list[CompletionItem]:
        """Names with this beginning, and files."""
        found = [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]
        return [*found, *([CompletionItem(incomplete, type="file")] if self._files else [])]


def _benchmarks() -> Iterable[str]:
    from assay.benchmark.benchmark import BUNDLED

    return BUNDLED


def _bars() -> Iterable[str]:
    from assay.benchmark.benchmark import TASKS
    from assay.gauntlet.load import bundled_versions

    return dict.fromkeys(version for task in TASKS for version in bundled_versions(task))


def _methods() -> Iterable[str]:
    from assay.method.model_based.table import MODEL_METHODS
    from assay.method.registry import REGISTERED

    return (*REGISTERED, *(f"{name}:" for name in MODEL_METHODS))


def _submissions() -> Iterable[str]:
    from assay.study.locate import study_root

    root = study_root(Path())
    return [] if root is None else sorted(path.name for path in (root / "preregs").iterdir())


def _nothing() -> Iterable[str]:
    return ()


_OF_ARGUMENTS: Mapping[str, Names] = {
    "file": Names(_benchmarks),
    "method": Names(_methods),
    "submission": Names(_submissions, files=False),
    **dict.fromkeys(("base", "new", "old", "version"), Names(_bars)),
}
_OF_OPTIONS: Mapping[str, Names] = {
    "bars": Names(_bars),
    "benchmark": Names(_benchmarks),
    "method": Names(_methods),
    "regression": Names(_methods),
    "second": Names(_benchmarks),
    **dict.fromkeys(("feature", "scores"), Names(_nothing)),
}


def with_names(command: click.Command) -> click.Command:
    """A verb whose parameters complete to names, by the parameter's own name."""
    for parameter in command.params:
        table = _OF_ARGUMENTS if isinstance(parameter, click.Argument) else _OF_OPTIONS
        if parameter.type is click.STRING:
            parameter.type = table.get(parameter.name or "", click.STRING)
    for part in command.commands.values() if isinstance(command, click.Group) else ():
        with_names(part)
    return command
