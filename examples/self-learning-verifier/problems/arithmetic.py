"""Derivations in whole numbers, one item for each step.

A step is an equation such as `36 * 5 = 180`. It is wrong if exact re-computation gives another
number. Steps with a carry go wrong more often, as they do on paper.
"""

from collections.abc import Iterator
from operator import add, mul, sub
from random import Random

from problems.item import Item

OPERATIONS = {"+": add, "-": sub, "*": mul}


def carries(left: int, sign: str, right: int) -> bool:
    """Whether the last digits of a step make a carry, or a borrowing."""
    a, b = abs(left) % 10, abs(right) % 10
    return {"+": a + b > 9, "-": a < b, "*": a * b > 9}[sign]


def slips(left: int, sign: str, right: int) -> dict[str, int]:
    """What a careless hand makes of a step, by kind of slip. Some may turn out right after all."""
    truth = OPERATIONS[sign](left, right)
    found = {
        "off by one": truth + 1,
        "off by one, down": truth - 1,
        "ten too many": truth + 10,
        "sign": left + right if sign == "-" else abs(left - right) if sign == "+" else -truth,
    }
    if carries(left, sign, right):
        found["dropped carry"] = truth + 10 if sign == "-" else truth - 10
    if sign == "*":
        found["neighbour in the table"] = left * (right + 1)
        found["one row up"] = truth - left
    digits = str(abs(truth))
    if len(digits) > 2:
        found["digits swapped"] = int(digits[0] + digits[2] + digits[1] + digits[3:])
        found["a hundred lost"] = truth - 100
    return found


def step(chance: Random, left: int, sign: str, right: int) -> tuple[int, str]:
    """The number that is written down for a step, and how it came about."""
    truth = OPERATIONS[sign](left, right)
    if chance.random() > (0.6 if carries(left, sign, right) else 0.3):
        return truth, "right"
    slip, value = chance.choice(sorted(slips(left, sign, right).items()))
    return value, slip


def problem(chance: Random) -> list[tuple[str, int, int]]:
    """The terms of a sum: each has a sign, and is a product or (times one) a number."""
    terms = []
    for place in range(chance.randint(2, 3)):
        pair = (chance.randint(12, 60), chance.randint(3, 9))
        if chance.random() < 0.3:
            pair = (chance.randint(20, 400), 1)
        terms.append(("+" if place == 0 else chance.choice("+-"), *pair))
    return terms


def steps(terms: list[tuple[str, int, int]]) -> Iterator[tuple[int, str, int]]:
    """The steps that work a sum out: its products first, then from left to right."""
    for _, number, times in terms:
        if times > 1:
            yield number, "*", times
    total = terms[0][1] * terms[0][2]
    for sign, number, times in terms[1:]:
        yield total, sign, number * times
        total = OPERATIONS[sign](total, number * times)


def generate(seed: str, problems: int) -> Iterator[Item]:
    """The steps of so many derivations. What comes before a step is right in any case."""
    chance = Random(seed)
    for number in range(problems):
        terms = problem(chance)
        task = " ".join(
            f"{sign} {a} * {b}" if b > 1 else f"{sign} {a}" for sign, a, b in terms
        ).removeprefix("+ ")
        done: list[str] = []
        for place, (left, sign, right) in enumerate(steps(terms)):
            value, slip = step(chance, left, sign, right)
            truth = OPERATIONS[sign](left, right)
            yield Item(
                id=f"{seed}-{number:03}-{place}",
                group=f"{seed}-{number:03}",
                question=f"Work out {task}. So far: {'; '.join(done) or 'nothing'}.",
                response=f"{left} {sign} {right} = {value}",
                label=int(value != truth),
                how=slip if value != truth else "right",
            )
            done.append(f"{left} {sign} {right} = {truth}")
