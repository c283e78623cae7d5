"""What a run reached, sorted: its state, its code, what it was given, and what nobody declared.

Python and what is installed for it, and the folders of the operating system, are open to every run;
code is, in the system's folder and wherever Python looks for it. Any other file has to be declared:
what a system reads beside its state and carries from run to run would be state all the same.
"""

import os
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.evidence.isolated.keeper import Outcome
from assay.evidence.isolated.namespace import in_shared_memory

_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc", "/proc", "/sys", "/dev")
_CODE = frozenset(
    ".py .pyc .pyi .so .pyd .pth .js .mjs .cjs .ts .rb .pl .jar .class .lua .jl .sh .wasm".split()
)
_OWN_NAMES = frozenset({"pyvenv.cfg"})
_SINKS = frozenset({"/dev/null", "/dev/tty", "/dev/zero", "/dev/full"})
_QUIET_PEERS = frozenset({"unix:/var/run/nscd/socket", "unix:/run/nscd/socket"})


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a run has what: its own folder, its state, and how production looks from inside.

    `production` is None where production's own path shows the run's state.
    """

    root: Path
    state: Path
    aliases: tuple[Path, ...]
    production: Path | None
    private: bool


@dataclass(kw_only=True)
class Reached:
    """Paths by what they are; `state` seen from the state folder, the others absolute."""

    state: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    code: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    undeclared: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)
    production: set[str] = field(default_factory=set)
    peers: set[str] = field(default_factory=set)


class Sorter:
    """Sorts what runs of a system reached; `named` are the words of its command."""

    def __init__(self, folder: Path, named: Sequence[str], reads: Sequence[Path]) -> None:
        self.folder = folder
        self.reads = [path.resolve() for path in reads]
        self.named = {
            (folder / word).resolve() for word in named if word and (folder / word).is_file()
        }
        places = [folder, *(path.parent for path in self.named), *map(Path, sys.path)]
        self.code_places = {path.resolve() for path in places if str(path) not in ("", "/")}
        self.installed = _installed_places(named)
        self.standard = _standard_places()

    def sort(self, outcome: Outcome, place: Place) -> Reached:
        """What an outcome says that a run reached."""
        found = Reached()
        for path in (*outcome.read, *outcome.run):
            self._read(Path(path), place, found)
        for path in outcome.written:
            self._written(path, place, found)
        found.peers = set(outcome.connected) - _QUIET_PEERS
        return found

    def _read(self, path: Path, place: Place, found: Reached) -> None:
        inner = _inner(path, (place.state, *place.aliases))
        if inner is not None:
            found.state.add(inner)
            return
        real = Path(os.path.realpath(path))
        if place.production is not None and real.is_relative_to(place.production):
            found.production.add(str(real))
        elif real.is_relative_to(place.root) or not (real.is_file() or real.is_fifo()):
            return
        elif real in self.named or (self._is_code(real) and not self._is_installed(real)):
            found.code.add(str(real))
        elif self._is_installed(real):
            if self._is_code(real) and not self._is_standard(real):
                found.given.add(str(real))
        elif any(real.is_relative_to(one) for one in self.reads):
            found.given.add(str(real))
        elif self._is_own_memory(real, place):
            return
        elif in_shared_memory(str(real)) or not _in(real, _SYSTEM):
            found.undeclared.add(str(real))

    def _written(self, text: str, place: Place, found: Reached) -> None:
        path = Path(text)
        inner = _inner(path, (place.state, *place.aliases))
        if inner is not None:
            found.changed.add(inner)
            return
        real = Path(os.path.realpath(path))
        if place.production is not None and real.is_relative_to(place.production):
            found.production.add(str(real))
        own = real.is_relative_to(place.root) or self._is_own_memory(real, place)
        if not own and str(real) not in _SINKS and not str(real).startswith("/proc/"):
            found.outside.add(str(real))

    def _is_own_memory(self, path: Path, place: Place) -> bool:
        """Whether a file is in memory that the run shares with nobody: see `namespace.enter`."""
        named = (self.folder, place.root, *place.aliases)
        fresh = place.private and not any(in_shared_memory(str(one)) for one in named)
        return fresh and in_shared_memory(str(path))

    def _is_code(self, path: Path) -> bool:
        return path.suffix in _CODE and any(path.is_relative_to(one) for one in self.code_places)

    def _is_standard(self, path: Path) -> bool:
        packaged = {"site-packages", "dist-packages"} & set(path.parts)
        return _in(path, self.standard) and not packaged

    def _is_installed(self, path: Path) -> bool:
        return path.name in _OWN_NAMES or _in(path, self.installed)


def _inner(path: Path, roots: Iterable[Path]) -> str | None:
    """A path as seen from the first of some folders that it lies in; None where in none."""
    for root in roots:
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return None


def _in(path: Path, places: Iterable[str]) -> bool:
    return any(path.is_relative_to(place) for place in places)


def _installed_places(named: Sequence[str]) -> set[str]:
    """Where Python and its packages are; and, of a program given by its path, where its own are."""
    paths = sysconfig.get_paths()
    found = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    found |= {str(Path(prefix) / part) for prefix in _prefixes(named) for part in ("bin", "lib")}
    return {os.path.realpath(place) for place in found} | found


def _standard_places() -> set[str]:
    """Where Python's own modules are: named by its version, and no part of a system's code."""
    paths = sysconfig.get_paths()
    return {os.path.realpath(paths[name]) for name in ("stdlib", "platstdlib")}


def _prefixes(named: Sequence[str]) -> set[str]:
    found = {sys.prefix, sys.base_prefix}
    program = Path(named[0]) if named else Path()
    if program.is_absolute() and program.parent.name == "bin":
        prefix = program.parent.parent
        if any(prefix.glob("lib/python*")) or (prefix / "lib" / "node_modules").is_dir():
            found.add(str(prefix))
    return found


def code_name(path: str, home: Path) -> str:
    """A code file as it is named in a record: seen from the spec's folder or from its package.

    What was read compiled goes by its source, whose bytes do not tell when it was compiled.
    """
    real = source_of(Path(path))
    if real.is_relative_to(home):
        return real.relative_to(home).as_posix()
    for place in ("site-packages", "dist-packages"):
        if place in real.parts:
            at = len(real.parts) - 1 - real.parts[::-1].index(place)
            return "/".join(real.parts[at:])
    return "/".join(real.parts[-2:])


def source_of(path: Path) -> Path:
    """The source of a compiled file, where it is there."""
    if path.suffix == ".pyc" and path.parent.name == "__pycache__":
        source = path.parent.parent / f"{path.name.partition('.')[0]}.py"
        if source.is_file():
            return source
    return path
