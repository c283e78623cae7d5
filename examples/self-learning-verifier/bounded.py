"""Runs a small program of one whole number, and nothing that could do more than count.

Only the syntax named here is run: no attributes, no imports, no loops but over a range. Programs
of these corpora then end soon; for those of others a clock and a process would be needed.
"""

import ast
from collections.abc import Callable
from functools import cache

ALLOWED: tuple[type[ast.AST], ...] = (
    *(ast.Expression, ast.Name, ast.Load, ast.Store, ast.Constant, ast.Call),
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Mod, ast.FloorDiv, ast.UnaryOp, ast.USub),
    *(ast.Compare, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq),
    *(ast.BoolOp, ast.And, ast.Or, ast.IfExp, ast.GeneratorExp, ast.comprehension),
)
NAMES = {"abs": abs, "max": max, "min": min, "range": range, "sum": sum}
HEAD = "def f(n): return "


@cache
def compiled(source: str) -> Callable[[int], int] | None:
    """The function that `source` defines; None if it says more than a small program may."""
    if not source.startswith(HEAD):
        return None
    try:
        tree = ast.parse(source.removeprefix(HEAD), mode="eval")
    except SyntaxError:
        return None
    if not all(isinstance(node, ALLOWED) for node in ast.walk(tree)):
        return None
    code = compile(tree, "<small program>", "eval")
    # The syntax was looked at, node by node, just above.
    return lambda n: eval(code, {"__builtins__": {}, **NAMES, "n": n})  # noqa: S307


def run(source: str, n: int) -> int | None:
    """What the program gives for `n`; None if it is not one, or fails."""
    program = compiled(source)
    if program is None:
        return None
    try:
        return int(program(n))
    except (ArithmeticError, NameError, TypeError, ValueError):
        return None
