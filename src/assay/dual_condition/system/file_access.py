"""Sort the files that a run reached: state, code, declared and undeclared files.

Every run may read Python, installed packages, the folders of the operating system, and code in the
system's folder and on Python's path. Lists and digests, not names, decide what belongs to Python or
a package (`methods.installed_files`). Any other file must be declared: a file that a system carries
from run to run is state.
"""

import os
import shutil
import stat
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.method.accessed_files import (
    has_code_suffix,
    is_below,
    is_kernel_file,
    is_kernel_path,
    is_process_file,
    is_quiet_peer,
)
from assay.method.installed_files import (
    SITES,
    is_as_recorded,
    is_elf,
    is_interpreter_file,
    is_list_of_folders,
    is_recorded_folder,
    is_standard_file,
    is_standard_folder,
    links_on_the_way,
    links_to_python,
    site_folders,
)
from assay.sandbox.confine import in_shared_memory
from assay.sandbox.job import Outcome

_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc")
_OPEN = (*_SYSTEM, "/dev", "/var/run", "/var/lock")


@dataclass(frozen=True, kw_only=True)
class RunPaths:
    """The paths of a run: its own folder, its state, and production as seen from inside.

    `production` is None if production's own path shows the run's state.
    """

    root: Path
    state: Path
    aliases: tuple[Path, ...]
    production: Path | None
    private: bool


@dataclass(kw_only=True)
class Reached:
    """Paths by kind; `state` paths are relative to the state folder, the others absolute."""

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
        self.reads = [str(path.resolve()) for path in reads]
        files = [folder / word for word in named if word and (folder / word).is_file()]
        self.named = {str(path.resolve()) for path in files}
        places = [folder, *(path.resolve().parent for path in files), *map(Path, sys.path)]
        resolved = {str(path.resolve()) for path in places if str(path) not in ("", ".")}
        self.code_places = resolved - {"/"}
        prefixes = _prefixes(named)
        self.installed = _installed_places(prefixes)
        self.sites = frozenset(_sites(prefixes))
        program = shutil.which(named[0]) if named else None
        ways = [
            str(folder),
            str(Path.home()),
            tempfile.gettempdir(),
            *map(str, reads),
            program or "",
        ]
        self.links = links_to_python() | {link for way in ways for link in links_on_the_way(way)}
        self._known: dict[str, tuple[str, str | None]] = {}

    def sort(self, outcome: Outcome, place: RunPaths) -> Reached:
        """What a run reached, according to its outcome."""
        reached = Reached()
        for path in (*outcome.read, *outcome.run):
            self._read(path, place, reached)
        for path in outcome.metadata:
            self._metadata(path, place, reached)
        for path in outcome.written:
            self._written(path, place, reached)
        reached.peers = {peer for peer in outcome.connected if not _is_own_socket(peer, place)}
        return reached

    def _read(self, path: str, place: RunPaths, reached: Reached) -> None:
        inner = _inner(path, (place.state, *place.aliases))
        if inner is not None:
            reached.state.add(inner)
            return
        if path.endswith("/"):
            self._listed(path, place, reached)
            return
        if is_below(path, str(place.root)):
            path = os.path.realpath(path)  # a link in the run's own folder may lead out of it
        real, kind = self._known.get(path) or self._kind(path)
        if place.production is not None and is_below(real, str(place.production)):
            reached.production.add(real)
        elif kind is None or is_below(real, str(place.root)):
            return
        elif kind == "shared":
            if not self._is_own_memory(real, place):
                reached.undeclared.add(real)
        else:
            getattr(reached, kind).add(real)

    def _metadata(self, path: str, place: RunPaths, reached: Reached) -> None:
        """Sort a link whose target was read, or a file whose attributes were read, by its path."""
        inner = _inner(path, (place.state, *place.aliases))
        if inner is not None:
            reached.state.add(inner)
        elif place.production is not None and is_below(path, str(place.production)):
            reached.production.add(path)
        elif _in(path, self.reads):
            reached.given.add(path)
        elif not (is_below(path, str(place.root)) or path in self.links or _is_open(path)):
            reached.undeclared.add(path)

    def _listed(self, path: str, place: RunPaths, reached: Reached) -> None:
        """Sort a folder that was listed: names can carry state too."""
        real = os.path.realpath(path)
        if place.production is not None and is_below(real, str(place.production)):
            reached.production.add(f"{real}/")
        elif not (is_below(real, str(place.root)) or self._may_be_listed(real)):
            reached.undeclared.add(f"{real}/")

    def _may_be_listed(self, real: str) -> bool:
        """Whether a folder may be listed: open to all, declared, or a folder of code."""
        if is_kernel_file(f"{real}/"):
            return True
        if _in(real, (*_SYSTEM, *self.reads)) or real in self.installed | self.code_places:
            return True
        if is_standard_folder(real) or is_recorded_folder(real, self.sites):
            return True
        if _in(real, self.installed):
            return False
        return _in(real, self.code_places) and _holds_code(real)

    def _kind(self, path: str) -> tuple[str, str | None]:
        """The target of a path and its kind; None for files open to all."""
        real = os.path.realpath(path)
        if is_kernel_path(real):  # a process's files are gone with it, and have no mode
            declared = "given" if _in(real, self.reads) else "undeclared"
            return real, None if is_kernel_file(real) else declared
        mode = _mode(real)
        if not mode or stat.S_ISDIR(mode):
            return real, None  # not cached: the file may appear later
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            return real, None if _in(real, self.reads) else "undeclared"
        self._known[path] = real, self._kind_of(real)
        return self._known[path]

    def _kind_of(self, real: str) -> str | None:
        code, installed = self._is_code(real), _in(real, self.installed)
        if real in self.named or (code and not installed):
            return "code"
        if is_standard_file(real) or is_interpreter_file(real):
            return None
        if installed and (is_as_recorded(real, self.sites) or code or is_elf(real)):
            # What sets Python up names places, and is no code of the system's.
            if real.endswith(".pth"):
                return (
                    None
                    if is_as_recorded(real, self.sites) or is_list_of_folders(real)
                    else "given"
                )
            return "given" if code or not is_as_recorded(real, self.sites) else None
        if _in(real, self.reads):
            return "given"
        if in_shared_memory(real):
            return "shared"
        return None if _in(real, _SYSTEM) else "undeclared"

    def _written(self, path: str, place: RunPaths, reached: Reached) -> None:
        inner = _inner(path, (place.state, *place.aliases))
        if inner is not None:
            reached.changed.add(inner)
            return
        real = os.path.realpath(path)
        if place.production is not None and is_below(real, str(place.production)):
            reached.production.add(real)
        own = is_below(real, str(place.root)) or self._is_own_memory(real, place)
        if not own and not is_process_file(real):
            reached.outside.add(real)

    def _is_own_memory(self, path: str, place: RunPaths) -> bool:
        """Whether a file is in the run's private memory: see `confine.isolate`."""
        named = (self.folder, place.root, *place.aliases)
        fresh = place.private and not any(in_shared_memory(str(path_named)) for path_named in named)
        return fresh and in_shared_memory(path)

    def _is_code(self, path: str) -> bool:
        return has_code_suffix(path) and _in(path, self.code_places)


def _is_own_socket(peer: str, place: RunPaths) -> bool:
    """Whether a peer is a socket in the run's own folder, or of the operating system."""
    if is_quiet_peer(peer):
        return True
    name = peer.removeprefix("unix:")
    if name == peer or not name.startswith("/"):
        return False
    return is_below(os.path.realpath(name), str(place.root))


def _holds_code(folder: str) -> bool:
    """Whether a folder has a code file, as a folder of imports does."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - fast
    except OSError:
        return False
    return any(map(has_code_suffix, names))


def _inner(path: str, roots: Iterable[Path]) -> str | None:
    """A path relative to the first of some folders that contains it; None if none does."""
    for root in map(str, roots):
        if is_below(path, root):
            return path[len(root) + 1 :] or "."
    return None


def _in(path: str, places: Iterable[str]) -> bool:
    return any(is_below(path, place) for place in places)


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode  # noqa: PTH116 - fast
    except OSError:
        return 0


def _prefixes(named: Sequence[str]) -> set[str]:
    """Where this Python is installed, and the program if it is given by its path."""
    prefixes = {sys.prefix, sys.base_prefix}
    program = Path(named[0]) if named else Path()
    if program.is_absolute() and program.parent.name == "bin":
        prefix = program.parent.parent
        if any(prefix.glob("lib/python*")) or (prefix / "lib" / "node_modules").is_dir():
            prefixes.add(str(prefix))
    return prefixes


def _sites(prefixes: Iterable[str]) -> set[str]:
    """The folders in which distributions are installed there."""
    found = set(map(os.path.realpath, site_folders()))
    for prefix in prefixes:
        for site in SITES:
            found |= set(map(os.path.realpath, Path(prefix).glob(f"lib/python*/{site}")))
    return found


def _is_open(path: str) -> bool:
    """Whether the target of a link is open to all."""
    return _in(path, _OPEN) or is_kernel_file(path)


def _installed_places(prefixes: Iterable[str]) -> set[str]:
    """The folders of Python, its packages and its programs."""
    paths = sysconfig.get_paths()
    installed = {paths["stdlib"], paths["platstdlib"], *site_folders()}
    installed |= {str(Path(prefix) / part) for prefix in prefixes for part in ("bin", "lib")}
    return {os.path.realpath(place) for place in installed} | installed
