"""Conversions of units: wrong if exact fractions say otherwise.

The factors are the legal definitions, all of them exact (an inch is 2.54 cm, a pound 453.59237 g).
"""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from problems.item import Item, proposals

UNITS = {
    "length": {
        "millimetres": "0.001", "centimetres": "0.01", "metres": "1", "kilometres": "1000",
        "inches": "0.0254", "feet": "0.3048", "yards": "0.9144", "miles": "1609.344",
        "nautical miles": "1852",
    },
    "mass": {
        "grams": "1", "kilograms": "1000", "tonnes": "1000000", "ounces": "28.349523125",
        "pounds": "453.59237", "stones": "6350.29318",
    },
    "volume": {
        "millilitres": "1", "litres": "1000", "cubic metres": "1000000",
        "US pints": "473.176473", "imperial pints": "568.26125",
        "US gallons": "3785.411784", "imperial gallons": "4546.09",
    },
    "area": {
        "square metres": "1", "hectares": "10000", "square kilometres": "1000000",
        "square feet": "0.09290304", "square yards": "0.83612736", "acres": "4046.8564224",
    },
    "time": {"seconds": "1", "minutes": "60", "hours": "3600", "days": "86400", "weeks": "604800"},
}  # fmt: skip
DIGITS = 10


def written(value: Fraction) -> str | None:
    """The number in decimals, or None if it does not end within ten digits."""
    scaled = value * 10**DIGITS
    if scaled.denominator != 1:
        return None
    whole, rest = divmod(scaled.numerator, 10**DIGITS)
    text = f"{whole}.{rest:0{DIGITS}}".rstrip("0").rstrip(".")
    return text if len(text.replace(".", "")) <= DIGITS else None


def factors() -> dict[tuple[str, str], Fraction]:
    """The factor from one unit to another, where it ends within ten digits."""
    return {
        (a, b): Fraction(units[a]) / Fraction(units[b])
        for units in UNITS.values()
        for a in units
        for b in units
        if a != b and written(Fraction(units[a]) / Fraction(units[b]))
    }


def slipped(chance: Random, value: Fraction, turn: int) -> Fraction:
    """The value with one of its leading digits one higher, or lower."""
    text = written(value) or str(value)
    first = len(text) - len(text.lstrip("0."))
    places = [at for at, char in enumerate(text) if char.isdigit() and first <= at < first + 4]
    at = chance.choice(places)
    point = text.index(".") if "." in text else len(text)
    return value + turn * Fraction(10) ** (point - at - (at < point))


def slips(chance: Random, amount: Fraction, factor: Fraction) -> dict[str, Fraction]:
    """What is written instead of the product, by kind of slip."""
    truth = amount * factor
    found = {
        "decimal point": truth * chance.choice((Fraction(10), Fraction(1, 10))),
        "a digit too high": slipped(chance, truth, 1),
        "a digit too low": slipped(chance, truth, -1),
        "factor with a digit too high": amount * slipped(chance, factor, 1),
        "factor with a digit too low": amount * slipped(chance, factor, -1),
        "the wrong way round": amount / factor,
    }
    return {name: value for name, value in found.items() if written(value)}


def generate(seed: str, problems: int) -> Iterator[Item]:
    """So many amounts to convert, each with two proposed answers."""
    chance, table = Random(seed), factors()
    pairs = sorted(table)
    for number in range(problems):
        text = None
        while text is None:
            a, b = chance.choice(pairs)
            amount = Fraction(chance.randint(2, 120), chance.choice((1, 1, 2, 10)))
            truth = amount * table[a, b]
            text = written(truth)
        wrong = slips(chance, amount, table[a, b])
        for place, (slip, value) in enumerate(proposals(chance, truth, wrong)):
            yield Item(
                id=f"{seed}-{number:03}-{place}",
                group=f"{seed}-{number:03}",
                question=f"How many {b} are {written(amount)} {a}?",
                response=f"{written(amount)} {a} = {written(value)} {b}",
                label=int(value != truth),
                how=slip if value != truth else "right",
            )
