"""A sealed method laid out for running: a copy of exactly the bytes that were sealed.

The copy is what runs, so nothing that happens to the study's folder meanwhile changes anything,
and what the method writes beside itself stays out of the record.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from assay.digests import digest
from assay.errors import IntegrityError, SpecError, StorageError, storage
from assay.files import inside
from assay.methods.reference import MethodRef, parse_method
from assay.methods.registry import REGISTERED
from assay.runs.result import Limits
from assay.runs.worker_process import ProcessWorker
from assay.seeds import derive
from assay.study.submissions.spec import Prereg

_MAX_FILES = 10_000
_MAX_BYTES = 1 << 30
NOT_SEALED = ("__pycache__", ".DS_Store", "Thumbs.db")
SEAL = "seal.json"


def folder_contents(folder: Path) -> dict[str, bytes]:
    """Every regular file below a folder but its seal; links and special files are refused."""
    found: dict[str, bytes] = {}
    total = 0
    with storage(folder):
        for here, folders, files in os.walk(folder, onerror=_say):
            folders[:] = sorted(name for name in folders if name not in NOT_SEALED)
            for name in sorted({*files, *folders} - set(NOT_SEALED)):
                path = Path(here, name)
                relative = path.relative_to(folder).as_posix()
                _check_plain(path, relative)
                if path.is_dir() or relative == SEAL:
                    continue
                total += path.stat().st_size
                if total > _MAX_BYTES or len(found) >= _MAX_FILES:
                    raise SpecError(
                        f"{folder}: more than {_MAX_FILES:,} files or {_MAX_BYTES:,} bytes",
                        hint="Keep to what the method needs.",
                    )
                found[relative] = path.read_bytes()
    _check_case(found, folder)
    return found


def _say(error: OSError) -> None:
    raise StorageError(f"{error.filename}: {error.strerror}")


def _check_plain(path: Path, name: str) -> None:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise SpecError(f"{name!a}: a file name must be UTF-8") from None
    if not name.isprintable():
        raise SpecError(f"{name!a}: a file name must be printable")
    if path.is_symlink():
        raise SpecError(
            f"{name} is a symbolic link", hint="Only regular files can be sealed: copy it."
        )
    if not (path.is_file() or path.is_dir()):
        raise SpecError(f"{name} is no regular file, and only those can be sealed")


def _check_case(found: Mapping[str, bytes], folder: Path) -> None:
    folded: dict[str, str] = {}
    for name in found:
        other = folded.setdefault(name.casefold(), name)
        if other != name:
            raise SpecError(
                f"{folder}: {other} and {name} differ only in case",
                hint="Some systems would take them for one file: rename one.",
            )


@contextmanager
def laid_out(contents: Mapping[str, bytes]) -> Iterator[Path]:
    """A temporary folder that holds these files and nothing else."""
    with storage("a temporary folder"):
        made = tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True)
    with made as name:
        root = Path(name).resolve()
        for relative, data in contents.items():
            path = inside(root, relative)
            with storage(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        yield root


def sealed_worker(
    method: str,
    folder: Path,
    *,
    prereg: Prereg,
    seed: int,
    on_print: Callable[[bytes], None] | None = None,
) -> ProcessWorker:
    """A worker for a method that was laid out in a folder."""
    limits = limits_of(prereg)
    reference = _reference(method, folder)
    source = Path(reference.target) if reference.kind == "file" else None
    with storage(source):
        content = None if source is None else digest(source.read_bytes())
    return ProcessWorker(
        reference,
        method_digest=content,
        seed=derive(seed, "method"),
        limits=limits,
        passed=prereg.environment,
        on_print=on_print,
        folder=folder,
    )


def limits_of(prereg: Prereg) -> Limits:
    """The deadlines that were written down."""
    return Limits(item_seconds=prereg.item_seconds, load_seconds=prereg.load_seconds)


def _reference(method: str, folder: Path) -> MethodRef:
    """A method by its name of ours, by module, or by a file that lies in the folder."""
    target, _, attribute = method.rpartition(":")
    if method in REGISTERED or not target.endswith(".py"):
        return parse_method(method, registered=REGISTERED)
    try:
        path = inside(folder, target)
    except IntegrityError as error:
        raise SpecError(f"prereg.toml: method = {method!r:.80}: {error.message}") from None
    with storage(path):
        there = path.is_file()
    if not there or not attribute.isidentifier():
        raise SpecError(
            f"prereg.toml: method = {method!r:.80}, and the folder has no such file and function"
        )
    return MethodRef(text=method, kind="file", target=str(path), attribute=attribute)
