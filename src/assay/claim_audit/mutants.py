"""Automatic controls: each claim is altered so that it must fail.

If an altered claim still holds, the check cannot tell true from false, and its result on the
claim itself means nothing.
"""

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from assay.claim_audit.agreement import with_interval
from assay.claim_audit.checkers.checker import Checker, claimed_value
from assay.claim_audit.claim import Claim
from assay.claim_audit.printed_numbers import PATTERN, WORDS, parse_count, parse_printed, spelled

_FLIPPED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_VERSION = re.compile(r"\d+(\.\d+){1,3}\S*")


def mutants_of(claim: Claim, checker: Checker) -> list[tuple[str, Claim]]:
    """The mutants of a claim, each with what was altered."""
    if checker.value is None:
        return list(_of_statement(claim, checker))
    return list(_of_value(claim, checker))


def _of_value(claim: Claim, checker: Checker) -> Iterator[tuple[str, Claim]]:
    operator = claim.args.get("op", "==")
    flipped = _FLIPPED.get(operator, "!=")
    yield f"{operator} becomes {flipped}", _with(claim, op=flipped)
    if operator != "==":
        return
    value = claimed_value(checker, claim)
    if checker.bare and value is None:
        return
    for altered in altered_values(value):
        yield f"{value!r:.30} becomes {altered!r:.30}", _claiming(claim, checker, altered)


def _of_statement(claim: Claim, checker: Checker) -> Iterator[tuple[str, Claim]]:
    flipped = not bool(claim.expected)
    yield f"expected becomes {flipped}", replace(claim, expected=flipped)
    if not claim.expected:
        return
    for name in checker.altered:
        value = claim.args.get(name)
        altered_ones = [one for one in altered_values(value) if not _is_part(one, value)]
        for altered in altered_ones:
            yield f"{name} becomes {altered!r:.40}", _with(claim, **{name: altered})


def _is_part(altered: object, value: object) -> bool:
    """Whether one list is the other without some elements; then the claim may still be true."""
    return isinstance(altered, list) and isinstance(value, list) and len(altered) < len(value)


def altered_values(value: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    """Values near one that differ from it: one up, one down, altered, longer, shorter."""
    if isinstance(value, bool):
        return [not value]
    if value is None:
        return ["something"]
    if isinstance(value, list):
        return [[*value, "one more"], *([value[:-1], value[::-1]] if len(value) > 1 else [])]
    if isinstance(value, dict):
        return [{**value, "one more": 1}]
    interval = with_interval(value)
    if interval is not None:
        first, low, high = interval
        return [
            f"{parts[0]} [{parts[1]}, {parts[2]}]"
            for moved in range(3)
            for step in (1, -1)
            for parts in [
                [part.moved(step * (n == moved)) for n, part in enumerate((first, low, high))]
            ]
        ]
    if isinstance(value, str) and _VERSION.fullmatch(value) and value.count(".") > 1:
        head, _, last = value.rpartition(".")
        number = re.match(r"\d+", last)
        return [f"{head}.{int(number[0]) + 1}" if number else f"{value}.1", f"{value}.1"]
    printed = parse_printed(value)
    if printed is not None:
        texts = [printed.moved(1), printed.moved(-1)]
        return texts if isinstance(value, str) else [_typed(text, value) for text in texts]
    return altered_texts(str(value))


def _typed(text: str, value: float | int) -> float | int | str:
    return int(text) if isinstance(value, int) else text


def altered_texts(text: str) -> list[str]:
    """A text with its numbers one up and one down, or with a letter exchanged."""
    if re.fullmatch(r"[A-Za-z_]\w*", text):  # a name: its neighbour by number may exist too
        return [_exchanged(text), f"{text}_altered"]
    numbers = list(PATTERN.finditer(text))
    altered: list[str] = []
    for found in numbers[-1:]:
        printed = parse_printed(found[0])
        moved = [] if printed is None else [printed.moved(1), printed.moved(-1)]
        altered += [text[: found.start()] + other + text[found.end() :] for other in moved]
    for found in re.finditer(r"[A-Za-z]+", text):
        count = parse_count(found[0]) if found[0].lower() in WORDS else None
        near = [] if count is None else [int(count) + 1, int(count) - 1]
        words = [word for other in near if (word := spelled(other, found[0])) is not None]
        altered += [text[: found.start()] + word + text[found.end() :] for word in words]
        if words:
            break
    return altered or [_exchanged(text)]


def _exchanged(text: str) -> str:
    """A text with one letter of its middle exchanged for another."""
    places = [n for n, letter in enumerate(text) if letter.isalnum()]
    if not places:
        return f"{text} altered"
    at = places[len(places) // 2]
    letter = text[at]
    other = "q" if letter.lower() != "q" else "z"
    other = str((int(letter) + 1) % 10) if letter.isdecimal() else other
    return text[:at] + (other.upper() if letter.isupper() else other) + text[at + 1 :]


def _claiming(claim: Claim, checker: Checker, value: Any) -> Claim:  # noqa: ANN401 - any JSON value
    """The same claim with another claimed value, in the same place."""
    if claim.printed is not None:
        return replace(claim, printed=str(value))
    if checker.value is not None and checker.value in claim.args:
        return _with(claim, **{checker.value: value})
    return replace(claim, expected=value)


def _with(claim: Claim, **args: Any) -> Claim:  # noqa: ANN401 - any JSON value
    return replace(claim, args={**claim.args, **args})
