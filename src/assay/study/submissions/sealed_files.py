"""Copy a sealed method for running: exactly the bytes that were sealed.

The copy runs, so later changes to the study's folder have no effect, and files that the method
writes beside itself stay out of the record.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from assay.digests import derive, digest
from assay.errors import IntegrityError, SpecError, storage
from assay.files import inside
from assay.folders import regular_members, remove
from assay.method.registry import REGISTERED, MethodRef, bundled, parse_method
from assay.models.cassette import Mode
from assay.models.recording import Recording
from assay.runs.worker_process import ProcessWorker
from assay.study.submissions.spec import Prereg, limits_of

_MAX_FILES = 10_000
_MAX_BYTES = 1 << 30
NOT_SEALED = ("__pycache__", ".DS_Store", "Thumbs.db")
SEAL = "seal.json"
RECORDING = "calls.jsonl"
"""The recording of a method over models. Where a submission has one, it is replayed."""


def folder_contents(folder: Path) -> dict[str, bytes]:
    """Every regular file below a folder except its seal; links and special files are refused."""
    contents = {}
    with storage(folder):
        for member in regular_members(
            folder,
            most_files=_MAX_FILES,
            most_bytes=_MAX_BYTES,
            skipped=lambda path: path.name in NOT_SEALED or path == folder / SEAL,
            hint="Only regular files can be sealed: copy it.",
        ):
            if not member.name.isprintable():
                raise SpecError(f"{member.name!a}: a file name must be UTF-8 and printable")
            if member.kind == "file":
                contents[member.name] = member.path.read_bytes()
    _check_case(contents, folder)
    return contents


def _check_case(contents: Mapping[str, bytes], folder: Path) -> None:
    folded: dict[str, str] = {}
    for name in contents:
        other = folded.setdefault(name.casefold(), name)
        if other != name:
            raise SpecError(
                f"{folder}: {other} and {name} differ only in case",
                hint="Some systems treat them as one file: rename one.",
            )


@contextmanager
def laid_out(contents: Mapping[str, bytes]) -> Iterator[Path]:
    """A temporary folder that holds these files and nothing else.

    Bytecode and temporary files go beside it.
    """
    with storage("a temporary folder"):
        made = tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True)
    with made as name:
        root = Path(name).resolve() / "files"
        _lay_out(contents, root)
        yield root


def _lay_out(contents: Mapping[str, bytes], root: Path) -> None:
    """Make a folder hold exactly these files, whatever a process left in it."""
    for place in own_folders(root):
        with storage(place):
            remove(place)
            place.mkdir()
    for relative, data in contents.items():
        path = inside(root, relative)
        with storage(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def bytecode_of(root: Path) -> Path:
    """The folder for bytecode compiled while a copied method runs."""
    return root.parent / "bytecode"


def temporary_of(root: Path) -> Path:
    """The folder for the temporary files of such a method."""
    return root.parent / "temporary"


def own_folders(root: Path) -> tuple[Path, ...]:
    """The folders of a copied method, which are fresh for each of its processes."""
    return root, bytecode_of(root), temporary_of(root)


def sealed_worker(
    method: str,
    folder: Path,
    *,
    prereg: Prereg,
    seed: int,
    on_print: Callable[[bytes], None] | None = None,
    watched: bool = False,
    contents: Mapping[str, bytes] | None = None,
) -> ProcessWorker:
    """An isolated worker for a method that was copied to a folder.

    Given the contents, they are copied again for each process after the first.
    """
    reference = _reference(method, folder)
    source = Path(reference.target) if reference.kind == "file" else None
    with storage(source):
        content = None if source is None else digest(source.read_bytes())
    return ProcessWorker(
        reference,
        method_digest=content,
        seed=derive(seed, "method"),
        limits=limits_of(prereg),
        passed=prereg.environment,
        on_print=on_print,
        folder=folder,
        bytecode=bytecode_of(folder),
        temporary=temporary_of(folder),
        watched=watched,
        before_restart=None if contents is None else partial(_lay_out, contents, folder),
        recording=sealed_recording(reference, folder),
    )


def sealed_recording(method: MethodRef, folder: Path) -> Recording | None:
    """The recording in a submission's folder, which is replayed; nothing else is asked then."""
    path = folder / RECORDING
    with storage(path):
        there = method.kind == "model" and path.is_file()
    return Recording(path=path, mode=Mode.REPLAY) if there else None


def _reference(method: str, folder: Path) -> MethodRef:
    """A method by a bundled name, by a module, or by a file in the folder."""
    target, _, attribute = method.rpartition(":")
    if bundled(method) is not None or not target.endswith(".py"):
        return parse_method(method, registered=REGISTERED, folder=folder)
    try:
        path = inside(folder, target)
    except IntegrityError as error:
        raise SpecError(f"prereg.toml: method = {method!r:.80}: {error.message}") from None
    with storage(path):
        present = path.is_file()
    if not present or not attribute.isidentifier():
        raise SpecError(
            f"prereg.toml: method = {method!r:.80}, but the folder has no such file and function"
        )
    return MethodRef(text=method, kind="file", target=str(path), attribute=attribute)
