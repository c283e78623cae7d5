"""Folders that hold one table in several files: find the files of a split, in order.

A folder written by `save_to_disk` of Hugging Face datasets lists its files (`state.json`) and
splits (`dataset_dict.json`). In any other folder the file names decide:
`train-00000-of-00002.parquet` is the first shard of the split `train`, and a file with an
unnumbered name is its own split.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from assay.digests import parse_object
from assay.errors import SpecError, storage
from assay.files import is_record_path, read_bounded
from assay.folders import walk
from assay.tables.forms import LINES, TABLES, endings

_SPLITS, _STATE, _INFO = "dataset_dict.json", "state.json", "dataset_info.json"
_DESCRIBING = frozenset({_SPLITS, _STATE, _INFO, "dataset_infos.json", "config.json"})
_ROWS = frozenset({*LINES, *TABLES, ".json", ".parquet", ".arrow"})
_TOGETHER = (
    "To read files as one table, name them as its shards: NAME-00000-of-00002, NAME-00001-of-00002."
)
_MOST_STATE = 16 << 20
_MOST_FILES = 10_000
_MOST_NAMED = 20
_OF = re.compile(r"(?P<name>.+?)-(?P<number>\d{4,6})-of-(?P<total>\d{4,6})(?:-[0-9a-f]+)?")
_NUMBERED = re.compile(
    r"(?:(?P<name>.*?)[-_.])?(?P<number>\d{3,})|(?P<word>part|shard|chunk)[-_.]?(?P<count>\d+)"
)


@dataclass(frozen=True, kw_only=True, order=True)
class _Shard:
    """A file with its number in its split; `total` if its name says how many there are."""

    number: int
    path: str
    split: str
    total: int | None = None

    @property
    def form(self) -> str:
        return "".join(endings(self.path))


def holds_rows(folder: Path) -> bool:
    """Whether a folder is a saved dataset, or has files of rows in it or below it."""
    with storage(folder):
        is_saved = any((folder / name).is_file() for name in (_SPLITS, _STATE))
    return is_saved or bool(_files_of_rows(folder))


def shard_paths(folder: Path, *, split: str | None) -> list[str]:
    """The files of a folder that make up one table, in order, as relative paths."""
    with storage(folder):
        is_dict = (folder / _SPLITS).is_file()
        is_saved = (folder / _STATE).is_file()
    if is_dict:
        names = _names(_parsed(folder / _SPLITS).get("splits"))
        if not names:
            raise SpecError(f"{folder / _SPLITS}: names no splits")
        chosen = _chosen(folder, names, split)
        return [f"{chosen}/{name}" for name in _saved(folder / chosen)]
    if is_saved:
        own = _parsed(folder / _STATE).get("_split")
        if split is not None and split != own:
            raise SpecError(
                f"{folder}: no split {split!r:.60}; the only split is {str(own)!r:.60}",
                hint=f"Leave out `split={split:.60}`.",
            )
        return _saved(folder)
    return _by_name(folder, split)


def _saved(folder: Path) -> list[str]:
    """The files listed in the state of a saved dataset."""
    state = _parsed(folder / _STATE)
    if state.get("_indices_data_files"):
        raise SpecError(
            f"{folder}: a selection of a dataset; its rows are stored elsewhere",
            hint="Save it again: dataset.flatten_indices().save_to_disk(FOLDER)",
        )
    files = state.get("_data_files")
    entries = files if isinstance(files, list) else []
    names = _names([entry.get("filename") for entry in entries if isinstance(entry, dict)])
    if not names:
        raise SpecError(f"{folder / _STATE}: names no files of rows")
    _check_there(folder, names)
    return names


def _parsed(path: Path) -> Mapping[str, object]:
    return parse_object(read_bounded(path, _MOST_STATE), where=str(path))


def _names(written: object) -> list[str]:
    """Names of files or folders directly in the folder; any other path is refused."""
    names = [str(name) for name in written] if isinstance(written, list) else []
    for name in names:
        if "/" in name or not is_record_path(name):
            raise SpecError(f"{name!r:.80} is not the name of a file in the folder")
    return names


def _check_there(folder: Path, names: Sequence[str]) -> None:
    with storage(folder):
        gone = [name for name in names if not (folder / name).is_file()]
    if gone:
        raise SpecError(
            f"{folder}: {len(gone)} of {len(names)} files missing: {_listed(gone)}",
            hint="Check that the folder was copied or downloaded completely.",
        )


def _chosen(folder: Path, names: Sequence[str], split: str | None, *, by_name: bool = False) -> str:
    """The requested split, or the only one."""
    if split is None and len(names) == 1:
        return names[0]
    if split in names:
        return str(split)
    got = (
        f"expected one split, got {len(names)}: "
        if split is None
        else f"no split {split!r:.60}; there are "
    )
    raise SpecError(
        f"{folder}: {got}{_listed(names)}",
        hint=f"Choose one: `split={names[0]}`."
        + (f" {_TOGETHER}" if by_name and split is None else ""),
    )


def _by_name(folder: Path, split: str | None) -> list[str]:
    """The files of a split, by the names of all files of rows below a folder."""
    shards = _numbered(_files_of_rows(folder))
    splits = sorted({shard.split for shard in shards})
    if not splits:
        raise SpecError(
            f"{folder}: no data files in this folder or below it",
            hint="Expected .jsonl, .json, .csv, .tsv, .parquet or .arrow files.",
        )
    chosen = _chosen(folder, splits, split, by_name=True)
    shards = [shard for shard in shards if shard.split == chosen]
    _check_alike(folder, chosen, shards)
    return [shard.path for shard in shards]


def _files_of_rows(folder: Path) -> list[str]:
    found: list[str] = []
    with storage(folder):
        for count, (place, folders, files) in enumerate(walk(folder)):
            folders[:] = [name for name in folders if not name.startswith((".", "__"))]
            for name in files:
                is_ours = endings(name)[0] in _ROWS and name not in _DESCRIBING
                if is_ours and not name.startswith(".") and (place / name).is_file():
                    found.append((place / name).relative_to(folder).as_posix())
            if max(count, len(found)) > _MOST_FILES:
                raise SpecError(f"{folder}: more than {_MOST_FILES:,} folders or files of rows")
    for name in found:
        if not name.isprintable():
            raise SpecError(f"{folder}: {name!a}: a file name must be UTF-8 and printable")
    return found


def _numbered(paths: Sequence[str]) -> list[_Shard]:
    """Files as shards; numbers that start at neither 0 nor 1 (years) are not shard numbers."""
    shards = [_shard(path) for path in paths]
    first: dict[str, int] = {}
    for shard in shards:
        first[shard.split] = min(shard.number, first.get(shard.split, shard.number))
    return sorted(
        shard if shard.total is not None or first[shard.split] < 2 else _alone(shard.path)
        for shard in shards
    )


def _alone(path: str) -> _Shard:
    return _Shard(number=0, path=path, split=path.removesuffix("".join(endings(path))))


def _shard(path: str) -> _Shard:
    """The split and the number in a file's name."""
    pure = PurePosixPath(path)
    stem = pure.name.removesuffix("".join(endings(pure.name)))
    parents = [part for part in pure.parent.parts if part != "data"]
    number, total, names = 0, None, [stem]
    if found := _OF.fullmatch(stem):
        number, total, names = int(found["number"]), int(found["total"]), [found["name"]]
    elif found := _NUMBERED.fullmatch(stem):
        number = int(found["number"] or found["count"])
        names = [found["name"] or found["word"] or ""]
        if parents and names[0] in ("", "part", "shard", "chunk"):
            names = []  # train/0000.parquet
    name = "/".join(filter(None, [*parents, *names])) or "all"
    return _Shard(number=number, path=path, split=name, total=total)


def _check_alike(folder: Path, split: str, shards: Sequence[_Shard]) -> None:
    """Refuse shards of several formats, and missing shards."""
    forms = sorted({shard.form for shard in shards})
    if len(forms) > 1:
        raise SpecError(
            f"{folder}: the split {split!r:.60} has files of several formats: {', '.join(forms)}",
            hint="Keep one format in the folder, or name a file.",
        )
    totals = {shard.total for shard in shards}
    if totals == {None}:
        return
    total = max(total or 0 for total in totals)
    there = [shard.number for shard in shards]
    gone = [f"{number:05d}" for number in range(min(total, _MOST_FILES)) if number not in there]
    if len(totals) > 1 or len(there) != len(set(there)) or gone or max(there) >= total:
        what = f"missing {_listed(gone)}" if gone else "their numbers do not match"
        raise SpecError(
            f"{folder}: the split {split!r:.60} has {len(shards)} of {total} shards: {what}",
            hint="Check that the folder was copied or downloaded completely.",
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(f"{name:.80}" for name in names[:_MOST_NAMED]) + more
