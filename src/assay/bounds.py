"""Limits on what is read, and the smaller limits on what is written.

All readers and writers take their limits from here. Every reader can read, and every judge can
compute with, an answer, an id or a number within them. The limit of a reader is never lowered below
what an earlier version could write.
"""

MAX_FILE_BYTES = 2 << 30
"""Bytes of a file of rows."""
MAX_LINE_BYTES = 1 << 20
"""Bytes of a line, of a cell, and of the texts of a row."""
MAX_DEPTH = 32
"""Levels of nested lists and objects."""
MAX_TOML_BYTES = 1 << 20
"""Bytes of a plan, of bars, of a prediction and of any other file written by hand."""
MAX_TEXT_BYTES = 8 << 20
"""Bytes of a text that claims something."""
MAX_ROWS = 2_000_000
MAX_SAMPLES = 500_000
"""Samples of one run in a harness's log."""
MAX_METRICS = 1_000
MAX_COLUMNS = 10_000
MAX_CELLS = 20_000_000
"""Rows times columns of a file; in Parquet also the values in lists."""
MAX_UNPACKED_BYTES = 1 << 29
"""Bytes that the values of a compressed file may take."""

_ESCAPED = 6
"""Bytes of JSON that a byte of text may become: \\u0001."""
_TEXTS_IN_A_RECORD = 2
"""A record holds the id of its item, and a class."""
LONGEST_TEXT_BYTES = MAX_LINE_BYTES // 16
"""Bytes of an id or of a class."""
assert _ESCAPED * _TEXTS_IN_A_RECORD * LONGEST_TEXT_BYTES < 0.8 * MAX_LINE_BYTES  # noqa: S101

LARGEST_NUMBER = 1e60
"""The largest value of a dimension: its fourth powers can be summed without overflow."""
SMALLEST_ERROR = 1 / LARGEST_NUMBER
"""The largest standard error: it can be squared twice without overflow."""


def text_fault(text: str) -> str | None:
    """Why a text cannot be stored as an id or a class; None if it can."""
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        return f"half of a surrogate pair in {text!a:.60}"
    if size > LONGEST_TEXT_BYTES:
        return f"a text of {size:,} bytes, at most {LONGEST_TEXT_BYTES:,} bytes fit"
    return None


def shown_number(number: float) -> str:
    """A number as text for an error; a whole number may be too large to print."""
    try:
        return f"{number:g}"
    except OverflowError:
        return "a number too large to hold"
