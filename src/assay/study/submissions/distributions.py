"""Installed distributions by version, RECORD and the bytes of their files.

Assay's own package is one of them, whether it was installed or is being worked on: it asks the
questions, and a seal names it like everything else that decides what comes out.
"""

import csv
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from assay._version import __version__
from assay.digests import digest
from assay.errors import SpecError, StorageError, storage
from assay.study.submissions.spec import Distribution

if TYPE_CHECKING:
    from importlib import metadata  # slow to import, and a verification hardly ever asks

OURS = "assay-eval"
HOME = Path(__file__).resolve().parents[2]
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


def distributions_of(modules: Iterable[str]) -> dict[str, Distribution]:
    """The distributions that top-level modules belong to, what those require, and ours."""
    owners = _owners()
    waiting = [name for module in modules for name in owners.get(module, ())]
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


def our_requirements() -> set[str]:
    """The top-level modules of what Assay itself requires: a method of ours may use any."""
    installed = _installed(OURS)
    return set() if installed is None else modules_of(map(_plain, _required(installed)))


def modules_of(names: Iterable[str]) -> set[str]:
    """The top-level modules that distributions bring."""
    brought_by = set(names)
    owners = _owners().items()
    return {module for module, own in owners if brought_by & {_plain(name) for name in own}}


def _owners() -> Mapping[str, list[str]]:
    """Which distributions each top-level module belongs to."""
    from importlib import metadata

    try:
        return metadata.packages_distributions()
    except (TypeError, ValueError, OSError, csv.Error) as error:  # a damaged list of files
        raise StorageError(
            f"what is installed here cannot be listed: {error}",
            hint="Some RECORD is damaged: `pip check`, and install that distribution again.",
        ) from None


def _installed(name: str) -> "metadata.Distribution | None":
    from importlib import metadata

    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def _describe(installed: "metadata.Distribution") -> Distribution:
    record = None
    listed = []
    for file in installed.files or ():
        path = Path(str(installed.locate_file(file)))
        if file.name == "RECORD" and file.hash is None and path.is_file():
            with storage(path):
                record = digest(path.read_bytes())
        elif path.suffix != ".pyc":
            listed.append((file.as_posix(), path))
    listed = listed or list(_unlisted(installed.metadata["Name"]))
    if not listed:
        raise SpecError(
            f"{installed.metadata['Name']} lists no files, so it cannot be sealed",
            hint="Install it with pip, or copy it into the submission's folder.",
        )
    return Distribution(version=installed.version, record=record, content=_content(listed))


def _unlisted(name: str) -> Iterator[tuple[str, Path]]:
    """The files of a distribution that does not list them, by the modules it brings."""
    for module in sorted(modules_of({_plain(name)})):
        spec = PathFinder.find_spec(module, sys.path)
        places = [] if spec is None else [Path(p) for p in spec.submodule_search_locations or ()]
        for place in places:
            for path in sorted(place.rglob("*")):
                if path.is_file() and path.suffix != ".pyc":
                    yield f"{module}/{path.relative_to(place).as_posix()}", path
        if spec is not None and spec.origin is not None and not places:
            yield Path(spec.origin).name, Path(spec.origin)


def unowned(modules: Iterable[str]) -> list[str]:
    """Installed modules that belong to no distribution, so that nothing says what they are."""
    owners = _owners()
    return sorted(module for module in set(modules) if module not in owners and module != "assay")


def _ours() -> Distribution:
    """Assay by the files it is made of, wherever they are."""
    installed = _installed(OURS)
    record = None if installed is None else _describe(installed).record
    files = (path for path in HOME.rglob("*") if path.is_file() and path.suffix != ".pyc")
    listed = [(path.relative_to(HOME).as_posix(), path) for path in files]
    return Distribution(version=__version__, record=record, content=_content(listed))


def _content(listed: Iterable[tuple[str, Path]]) -> str:
    """One digest over names and bytes; a file that is gone counts as gone."""
    whole = hashlib.sha256()
    for name, path in sorted(listed):
        with storage(path):
            if path.is_file():
                with path.open("rb") as file:
                    sha = hashlib.file_digest(file, "sha256").hexdigest()
            else:
                sha = "gone"
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
