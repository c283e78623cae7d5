"""Read a log in an unknown form with its own harness, if that is installed.

The harness is imported only then: our reader does not need it, limits what it reads, and takes a
fraction of the time. A log that our reader refuses for another reason (too large, cut off, wrong
checksums) is never passed on.
"""

from types import ModuleType

from msgspec.structs import replace

from assay.bounds import MAX_UNPACKED_BYTES
from assay.errors import AssayError, UnknownForm
from assay.logs.log import LogRun
from assay.logs.log_file import LogFile


def read_unknown(reader: ModuleType, file: LogFile, refusal: UnknownForm) -> list[LogRun]:
    """The runs by the harness's own reader; without one, raise the refusal with a hint.

    A format whose harness has a reader of logs has `read_by_harness(file)`.
    """
    read_by_harness = getattr(reader, "read_by_harness", None)
    if read_by_harness is None:
        raise refusal
    import importlib.util  # not needed for known forms

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
    except Exception as error:  # a foreign reader may raise anything
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
