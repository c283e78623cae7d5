"""Records without a response: only their questions are judged.

That is right for a benchmark of questions, as in a classification task. If the file has other
columns of text, the response was perhaps not named.
"""

import re
from collections.abc import Mapping, Sequence
from statistics import fmean

from assay.benchmark.benchmark import Item
from assay.tables.nested import number_in
from assay.wording import as_column, some

_RESPONSE = re.compile(
    r"answer|respon|completion|output|reply|generation|prediction|antwort|r[eé]pon|respuesta|rispost",
    re.IGNORECASE,
)
"""Names that a column of responses has."""


def judges_questions_only(items: Sequence[Item]) -> bool:
    """Whether no record has a response."""
    return not any((item.response or "").strip() for item in items)


def has_no_text(items: Sequence[Item]) -> bool:
    """Whether no record has a response, and every question is a number."""
    return judges_questions_only(items) and all(
        number_in(item.question) is not None for item in items
    )


def unread_response(items: Sequence[Item], fields: Mapping[str, Sequence[object]]) -> str | None:
    """The column that probably holds the responses, where none was read.

    Its name says so, or its texts are longer than the questions.
    """
    if not judges_questions_only(items):
        return None
    lengths = {name: _length(name, values) for name, values in fields.items()}
    question = fmean(len(item.question) for item in items)
    likely = [
        name
        for name, length in lengths.items()
        if length and (_RESPONSE.search(name) is not None or length > question)
    ]
    return max(likely, key=lambda name: (bool(_RESPONSE.search(name)), lengths[name]), default=None)


def unread_texts(fields: Mapping[str, Sequence[object]]) -> str:
    """Which columns of text were not read, and which of them may hold the response."""
    unread = {name: length for name, values in fields.items() if (length := _length(name, values))}
    if not unread:
        return ""
    names = sorted(unread, key=lambda name: (not _RESPONSE.search(name), -unread[name]))
    listed = some([as_column(name) for name in names])
    word = "This column of text was" if len(names) == 1 else "These columns of text were"
    return f"{word} not read: {listed}. Did you mean `response={names[0]}`?"


def _length(name: str, values: Sequence[object]) -> float:
    """The mean length of a column's texts; 0 if it holds numbers, categories or ids."""
    texts = {value.strip() for value in values if isinstance(value, str)} - {""}
    is_text = any(" " in text for text in texts) or _RESPONSE.search(name) is not None
    if not is_text or all(number_in(text) is not None for text in texts):
        return 0.0
    return fmean(map(len, texts))
