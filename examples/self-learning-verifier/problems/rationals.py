"""Sums of fractions, one equation each: wrong if exact fractions say otherwise."""

from collections.abc import Iterator
from fractions import Fraction
from operator import add, mul, sub, truediv
from random import Random

from problems.item import Item, proposals

OPERATIONS = {"+": add, "-": sub, "*": mul, "/": truediv}


def slips(a: Fraction, sign: str, b: Fraction) -> dict[str, Fraction]:
    """What is commonly written instead, by kind of slip."""
    truth: Fraction = OPERATIONS[sign](a, b)
    found = {
        "numerator off by one": truth + Fraction(1, truth.denominator),
        "denominator off by one": Fraction(truth.numerator, truth.denominator + 1),
        "sign": -truth,
    }
    if sign in "+-":
        top = OPERATIONS[sign](a.numerator, b.numerator)
        found["tops and bottoms added"] = Fraction(top, a.denominator + b.denominator)
        found["no common denominator"] = Fraction(top, a.denominator * b.denominator)
        found["one side left as it was"] = Fraction(
            OPERATIONS[sign](a.numerator * b.denominator, b.numerator),
            a.denominator * b.denominator,
        )
    else:
        found["upside down"] = b / a if sign == "/" else a / b
        found["the other operation"] = a * b if sign == "/" else a / b
    return found


def generate(seed: str, problems: int) -> Iterator[Item]:
    """So many sums, each with two proposed answers."""
    chance = Random(seed)
    for number in range(problems):
        a, b = (Fraction(chance.randint(1, 15), chance.randint(2, 13)) for _ in range(2))
        sign = chance.choice("+-*/")
        truth = OPERATIONS[sign](a, b)
        for place, (slip, value) in enumerate(proposals(chance, truth, slips(a, sign, b))):
            yield Item(
                id=f"{seed}-{number:03}-{place}",
                group=f"{seed}-{number:03}",
                question=f"Reckon with fractions: ({a}) {sign} ({b}).",
                response=f"({a}) {sign} ({b}) = ({value})",
                label=int(value != truth),
                how=slip if value != truth else "right",
            )
