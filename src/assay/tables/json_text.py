"""Read a JSON text value by value, holding one element at a time.

A value is decoded within a window of limited length: a text of brackets alone takes twenty times as
much memory as it has characters.
"""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from assay.bounds import MAX_LINE_BYTES
from assay.digests import excerpt, parse_json_at
from assay.errors import SpecError

CUT_OFF = "The file seems cut off. Copy, download or export it again."
_PROBE = 1 << 12
_WINDOW = 4 * MAX_LINE_BYTES
_SPACE = re.compile(r"[ \t\n\r]*")
_PLAIN = json.JSONDecoder()
_CUT = 4
"""A number that ends this close to the end of a window may continue after it: 1, 1e, 1e+."""


class JsonText:
    """A position in a JSON text that moves from value to value."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where, self.at = text, where, 0
        self._base, self._window = 0, ""

    def next(self) -> str:
        """The next character after white space; empty at the end."""
        found = _SPACE.match(self.text, self.at)
        self.at = self.at if found is None else found.end()
        return self.text[self.at : self.at + 1]

    def take(self, letters: str) -> str:
        """Consume one of these characters."""
        letter = self.next()
        if not letter or letter not in letters:
            expected = " or ".join(letters)
            raise self.wrong(f"expected {expected}", self.at)
        self.at += 1
        return letter

    def end(self) -> None:
        """Refuse text after the last value."""
        if self.next():
            raise SpecError(
                f"{self.where}, line {self.line(self.at)}: more text after the JSON value:"
                f" {excerpt(self.text, self.at)}",
                hint="Write one JSON value, or one object a line (.jsonl).",
            )

    def value(self, place: str) -> Any:  # noqa: ANN401 - JSON is any of six types
        """The next value, strictly parsed.

        An ambiguous value is skipped and refused.
        """
        self.next()
        start = self.at
        try:
            value, self.at = self._decoded(partial(parse_json_at, where=place))
        except SpecError as error:
            try:
                self.skip()
            except BrokenJson:
                raise BrokenJson(error) from None
            raise
        if self.at - start > MAX_LINE_BYTES:
            raise SpecError(
                f"{place}: {self.at - start:,} characters, at most {MAX_LINE_BYTES:,} allowed"
            )
        return value

    def skip(self) -> None:
        """Skip a value."""
        self.next()
        _, self.at = self._decoded(_PLAIN.raw_decode)

    def wrong(self, message: str, at: int) -> SpecError:
        """An error for text that is not JSON, with its line and column."""
        start = self.text.rfind("\n", 0, at) + 1
        got = excerpt(self.text, at) if at < len(self.text) else "the end of the file"
        return SpecError(
            f"{self.where}, line {self.line(at)}, column {at - start + 1}: not JSON: {message};"
            f" got {got}",
            hint=CUT_OFF if is_cut_off(message, self.text, at) else None,
        )

    def line(self, at: int) -> int:
        """The line number of a position."""
        return self.text.count("\n", 0, at) + 1

    def _decoded(self, decode: Callable[[str, int], tuple[Any, int]]) -> tuple[Any, int]:
        """A value and its end, from a window that grows if the value crosses it."""
        window, base = self._window, self._base
        is_last = base + len(window) >= len(self.text)
        if 0 <= self.at - base < len(window):
            try:
                value, end = decode(window, self.at - base)
            except json.JSONDecodeError as error:
                if is_last:
                    raise BrokenJson(self.wrong(error.msg, base + error.pos)) from None
            except (RecursionError, ValueError):
                raise BrokenJson(self._unheld()) from None
            else:
                if is_last or end < len(window) - _CUT:
                    return value, base + end
        return self._decoded_anew(decode)

    def _decoded_anew(self, decode: Callable[[str, int], tuple[Any, int]]) -> tuple[Any, int]:
        self._base, self._window = self.at, self.text[self.at : self.at + _WINDOW]
        try:
            value, end = decode(self._window, 0)
        except json.JSONDecodeError as error:
            is_last = self._base + len(self._window) >= len(self.text)
            is_cut = error.pos >= MAX_LINE_BYTES or error.msg.startswith("Unterminated")
            if is_last or not is_cut:
                raise BrokenJson(self.wrong(error.msg, self._base + error.pos)) from None
            raise BrokenJson(self._unheld()) from None
        except (RecursionError, ValueError):
            raise BrokenJson(self._unheld()) from None
        return value, self._base + end

    def _unheld(self) -> SpecError:
        return SpecError(
            f"{self.where}, line {self.line(self.at)}: a value nested too deep, longer than"
            f" {_WINDOW:,} characters, or with too many digits"
        )


def is_cut_off(message: str, text: str, at: int) -> bool:
    """Whether a JSON error at a position looks like a cut-off text."""
    return message.startswith("Unterminated string") or not text[at : at + _PROBE].strip()


class BrokenJson(Exception):
    """Text that is not JSON; reading cannot continue after it."""

    def __init__(self, error: SpecError) -> None:
        super().__init__(error.message)
        self.error = error
