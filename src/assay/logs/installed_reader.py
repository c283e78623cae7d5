"""A log in a form that is unknown here, read by its own harness where that is installed.

It is imported only then: ours needs none of it, bounds what it reads, and takes a fraction of the
time. What ours refuses for another reason (too large, cut off, checksums that do not hold) is never
handed on.
"""

from types import ModuleType

from msgspec.structs import replace

from assay.bounds import MAX_UNPACKED_BYTES
from assay.errors import AssayError, UnknownForm
from assay.logs.log import LogRun
from assay.logs.log_file import LogFile


def read_unknown(reader: ModuleType, file: LogFile, refusal: UnknownForm) -> list[LogRun]:
    """The runs by the harness's own reader; the refusal, with what to do, where there is none.

    A format whose harness has a reader of logs has `read_by_harness(file)`.
    """
    read_by_harness = getattr(reader, "read_by_harness", None)
    if read_by_harness is None:
        raise refusal
    import importlib.util  # which no log of a known form needs

    package = reader.__name__.rpartition(".")[2]
    if importlib.util.find_spec(package) is None:
        refusal.hint = f"Install {package}, and Assay tries its reader: pip install {package}"
        raise refusal
    if file.members is not None and file.members.unpacked_bytes > MAX_UNPACKED_BYTES:
        raise refusal
    try:
        runs: list[LogRun] = read_by_harness(file)
    except AssayError:
        raise
    except Exception as error:  # whatever a foreign reader raises
        raise UnknownForm(
            f"{refusal.message}; {_named(package)} cannot read it either: {error!r:.300}",
            hint=f"Export it again with the version of {package} that wrote it.",
        ) from None
    note = f"in a form that is unknown here, read by {_named(package)}"
    return [replace(run, notes=(*run.notes, note)) for run in runs]


def _named(package: str) -> str:
    import importlib.metadata

    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return package
