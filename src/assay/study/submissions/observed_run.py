"""What a sealed run opened, as the kernel saw it, held against its seal.

A file is accounted for by what it is: one of the laid-out copy, one that the run made, one of a
sealed distribution that has not changed since it was digested, one of Python's own library, or one
of a short list of the operating system's. Every other file is named: as code where it is code or
was run, else as a file. The operating system's shared libraries are taken as they are.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from assay.files import path_names, stamp
from assay.methods.installed_files import (
    is_elf,
    is_interpreter_file,
    is_standard_file,
    is_standard_folder,
    site_folders,
)
from assay.runs.result import Run
from assay.sandbox.job import Outcome
from assay.study.submissions.distributions import HOME, Stamps, digested_files
from assay.study.submissions.sealed_files import bytecode_of
from assay.study.submissions.spec import Seal

_CODE = frozenset(
    ".py .pyc .pyi .so .pyd .pth .js .mjs .rb .pl .jar .class .lua .jl .sh .wasm".split()
)
_SYSTEM = (
    *("/proc/", "/sys/devices/system/", "/sys/fs/cgroup/", "/etc/ssl/", "/usr/lib/ssl/"),
    *("/usr/share/zoneinfo/", "/usr/lib/locale/", "/usr/share/locale/"),
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
_QUIET_PEERS = ("unix:/var/run/nscd/", "unix:/run/nscd/")
_MOST_NAMED = 20


def observed_run(
    run: Run, outcomes: Sequence[Outcome], seal: Seal, folder: Path, *, whole: bool
) -> Run:
    """A sealed run with what its processes opened and the seal does not name.

    `whole` says that these processes were asked about every item.
    """
    if run.provenance is None:
        return run
    account = _Account(folder, digested_files(seal.distributions))
    code, files = set(run.provenance.unsealed_code), set[str]()
    for outcome in outcomes:
        own = frozenset(outcome.made)
        for path in outcome.run:
            if not is_interpreter_file(path) and not account.is_known(path, own):
                code.add(path)
        for path in outcome.read:
            if not account.is_known(path, own) and path not in code:
                (code if _is_code(path) else files).add(path)
        files |= {peer for peer in outcome.connected if not peer.startswith(_QUIET_PEERS)}
    told = replace(
        run.provenance,
        unsealed_code=path_names(code, most=_MOST_NAMED),
        unsealed_files=path_names(files, most=_MOST_NAMED),
        observed=whole and bool(outcomes) and not any(outcome.full for outcome in outcomes),
    )
    return replace(run, provenance=told)


class _Account:
    """Tells which files are accounted for."""

    def __init__(self, folder: Path, sealed: Stamps) -> None:
        self.own = (str(folder), str(bytecode_of(folder)))
        self.sealed = sealed
        places = {os.path.realpath(place) for place in (*site_folders(), str(HOME.parent))}
        self.folders = places | {os.path.dirname(path) for path in sealed}  # noqa: PTH120

    def is_known(self, path: str, made: frozenset[str]) -> bool:
        if any(_is_below(path, place) for place in self.own) or _is_made(path, made):
            return True
        if path.endswith("/"):
            real = path.rstrip("/")
            return (
                real in self.folders
                or is_standard_folder(real)
                or path.startswith(_SYSTEM)
                or any(_is_below(place, real) for place in self.own)
            )
        if path in self.sealed:
            return self.sealed[path] == stamp(Path(path))  # else it changed meanwhile
        return is_standard_file(path) or is_interpreter_file(path) or _is_system(path)


def _is_made(path: str, made: frozenset[str]) -> bool:
    """Whether a path was made by the run, or lies in a folder that was."""
    path = path.rstrip("/")
    while len(path) > 1:
        if path in made:
            return True
        path = os.path.dirname(path)  # noqa: PTH120 - fast
    return False


def _is_system(path: str) -> bool:
    if path.startswith(_SYSTEM) or path.endswith(_CONVERSIONS):
        return True
    folder, _, name = path.rpartition("/")
    if folder in ("/etc", "/usr/lib", "/usr/share/libc-bin") and name in _SYSTEM_FILES:
        return True
    return ".so" in name and path.startswith(_LIBRARIES) and is_elf(path)


def _is_code(path: str) -> bool:
    return os.path.splitext(path)[1] in _CODE or is_elf(path)  # noqa: PTH122 - fast


def _is_below(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")
