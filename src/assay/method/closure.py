"""The import closure of a method, read from its source without running it.

A method's own files are those it imports that belong neither to the standard library nor to an
installed distribution. They are found from import statements, also inside functions, and from calls
of `import_module` and `__import__` with a literal name. Names built at run time cannot be found
this way, so the modules that a worker really loaded are compared too.
"""

import ast
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from pathlib import Path

from assay.errors import SpecError, storage
from assay.method.installed_files import site_folders
from assay.method.registry import MethodRef, source_file

_MAX_FILES = 10_000
_MAX_BYTES = 16 << 20
_LONGEST_NAME = 200
_SUFFIXES = (*EXTENSION_SUFFIXES, ".py")  # in Python's order of search


@dataclass(kw_only=True)
class Closure:
    """A method's own files by their import path, and the installed modules it imports."""

    files: dict[str, Path] = field(default_factory=dict)
    installed: set[str] = field(default_factory=set)


def closure_of(method: MethodRef, *, folder: Path | None = None) -> Closure:
    """The files and installed top-level modules that a method imports, all the way down.

    A module is looked for in `folder` first, if given.
    """
    closure = Closure()
    if method.kind == "module" and folder is not None:
        reader = _Reader(closure, folder)
        named = list(reader.find(method.target.split(".")))
        if named:
            reader.read(named)
            return closure
        closure = Closure()
    file = source_file(method)
    if method.kind not in ("file", "module"):
        return closure
    if file is None:
        raise SpecError(f"{method.text}: no Python source found")
    if is_installed(file):
        closure.installed.add(method.target.partition(".")[0])
        return closure
    depth = 0 if method.kind == "file" else method.target.count(".")
    root = file.parents[depth + (file.name == "__init__.py" and method.kind == "module")]
    reader = _Reader(closure, root)
    parts = method.target.split(".") if method.kind == "module" else []
    reader.read([*reader.find(parts), (file.relative_to(root).as_posix(), file)])
    return closure


def is_installed(file: Path) -> bool:
    """Whether a file is in a folder of installed distributions."""
    return any(file.resolve().is_relative_to(Path(place).resolve()) for place in site_folders())


def is_standard(file: Path) -> bool:
    """Whether a file belongs to Python itself."""
    paths = sysconfig.get_paths()
    places = [Path(paths[name]).resolve() for name in ("stdlib", "platstdlib")]
    inside = any(file.resolve().is_relative_to(place) for place in places)
    return inside and not is_installed(file)


_Named = tuple[str, Path]


class _Reader:
    """Follows import statements through the method's own files."""

    def __init__(self, closure: Closure, root: Path) -> None:
        self.closure = closure
        self.roots = [root.resolve()]

    def read(self, files: list[_Named]) -> None:
        waiting = list(files)
        while waiting:
            name, here = waiting.pop()
            if name in self.closure.files:
                continue
            if len(self.closure.files) >= _MAX_FILES:
                raise SpecError(f"the method imports more than {_MAX_FILES:,} files")
            self.closure.files[name] = here
            if here.suffix == ".py":
                package = name.removesuffix(".py").split("/")[:-1]
                for wanted in _wanted(_parse(here), package):
                    waiting += self.find(wanted)

    def find(self, wanted: list[str]) -> list[_Named]:
        """The files of a dotted name and of the packages around it."""
        if not wanted or not all(map(_may_be_module, wanted)):
            return []
        for root in self.roots:
            files = _under(root, wanted)
            if files:
                return files
        top = wanted[0]
        if top in sys.stdlib_module_names or top == "assay":
            return []
        spec = PathFinder.find_spec(top, sys.path)
        if spec is None:
            return []  # an optional import, or an error that loading will show
        places = list(spec.submodule_search_locations or ())
        origin = Path(spec.origin) if spec.origin else Path(places[0]) / "__init__.py"
        if is_installed(origin) or is_standard(origin):
            self.closure.installed.add(top)
            return []
        root = (Path(places[0]) if places else origin).absolute().parent.resolve()
        if root not in self.roots:
            self.roots.append(root)
        return _under(root, wanted)


def _may_be_module(part: str) -> bool:
    return Path(part).name == part and len(part) <= _LONGEST_NAME


def _under(root: Path, wanted: list[str]) -> list[_Named]:
    """Files of a dotted name in a folder, outermost first. Links keep their own names."""
    files: list[Path] = []
    here = root
    for part in wanted:
        package = here / part / "__init__.py"
        modules = [here / f"{part}{suffix}" for suffix in _SUFFIXES]
        module = next((file for file in modules if file.is_file()), None)
        if package.is_file():
            files.append(package)
        elif module is not None:
            files.append(module)
            break
        here = here / part
    return [(file.relative_to(root).as_posix(), file) for file in files]


def _parse(file: Path) -> ast.Module:
    with storage(file):
        if file.stat().st_size > _MAX_BYTES:
            raise SpecError(f"{file}: larger than {_MAX_BYTES:,} bytes")
        data = file.read_bytes()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # untrusted source, parsed and not run
            return ast.parse(data, filename=file.name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise SpecError(f"{file}{line}: not Python: {reason}") from None


def _wanted(tree: ast.Module, package: list[str]) -> Iterator[list[str]]:
    """Every dotted name that some statement may import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.split(".")
        elif isinstance(node, ast.ImportFrom):
            base = _dotted("." * node.level + (node.module or ""), package)
            yield base
            for alias in node.names:
                if alias.name != "*":
                    yield [*base, alias.name]
        elif isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in ("import_module", "__import__"):
                given = dict(zip(("name", "package"), node.args, strict=False))
                given |= {word.arg: word.value for word in node.keywords if word.arg}
                anchor = _literal(given.get("package")) if name == "import_module" else ""
                yield _dotted(_literal(given.get("name")), anchor.split(".") if anchor else package)


def _dotted(text: str, package: list[str]) -> list[str]:
    """The parts of a name; one with leading dots is relative to its package."""
    rest = text.lstrip(".")
    level = len(text) - len(rest)
    base = package[: max(len(package) - level + 1, 0)] if level else []
    return base + (rest.split(".") if rest else [])


def _literal(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""
