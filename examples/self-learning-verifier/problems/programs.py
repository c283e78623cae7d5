"""Small programs of one number, and mutants of them: wrong if running them breaks the task.

A program is run on every whole number from 0 to 60 and must agree with the task's own function. A
mutant that does is right, and is labelled so.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from bounded import HEAD, run

from problems.item import Item, proposals

INPUTS = range(61)


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is asked, as a sentence and as a function, and a program that does it."""

    text: str
    function: Callable[[int], int]
    program: str


def tasks(a: int, b: int) -> list[Task]:
    """The tasks that can be set with two numbers, `a` smaller than `b`."""
    return [
        Task(
            text=f"how many whole numbers from 1 to n, both included, are multiples of {a}",
            function=lambda n: n // a,
            program=f"sum(1 for k in range(1, n + 1) if k % {a} == 0)",
        ),
        Task(
            text=f"n, but at least {a} and at most {b}",
            function=lambda n: sorted((a, n, b))[1],
            program=f"max({a}, min({b}, n))",
        ),
        Task(
            text=f"the sum of the whole numbers from {a} up to and including n",
            function=lambda n: (n * (n + 1) - a * (a - 1)) // 2 if n >= a else 0,
            program=f"sum(range({a}, n + 1))",
        ),
        Task(
            text=f"1 if n is over {a} and under {b}, else 0",
            function=lambda n: int(n in range(a + 1, b)),
            program=f"1 if n > {a} and n < {b} else 0",
        ),
        Task(
            text=f"the price of n tickets at {a} each, with {b} off in all from {b} tickets on",
            function=lambda n: n * a if n < b else n * a - b,
            program=f"n * {a} - ({b} if n >= {b} else 0)",
        ),
        Task(
            text=f"how far n is from {b}",
            function=lambda n: max(n - b, b - n),
            program=f"abs(n - {b})",
        ),
        Task(
            text=f"n rounded down to a multiple of {a}",
            function=lambda n: n // a * a,
            program=f"n - n % {a}",
        ),
        Task(
            text=f"how many boxes of {b} it takes to hold n things",
            function=lambda n: -(-n // b),
            program=f"(n + {b} - 1) // {b}",
        ),
        Task(
            text=f"how many of the first n days are working days, if days {a} to {b} are holidays",
            function=lambda n: sum(1 for day in range(1, n + 1) if not a <= day <= b),
            program=f"sum(1 for k in range(1, n + 1) if k < {a} or k > {b})",
        ),
        Task(
            text=f"the fare for n stops: {b}, and {a} more for each stop after the third",
            function=lambda n: b if n <= 3 else b + (n - 3) * a,
            program=f"{b} + {a} * max(0, n - 3)",
        ),
    ]


SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip


def mutants(program: str) -> dict[str, str]:
    """The program with one thing changed, by what and where."""
    found = {}
    places = len(list(ast.walk(ast.parse(program, mode="eval"))))
    for place in range(places):
        for turn in (1, -1):
            tree = ast.parse(program, mode="eval")
            node = list(ast.walk(tree))[place]
            name = change(node, turn)
            if name:
                found[f"{name}, place {place}"] = ast.unparse(tree)
    return found


def change(node: ast.AST, turn: int) -> str | None:
    """Mutate a node where it stands, and say how; None if nothing is done to such nodes."""
    match node:
        case ast.Constant(value=int(value)):
            node.value = value + turn
            return "one more" if turn == 1 else "one less"
        case ast.Name(id="min" | "max" as name):
            node.id = "max" if name == "min" else "min"
            return "min for max" if name == "max" else "max for min"
        case ast.Compare(ops=[only]) if type(only) in SWAPS:
            node.ops = [SWAPS[type(only)]()]  # type: ignore[list-item]
            return "boundary"
        case ast.BoolOp() | ast.BinOp() if type(node.op) in SWAPS:
            node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
            return "operator"
    return None


def wrong(task: Task, source: str) -> bool:
    """Whether running the program breaks the task on some input."""
    return any(run(source, n) != task.function(n) for n in INPUTS)


def generate(seed: str, problems: int) -> Iterator[Item]:
    """So many tasks, each with two proposed programs and three examples of what is wanted."""
    chance = Random(seed)
    for number in range(problems):
        a = chance.randint(2, 7)
        task = chance.choice(tasks(a, a + chance.randint(2, 12)))
        examples = ", ".join(
            f"f({n}) = {task.function(n)}" for n in sorted(chance.sample(INPUTS[1:31], 3))
        )
        plain = ast.unparse(ast.parse(task.program, mode="eval"))  # brackets as in the mutants
        proposed = proposals(chance, plain, mutants(plain))
        for place, (name, program) in enumerate(proposed):
            bad = wrong(task, HEAD + program)
            yield Item(
                id=f"{seed}-{number:03}-{place}",
                group=f"{seed}-{number:03}",
                question=f"f(n) is {task.text}. For instance {examples}.",
                response=HEAD + program,
                label=int(bad),
                how=name if bad else "right",
            )
