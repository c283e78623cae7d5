"""Some of a file's records as another file, in the formats that `benchmark/rows.py` reads.

Lines of JSONL are kept as they are, byte for byte.
"""

import csv
import io
from collections.abc import Collection
from pathlib import Path

from assay.benchmark.benchmark import BUNDLED, Benchmark
from assay.benchmark.bundled import FOLDER
from assay.benchmark.rows import rows_of
from assay.digests import digest
from assay.errors import DigestMismatch, SpecError, storage

_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def subset_bytes(benchmark: Benchmark, ids: Collection[str], suffix: str) -> bytes:
    """The records with these ids, from the file that a benchmark was read from."""
    origin = benchmark.origin
    if origin is None:
        raise SpecError(f"{benchmark.name} was made in memory and has no file to take records from")
    path = FOLDER / f"{origin.place}.jsonl" if origin.place in BUNDLED else Path(origin.place)
    if path.suffix.lower() != suffix.lower():
        raise SpecError(
            f"the records are in {path.suffix}, and the new file ends in {suffix or 'nothing'!r}",
            hint=f"Give it the same ending: {path.suffix}",
        )
    with storage(path):
        data = path.read_bytes()
    if digest(data) != benchmark.digest:
        raise DigestMismatch(f"{path.name} has changed since it was read")
    wanted = set(ids)
    keep = [item.id in wanted for item in benchmark.items]
    match path.suffix.lower():
        case ".parquet":
            return _parquet(data, keep)
        case ".csv" | ".tsv":
            return _csv(path, data, keep)
    lines = [line for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    return b"".join(line + b"\n" for line, kept in zip(lines, keep, strict=True) if kept)


def _csv(path: Path, data: bytes, keep: list[bool]) -> bytes:
    rows = [row for _, row in rows_of(path, data)]
    text = io.StringIO(newline="")
    odd = any("\r" in str(cell) for row in rows for cell in row.values())
    writer = csv.DictWriter(
        text,
        list(rows[0]),
        delimiter=_SEPARATORS[path.suffix.lower()],
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL,
    )
    writer.writeheader()
    writer.writerows(row for row, kept in zip(rows, keep, strict=True) if kept)
    return text.getvalue().encode()


def _parquet(data: bytes, keep: list[bool]) -> bytes:
    import polars

    out = io.BytesIO()
    frame = polars.read_parquet(io.BytesIO(data))
    frame.filter(polars.Series(keep)).write_parquet(out)
    return out.getvalue()
