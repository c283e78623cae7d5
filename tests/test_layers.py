"""Imports point one way, and the pure rooms stay pure."""

import ast
import re
from pathlib import Path

import assay

SOURCE = Path(assay.__file__).parent
# From the bottom up; a room may import its own and lower ones.
LAYERS = (
    ("errors", "digests", "words", "_version"),
    ("ledger", "stats", "data"),
    ("plan",),
    ("methods",),
    ("evidence",),
    ("imports",),
    ("judges",),
    ("study",),
    ("report",),
    ("cli", "__main__", "__init__"),
)
HEIGHT = {room: height for height, rooms in enumerate(LAYERS) for room in rooms}
PURE_ROOMS = ("judges", "stats")
IMPURE = {
    "datetime",
    "http",
    "io",
    "os",
    "pathlib",
    "random",
    "requests",
    "secrets",
    "socket",
    "subprocess",
    "importlib",
    "tempfile",
    "time",
    "urllib",
    "shutil",
    "threading",
}


def modules(root: Path) -> dict[str, ast.Module]:
    found = {}
    for path in sorted(root.rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports(tree: ast.Module, *, runtime_only: bool = False) -> set[str]:
    skipped: set[ast.AST] = set()
    if runtime_only:
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                skipped |= set(ast.walk(node))
    found = set()
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where a thing comes from"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {node.module or ""} | names
    return found


def inner(trees: dict[str, ast.Module], **how: bool) -> dict[str, set[str]]:
    """Which modules of ours each module imports."""
    return {
        name: {
            target.removeprefix("assay.")
            for target in imports(tree, **how)
            if target.startswith("assay.") and target.removeprefix("assay.") in trees
        }
        for name, tree in trees.items()
    }


def upward(edges: dict[str, set[str]]) -> list[str]:
    return [
        f"{name} imports {target}"
        for name, targets in edges.items()
        for target in targets
        if HEIGHT[target.split(".")[0]] > HEIGHT[name.split(".")[0]]
    ]


def cycles(edges: dict[str, set[str]]) -> list[str]:
    done: set[str] = set()
    found: list[str] = []

    def visit(name: str, path: list[str]) -> None:
        if name in path:
            found.append(" -> ".join([*path[path.index(name) :], name]))
        elif name not in done:
            for target in sorted(edges[name]):
                visit(target, [*path, name])
            done.add(name)

    for name in edges:
        visit(name, [])
    return found


def impure(trees: dict[str, ast.Module]) -> list[str]:
    return [
        f"{name} imports {target}"
        for name, tree in trees.items()
        if name.split(".")[0] in PURE_ROOMS
        for target in imports(tree)
        if target.split(".")[0] in IMPURE
    ] + [
        f"{name} calls {ast.unparse(node.func)}"
        for name, tree in trees.items()
        if name.split(".")[0] in PURE_ROOMS
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and re.search(r"(^|\.)(open|load|loadtxt|fromfile|files|save)$", ast.unparse(node.func))
    ]


SEEDED = ("default_rng", "random.Random")
GLOBAL = re.compile(
    r"(^|\.)(np|numpy)\.random\.(?!default_rng|Generator|seed)\w+$|^random\.(?!Random|seed)\w+$"
)


def unseeded(trees: dict[str, ast.Module]) -> list[str]:
    """Generators without a seed, and draws from a global one, anywhere."""
    found = []
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            bare = not node.args or ast.unparse(node.args[0]) == "None"
            if (called.endswith(SEEDED) and bare) or GLOBAL.search(called):
                found.append(f"{name}, line {node.lineno}")
    return found


OURS = modules(SOURCE)


def test_no_module_imports_a_higher_layer():
    assert upward(inner(OURS, runtime_only=True)) == []


def test_no_cycles():
    assert cycles(inner(OURS, runtime_only=True)) == []


def test_judges_and_stats_touch_no_clock_file_network_or_chance():
    assert impure(OURS) == []


def test_every_generator_is_seeded():
    assert unseeded(OURS) == []


def test_every_room_has_its_place():
    assert {name.split(".")[0] for name in OURS} <= set(HEIGHT)


def test_planted_violations_are_caught():
    planted = {
        "stats.wrong": ast.parse("from assay.judges.score import score\nimport time\nopen('x')"),
        "judges.score": ast.parse(
            "numpy.random.default_rng()\nnp.random.rand()\nrandom.random()\n"
            "np.random.default_rng(None)\nnumpy.random.default_rng(3)\nnp.load('x')"
        ),
        "plan.a": ast.parse("def f():\n    from assay.plan import b"),
        "plan.b": ast.parse("import assay.plan.a"),
    }
    edges = inner(planted)
    assert upward(edges) == ["stats.wrong imports judges.score"]
    assert cycles(edges) == ["plan.a -> plan.b -> plan.a"]
    assert impure(planted) == [
        "stats.wrong imports time",
        "stats.wrong calls open",
        "judges.score calls np.load",
    ]
    assert unseeded(planted) == [f"judges.score, line {line}" for line in (1, 2, 3, 4)]
