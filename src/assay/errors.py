"""Every exception that leaves Assay.

    AssayError                     exit code
    ├── SpecError                  2  what was handed in cannot be read, or makes no sense
    │   ├── OneClassPartition      2  a partition lacks positives or negatives
    │   ├── UnknownForm            2  a log in a form that is not known here
    │   └── NotHere                2  required data or history is missing
    ├── StorageError               2  the disk would not take or give a file
    ├── ProtocolError              3  the protocol does not allow this
    │   ├── NotSealed              3  there is no seal, and nothing runs without one
    │   ├── NotWitnessed           3  no commit holds the seal yet
    │   ├── AlreadySealed          3  what is sealed is not sealed again
    │   ├── AlreadyRun             3  a sealed method runs once
    │   ├── Withdrawn              3  what was withdrawn does not run
    │   ├── IncomparableRuns       3  two sides that are no comparison
    │   ├── NotRatified            3  nothing is frozen that was not shown to help
    │   ├── OneSidedResult         3  one condition without the other tells nothing
    │   └── StateNotIsolated       3  a state that others reach shows nothing
    ├── IntegrityError             4  a record is not what it was
    │   ├── DigestMismatch         4  bytes differ from the digest that names them
    │   └── BrokenChain            4  a ledger's entries do not follow from each other
    └── MethodError                5  the method under test failed
        ├── MethodNotLoaded        5  it could not be imported, or there is nothing to call
        ├── MethodRaised           5  it raised
        ├── MethodExited           5  it asked the interpreter to exit
        ├── MethodCrashed          5  its process died
        ├── MethodTimedOut         5  it was still busy at its deadline
        └── BadOutput              5  it answered something that is not an answer

An exception means that no verdict may be given. A failed bar is not an exception: it is a value.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

_LONGEST = 4000
_LONGEST_DETAIL = 300


class AssayError(Exception):
    """The root: says what was got, what was expected and where; `hint` says what to do next.

    Both name parameters in backticks, such as `task=detection`, which the command shows as flags.
    `details` are more of the same, a line each: the other faults of a file.
    70 is the exit code of a fault of our own, which every error that is raised replaces.

    Example:
        >>> import assay
        >>> try:
        ...     assay.load_bars("v99")
        ... except assay.AssayError as error:
        ...     print(type(error).__name__, error.exit_code)
        SpecError 2
    """

    exit_code = 70

    def __init__(
        self, message: str, *, hint: str | None = None, details: Sequence[str] = ()
    ) -> None:
        self.message = writable(message)[:_LONGEST]
        self.hint = None if hint is None else writable(hint)
        self.details = tuple(writable(detail)[:_LONGEST_DETAIL] for detail in details)
        super().__init__("\n  ".join((self.message, *self.details)))


def writable(text: str) -> str:
    """A text without half surrogate pairs, which would break whatever writes it down."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class SpecError(AssayError):
    """What was handed in (a file, a flag, a reference) cannot be read or makes no sense.

    Example:
        >>> import assay
        >>> assay.load_benchmark([{"question": "Why?", "wrong": 1}], label="wrnog")
        Traceback (most recent call last):
        assay.errors.SpecError: the rows, row 1: no column 'wrnog'; the columns are ...
    """

    exit_code = 2


class OneClassPartition(SpecError):
    """A partition without positives or without negatives: nothing can be told apart in it."""


class UnknownForm(SpecError):
    """A log of a harness in a form that is not known here; its own reader may know it."""


class NotHere(SpecError):
    """Required data or history is missing: a file, or older commits."""


class StorageError(AssayError):
    """The disk would not take or give a file.

    Example:
        >>> import assay
        >>> run = assay.run("constant")
        >>> open("taken", "w").close()
        >>> assay.save_run(run, "taken/run")
        Traceback (most recent call last):
        assay.errors.StorageError: taken/run: Not a directory
    """

    exit_code = 2


@contextmanager
def storage(path: object) -> Iterator[None]:
    """Turn what the disk says about a path into a StorageError."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:  # a NUL, a loop of links
        name = str(getattr(error, "filename", None) or path)
        name = name if len(name) < 300 else f"{name[:100]}..."
        raise StorageError(f"{name}: {getattr(error, 'strerror', None) or error}") from None


class ProtocolError(AssayError):
    """The protocol does not allow this: a second run of a sealed method, two sides not alike.

    Example:
        >>> import assay
        >>> issubclass(assay.errors.AlreadyRun, assay.ProtocolError)
        True
    """

    exit_code = 3


class NotSealed(ProtocolError):
    """There is no seal, and nothing runs without one."""


class NotWitnessed(ProtocolError):
    """No commit holds the seal yet."""


class AlreadySealed(ProtocolError):
    """What is sealed is not sealed again."""


class AlreadyRun(ProtocolError):
    """A sealed method runs once."""


class Withdrawn(ProtocolError):
    """What was withdrawn does not run."""


class IncomparableRuns(ProtocolError):
    """Two sides that are no comparison: other instances, another scorer, a run given twice."""


class NotRatified(ProtocolError):
    """Nothing is frozen that was not shown to help, or is not what was measured."""


class OneSidedResult(ProtocolError):
    """A result with one condition and not the other, or that was never shown to be of both."""


class StateNotIsolated(ProtocolError):
    """A state that others reach, or that reaches past its copy: nothing can be shown of it."""


class IntegrityError(AssayError):
    """A record is not what it was.

    Example:
        >>> import assay
        >>> from pathlib import Path
        >>> run = assay.run("constant", save="run")
        >>> _ = Path("run/outputs.jsonl").write_text("")
        >>> assay.load_run("run")
        Traceback (most recent call last):
        assay.errors.DigestMismatch: run/outputs.jsonl: its digest is ...
    """

    exit_code = 4


class DigestMismatch(IntegrityError):
    """Bytes differ from the digest that names them."""


class BrokenChain(IntegrityError):
    """A ledger's entries do not follow from each other."""


class MethodError(AssayError):
    """The method under test failed.

    `kind` is the word that stands in the stored output; `run` holds the outputs made before, where
    there was a run.

    Example:
        >>> import assay
        >>> def broken(question, response):
        ...     raise ValueError("no idea")
        >>> try:
        ...     assay.run(broken, "darkcore")
        ... except assay.MethodError as error:
        ...     print(error.kind, len(error.run.records))
        raised 1
    """

    exit_code = 5
    kind = "failed"
    run: Any = None


class MethodNotLoaded(MethodError):
    """The method could not be imported, or there is nothing to call."""

    kind = "not-loaded"


class MethodRaised(MethodError):
    """The method raised an exception."""

    kind = "raised"


class MethodExited(MethodError):
    """The method asked the interpreter to exit."""

    kind = "exited"


class MethodCrashed(MethodError):
    """The method's process died."""

    kind = "crashed"


class MethodTimedOut(MethodError):
    """The method was still busy at its deadline."""

    kind = "timed-out"


class BadOutput(MethodError):
    """The method answered something that is not an answer."""

    kind = "bad-output"
