"""Arguments in propositional logic: wrong if some row of the truth table refutes them.

Most are a known form or a known fallacy, with a premise or two beside it that may not matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from random import Random

from problems.item import Item

ATOMS = (
    "the lamp is on", "the door is open", "the bell is ringing", "the cat is asleep",
    "the kettle is hot", "the road is wet", "the shop is shut", "the train is late",
    "the window is broken", "the garden is green", "the fire is lit", "the clock is slow",
)  # fmt: skip


@dataclass(frozen=True)
class Literal:
    """A statement, or its negation."""

    atom: str
    positive: bool = True

    def __invert__(self) -> "Literal":
        return Literal(self.atom, not self.positive)

    def __str__(self) -> str:
        return self.atom if self.positive else self.atom.replace(" is ", " is not ")

    def holds(self, world: dict[str, bool]) -> bool:
        """Whether it is so in a world."""
        return world[self.atom] == self.positive


@dataclass(frozen=True)
class Formula:
    """One literal, or two under a connective."""

    how: str
    parts: tuple[Literal, ...]

    def __str__(self) -> str:
        return self.how.format(*self.parts)

    def holds(self, world: dict[str, bool]) -> bool:
        """Whether it is so in a world."""
        truths = [part.holds(world) for part in self.parts]
        match self.how:
            case "if {} then {}":
                return not truths[0] or truths[1]
            case "{} only if {}":
                return not truths[0] or truths[1]
            case "{} or {}":
                return any(truths)
            case "not both {} and {}":
                return not all(truths)
        return truths[0]


def just(p: Literal) -> Formula:
    """The literal alone."""
    return Formula("{}", (p,))


def follows(premises: list[Formula], conclusion: Formula) -> bool:
    """Whether no row of the truth table has all premises and not the conclusion."""
    atoms = sorted({part.atom for each in (*premises, conclusion) for part in each.parts})
    worlds = (
        dict(zip(atoms, row, strict=True)) for row in product((False, True), repeat=len(atoms))
    )
    return all(
        conclusion.holds(world) for world in worlds if all(each.holds(world) for each in premises)
    )


def schemes(implies: str, p: Literal, q: Literal, r: Literal) -> dict[str, list[Formula]]:
    """Known forms and fallacies, by name: premises, and the conclusion last."""
    pq, qr = Formula(implies, (p, q)), Formula(implies, (q, r))
    either, not_both = Formula("{} or {}", (p, q)), Formula("not both {} and {}", (p, q))
    return {
        "modus ponens": [pq, just(p), just(q)],
        "modus tollens": [pq, just(~q), just(~p)],
        "chain": [pq, qr, Formula(implies, (p, r))],
        "chain, from its start": [pq, qr, just(p), just(r)],
        "chain, from its end": [pq, qr, just(~r), just(~p)],
        "contraposition": [pq, Formula(implies, (~q, ~p))],
        "one of two is out": [either, just(~p), just(q)],
        "cases": [either, Formula(implies, (p, r)), qr, just(r)],
        "not both": [not_both, just(p), just(~q)],
        "affirming the consequent": [pq, just(q), just(p)],
        "denying the antecedent": [pq, just(~p), just(~q)],
        "converse": [pq, Formula(implies, (q, p))],
        "inverse": [pq, Formula(implies, (~p, ~q))],
        "chain, read backwards": [pq, qr, Formula(implies, (r, p))],
        "chain, end affirmed": [pq, qr, just(r), just(p)],
        "chain, start denied": [pq, qr, just(~p), just(~r)],
        "one of two is in": [either, just(p), just(~q)],
        "half of the cases": [either, Formula(implies, (p, r)), just(r)],
        "not both, the other way": [not_both, just(~p), just(q)],
    }


def another(
    chance: Random, premises: list[Formula], taken: list[Formula], literals: tuple[Literal, ...]
) -> Formula:
    """A conclusion that is not taken yet; in half of the cases, where there is one, a right one."""
    found = [just(each) for p in literals for each in (p, ~p)]
    found += [Formula("{} or {}", pair) for pair in combinations(literals, 2)]
    free = [each for each in found if each not in taken]
    right = [each for each in free if follows(premises, each)]
    return chance.choice(right if right and chance.random() < 0.5 else free)


def generate(seed: str, problems: int) -> Iterator[Item]:
    """So many sets of premises, each with two proposed conclusions."""
    chance = Random(seed)
    for number in range(problems):
        p, q, r, s = (Literal(a, chance.random() < 0.5) for a in chance.sample(ATOMS, 4))
        implies = chance.choice(("if {} then {}", "{} only if {}"))
        known = schemes(implies, p, q, r)
        name = chance.choice(sorted(known))
        premises, usual = known[name][:-1], known[name][-1]
        for _ in range(chance.choice((0, 1, 1))):
            beside = Formula(
                chance.choice(("if {} then {}", "{} or {}")), (s, chance.choice((p, q, r)))
            )
            premises.insert(chance.randrange(len(premises) + 1), beside)
        other = another(chance, premises, [usual, *premises], (p, q, r))
        for place, conclusion in enumerate((usual, other)):
            right = follows(premises, conclusion)
            yield Item(
                id=f"{seed}-{number:03}-{place}",
                group=f"{seed}-{number:03}",
                question=f"Given: {'; '.join(map(str, premises))}.",
                response=f"It follows that {conclusion}.",
                label=int(not right),
                how=name if conclusion == usual else "another conclusion",
            )
