"""Which code made each stored table, and what has changed since.

    python benchmarks/provenance.py            prints a line for each table
    python benchmarks/provenance.py --rerun    makes the tables whose code has changed again

A table is made by a script, by every module of ours that the script imports, directly or not, and
by the data files of their packages. Their digests are stored beside the table when it is written.
Comments, docstrings and layout do not count: they cannot move a figure. Versions of the packages
that compute do count.
"""

import argparse
import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import msgspec

import assay
from assay.digests import digest, short
from assay.wording import some

BENCHMARKS = Path(__file__).parent
SOURCE = Path(assay.__file__).parent
STORED = "made-by.json"
_WORDS = {
    "result_tables",
    *(f"assay.{name}" for name in "_version caveats errors result wording".split()),
}
"""Modules that write figures down, or say things about them, and compute none."""
_COMPUTING = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}
Code = dict[str, str]
"""The digest of each part by its name."""


class MadeBy(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored beside tables: the code of each by its digest, and the parts of that code."""

    tables: dict[str, str] = {}
    code: dict[str, dict[str, str]] = {}


def imported_names(tree: ast.Module) -> set[str]:
    """What a module imports when it runs; what only a type checker imports does not count."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            skipped |= set(ast.walk(node))
    names = set()
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def made_by(script: Path) -> Code:
    """The digest of everything that a script's tables can depend on."""
    code: dict[str, str] = {}
    waiting = [script]
    while waiting:
        path = waiting.pop()
        name = _name(path)
        if name in code:
            continue
        tree = ast.parse(path.read_bytes())
        names = {each for each in imported_names(tree) if not _is_words(each)}
        code[name] = _meaning(tree)
        waiting += (found for each in names for found in _files(each, script.parent))
        for each in {name.partition(".")[0] for name in names} & _COMPUTING.keys():
            code[each] = version(_COMPUTING[each])
        if path.is_relative_to(SOURCE) and path.parent != SOURCE:
            code |= {_name(data): short(digest(data.read_bytes())) for data in _data(path.parent)}
    return dict(sorted(code.items()))


def changed(then: Code, now: Code) -> list[str]:
    """The parts that are not what they were."""
    return sorted(name for name in then.keys() | now.keys() if then.get(name) != now.get(name))


def note(table: str, *, script: Path, folder: Path) -> None:
    """Store by which code a table was made."""
    now, path = made_by(script), folder / STORED
    made = _stored(path)
    key = short(digest(json.dumps(now).encode()))
    tables = made.tables | {table: key}
    code = {each: parts for each, parts in made.code.items() if each in tables.values()}
    made = MadeBy(tables=dict(sorted(tables.items())), code=code | {key: now})
    path.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")


def state(folder: Path, *, script: Path) -> dict[str, list[str] | None]:
    """What has changed since each table of a folder was made; None where no code is stored."""
    made, now = _stored(folder / STORED), made_by(script)
    names = {path.stem for path in folder.glob("*.csv")}
    # A table of several parts is stored under its name, and with a number behind it.
    names = {each for each in names if not each.rpartition("-")[2].isdigit()}
    found: dict[str, list[str] | None] = {}
    for table in sorted(names):
        key = made.tables.get(table)
        found[table] = None if key is None else changed(made.code[key], now)
    return found


def _stored(path: Path) -> MadeBy:
    return msgspec.json.decode(path.read_bytes(), type=MadeBy) if path.exists() else MadeBy()


def _name(path: Path) -> str:
    inside = path.is_relative_to(SOURCE)
    return f"assay/{path.relative_to(SOURCE).as_posix()}" if inside else path.name


def _files(name: str, beside: Path) -> Iterator[Path]:
    """The files of ours that an imported name loads: the module, and the packages it lies in."""
    first, _, rest = name.partition(".")
    if first != "assay":
        yield from (path for path in (beside / f"{first}.py",) if path.is_file())
        return
    rest = f"{assay._HOME_OF.get(rest, rest)}"
    parts = rest.split(".") if rest else []
    for number in range(1, len(parts) + 1):
        place = SOURCE.joinpath(*parts[:number])
        yield from (
            path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()
        )


def _is_words(name: str) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in _WORDS)


def _data(package: Path) -> Iterator[Path]:
    """The files of a package that are no code."""
    for path in sorted(package.rglob("*")):
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            yield path


def _meaning(tree: ast.Module) -> str:
    """The digest of what a module does: its code without docstrings."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        kept = [each for each in body if not _text_alone(each)]
        node.body = kept or [ast.Pass()]  # type: ignore[attr-defined]
    return short(digest(ast.unparse(tree).encode("utf-8", "surrogatepass")))


def _text_alone(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def main() -> None:
    """Print the state of every table; make those again that are not current, if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rerun", action="store_true")
    rerun = parser.parse_args().rerun
    for folder in sorted(path for path in (BENCHMARKS / "results").iterdir() if path.is_dir()):
        script = BENCHMARKS / f"{folder.name}.py"
        tables = state(folder, script=script)
        for table, parts in tables.items():
            said = "no code is stored" if parts is None else f"changed: {some(parts, most=12)}"
            print(f"{folder.name}/{table}: {said if parts != [] else 'current'}", flush=True)
        if rerun and any(parts != [] for parts in tables.values()):
            subprocess.run([sys.executable, script, "--write"], check=True)


if __name__ == "__main__":
    main()
