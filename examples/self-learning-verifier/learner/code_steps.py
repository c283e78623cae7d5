"""Reads small programs, and runs them on some of the examples that the task gives.

Nothing is filed in constraint memory: no two tasks share a rule that could be kept.
"""

import re
from random import Random

from bounded import HEAD, run

from learner.reading import CheckResult, Reading, share

EXAMPLE = re.compile(r"f\((\d+)\) = (-?\d+)")
NUMBER = re.compile(r"\d+")
COST = 4  # to run a program costs as much as four checks
HASTE = 0.1  # how often an example is misread


def read(question: str, response: str) -> Reading | None:
    """The program that the response is; None if it is none."""
    if not response.startswith(HEAD):
        return None
    examples = [(int(n), int(value)) for n, value in EXAMPLE.findall(question)]
    asked = set(NUMBER.findall(question.partition("For instance")[0]))

    def check(chance: Random, checks: int) -> CheckResult:
        tried = chance.sample(examples, -(-checks // COST))
        missing = asked - set(NUMBER.findall(response))
        doubt = len(missing) / max(1, len(asked)) if chance.random() < 0.5 else 0.0
        failed = [(run(response, n) == value) == (chance.random() < HASTE) for n, value in tried]
        return share(failed), doubt

    return Reading(kind="programs", shape=NUMBER.sub("#", response), check=check)
