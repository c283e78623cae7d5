"""Whether an answer equals its target, and whether it only holds it."""

import re
from collections.abc import Mapping
from decimal import Context, Decimal
from functools import lru_cache

from assay.dual_condition.answered import MOST_SHOWN, AnswerForms, WrongAnswer
from assay.tables.numbers.printed_numbers import PATTERN, bare_number, parse_printed

_READ = 4000
"""Characters of an answer in which its target is looked for."""
_LONGEST = 60
_PIECE = re.compile(rf"(?P<number>{PATTERN.pattern})|\w+")
_EXACT = Context(prec=60)
_BOOLEANS = {"true": "1", "false": "0"}
"""Programs write a truth value in either way."""


def plain_answer(answer: str) -> str:
    """An answer as it is compared: case and white space are ignored, numbers go by value."""
    text = " ".join(answer.split())
    number = bare_number(text)
    if number is None and text.endswith("."):
        number = bare_number(text[:-1])
    if number is not None:
        return _by_value(number)
    folded = text.casefold()
    return _BOOLEANS.get(folded, folded)


def holds(answer: str, target: str) -> bool:
    """Whether the words and numbers of a target stand in an answer, one after the other."""
    wanted, found = _pieces(target), _pieces(answer)
    size = len(wanted)
    starts = range(len(found) - size + 1) if size else ()
    return any(found[at : at + size] == wanted for at in starts)


def forms_of(answers: Mapping[str, str], targets: Mapping[str, str]) -> AnswerForms:
    """How the answers are written that do not equal their targets, each by its item."""
    wrong = [
        WrongAnswer(
            id=name,
            answer=f"{answer:.{_LONGEST}}",
            target=f"{targets[name]:.{_LONGEST}}",
            holds=holds(answer, targets[name]),
        )
        for name, answer in answers.items()
        if name in targets and plain_answer(answer) != plain_answer(targets[name])
    ]
    first = sorted(wrong, key=lambda each: not each.holds)[:MOST_SHOWN]
    return AnswerForms(holding=sum(each.holds for each in wrong), wrong=tuple(first))


@lru_cache(maxsize=20_000)
def _pieces(text: str) -> tuple[str, ...]:
    return tuple(map(_piece, _PIECE.finditer(text[:_READ])))


def _piece(found: re.Match[str]) -> str:
    number = parse_printed(found["number"]) if found["number"] else None
    return found[0].casefold() if number is None else _by_value(number.value)


def _by_value(number: Decimal) -> str:
    return str(number.normalize(_EXACT)) if number else "0"
