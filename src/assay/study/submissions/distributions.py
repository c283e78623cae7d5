"""Installed distributions: version, RECORD, and the bytes of their files on disk.

A distribution's files are those that it lists and those in its folders without being listed; the
latter are named. Bytecode that Python keeps beside the source is left out: a sealed method's
process does not load it. Assay's own package is included, whether installed or under development:
it asks the questions, and a seal names everything that decides the outputs.
"""

import csv
import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from assay._version import __version__
from assay.digests import digest
from assay.errors import SpecError, StorageError, storage
from assay.files import path_names, stamp
from assay.method.installed_files import hexadecimal, recorded, sha256_of, site_folders
from assay.study.submissions.spec import Distribution

if TYPE_CHECKING:
    from importlib import metadata  # slow to import, and a verification hardly ever asks

OURS = "assay-eval"
HOME = Path(__file__).resolve().parents[2]
_BYTECODE = "__pycache__"
_GONE = "gone"
_MOST_NAMED = 50
Stamps = dict[str, tuple[int, ...] | None]
_stamps: dict[str, Stamps] = {}
"""Every file of a distribution as it was when last digested here."""
_known_owners: dict[tuple[object, ...], Mapping[str, list[str]]] = {}
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


def distributions_of(modules: Iterable[str]) -> dict[str, Distribution]:
    """The distributions of top-level modules, their requirements, and ours."""
    wanted = set(modules)
    owners = _owners() if wanted else {}
    waiting = [name for module in sorted(wanted) for name in owners.get(module, ())]
    described: dict[str, Distribution] = {OURS: _ours()}
    while waiting:
        name = _plain(waiting.pop())
        if name in described:
            continue
        installed = _installed(name)
        if installed is not None:  # else an optional requirement
            described[name] = _describe(installed)
            waiting += _required(installed)
    return dict(sorted(described.items()))


def installed_now(names: Iterable[str]) -> dict[str, Distribution]:
    """Installed distributions by name; missing ones are left out."""
    found = {}
    for name in names:
        installed = None if name == OURS else _installed(name)
        if name == OURS:
            found[name] = _ours()
        elif installed is not None:
            found[name] = _describe(installed)
    return found


def digested_files(names: Iterable[str]) -> Stamps:
    """The files of distributions with their stamps when last digested."""
    known = list(names)
    installed_now(name for name in known if name not in _stamps)
    return {path: mark for name in known for path, mark in _stamps.get(name, {}).items()}


def our_requirements() -> set[str]:
    """The top-level modules of Assay's own requirements: a bundled method may use any of them."""
    installed = _installed(OURS)
    return set() if installed is None else modules_of(map(_plain, _required(installed)))


def modules_of(names: Iterable[str]) -> set[str]:
    """The top-level modules of distributions."""
    brought_by = set(names)
    owners = _owners().items()
    return {module for module, own in owners if brought_by & {_plain(name) for name in own}}


def _owners() -> Mapping[str, list[str]]:
    """The distributions of each top-level module; computed again after an installation."""
    sites = [Path(place) for place in site_folders()]
    lists = (path for site in sites for path in sorted(site.glob("*.dist-info/RECORD")))
    mark = tuple((str(path), stamp(path)) for path in (*sites, *lists))
    if mark not in _known_owners:
        _known_owners.clear()
        _known_owners[mark] = _ask_owners()
    return _known_owners[mark]


def _ask_owners() -> Mapping[str, list[str]]:
    from importlib import metadata

    with _readable_lists():
        return metadata.packages_distributions()


@contextmanager
def _readable_lists() -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError, OSError, csv.Error) as error:  # a damaged list of files
        raise StorageError(
            f"the installed distributions cannot be listed: {error}",
            hint=("A RECORD file is damaged. Run `pip check`, and reinstall that distribution."),
        ) from None


def _installed(name: str) -> "metadata.Distribution | None":
    from importlib import metadata

    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def _describe(installed: "metadata.Distribution") -> Distribution:
    record, name = None, installed.metadata["Name"]
    own: Stamps = {}
    listed: dict[str, tuple[Path, str | None]] = {}
    with _readable_lists():
        files_listed = installed.files or ()
    for file in files_listed:
        path = Path(str(installed.locate_file(file)))
        if file.name == "RECORD" and file.hash is None and path.is_file():
            with storage(path):
                own[os.path.realpath(path)] = stamp(path)
                record = digest(path.read_bytes())
        elif file.parent.name != _BYTECODE:
            expected = None if file.hash is None else f"{file.hash.mode}={file.hash.value}"
            listed[file.as_posix()] = path, hexadecimal(expected or "")
    extra = _beside(Path(str(installed.locate_file(""))), listed) if record else {}
    files = {where: path for where, (path, _) in listed.items()} | extra
    files = files or dict(_unlisted(name))
    if not files:
        raise SpecError(
            f"{name} lists no files, so it cannot be sealed",
            hint="Install it with pip, or copy it into the submission's folder.",
        )
    digests = _digests(_plain(name), files)
    _stamps[_plain(name)] |= own
    altered = [
        where
        for where, (_, expected) in listed.items()
        if expected is not None and digests[where] not in (expected, _GONE)
    ]
    return Distribution(
        version=installed.version,
        record=record,
        content=_content(digests),
        unlisted=path_names(extra, most=_MOST_NAMED),
        altered=path_names(altered, most=_MOST_NAMED),
    )


def _beside(root: Path, listed: Iterable[str]) -> dict[str, Path]:
    """Files in the folders of a distribution that neither it nor another one lists."""
    known = {*listed}
    tops = {name.partition("/")[0] for name in known if "/" in name} - {"..", _BYTECODE}
    extra = {}
    with storage(root):
        for top in sorted(tops):
            for folder, folders, names in os.walk(root / top):
                if _BYTECODE in folders:
                    folders.remove(_BYTECODE)
                inner = Path(folder).relative_to(root).as_posix()
                for name in names:
                    where = f"{inner}/{name}"
                    if where not in known and not where.endswith(".dist-info/RECORD"):
                        extra[where] = Path(folder, name)
    others = recorded(str(root)) if extra else {}
    return {where: path for where, path in extra.items() if where not in others}


def _unlisted(name: str) -> Iterator[tuple[str, Path]]:
    """The files of a distribution that does not list them, found by its modules."""
    for module in sorted(modules_of({_plain(name)})):
        spec = PathFinder.find_spec(module, sys.path)
        places = [] if spec is None else [Path(p) for p in spec.submodule_search_locations or ()]
        for place in places:
            for path in sorted(place.rglob("*")):
                if path.is_file() and path.parent.name != _BYTECODE:
                    yield f"{module}/{path.relative_to(place).as_posix()}", path
        if spec is not None and spec.origin is not None and not places:
            yield Path(spec.origin).name, Path(spec.origin)


def unowned(modules: Iterable[str]) -> list[str]:
    """Installed modules that belong to no distribution."""
    wanted = set(modules) - {"assay"}
    owners = _owners() if wanted else {}
    return sorted(module for module in wanted if module not in owners)


def _ours() -> Distribution:
    """Assay, by its own files, wherever they are."""
    installed = _installed(OURS)
    record = None
    with _readable_lists():
        listed = (None if installed is None else installed.files) or ()
    for file in listed:
        path = Path(str(file.locate()))
        if file.name == "RECORD" and path.is_file():
            with storage(path):
                record = digest(path.read_bytes())
    files = (path for path in HOME.rglob("*") if path.is_file() and path.parent.name != _BYTECODE)
    digests = _digests(OURS, {path.relative_to(HOME).as_posix(): path for path in files})
    return Distribution(version=__version__, record=record, content=_content(digests))


def _digests(owner: str, files: Mapping[str, Path]) -> dict[str, str]:
    """The digest of every file by its name; a missing file is recorded as missing."""
    digests: dict[str, str] = {}
    stamps: Stamps = {}
    folders: dict[str, str] = {}
    with storage(owner):
        for name, path in files.items():
            folder, _, last = str(path).rpartition("/")
            if folder not in folders:
                folders[folder] = os.path.realpath(folder)
            real = f"{folders[folder]}/{last}"
            if path.is_symlink():
                real = os.path.realpath(real)
            stamps[real] = stamp(Path(real))
            try:
                digests[name] = sha256_of(real)
            except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
                digests[name] = _GONE
    _stamps[owner] = stamps
    return digests


def _content(digests: Mapping[str, str]) -> str:
    """One digest over names and bytes."""
    whole = hashlib.sha256()
    for name, sha in sorted(digests.items()):
        whole.update(f"{sha} {name}\n".encode("utf-8", "backslashreplace"))
    return f"sha256:{whole.hexdigest()}"


def _required(installed: "metadata.Distribution") -> Iterator[str]:
    """The names that a distribution requires without extras."""
    for line in installed.requires or ():
        requirement, _, marker = line.partition(";")
        name = _REQUIREMENT.match(requirement)
        if name is not None and "extra" not in marker:
            yield name[1]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
