"""Reads arguments in propositional logic, and looks for a counterexample in a few worlds.

The form of an argument, with letters for its statements, is what constraint memory files: a form is
valid or it is not, whatever the statements say.
"""

import re
from random import Random

from learner.reading import CheckResult, Reading, share

Formula = tuple[str, tuple[tuple[str, bool], ...]]  # the connective, and what it connects
CONNECTIVES = (
    ("if", re.compile(r"if (.+) then (.+)")),
    ("if", re.compile(r"(.+) only if (.+)")),
    ("or", re.compile(r"(.+) or (.+)")),
    ("nand", re.compile(r"not both (.+) and (.+)")),
    ("is", re.compile(r"(.+)")),
)
HASTE = 0.1  # how often a world is misread


def formula(text: str) -> Formula:
    """A sentence as a connective and its parts."""
    name, match = next(
        (name, match) for name, pattern in CONNECTIVES if (match := pattern.fullmatch(text))
    )
    return name, tuple((part.replace(" not ", " "), " not " not in part) for part in match.groups())


def holds(sentence: Formula, world: dict[str, bool]) -> bool:
    """Whether a sentence is so in a world."""
    name, parts = sentence
    truths = [world[atom] == positive for atom, positive in parts]
    match name:
        case "if":
            return not truths[0] or truths[1]
        case "or":
            return truths[0] or truths[1]
        case "nand":
            return not (truths[0] and truths[1])
    return truths[0]


def form(sentences: list[Formula]) -> str:
    """The sentences with letters for statements; one that is denied at first is turned round."""
    letters: dict[str, tuple[str, bool]] = {}
    lines = []
    for name, parts in sentences:
        words = [name]
        for atom, positive in parts:
            letter, usual = letters.setdefault(atom, (chr(ord("p") + len(letters)), positive))
            words.append(letter if positive == usual else f"not-{letter}")
        lines.append(" ".join(words))
    return "; ".join(lines)


def read(question: str, response: str) -> Reading | None:
    """The argument that question and response make; None if they make none."""
    if not (question.startswith("Given: ") and response.startswith("It follows that ")):
        return None
    given = question.removeprefix("Given: ").removesuffix(".")
    premises = [formula(text) for text in given.split("; ")]
    conclusion = formula(response.removeprefix("It follows that ").removesuffix("."))
    atoms = list({atom: None for _, parts in (*premises, conclusion) for atom, _ in parts})

    def check(chance: Random, checks: int) -> CheckResult:
        refuted = []
        for _ in range(checks):
            world = {atom: chance.random() < 0.5 for atom in atoms}
            possible = all(holds(each, world) for each in premises) != (chance.random() < HASTE)
            refuted.append(possible and not holds(conclusion, world))
        return float(any(refuted)), share(refuted)

    return Reading(
        kind="entailment",
        shape=f"entailment {len(premises)} {conclusion[0]}",
        key=form([*premises, conclusion]),
        claim="follows",
        check=check,
    )
