"""Rows of Arrow files: streams, as `save_to_disk` of Hugging Face datasets writes them, and files.

A few kilobytes of Arrow can expand to far more: buffers are compressed, texts may be views of one
another, and a list of nulls takes no space. So every file is first unpacked on trial, row by row,
in a process with limits.

Format: https://arrow.apache.org/docs/format/Columnar.html (IPC, streaming and file).
"""

from assay.errors import SpecError
from assay.tables.frames import fault_on_trial, frame_rows, load_polars, read_frame
from assay.tables.nested import PlacedRows

STREAM = b"\xff\xff\xff\xff"
FILE = b"ARROW1\0\0"


def arrow_rows(data: bytes, where: str) -> PlacedRows:
    """The rows of an Arrow file."""
    polars = load_polars(where, "Arrow")
    read = "read_ipc" if data.startswith(FILE) else "read_ipc_stream"
    fault = fault_on_trial(data, read, each=True)
    if fault is not None:
        raise SpecError(
            f"{where}: unreadable Arrow: {fault}",
            hint="Save it as Parquet or as one JSON object a line, or take a part of it.",
        )
    return frame_rows(read_frame(getattr(polars, read), data, where, "Arrow"), where)
