"""Read tables with polars; if the size is unknown, they are first unpacked on trial."""

import io
import json
import sys
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.bounds import MAX_CELLS, MAX_COLUMNS, MAX_LINE_BYTES, MAX_ROWS, MAX_UNPACKED_BYTES
from assay.errors import SpecError
from assay.tables.nested import PlacedRows

if TYPE_CHECKING:
    import polars

_TRIAL_SECONDS = 60
_TRIAL_BYTES = 4 * MAX_UNPACKED_BYTES
_TOO_MUCH = 3
_TRIAL_LOG = 1 << 16
_TRIAL = """
import json, sys
sys.path = json.loads(sys.argv[1])
import polars
frame = polars.{read}({path!r}{more})
rows, columns = frame.shape
if rows > {rows} or columns > {columns} or frame.estimated_size() > {most}:
    sys.exit(3)
cells = size = 0
def weigh(value):
    global cells, size
    cells += 1
    if isinstance(value, (str, bytes)):
        size += len(value)
    elif isinstance(value, dict):
        for child in value.values(): weigh(child)
    elif isinstance(value, (list, tuple)):
        for child in value: weigh(child)
for row in frame.iter_rows(buffer_size=64) if {each} else ():
    weigh(row)
    if cells > {cells} + rows or size > {most}:
        sys.exit(3)
"""


def load_polars(where: str, kind: str) -> Any:  # noqa: ANN401 - a module
    """The polars package, which is an extra."""
    try:
        import polars
    except ImportError:
        raise SpecError(
            f"{where}: reading {kind} needs polars, which is not installed",
            hint="pip install 'assay-eval[parquet]'",
        ) from None
    return polars


def read_frame(
    read: Callable[[io.BytesIO], "polars.DataFrame"], data: bytes, where: str, kind: str
) -> "polars.DataFrame":
    """A table in memory, checked against the limits before rows are made."""
    import polars

    try:
        frame = read(io.BytesIO(data))
        texts = frame.select(polars.col(polars.String).str.len_bytes().max())
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # polars raises many kinds; its panics are not Exceptions
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise SpecError(f"{where}: not {kind}: {why}") from None
    counts = (
        ("rows", frame.height, MAX_ROWS),
        ("columns", frame.width, MAX_COLUMNS),
        ("cells", frame.height * frame.width, MAX_CELLS),
        ("bytes unpacked", int(frame.estimated_size()), MAX_UNPACKED_BYTES),
    )
    for name, count, most in counts:
        if count > most:
            raise SpecError(
                f"{where}: {count:,} {name}, at most {most:,} allowed", hint="Take a part of it."
            )
    for name, size in texts.to_dicts()[0].items() if texts.width else ():
        if (size or 0) > MAX_LINE_BYTES:
            raise SpecError(
                f"{where}, column {name!r:.60}: a cell of {size:,} bytes, at most"
                f" {MAX_LINE_BYTES:,} allowed"
            )
    return frame


def frame_rows(frame: "polars.DataFrame", where: str) -> PlacedRows:
    """The rows of a table, each by its number."""
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        yield f"{where}, row {number}", row


def fault_on_trial(data: bytes, read: str, *, each: bool = False) -> str | None:
    """Unpack a table in a process with limited memory and time, and discard the result.

    With `each`, its rows are made there too, and their values and texts counted. Returns why the
    table is refused; None if it is not.
    """
    if sys.platform != "linux":
        return None
    # Most tables are texts, and their readers start without a sandbox.
    from assay.sandbox.environment import job_environment
    from assay.sandbox.job import Job, ResourceLimits
    from assay.sandbox.process import Process, exit_trouble

    with tempfile.TemporaryFile() as file, tempfile.TemporaryFile() as log:
        file.write(data)
        file.flush()
        path = json.dumps([entry for entry in sys.path if entry])  # as the user's own folder
        script = _TRIAL.format(
            read=read,
            path=f"/dev/fd/{file.fileno()}",
            more=", memory_map=False" if read == "read_parquet" else "",
            rows=MAX_ROWS,
            columns=MAX_COLUMNS,
            most=MAX_UNPACKED_BYTES,
            cells=MAX_CELLS,
            each=each,
        )
        process = Process(
            Job(
                command=["python", "-I", "-S", "-c", script, path],
                environment=job_environment((), more={"POLARS_MAX_THREADS": "1"}),
                descriptors=(file.fileno(),),
                output=log.fileno(),
                limits=ResourceLimits(
                    data=_TRIAL_BYTES, cpu_seconds=_TRIAL_SECONDS, file_bytes=_TRIAL_LOG
                ),
            )
        )
        try:
            process.check_confined()
            trouble = process.wait_ended(2.0 * _TRIAL_SECONDS)
        finally:
            process.end()
            code = process.reap()
        trouble = trouble or exit_trouble(code, log.fileno())
    if code == _TOO_MUCH:
        return (
            f"more than {MAX_ROWS:,} rows, {MAX_COLUMNS:,} columns, {MAX_CELLS:,} values or"
            f" {MAX_UNPACKED_BYTES:,} bytes unpacked"
        )
    if trouble is not None:
        limits = f"{_TRIAL_BYTES:,} bytes and {_TRIAL_SECONDS} s"
        return f"cannot be unpacked within {limits}: {trouble:.300}"
    return None
