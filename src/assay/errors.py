"""Every exception that leaves Assay.

    AssayError                     exit code
    ├── SpecError                  2  the input cannot be read or makes no sense
    │   ├── OneClassPartition      2  a partition lacks positives or negatives
    │   ├── UnknownForm            2  a log in a form that Assay does not know
    │   └── NotHere                2  required data or history is missing
    ├── StorageError               2  a file cannot be read or written
    ├── ProtocolError              3  the protocol does not allow this
    │   ├── NotSealed              3  there is no seal, and only sealed methods run
    │   ├── NotWitnessed           3  no commit holds the seal yet
    │   ├── AlreadySealed          3  the submission is sealed already
    │   ├── AlreadyRun             3  a sealed method runs once
    │   ├── Withdrawn              3  the submission was withdrawn and cannot run
    │   ├── IncomparableRuns       3  the two sides cannot be compared
    │   ├── NotRatified            3  the artifact was not shown to help, so it is not frozen
    │   ├── OneSidedResult         3  a result has one condition without the other
    │   └── StateNotIsolated       3  other processes reach the state under test
    ├── IntegrityError             4  a record was changed
    │   ├── DigestMismatch         4  bytes differ from their recorded digest
    │   └── BrokenChain            4  the hash links of a ledger do not match
    ├── MethodError                5  the method under test failed
    │   ├── MethodNotLoaded        5  it could not be imported, or has no such function
    │   ├── MethodRaised           5  it raised an exception
    │   ├── MethodExited           5  it asked the interpreter to exit
    │   ├── MethodCrashed          5  its process died
    │   ├── MethodTimedOut         5  it was still busy at its deadline
    │   ├── BadOutput              5  its answer is not a valid answer
    │   └── Abstained              5  it gave no answer to an item, on purpose
    └── ModelError                 5  a language model gave no usable reply
        ├── ModelRefused           5  it refused the request: a wrong key, name or parameter
        ├── ModelUnreachable       5  it did not reply, also when asked again
        ├── BadReply               5  its reply cannot be read, or lacks what was asked for
        ├── NotRecorded            5  a replay has no such call
        └── BudgetSpent            5  the calls, tokens or money allowed are spent

An exception means that no verdict may be given. A failed bar is not an exception: it is a value.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from assay.messages.plans import plan_as_python
from assay.wording import as_python

_LONGEST = 4000
_LONGEST_DETAIL = 300


class AssayError(Exception):
    """The base class. The message: what was got, what was expected, where; `hint`: what to do.

    Both name parameters in backticks, such as `task=detection`, which the command shows as flags. A
    traceback ends with the hint, written as Python: `task="detection"`.
    `details` are further messages, one a line: the other faults of a file, or lines of a plan,
    which a traceback shows as a dictionary.
    Exit code 70 means a bug in Assay; every subclass sets its own.

    Example:
        >>> import assay
        >>> try:
        ...     assay.load_bars("v99")
        ... except assay.AssayError as error:
        ...     print(type(error).__name__, error.exit_code)
        SpecError 2
    """

    exit_code = 70
    _hint: str | None = None
    _note = ""

    def __init__(
        self, message: str, *, hint: str | None = None, details: Sequence[str] = ()
    ) -> None:
        self.message = writable(message)[:_LONGEST]
        self.hint = hint
        self.details = tuple(writable(detail)[:_LONGEST_DETAIL] for detail in details)
        super().__init__("\n  ".join((self.message, *plan_as_python(self.details))))

    @property
    def hint(self) -> str | None:
        """What to do, if that is known. A traceback shows it as a note, in the words of Python."""
        return self._hint

    @hint.setter
    def hint(self, hint: str | None) -> None:
        notes: list[str] = self.__dict__.setdefault("__notes__", [])
        if self._note in notes:
            notes.remove(self._note)
        self._hint = None if hint is None else writable(hint)
        self._note = "" if self._hint is None else as_python(self._hint)
        if self._note:
            notes.append(self._note)


def writable(text: str) -> str:
    """A text without lone surrogates, which cannot be encoded as UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class SpecError(AssayError):
    """The input (a file, a flag, a reference) cannot be read or makes no sense.

    Example:
        >>> import assay
        >>> assay.load_benchmark([{"question": "Why?", "wrong": 1}], label="wrnog")
        Traceback (most recent call last):
        assay.errors.SpecError: the rows, row 1: no column 'wrnog'; the columns are ...
    """

    exit_code = 2


class OneClassPartition(SpecError):
    """A partition has no positives or no negatives, so no AUC can be computed."""


class UnknownForm(SpecError):
    """A harness's log in a form that Assay does not know; the harness's own reader may know it."""


class NotHere(SpecError):
    """Required data or history is missing: a file, or older commits."""


class StorageError(AssayError):
    """A file cannot be read or written.

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
    """Turn an error of the file system about a path into a StorageError."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the path, a loop of links
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
    """There is no seal, and only sealed methods run."""


class NotWitnessed(ProtocolError):
    """No commit holds the seal yet."""


class AlreadySealed(ProtocolError):
    """The submission is sealed already."""


class AlreadyRun(ProtocolError):
    """A sealed method runs once."""


class Withdrawn(ProtocolError):
    """The submission was withdrawn and cannot run."""


class IncomparableRuns(ProtocolError):
    """The two sides cannot be compared: other instances, another scorer, a run given twice."""


class NotRatified(ProtocolError):
    """The artifact was not shown to help, or is not the one that was measured: it is not frozen."""


class OneSidedResult(ProtocolError):
    """A result has one condition without the other, or does not show that it has both."""


class StateNotIsolated(ProtocolError):
    """Other processes reach the state, or it reaches outside its copy: no result is possible."""


class IntegrityError(AssayError):
    """A record was changed.

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
    """Bytes differ from their recorded digest."""


class BrokenChain(IntegrityError):
    """The hash links between a ledger's entries do not match."""


class MethodError(AssayError):
    """The method under test failed.

    `kind` is the word for it in the stored output; `run` holds the outputs made so far, if any.

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
    """The method could not be imported, or has no such function."""

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
    """The method's answer is not a valid answer."""

    kind = "bad-output"


class Abstained(MethodError):
    """The method gave no answer to an item, on purpose. The item is unscored; the run goes on."""

    kind = "abstained"


class ModelError(AssayError):
    """A language model gave no usable reply."""

    exit_code = 5


class ModelRefused(ModelError):
    """The model's server refused the request: a wrong key, name or parameter."""

    status: int | None = None
    """The status of the server's answer."""


class ModelUnreachable(ModelError):
    """The model did not reply, also when asked again."""


class BadReply(ModelError):
    """The model's reply cannot be read, or lacks what was asked for."""


class NotRecorded(ModelError):
    """A replay has no such call."""


class BudgetSpent(ModelError):
    """The calls, tokens or money that were allowed are spent."""
