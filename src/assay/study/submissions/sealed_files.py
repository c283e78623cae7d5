"""A sealed method laid out for running: a copy of exactly the bytes that were sealed.

The copy is what runs, so nothing that happens to the study's folder meanwhile changes anything,
and what the method writes beside itself stays out of the record.
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
from assay.method.registry import REGISTERED, MethodRef, parse_method
from assay.runs.worker_process import ProcessWorker
from assay.study.submissions.spec import Prereg, limits_of

_MAX_FILES = 10_000
_MAX_BYTES = 1 << 30
NOT_SEALED = ("__pycache__", ".DS_Store", "Thumbs.db")
SEAL = "seal.json"


def folder_contents(folder: Path) -> dict[str, bytes]:
    """Every regular file below a folder but its seal; links and special files are refused."""
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
                hint="Some systems would take them for one file: rename one.",
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
    """Have a folder hold these files and nothing else, whatever a process left in it."""
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
    """Where bytecode goes that is compiled while a method runs, which was laid out in a folder."""
    return root.parent / "bytecode"


def temporary_of(root: Path) -> Path:
    """Where the temporary files of such a method go."""
    return root.parent / "temporary"


def own_folders(root: Path) -> tuple[Path, ...]:
    """The folders of a laid-out method, which are as new for each of its processes."""
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
    """An isolated worker for a method that was laid out in a folder.

    Given its contents, they are laid out again for each process that follows the first.
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
    )


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
        present = path.is_file()
    if not present or not attribute.isidentifier():
        raise SpecError(
            f"prereg.toml: method = {method!r:.80}, and the folder has no such file and function"
        )
    return MethodRef(text=method, kind="file", target=str(path), attribute=attribute)
