"""Open a study; rows in memory become a file of it."""

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.benchmark.benchmark import BUNDLED, BUNDLED_COLUMNS, TASKS, Benchmark, Columns, Task
from assay.digests import digest, is_name
from assay.errors import AssayError, SpecError, storage
from assay.files import check_new, write_new
from assay.folders import file_digest
from assay.gauntlet.judge import check_judgeable
from assay.gauntlet.load import BUNDLED_BARS, fitting_bars, load_bars
from assay.gauntlet.spec import BarSet
from assay.ledger.file import create_ledger
from assay.study.entries import enter
from assay.study.locate import FILE, LEDGER
from assay.study.study import FORMAT, RECORDS, StudyFolder, open_study
from assay.tables.source import NO_PATHS
from assay.toml import quoted, toml_bytes

_ATTRIBUTES = """\
# Records are checked by their exact bytes: git must not touch line endings.
* -text
"""


_ROWS = "{}.jsonl"
"""The file in a study that keeps rows from memory; study.toml has its digest."""


def new_study(
    root: str | Path,
    benchmark: Benchmark,
    *,
    name: str | None = None,
    bars: str | Mapping[str, Any] | None = None,
    task: Task | None = None,
) -> StudyFolder:
    """Open a study in a new or empty folder; a folder that holds only .git counts as empty."""
    root = Path(root)
    with storage(root):
        name = name or root.resolve().name.lower()
    if not is_name(name):
        raise SpecError(
            f"{name!r:.80} is not a valid study name",
            hint="Name it: `name=NAME` (letters a-z, digits, dots, dashes, underscores).",
        )
    for corpus in (benchmark, benchmark.second):
        if corpus is not None and corpus.origin is not None:
            _check_one_file(corpus.origin.place, corpus)
    chosen = _chosen_bars(benchmark, bars, task)
    with storage(root):
        root.mkdir(parents=True, exist_ok=True)
        if (root / FILE).is_file():
            raise SpecError(
                f"{root} is a study already",
                hint=f'Open it (`assay.Study.open("{root}")`), or name another folder.',
            )
        for taken in sorted(RECORDS):
            if (root / taken).exists():
                raise SpecError(f"{root / taken} already exists", hint="Name another folder.")
    kept = _kept_rows(benchmark)
    files = {FILE: _study_text(name, benchmark, chosen, root).encode()}
    files |= {f"bars/{each.name}.toml": data for each, data in chosen}
    for path in kept:
        check_new(root / path)
    with suppress(SpecError):
        write_new(root / ".gitattributes", _ATTRIBUTES.encode())
    for path, data in (kept | files).items():
        write_new(root / path, data)
    create_ledger(root / LEDGER)
    study = open_study(root)
    with study.ledger as ledger:
        if not ledger.entries:
            enter(ledger, "study", name, files={path: digest(d) for path, d in files.items()})
    return study


def _kept_rows(benchmark: Benchmark) -> dict[str, bytes]:
    """Rows in memory, by the file of the study that keeps them."""
    corpora = {"benchmark": benchmark, "second": benchmark.second}
    return {
        _ROWS.format(heading): corpus.memory
        for heading, corpus in corpora.items()
        if corpus is not None and corpus.memory is not None
    }


def _chosen_bars(
    benchmark: Benchmark, bars: str | Mapping[str, Any] | None, task: Task | None
) -> list[tuple[BarSet, bytes]]:
    """The initial bars: one set for each task that the benchmark can be judged for."""
    judgeable: list[tuple[BarSet, bytes]] = []
    refusals: list[AssayError] = []
    for each in TASKS if task is None else (task,):
        try:
            chosen = load_bars(bars or fitting_bars(benchmark, each), task=each)
            asks_second = any(bar.corpus == "second" for bar in chosen.bars)
            check_judgeable(benchmark if asks_second else benchmark.with_second(None), chosen)
        except AssayError as error:
            refusals.append(error)
            continue
        if isinstance(bars, Mapping):
            data = toml_bytes(bars, where="bars")
        else:
            data = _bars_bytes(bars or chosen.version, chosen)
        judgeable.append((chosen, data))
    if not judgeable:
        raise refusals[0]
    return judgeable


def _bars_bytes(named: str, bars: BarSet) -> bytes:
    """The exact bytes that bars were read from."""
    bundled = BUNDLED_BARS / f"{bars.name}.toml"
    for path in (bundled, Path(named)):
        with storage(path):
            if path.is_file() and digest(path.read_bytes()) == bars.digest:
                return path.read_bytes()
    raise SpecError(f"{named} changed while it was read")


def _study_text(
    name: str, benchmark: Benchmark, chosen: Sequence[tuple[BarSet, bytes]], root: Path
) -> str:
    lines = [
        "# What this study is about. It was fixed when the study was opened, and never changes:",
        "# for other data or other initial bars, open another study.",
        f"format = {quoted(FORMAT)}",
        f"name = {quoted(name)}",
        f"origin = {quoted(f'{name}/{secrets.token_hex(8)}')}",
        "",
        "[bars]",
        *(f"{bars.task} = {quoted(bars.version)}" for bars, _ in chosen),
    ]
    for heading, corpus in (("benchmark", benchmark), ("second", benchmark.second)):
        if corpus is not None:
            lines += ["", *_corpus_lines(heading, corpus, root)]
    return "\n".join(lines) + "\n"


def _corpus_lines(heading: str, corpus: Benchmark, root: Path) -> list[str]:
    if corpus.origin is None:
        raise SpecError(
            f"{corpus.name} is in memory, but a study needs a file",
            hint="Write the records to a file, such as .jsonl, and load that.",
        )
    place, columns = corpus.origin.place, corpus.origin.columns
    plain = Columns()
    if place in BUNDLED:
        plain = BUNDLED_COLUMNS
    elif corpus.memory is not None:
        place = _ROWS.format(heading)
    else:
        place = Path(os.path.relpath(place, root.resolve())).as_posix()
    lines = [f"[{heading}]", f"place = {quoted(place)}", f"digest = {quoted(corpus.digest)}"]
    if corpus.file_digest not in (None, corpus.digest):
        lines.append(f"file = {quoted(str(corpus.file_digest))}")
    named = [
        f"{field} = {quoted(str(getattr(columns, field)))}"
        for field in Columns.__struct_fields__
        if getattr(columns, field) != getattr(plain, field)
    ]
    return lines + (["", f"[{heading}.columns]", *named] if named else [])


def _check_one_file(place: str, corpus: Benchmark) -> None:
    """Refuse data that are not a single file: a study names one, and commits hold it."""
    if corpus.memory is not None:
        return
    with storage(place):
        is_folder = place not in NO_PATHS and Path(place).is_dir()
    if corpus.labelled_by is not None and not is_folder:
        with storage(place):
            _, found = file_digest(Path(place))
        if found != corpus.file_digest:
            raise SpecError(
                f"{place} is a log in several files, but a study keeps its benchmark as one file",
                hint="Save its records as one file, such as .jsonl.",
            )
    if is_folder or place in NO_PATHS:
        what = f"{place} is a folder" if is_folder else "standard input is read once"
        raise SpecError(
            f"{what}, but a study keeps its benchmark as one file",
            hint="Save the records as one file, such as .jsonl or .parquet, and name it:"
            " `benchmark=FILE`.",
        )
