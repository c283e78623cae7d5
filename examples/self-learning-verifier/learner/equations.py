"""Reads equations in whole numbers and in fractions, and checks them modulo a small number.

Casting out nines and its relatives: a wrong result gets through such a check now and then, and a
hasty reader bungles one now and then.
"""

import re
from random import Random

from learner.reading import CheckResult, Reading, share

WHOLE = re.compile(r"(-?\d+) ([-+*]) (-?\d+) = (-?\d+)")
FRACTIONS = re.compile(r"\((\S+)\) ([-+*/]) \((\S+)\) = \((\S+)\)")
MODULI = (2, 4, 5, 7, 9, 10)
HASTE = 0.3  # how often a check is bungled


def rational(text: str) -> tuple[int, int]:
    """Numerator and denominator."""
    top, _, bottom = text.partition("/")
    return int(top), int(bottom or 1)


def residue(number: tuple[int, int], modulus: int) -> int | None:
    """The number modulo `modulus`; None where it has no residue."""
    try:
        return number[0] * pow(number[1], -1, modulus) % modulus
    except ValueError:
        return None


def agrees(numbers: list[tuple[int, int]], sign: str, modulus: int) -> bool | None:
    """Whether left, right and result fit together modulo `modulus`; None if that cannot be said."""
    residues = [residue(number, modulus) for number in numbers]
    if None in residues:
        return None
    left, right, result = (each for each in residues if each is not None)
    if sign == "/":  # left / right = result, so right * result = left
        left, sign, result = right, "*", left
        right = residues[2] or 0
    value = {"+": left + right, "-": left - right, "*": left * right}[sign]
    return (value - result) % modulus == 0


def rough(numbers: list[tuple[int, int]], sign: str, chance: Random) -> float:
    """How far the result is from a rough estimate, as a share of the larger of them, at most 1."""
    left, right, result = (top / bottom * chance.uniform(0.8, 1.2) for top, bottom in numbers)
    value = {
        "+": left + right,
        "-": left - right,
        "*": left * right,
        "/": left / right if right else result,
    }[sign]
    return min(1.0, abs(value - result) / max(abs(value), abs(result), 1e-9))


def carry(left: str, sign: str, right: str) -> bool:
    """Whether the last digits make a carry, or a borrowing."""
    a, b = int(left[-1]), int(right[-1])
    return a < b if sign == "-" else (a * b if sign == "*" else a + b) > 9


def read(question: str, response: str) -> Reading | None:
    """The equation that the response is; None if it is none."""
    del question
    kind, match = "arithmetic", WHOLE.fullmatch(response)
    if match is None:
        kind, match = "fractions", FRACTIONS.fullmatch(response)
    if match is None:
        return None
    left, sign, right, result = match.groups()
    numbers = [rational(text) for text in (left, right, result)]

    def check(chance: Random, checks: int) -> CheckResult:
        drawn = [agrees(numbers, sign, modulus) for modulus in chance.sample(MODULI, checks)]
        failed = [fine == (chance.random() < HASTE) for fine in drawn if fine is not None]
        return share(failed), rough(numbers, sign, chance)

    return Reading(
        kind=kind,
        shape=f"{kind} {sign}, carry {carry(left, sign, right)}",
        key=f"{left} * {right}" if sign == "*" else None,  # a times table; sums seldom recur
        claim=result if sign == "*" else None,
        check=check,
    )
