"""Imports point one way along one list of packages, and the pure modules stay pure."""

import ast
import re
from pathlib import Path

from provenance import imported_names

import assay

SOURCE = Path(assay.__file__).parent
ORDER = (
    *("_version", "messages", "wording", "errors", "caveats", "result", "bounds", "digests"),
    *("differences", "toml", "clock", "files", "journal", "lock", "folders"),
    *("stats", "predicted", "ledger", "sandbox", "tables", "logs", "benchmark", "surface"),
    *("models", "critic", "method", "runs"),
    *("gauntlet", "confounding", "comparison", "dual_condition", "study"),
    *("claim_audit", "report", "api"),
    *("cli", "__main__", "__init__"),
)
"""From the bottom up: a module imports its own package and those before it."""
MOST_FILES = 15
PURE = re.compile(
    r"(^|\.)(stats|judge|result|lint)(\.|$)|^(caveats|predicted|surface)(\.|$)"
    r"|^gauntlet\.(?!(collect|load|proposal|store|rejudge)$)"
    r"|^confounding\.(?!(collect|own_features)$)"
    r"|^critic\.(caveats|spec|tokens)$"
    r"|^comparison\.(adr_0031|power|spec)$"
    r"|^dual_condition\.(commit_gate|committed_file|evidence|matrix|result_file)$"
)
"""Modules that take values and give values. What they import must be pure as well, all the way."""
IMPURE = {
    *("asyncio", "ctypes", "datetime", "fcntl", "http", "importlib", "io", "multiprocessing"),
    *("os", "pathlib", "requests", "secrets", "select", "shutil", "signal", "socket"),
    *("sqlite3", "subprocess", "tempfile", "threading", "time", "urllib", "uuid"),
}


def modules(root: Path) -> dict[str, ast.Module]:
    trees = {}
    for path in sorted(root.rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        trees[name] = ast.parse(path.read_text(encoding="utf-8"))
    return trees


def inner(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Which modules of ours each module imports."""
    return {
        name: {
            target.removeprefix("assay.")
            for target in imported_names(tree)
            if target.startswith("assay.") and target.removeprefix("assay.") in trees
        }
        for name, tree in trees.items()
    }


def relative(trees: dict[str, ast.Module]) -> list[str]:
    """Relative imports, which hide where a thing comes from."""
    return [
        name
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]


def upward(edges: dict[str, set[str]]) -> list[str]:
    height = {package: number for number, package in enumerate(ORDER)}
    return [
        f"{name} imports {target}"
        for name, targets in edges.items()
        for target in sorted(targets)
        if height[target.split(".")[0]] > height[name.split(".")[0]]
    ]


def cycles(edges: dict[str, set[str]]) -> list[str]:
    done: set[str] = set()
    closed: list[str] = []

    def visit(name: str, path: list[str]) -> None:
        if name in path:
            closed.append(" -> ".join([*path[path.index(name) :], name]))
        elif name not in done:
            for target in sorted(edges[name]):
                visit(target, [*path, name])
            done.add(name)

    for name in edges:
        visit(name, [])
    return closed


def faults(tree: ast.Module) -> list[str]:
    """What keeps one module from being pure."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [f"imports {name}" for name in imported_names(tree) if name.split(".")[0] in IMPURE] + [
        f"calls {ast.unparse(node.func)}"
        for node in calls
        if re.search(r"(^|\.)(open|load|loadtxt|fromfile|files|save)$", ast.unparse(node.func))
    ]


def impure(trees: dict[str, ast.Module]) -> list[str]:
    """Pure modules from which an impure one can be reached, with the shortest way to it."""
    edges = inner(trees)
    reasons = []
    for start in trees:
        if not PURE.search(start):
            continue
        ways = [[start]]
        seen = {start}
        while ways:
            way = ways.pop(0)
            reasons += [f"{' -> '.join(way)} {fault}" for fault in faults(trees[way[-1]])]
            for target in sorted(edges[way[-1]] - seen):
                seen.add(target)
                ways.append([*way, target])
    return reasons


READING = {
    *IMPURE - {"pathlib", "urllib"},
    *("json", "sqlite3", "tomllib"),
    *("assay.files", "assay.digests.parse_json", "assay.digests.parse_object"),
    *("assay.digests.json_lines", "assay.digests.decode_utf8", "urllib.request"),
}
"""Modules and functions that read, write or parse; a report is made from records alone."""
FILE_CALL = re.compile(
    r"(^|\.)(open|exists|is_file|is_dir|is_symlink|iterdir|glob|rglob|stat|lstat|resolve|mkdir"
    r"|unlink|(read|write)_(text|bytes)|json\.(load|loads|decode|decode_lines))$"
)


def computing(trees: dict[str, ast.Module]) -> list[str]:
    """Reports that judge, estimate, read, write or parse."""
    places = []
    for name, tree in trees.items():
        if name.split(".")[0] != "report":
            continue
        for target in sorted(imported_names(tree)):
            judges = re.search(r"^assay\.(.*\.)?(stats|judge)(\.|$)", target)
            parts = target.split(".")
            if judges or any(".".join(parts[:n]) in READING for n in range(1, len(parts) + 1)):
                places.append(f"{name} imports {target}")
        places += [
            f"{name} calls {ast.unparse(node.func)}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and FILE_CALL.search(ast.unparse(node.func))
        ]
    return places


SEEDED = ("default_rng", "random.Random")
GLOBAL = re.compile(
    r"(^|\.)(np|numpy)\.random\.(?!default_rng|Generator|seed)\w+$|^random\.(?!Random|seed)\w+$"
)


def unseeded(trees: dict[str, ast.Module]) -> list[str]:
    """Generators without a seed, and draws from a global one, anywhere."""
    places = []
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            bare = not node.args or ast.unparse(node.args[0]) == "None"
            if (called.endswith(SEEDED) and bare) or GLOBAL.search(called):
                places.append(f"{name}, line {node.lineno}")
    return places


def crowded(root: Path) -> list[str]:
    """Folders with more modules than a reader can take in; the verbs of the command are a list."""
    folders = {path.parent for path in root.rglob("*.py")} - {root / "cli"}
    counts = {
        folder: len([file for file in folder.glob("*.py") if file.name != "__init__.py"])
        for folder in folders
    }
    return sorted(folder.name for folder, count in counts.items() if count > MOST_FILES)


def calling_the_system(trees: dict[str, ast.Module]) -> list[str]:
    """Modules that make system calls of their own, beside the sandbox's one module of them."""
    return [
        name
        for name, tree in trees.items()
        if name != "sandbox.syscalls"
        and "ctypes" in {each.split(".")[0] for each in imported_names(tree)}
    ]


def reading_toml(trees: dict[str, ast.Module]) -> list[str]:
    """Modules that use a TOML parser of their own, beside the one that bounds what it is given."""
    return [
        name for name, tree in trees.items() if name != "toml" and "tomllib" in imported_names(tree)
    ]


FLAG = re.compile(r"(?<![\w-])--[a-z{]")
NOT_OUR_FLAGS = {
    "wording": "turns parameters into flags, for the command",
    "models.local": "pip's own arguments",
    "study.git": "git's own arguments",
    "study.git_revisions": "the same",
    "claim_audit.evidence": "the same",
    "claim_audit.checkers.git_checkers": "the same",
    "comparison.trials.spec": "arguments of the system under test, in an example",
}
STORED_TEXTS = (
    "--group.",
    *("(--keep-unverifiable keeps them, as positives)", " --history"),
)
"""Texts inside stored records and pages, which are compared word by word."""


ONLY_COMMANDS = ("git fetch --unshallow", "--init` writes one to fill in")
"""What only a command does, so that the library names it too."""


def flags(trees: dict[str, ast.Module]) -> list[str]:
    """Texts below the command that speak of its flags; they name parameters: `task=detection`."""
    places = []
    for name, tree in trees.items():
        if name.split(".")[0] == "cli" or name in NOT_OUR_FLAGS:
            continue
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(node, ast.JoinedStr):
                text = ast.unparse(node)
            if not isinstance(text, str) or any(only in text for only in ONLY_COMMANDS):
                continue
            if FLAG.search(text) and not text.endswith(STORED_TEXTS):
                places.append(f"{name}, line {node.lineno}")
    return list(dict.fromkeys(places))


def shared_names(trees: dict[str, ast.Module]) -> list[str]:
    """Class names that stand for two things."""
    homes: dict[str, list[str]] = {}
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(name)
    return [f"{kind}: {', '.join(where)}" for kind, where in homes.items() if len(where) > 1]


OURS = modules(SOURCE)


def test_no_module_imports_a_later_package():
    assert upward(inner(OURS)) == []


def test_no_import_is_relative():
    assert relative(OURS) == []


def test_no_cycles():
    assert cycles(inner(OURS)) == []


def test_judging_reaches_no_clock_file_network_process_or_chance():
    assert impure(OURS) == []


def test_every_generator_is_seeded():
    assert unseeded(OURS) == []


def test_every_package_has_its_place():
    assert {name.split(".")[0] for name in OURS} <= set(ORDER)


def test_no_text_below_the_command_speaks_of_flags():
    assert flags(OURS) == []


def test_a_planted_flag_is_caught():
    planted = {
        "cli.wrong": ast.parse("hint = 'Name it: --task TASK.'"),
        "gauntlet.wrong": ast.parse(
            "hint = 'Name it: `task=TASK`.'\n"
            "hint = 'Name it: --task TASK.'\n"
            "hint = f'Name it: --task {task}.'\n"
            "hint = f'Name it: --{name} {task}.'\n"
            "line = 'a--b ---'"
        ),
        "study.git": ast.parse("run('git', 'log', '--format')"),
    }
    assert flags(planted) == [f"gauntlet.wrong, line {line}" for line in (2, 3, 4)]


def test_no_class_name_stands_for_two_things():
    assert shared_names(OURS) == []
    planted = {"runs.a": ast.parse("class Kept: pass"), "study.b": ast.parse("class Kept: pass")}
    assert shared_names(planted) == ["Kept: runs.a, study.b"]


def test_no_folder_is_crowded():
    assert crowded(SOURCE) == []


def test_only_the_sandbox_makes_system_calls():
    assert calling_the_system(OURS) == []
    planted = {
        "sandbox.syscalls": ast.parse("import ctypes"),
        "sandbox.wrong": ast.parse("def f():\n    from ctypes import util"),
        "runs.wrong": ast.parse("import ctypes.util"),
    }
    assert calling_the_system(planted) == ["sandbox.wrong", "runs.wrong"]


def test_only_one_module_reads_toml():
    """The parser alone takes hours for a key of many parts."""
    assert reading_toml(OURS) == []
    planted = {
        "toml": ast.parse("import tomllib"),
        "study.wrong": ast.parse("def f():\n    from tomllib import loads"),
        "runs.right": ast.parse("from assay.toml import read_toml"),
    }
    assert reading_toml(planted) == ["study.wrong"]


def test_reports_compute_nothing():
    assert computing(OURS) == []


def test_a_report_that_computes_is_caught():
    planted = {
        "report.page": ast.parse(
            "import os\nfrom pathlib import Path\nfrom urllib.parse import quote\n"
            "from assay.digests import parse_json, short\n"
            "from assay.stats.auc import auc\nfrom assay.comparison.judge.compare import compare\n"
            "from assay.comparison.result import Comparison\n"
            "Path('x').read_text()\nopen('x')\nmsgspec.json.decode(b'')"
        ),
        "report.text": ast.parse("from assay.wording import counted\ncounted(1, 'run').upper()"),
        "study.views": ast.parse("import os"),
    }
    assert computing(planted) == [
        "report.page imports assay.comparison.judge.compare",
        "report.page imports assay.comparison.judge.compare.compare",
        "report.page imports assay.digests.parse_json",
        "report.page imports assay.stats.auc",
        "report.page imports assay.stats.auc.auc",
        "report.page imports os",
        "report.page calls Path('x').read_text",
        "report.page calls open",
        "report.page calls msgspec.json.decode",
    ]


def test_planted_violations_are_caught(tmp_path):
    planted = {
        "stats.wrong": ast.parse("from assay.gauntlet.judge import score\nimport time\nopen('x')"),
        "gauntlet.judge": ast.parse(
            "from assay.gauntlet.store import read\n"
            "numpy.random.default_rng()\nnp.random.rand()\nrandom.random()\n"
            "np.random.default_rng(None)\nnumpy.random.default_rng(3)\nnp.load('x')"
        ),
        "gauntlet.store": ast.parse("import os"),
        "gauntlet.metrics.auc": ast.parse("import time"),
        "confounding.own_features": ast.parse("import os"),
        "confounding.balance": ast.parse("import assay.confounding.own_features"),
        "surface.wrong": ast.parse("import pathlib"),
        "runs.a": ast.parse("def f():\n    from assay.runs import b"),
        "runs.b": ast.parse("import assay.runs.a"),
    }
    edges = inner(planted)
    assert upward(edges) == ["stats.wrong imports gauntlet.judge"]
    assert cycles(edges) == ["runs.a -> runs.b -> runs.a"]
    assert impure(planted) == [
        "stats.wrong imports time",
        "stats.wrong calls open",
        "stats.wrong -> gauntlet.judge calls np.load",
        "stats.wrong -> gauntlet.judge -> gauntlet.store imports os",
        "gauntlet.judge calls np.load",
        "gauntlet.judge -> gauntlet.store imports os",
        "gauntlet.metrics.auc imports time",
        "confounding.balance -> confounding.own_features imports os",
        "surface.wrong imports pathlib",
    ]
    assert relative({"runs.c": ast.parse("from .a import b")}) == ["runs.c"]
    assert unseeded(planted) == [f"gauntlet.judge, line {line}" for line in (2, 3, 4, 5)]
    (tmp_path / "flat").mkdir()
    for number in range(MOST_FILES + 1):
        (tmp_path / "flat" / f"m{number}.py").touch()
    assert crowded(tmp_path) == ["flat"]
