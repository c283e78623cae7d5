"""Compare what a sealed run opened, as the kernel reported it, with its seal.

These files are accounted for: the copied files of the method, files that the run made, files of a
sealed distribution that have not changed since they were digested, weights with the digest in the
seal, Python's own library, and a short list of the operating system's. Every other file is named:
as code if it is code or was run, else as a file. The operating system's shared libraries are
accepted as they are.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from assay.files import path_names, stamp
from assay.method.accessed_files import (
    TERMINALS,
    has_code_suffix,
    is_below,
    is_kernel_file,
    is_process_file,
    is_quiet_peer,
)
from assay.method.installed_files import (
    is_elf,
    is_interpreter_file,
    is_standard_file,
    is_standard_folder,
    links_on_the_way,
    links_to_python,
    site_folders,
)
from assay.runs.result import Run
from assay.sandbox.job import Outcome
from assay.study.submissions.asked_models import sealed_weights
from assay.study.submissions.distributions import HOME, Stamps, digested_files
from assay.study.submissions.sealed_files import own_folders
from assay.study.submissions.spec import Seal

_SYSTEM = (
    *("/etc/ssl/", "/usr/lib/ssl/", "/usr/share/zoneinfo/", "/usr/lib/locale/"),
    "/usr/share/locale/",
)
_SYSTEM_FILES = frozenset(
    {
        *("ld.so.cache", "localtime", "timezone", "locale.alias", "nsswitch.conf", "passwd"),
        *("group", "hosts", "host.conf", "resolv.conf", "gai.conf", "services", "protocols"),
        *("mime.types", "os-release"),
    }
)
_CONVERSIONS = "/gconv/gconv-modules.cache"
_LIBRARIES = ("/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/")
_SYSTEM_LINKS = frozenset(
    {
        *("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/var/run", "/var/lock", "/etc/localtime"),
        *("/etc/resolv.conf", "/etc/os-release", "/dev/fd", "/dev/stdin", "/dev/stdout"),
        "/dev/stderr",
    }
)
_MOST_NAMED = 20


def observed_run(
    run: Run, outcomes: Sequence[Outcome], seal: Seal, folder: Path, *, whole: bool
) -> Run:
    """A sealed run, and what its processes opened that the seal does not name.

    `whole` means that these processes answered every item.
    """
    if run.provenance is None:
        return run
    sealed = digested_files(seal.distributions) | sealed_weights(seal, folder)
    account = _Account(folder, sealed)
    code, files = set(run.provenance.unsealed_code), set[str]()
    for outcome in outcomes:
        own = frozenset(outcome.made)
        for path in outcome.run:
            if not is_interpreter_file(path) and not account.is_known(path, own):
                code.add(path)
        for path in outcome.read:
            if not account.is_known(path, own) and path not in code:
                (code if _is_code(path) else files).add(path)
        files |= {path for path in outcome.metadata if not account.is_usual(path, own)}
        files |= {peer for peer in outcome.connected if not account.is_own_socket(peer, own)}
    files |= account.left_behind(outcomes)
    told = replace(
        run.provenance,
        unsealed_code=path_names(code, most=_MOST_NAMED),
        unsealed_files=path_names(files, most=_MOST_NAMED),
        observed=whole and bool(outcomes) and not any(outcome.full for outcome in outcomes),
    )
    return replace(run, provenance=told)


class _Account:
    """Decides which files are accounted for."""

    def __init__(self, folder: Path, sealed: Stamps) -> None:
        self.own = tuple(map(str, own_folders(folder)))
        self.sealed = sealed
        places = {os.path.realpath(place) for place in (*site_folders(), str(HOME.parent))}
        ways = (folder, Path.home(), HOME, tempfile.gettempdir())
        self.links = links_to_python() | {
            link for way in ways for link in links_on_the_way(str(way))
        }
        self.folders = places | {os.path.dirname(path) for path in sealed}  # noqa: PTH120

    def is_own(self, path: str, made: frozenset[str]) -> bool:
        """Whether a path is in the run's own folders, or in a folder that it made."""
        return any(is_below(path, place) for place in self.own) or _is_made(path, made)

    def left_behind(self, outcomes: Sequence[Outcome]) -> set[str]:
        """Files outside the run's folders that changed between processes, by the run or by others.

        A method can check that such a file exists without opening it, and so detect the probe.
        """
        changed = Counter(path for outcome in outcomes for path in set(outcome.written))
        return {
            path
            for path, processes in changed.items()
            if not any(is_below(path, place) for place in self.own)
            and not is_process_file(path)
            and (processes > 1 or os.path.lexists(path) or path.startswith(TERMINALS))
        }

    def is_usual(self, path: str, made: frozenset[str]) -> bool:
        """Whether a link only leads to a known file; attributes never count as known."""
        if self.is_own(path, made):
            return True
        if not os.path.islink(path):  # noqa: PTH114 - fast
            return False
        return (
            path in self.links
            or path in _SYSTEM_LINKS
            or path.startswith(_SYSTEM)
            or is_kernel_file(path)
            or _is_library(path)
        )

    def is_own_socket(self, peer: str, made: frozenset[str]) -> bool:
        """Whether a peer is a socket in such a folder, or of the operating system."""
        path = peer.removeprefix("unix:")
        if path == peer or not path.startswith("/"):
            return False
        return is_quiet_peer(peer) or self.is_own(path, made)

    def is_known(self, path: str, made: frozenset[str]) -> bool:
        if self.is_own(path, made):
            return True
        if path.endswith("/"):
            real = path.rstrip("/")
            return (
                real in self.folders
                or is_standard_folder(real)
                or path.startswith(_SYSTEM)
                or is_kernel_file(path)
            )
        if path in self.sealed:
            return self.sealed[path] == stamp(Path(path))  # else it changed meanwhile
        return is_standard_file(path) or is_interpreter_file(path) or _is_system(path)


def _is_made(path: str, made: frozenset[str]) -> bool:
    """Whether a path, or a folder above it, was made by the run."""
    path = path.rstrip("/")
    while len(path) > 1:
        if path in made:
            return True
        path = os.path.dirname(path)  # noqa: PTH120 - fast
    return False


def _is_system(path: str) -> bool:
    if path.startswith(_SYSTEM) or is_kernel_file(path):
        return True
    if path.startswith(_LIBRARIES) and path.endswith(_CONVERSIONS):
        return True
    folder, _, name = path.rpartition("/")
    if folder in ("/etc", "/usr/lib", "/usr/share/libc-bin") and name in _SYSTEM_FILES:
        return True
    return _is_library(path)


def _is_library(path: str) -> bool:
    name = path.rpartition("/")[2]
    return ".so" in name and path.startswith(_LIBRARIES) and is_elf(path)


def _is_code(path: str) -> bool:
    return has_code_suffix(path) or is_elf(path)
