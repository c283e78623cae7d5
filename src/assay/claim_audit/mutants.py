"""Altered claims, each of which must fail: they show that a check is able to say no.

A value is altered near itself: one up and one down in the last printed place, another version, a
letter exchanged, the relation turned round. A statement is altered in its arguments: another text,
another name. What an altered claim says must be false by what was observed.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from assay.claim_audit.agreement import parts_of, value_of
from assay.claim_audit.checkers.checker import Checker, claimed_value
from assay.claim_audit.claim import Claim
from assay.claim_audit.texts.printed_intervals import PrintedSpread, parse_spread
from assay.claim_audit.texts.printed_tables import Rows, altered_rows, print_table
from assay.tables.numbers.printed_numbers import (
    PATTERN,
    WORDS,
    Printed,
    parse_count,
    parse_printed,
    spelled,
)

_FLIPPED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_VERSION = re.compile(r"\d+(\.\d+){1,3}\S*")


def mutants_of(
    claim: Claim,
    checker: Checker,
    observed: Any,  # noqa: ANN401 - any JSON value
) -> list[tuple[str, Claim]]:
    """The mutants of a claim that holds, each with what was altered; none equals the claim.

    `observed` is the value that was found.
    """
    is_statement = checker.value is None
    made = _of_statement(claim, checker) if is_statement else _of_value(claim, checker, observed)
    return [(what, mutant) for what, mutant in made if mutant != claim]


def _of_value(claim: Claim, checker: Checker, observed: object) -> Iterator[tuple[str, Claim]]:
    operator = claim.args.get("op", "==")
    flipped = _FLIPPED.get(operator, "!=")
    yield f"{operator} becomes {flipped}", _with(claim, op=flipped)
    value = claimed_value(checker, claim)
    if checker.bare and value is None:
        value = observed
    if claim.expected is False and checker.value in claim.args:  # it says that it is another value
        yield f"{value!r:.30} becomes {observed!r:.30}", _claiming(claim, checker, observed)
        return
    if operator != "==":
        number, bound = value_of(observed), parse_printed(value)
        if number is not None and bound is not None:
            step = {"!=": 0, ">": 1, ">=": 1}.get(operator, -1)
            past = number + step * bound.last_place
            yield f"{value!r:.30} becomes {past:f}", _claiming(claim, checker, f"{past:f}")
        return
    if checker.compares == "table":
        for what, rows in _altered_tables(value):
            printed = claim.printed is not None
            yield what, _claiming(claim, checker, print_table(rows) if printed else rows)
        return
    for altered in altered_values(value, observed):
        yield f"{value!r:.30} becomes {altered!r:.30}", _claiming(claim, checker, altered)


def _altered_tables(rows: Rows) -> Iterator[tuple[str, Rows]]:
    """A table with a cell of each column altered, without its last row, and with two exchanged."""
    for column, cell in enumerate(rows[1]):
        altered = altered_values(cell, cell)[0] if cell else "1"
        yield f"{cell!r:.20} becomes {altered!r:.20}", altered_rows(rows, column, str(altered))
    yield "the last row is missing", rows[:-1]
    if len(rows) > 2 and rows[1] != rows[2]:
        yield "two rows are exchanged", [rows[0], rows[2], rows[1], *rows[3:]]


def _of_statement(claim: Claim, checker: Checker) -> Iterator[tuple[str, Claim]]:
    flipped = not claim.affirms
    yield f"expected becomes {flipped}", replace(claim, expected=flipped)
    if not claim.affirms:
        return
    for name in checker.altered:
        value = claim.args.get(name)
        for altered in altered_arguments(value):
            yield f"{name} becomes {altered!r:.40}", _with(claim, **{name: altered})


def altered_arguments(value: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    """Other texts and names than an argument: such as cannot be there by chance.

    A neighbour by number (`v1.2` and `v1.3`, `a1.csv` and `a2.csv`) may well be there too.
    """
    if isinstance(value, list):
        return [[*value, "altered"], *([value[::-1]] if len(value) > 1 else [])]
    if not isinstance(value, str):
        return []
    counts = [one for one in altered_texts(value) if _has_count_word(value)]
    return [*counts, _exchanged(value), f"{value}-altered"]


def _has_count_word(text: str) -> bool:
    return any(word.lower() in WORDS for word in re.findall(r"[A-Za-z]+", text))


def altered_values(value: Any, observed: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    """Values near one that differ from it: one up, one down, altered, longer, shorter."""
    if isinstance(value, bool):
        return [not value]
    if value is None:
        return ["something"]
    if isinstance(value, list):
        return [[*value, "one more"], *([value[:-1], value[::-1]] if len(value) > 1 else [])]
    if isinstance(value, dict):
        return [{**value, "one more": 1}]
    spread = parse_spread(value)
    if spread is not None:
        return _altered_spreads(spread, parts_of(observed, len(spread.parts)))
    if isinstance(value, str) and _VERSION.fullmatch(value) and value.count(".") > 1:
        head, _, last = value.rpartition(".")
        number = re.match(r"\d+", last)
        return [f"{head}.{int(number[0]) + 1}" if number else f"{value}.1", f"{value}.1"]
    printed = parse_printed(value)
    if printed is None:
        return altered_texts(str(value))
    texts = [_past(printed, step, observed) for step in (1, -1)]
    return texts if not isinstance(value, int) else [int(text) for text in texts]


def _past(printed: Printed, step: int, observed: object) -> str:
    """One unit further; two if the observed value lies at the half, which rounds either way."""
    moved, number = printed.moved(step), value_of(observed)
    again = parse_printed(moved)
    tied = number is not None and again is not None and not printed.exact and again.admits(number)
    return printed.moved(2 * step) if tied else moved


def _altered_spreads(spread: PrintedSpread, observed: Sequence[object] | None) -> list[str]:
    """A number with its interval or its error, each of its numbers one up and one down."""
    made, found = [], observed or [None] * len(spread.parts)
    level = None if spread.level is None else f"{100 * spread.level:g} % CI"
    for moved in range(len(spread.parts)):
        for step in (1, -1):
            first, *others = (
                _past(part, step, found[at]) if at == moved else part.moved(0)
                for at, part in enumerate(spread.parts)
            )
            if spread.is_interval:
                ends = " to ".join(others) if level else ", ".join(others)
                made.append(f"{first} ({level} {ends})" if level else f"{first} [{ends}]")
            else:
                made.append(f"{first} \u00b1 {others[0]}" + (f" ({level})" if level else ""))
    return made


def altered_texts(text: str) -> list[str]:
    """A text with its last number one up and one down, or with a letter exchanged."""
    if re.fullmatch(r"[A-Za-z_]\w*", text):  # a name: its neighbour by number may exist too
        return [_exchanged(text), f"{text}_altered"]
    altered: list[str] = []
    for found in list(PATTERN.finditer(text))[-1:]:
        printed = parse_printed(found[0])
        moved = [] if printed is None else [printed.moved(1), printed.moved(-1)]
        altered += [text[: found.start()] + other + text[found.end() :] for other in moved]
    for found in re.finditer(r"[A-Za-z]+", text):
        count = parse_count(found[0]) if found[0].lower() in WORDS else None
        near = [] if count is None else [count + 1, count - 1]
        words = [word for other in near if (word := spelled(other, found[0])) is not None]
        altered += [text[: found.start()] + word + text[found.end() :] for word in words]
        if words:
            break
    return altered or [_exchanged(text)]


def _exchanged(text: str) -> str:
    """A text with one letter of its middle exchanged for another."""
    places = [n for n, letter in enumerate(text) if letter.isalpha()]
    places = places or [n for n, letter in enumerate(text) if letter.isdecimal()]
    if not places:
        return f"{text} altered"
    at = places[len(places) // 2]
    letter = text[at]
    other = "q" if letter.lower() != "q" else "z"
    other = str((int(letter) + 1) % 10) if letter.isdecimal() else other
    return text[:at] + (other.upper() if letter.isupper() else other) + text[at + 1 :]


def _claiming(claim: Claim, checker: Checker, value: Any) -> Claim:  # noqa: ANN401 - any JSON value
    """The same claim with another claimed value, in the place where it stands."""
    if claim.printed is not None:
        return replace(claim, printed=str(value))
    if checker.value is not None and checker.value in claim.args:
        return _with(claim, **{checker.value: value})
    return replace(claim, expected=value)


def _with(claim: Claim, **args: Any) -> Claim:  # noqa: ANN401 - any JSON value
    return replace(claim, args={**claim.args, **args})
