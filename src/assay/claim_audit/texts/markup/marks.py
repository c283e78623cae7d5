"""Characters that stand for what is no text, and a piece of markup with what it shows."""

from typing import NamedTuple

OPAQUE = "\ufffc"
"""Markup that is not understood, or that joins what the source keeps apart."""
REFERENCE = "\ue001"
"""A footnote, a citation, a label: no part of a number."""
CLAIM = "\ue002"
"""A comment; what stands before it and behind it is read as if it were not there."""
BULLET = "\u2022"


class MarkShown(NamedTuple):
    """A piece of the source and what a reader sees of it."""

    start: int
    end: int
    text: str
