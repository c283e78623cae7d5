"""Recognise files of Python itself and of installed distributions, by content.

Names prove nothing: a memory can be called `pyvenv.cfg` or end in `.so`. A file belongs to a
distribution if its RECORD lists it with the file's digest. A file belongs to the standard library
if it is in the interpreter's own library, under a name that the interpreter lists.
"""

import base64
import csv
import hashlib
import os
import sys
import sysconfig
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from assay.files import stamp

SITES = ("site-packages", "dist-packages")
_LIBRARY = os.path.realpath(os.path.dirname(os.__file__))  # noqa: PTH120
_CODE = (".py", ".pyc", ".so")
_GRAMMAR = "lib2to3/"
_SETTINGS = frozenset(
    {
        *("home", "include-system-site-packages", "version", "version_info", "executable"),
        *("implementation", "uv", "virtualenv", "relocatable", "seed", "command"),
        *("base-prefix", "base-exec-prefix", "base-executable"),
    }
)
"""The allowed keys of `pyvenv.cfg`. A prompt is free text, which Python does not need."""
_LONGEST_SETTINGS = 4096
_MOST_LINKS = 40
_digests: dict[str, tuple[tuple[int, ...] | None, str]] = {}


def site_folders() -> list[str]:
    """The folders of installed distributions, as they are on the path."""
    paths = sysconfig.get_paths()
    listed = [entry for entry in sys.path if entry.endswith(SITES)]
    return list(dict.fromkeys([*listed, paths["purelib"], paths["platlib"]]))


def sha256_of(path: str) -> str:
    """The digest of a file in hexadecimal; cached until the file is written."""
    mark = stamp(Path(path))
    known = _digests.get(path)
    if known is None or known[0] != mark or mark is None:
        with open(path, "rb") as file:  # noqa: PTH123 - for many files
            known = mark, hashlib.file_digest(file, "sha256").hexdigest()
        _digests[path] = known
    return known[1]


def recorded(place: str) -> Mapping[str, str | None]:
    """All files that the RECORDs of a folder's distributions list, with their SHA-256."""
    listed: dict[str, str | None] = {}
    for record in Path(place).glob("*.dist-info/RECORD"):
        with suppress(OSError), record.open(encoding="utf-8", errors="replace", newline="") as file:
            for row in csv.reader(file):
                if row:
                    listed[row[0]] = hexadecimal(row[1]) if len(row) > 1 else None
    return listed


_recorded_once = cache(recorded)


def hexadecimal(listed: str) -> str | None:
    """A digest from RECORD, in hexadecimal; None if it is not SHA-256."""
    kind, _, text = listed.partition("=")
    if kind != "sha256":
        return None
    try:
        return base64.urlsafe_b64decode(f"{text}{'=' * (-len(text) % 4)}").hex()
    except ValueError:
        return None


def is_as_recorded(path: str, sites: Collection[str]) -> bool:
    """Whether a RECORD in one of `sites` lists a file, and the file has the digest listed."""
    found = [_recorded_once(place).get(inner) for place, inner in _in_sites(path, sites)]
    listed = [digest for digest in found if digest is not None]
    with suppress(OSError):
        return bool(listed) and sha256_of(path) in listed
    return False


def is_recorded_folder(path: str, sites: Collection[str]) -> bool:
    """Whether a folder is one of `sites`, or has files that a distribution there lists."""
    return path in sites or any(
        inner.rstrip("/") in _recorded_folders(place) for place, inner in _in_sites(path, sites)
    )


@cache
def _recorded_folders(place: str) -> frozenset[str]:
    found: set[str] = set()
    for name in _recorded_once(place):
        folder = name.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def _in_sites(path: str, sites: Collection[str]) -> Iterator[tuple[str, str]]:
    """The `sites` that a file's distribution may be in, and its path in a RECORD there.

    The name of a folder proves nothing: any may be called `site-packages`.
    """
    for place in sites:
        prefix = place.rpartition("/lib/")[0]
        if path.startswith(f"{place}/"):
            yield place, path.removeprefix(f"{place}/")
        elif prefix and path.startswith(f"{prefix}/bin/"):  # the programs of its distributions
            yield place, os.path.relpath(path, place)


def is_standard_file(path: str) -> bool:
    """Whether a file is one of the standard library, by the interpreter's own list of modules."""
    inner = path.removeprefix(f"{_LIBRARY}/")
    if inner == path or any(f"/{site}/" in path for site in SITES):
        return False
    inner = inner.removeprefix("lib-dynload/").removeprefix("__pycache__/")
    top = inner.partition("/")[0].partition(".")[0]
    known = top in sys.stdlib_module_names or top.startswith("_sysconfigdata")
    return known and (inner.endswith(_CODE) or inner.startswith(_GRAMMAR))


def is_standard_folder(path: str) -> bool:
    """Whether a folder is the standard library's, or one in it."""
    inside = path == _LIBRARY or path.startswith(f"{_LIBRARY}/")
    return inside and not any(f"/{site}" in path for site in SITES)


def is_list_of_folders(path: str) -> bool:
    """Whether a `.pth` file only names existing folders."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return False
    return all(os.path.isdir(line) for line in lines if line.strip())  # noqa: PTH112


def is_elf(path: str) -> bool:
    """Whether a file is a program or a library in the system's format."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - fast
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def links_on_the_way(path: str) -> set[str]:
    """The links that are read when a path is resolved, including those they lead through.

    A link whose target is not a plain path is left out: redundant parts could hide a message.
    """
    found: set[str] = set()
    place, rest = "/", os.path.abspath(path).split("/")[::-1]  # noqa: PTH100 - no link followed
    while rest and len(found) < _MOST_LINKS:
        part = rest.pop()
        if part in ("", "."):
            continue
        if part == "..":
            place = os.path.dirname(place)  # noqa: PTH120
            continue
        place = f"{place.rstrip('/')}/{part}"
        try:
            target = os.readlink(place)  # noqa: PTH115
        except OSError:
            continue
        if os.path.normpath(target) == target:
            found.add(place)
        rest += target.split("/")[::-1]
        place = "/" if target.startswith("/") else os.path.dirname(place)  # noqa: PTH120
    return found


def links_to_python() -> set[str]:
    """The links on the way to this interpreter, its library and what is on its path."""
    known = (sys.executable, sys.prefix, sys.base_prefix, os.__file__, *sys.path, *site_folders())
    return {link for path in known if path for link in links_on_the_way(path)}


def is_interpreter_file(path: str) -> bool:
    """Whether a file is this interpreter, its library, or the settings of its environment."""
    return path in _interpreter() or (path in _settings() and _is_settings(path))


@cache
def _interpreter() -> frozenset[str]:
    named = [sys.executable]
    folder, library = (sysconfig.get_config_var(name) for name in ("LIBDIR", "INSTSONAME"))
    if folder and library:
        named += [f"{folder}/{library}", f"{sys.base_prefix}/lib/{library}"]
    return frozenset(os.path.realpath(path) for path in named)


@cache
def _settings() -> frozenset[str]:
    """Where Python looks for the settings of a virtual environment."""
    folders = {Path(sys.prefix), Path(sys.executable).parent, Path(sys.executable).parent.parent}
    return frozenset(os.path.realpath(folder / "pyvenv.cfg") for folder in folders)


def _is_settings(path: str) -> bool:
    """Whether a file holds only what Python and installers write into `pyvenv.cfg`."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    lines = [line.partition("=") for line in text.splitlines() if line.strip()]
    keys = [key.strip() for key, _, _ in lines]
    known = all(key in _SETTINGS and sign for key, (_, sign, _) in zip(keys, lines, strict=True))
    return known and len(set(keys)) == len(keys) and len(text) <= _LONGEST_SETTINGS
