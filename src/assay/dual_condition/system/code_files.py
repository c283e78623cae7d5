"""The code of a system: its command, the files that it names and imports, and their digests."""

from pathlib import Path

from assay.dual_condition.spec import DualSpec
from assay.dual_condition.system.method_command import method_words
from assay.errors import storage
from assay.files import stamp
from assay.folders import file_digest
from assay.method.closure import closure_of
from assay.method.registry import REGISTERED, MethodRef, parse_method


def words_of(spec: DualSpec) -> tuple[str, ...]:
    """The system's command; for a method, our own command that runs it."""
    if spec.system.method is None:
        return spec.system.command
    named = spec.system.method
    target, _, attribute = named.rpartition(":")
    if target.endswith(".py"):
        named = f"{spec.folder / target}:{attribute}"
    return method_words(parse_method(named, registered=REGISTERED), solved=spec.solved)


def code_files(spec: DualSpec) -> list[Path]:
    """The files that the command names, and the imports of those in Python."""
    folder = spec.folder.resolve()
    files: set[Path] = set()
    for word in words_of(spec):
        path = folder / word
        if not word or not path.is_file():
            continue
        files.add(path.resolve())
        if path.suffix == ".py":
            named = MethodRef(text=word, kind="file", target=str(path.resolve()), attribute="")
            files |= {file.resolve() for file in closure_of(named).files.values()}
    return sorted(files)


class FileDigests:
    """Digests of files, recomputed only after a file was written."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[int, ...] | None, str]] = {}

    def of(self, path: str) -> str:
        """The digest of a file's bytes; for a compiled file, those of its source."""
        source = source_of(Path(path))
        mark = stamp(source)
        if path not in self._known or self._known[path][0] != mark:
            with storage(source):
                self._known[path] = mark, file_digest(source)[1]
        return self._known[path][1]


def code_name(path: str, home: Path) -> str:
    """A code file as it is named in a record: relative to the spec's folder or to its package.

    A compiled file is represented by its source, whose bytes do not depend on the time of
    compilation.
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
    """The source of a compiled file, if it exists."""
    if path.suffix == ".pyc" and path.parent.name == "__pycache__":
        source = path.parent.parent / f"{path.name.partition('.')[0]}.py"
        if source.is_file():
            return source
    return path
