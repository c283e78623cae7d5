"""The import closure of a method, read from its source without running it.

A method's own files are those it imports that belong neither to the standard library nor to an
installed distribution. They are found by reading import statements wherever they stand, also
inside functions, and calls of `import_module` and `__import__` with a literal name. What is put
together at run time cannot be read off; the modules that a worker really has are compared too.
"""

import ast
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from pathlib import Path

from assay.errors import SpecError, storage
from assay.plan.method import MethodRef, source_file

_MAX_FILES = 10_000
_MAX_BYTES = 16 << 20


@dataclass(kw_only=True)
class Closure:
    """A method's own files by the path that imports find them under, and what is installed."""

    files: dict[str, Path] = field(default_factory=dict)
    installed: set[str] = field(default_factory=set)


def closure_of(method: MethodRef) -> Closure:
    """The files and installed top-level modules that a method imports, all the way down."""
    found = Closure()
    file = source_file(method)
    if method.kind not in ("file", "module"):
        return found
    if file is None:
        raise SpecError(f"{method.text}: there is no source to read")
    if is_installed(file):
        found.installed.add(method.target.partition(".")[0])
        return found
    depth = 0 if method.kind == "file" else method.target.count(".")
    root = file.parents[depth + (file.name == "__init__.py" and method.kind == "module")]
    _Reader(found, root).read(root.resolve() / file.relative_to(root))
    return found


def is_installed(file: Path) -> bool:
    """Whether a file lies where distributions are installed."""
    paths = sysconfig.get_paths()
    places = {Path(paths["purelib"]).resolve(), Path(paths["platlib"]).resolve()}
    places |= {
        Path(p).resolve() for p in sys.path if p.endswith(("site-packages", "dist-packages"))
    }
    return any(file.resolve().is_relative_to(place) for place in places)


def is_standard(file: Path) -> bool:
    """Whether a file belongs to Python itself."""
    paths = sysconfig.get_paths()
    places = [Path(paths[name]).resolve() for name in ("stdlib", "platstdlib")]
    inside = any(file.resolve().is_relative_to(place) for place in places)
    return inside and not is_installed(file)


class _Reader:
    """Follows import statements through files that are nobody's but the method's."""

    def __init__(self, found: Closure, root: Path) -> None:
        self.found = found
        self.roots = [root.resolve()]

    def read(self, file: Path) -> None:
        waiting = [file]
        while waiting:
            here = waiting.pop()
            name = self._name(here)
            if name in self.found.files:
                continue
            if len(self.found.files) >= _MAX_FILES:
                raise SpecError(f"more than {_MAX_FILES:,} files are imported")
            self.found.files[name] = here
            if here.suffix == ".py":
                waiting += self._imported(here, name)

    def _name(self, file: Path) -> str:
        root = next(root for root in self.roots if file.is_relative_to(root))
        return file.relative_to(root).as_posix()

    def _imported(self, file: Path, name: str) -> Iterator[Path]:
        package = name.removesuffix(".py").split("/")[:-1]
        for wanted in _wanted(_parse(file), package):
            yield from self._find(wanted)

    def _find(self, wanted: list[str]) -> list[Path]:
        """The files of a dotted name and of the packages around it."""
        for root in self.roots:
            files = _under(root, wanted)
            if files is not None:
                return files
        top = wanted[0]
        if top in sys.stdlib_module_names or top == "assay":
            return []
        spec = PathFinder.find_spec(top, sys.path)
        if spec is None:
            return []  # an optional import, or a mistake that loading will show
        places = list(spec.submodule_search_locations or ())
        origin = Path(spec.origin) if spec.origin else Path(places[0]) / "__init__.py"
        if is_installed(origin) or is_standard(origin):
            self.found.installed.add(top)
            return []
        self.roots.append((Path(places[0]) if places else origin).resolve().parent)
        return _under(self.roots[-1], wanted) or []


def _under(root: Path, wanted: list[str]) -> list[Path] | None:
    """Files of a dotted name in a folder, outermost first; None where its top is not there."""
    files: list[Path] = []
    here = root
    for depth, part in enumerate(wanted):
        module, package = here / f"{part}.py", here / part / "__init__.py"
        if package.is_file():
            files.append(package)
        elif module.is_file():
            return [*files, module]
        elif not (here / part).is_dir():
            return files if depth else _native(here, part)
        here = here / part
    return files or None


def _native(folder: Path, name: str) -> list[Path] | None:
    """A compiled module."""
    found = sorted(folder.glob(f"{name}.*.so"))
    return found[:1] or None


def _parse(file: Path) -> ast.Module:
    with storage(file):
        if file.stat().st_size > _MAX_BYTES:
            raise SpecError(f"{file}: larger than {_MAX_BYTES:,} bytes")
        data = file.read_bytes()
    try:
        return ast.parse(data, filename=file.name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = error.msg if isinstance(error, SyntaxError) else error
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise SpecError(f"{file}{line}: not Python: {said}") from None


def _wanted(tree: ast.Module, package: list[str]) -> Iterator[list[str]]:
    """Every dotted name that some statement may import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.split(".")
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            if base:
                yield base
            for alias in node.names:
                yield [*base, alias.name]
        elif isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func).rpartition(".")[2]
            first = node.args[0]
            if called in ("import_module", "__import__") and isinstance(first, ast.Constant):
                yield str(first.value).lstrip(".").split(".")
