"""Reads conversions of units, and compares them with a feeling for how large the units are.

The feeling is good to a power of ten or so. An exact factor is nothing that this architecture
knows: it has to be learnt.
"""

import re
from fractions import Fraction
from math import log10
from random import Random

from learner.reading import CheckResult, Reading, share

CONVERSION = re.compile(r"([\d.]+) (.+) = ([\d.]+) (.+)")
FEELING = {  # powers of ten, by eye, of a metre, a gram, a millilitre, a square metre, a second
    "millimetres": -3.0, "centimetres": -2.0, "metres": 0.0, "kilometres": 3.0, "inches": -1.5,
    "feet": -0.5, "yards": 0.0, "miles": 3.3, "nautical miles": 3.3,
    "grams": 0.0, "kilograms": 3.0, "tonnes": 6.0, "ounces": 1.5, "pounds": 2.6, "stones": 3.9,
    "millilitres": 0.0, "litres": 3.0, "cubic metres": 6.0, "US pints": 2.7,
    "imperial pints": 2.7, "US gallons": 3.6, "imperial gallons": 3.6,
    "square metres": 0.0, "hectares": 4.0, "square kilometres": 6.0, "square feet": -1.0,
    "square yards": 0.0, "acres": 3.6,
    "seconds": 0.0, "minutes": 1.8, "hours": 3.5, "days": 5.0, "weeks": 5.8,
}  # fmt: skip
UNSURE = 1.0  # how far off a look at it is, in powers of ten
CLEARLY = 0.5


def read(question: str, response: str) -> Reading | None:
    """The conversion that the response makes; None if it makes none."""
    del question
    match = CONVERSION.fullmatch(response)
    if match is None or match[2] not in FEELING or match[4] not in FEELING:
        return None
    amount, result = Fraction(match[1]), Fraction(match[3])
    a, b = match[2], match[4]
    off = abs(log10(result / amount) - FEELING[a] + FEELING[b]) if result else 9.0

    def check(chance: Random, checks: int) -> CheckResult:
        looks = [abs(off + chance.gauss(0.0, UNSURE)) for _ in range(checks)]
        return share([look > CLEARLY for look in looks]), 0.0

    return Reading(
        kind="conversions",
        shape=f"conversions {a} {b}",
        key=f"{a} > {b}",
        claim=str(result / amount),
        check=check,
    )
