"""A console that wraps prose between words, and never a command or a line that is to be pasted.

A command that is longer than the terminal is wide stands on a line of its own; the terminal wraps
it where it ends, and copies it as the one line that it is.
"""

import re
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

_WORD = r"(?:'[^'\n]*'|\"[^\"\n]*\"|[^\s'\"])+"
_VALUE = rf"(?!-)(?:{_WORD})"
_FLAG = rf"--?[A-Za-z][\w-]*(?:[ =]{_VALUE})?"
_NAME = r"(?:[\w.@:-]*[/.\d@:*'\"A-Z][^\s]*|'[^'\n]*'|-)"
"""A word that is hardly prose: a path, a placeholder, a text in quotes."""
_NOUNS = (
    "check|diff|fix|grade|import|inspect|list|new|open|proof|pull|revise|scan|seal|show|timestamp"
)
_GIT = "add|checkout|clone|commit|config|diff|fetch|init|log|push|show|submodule"
_WHOLE = re.compile(
    rf"\bassay [a-z]+(?: (?:{_NOUNS})\b)?(?: (?:{_FLAG}|{_NAME}))*"
    rf"|(?<![\w-])--[a-z][\w-]*(?: {_VALUE})?(?: --[a-z][\w-]*(?: {_VALUE})?)*"
    rf"|\bgit (?:{_GIT})(?: (?:(?![^\s]*[.,;:)](?:\s|$)){_WORD}))*(?: {_WORD})?"
    r"|<!--.*?-->|^ *[\w.\"-]+ = [\[{\"].*$|`[^`\n]*`",
    re.MULTILINE,
)
_JOINED = "\ue000"
"""A letter of no script, in place of a space at which no line may end."""


class WholeCommands(Console):
    """Prints a text in lines of its own making; all else as rich does."""

    def print(self, *objects: Any, **settings: Any) -> None:  # noqa: ANN401 - as rich has it
        """Print objects; a single text is wrapped around its commands."""
        if len(objects) == 1 and isinstance(objects[0], (str, Text)) and not settings:
            text = objects[0]
            for line in whole_lines(Text(text) if isinstance(text, str) else text, self.width):
                super().print(line, soft_wrap=True)
        else:
            super().print(*objects, **settings)


def whole_lines(text: Text, width: int, *, hanging: int = 0) -> list[Text]:
    """A text in lines of a width, commands whole; the first characters hang before all of them."""
    head, rest = text.divide([hanging]) if hanging else (None, text)
    lines = [
        line for each in rest.split(allow_blank=True) for line in _wrapped(each, width - hanging)
    ]
    if head is None:
        return lines
    margin = Text(" " * hanging)
    return [(head if number == 0 else margin) + line for number, line in enumerate(lines)]


def _wrapped(line: Text, width: int) -> list[Text]:
    """A line in lines of a width; what must stay whole may be longer."""
    joined = _WHOLE.sub(lambda found: found[0].replace(" ", _JOINED), line.plain)
    ends, used = [], 0
    for word in re.finditer(r"\s*\S+", joined):
        length = cell_len(word[0])
        if used and used + length > width:
            ends.append(word.start() + len(word[0]) - len(word[0].lstrip()))
            length = cell_len(word[0].lstrip())
            used = 0
        used += length
    parts = line.divide(ends)
    for part in parts:
        part.rstrip()
    return list(parts)
