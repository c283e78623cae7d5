"""The campaign: many mutated inputs through one reader, which may only read or refuse.

A refusal is an AssayError with an exit code of its own and words that can be written down. Anything
else is a finding: another exception, a warning, over a second of processor time for one input, over
half a gigabyte of memory. A finding is made smaller while it stays the same, and printed as a line
for `crashers.py`.
"""

import resource
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError
from fuzzing.mutations import Mutator, cut_up

MOST_SECONDS = 1.0
"""Of the processor's time, so that a busy machine is no finding."""
MOST_MEMORY = 512 << 20
_ATTEMPTS = 2_000
_OUR_FAULT = 70

Read = Callable[[bytes], object]


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Something that reads bytes, valid inputs for it, and the language that they are in."""

    read: Read
    seeds: Sequence[bytes]
    language: str = "json"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """An input that is neither read nor refused, and what happened instead."""

    target: str
    number: int
    data: bytes
    what: str
    where: str

    def __str__(self) -> str:
        return (
            f"{self.target}: {self.what} at {self.where}, with the seed {self.number}.\n"
            f"Keep it in tests/fuzzing/crashers.py:\n    ({self.target!r}, {self.data!r}),"
        )


@dataclass(kw_only=True)
class Tally:
    """What became of the inputs."""

    read: int = 0
    refused: int = 0
    finding: Finding | None = None

    @property
    def inputs(self) -> int:
        return self.read + self.refused + (self.finding is not None)

    def __str__(self) -> str:
        return f"{self.inputs:,} inputs, {self.read:,} read, {self.refused:,} refused"


class TooSlow(BaseException):
    """An input has had its time. Where a reader catches even this, `late` remembers it."""


class Guard:
    """The time of one input, counted from each `restart`."""

    def __init__(self) -> None:
        self.late = False

    def restart(self) -> None:
        """Begin to count anew."""
        self.late = False
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)

    def stop(self, _number: int, _frame: object) -> None:
        """End the input that is being read."""
        self.late = True
        raise TooSlow(f"over {MOST_SECONDS:g} s of processor time")


def fuzz(name: str, reader: Reader, *, inputs: int, number: int) -> Tally:
    """Read so many inputs; the first finding ends it."""
    draw = Mutator(reader.seeds, language=reader.language, number=number).draw
    read, tally = reader.read, Tally()
    with guarded() as guard:
        restart = guard.restart
        for _ in range(inputs):
            data = draw()
            restart()
            try:
                read(data)
            except AssayError as error:
                if guard.late or not _can_be_told(error):
                    break
                tally.refused += 1
            except KeyboardInterrupt:
                raise
            except BaseException:  # whatever it is: nothing else may come of an input
                break
            else:
                if guard.late:
                    break
                tally.read += 1
        else:
            return tally
        tally.finding = _smallest(name, number, read, data, guard)
    return tally


def trouble(read: Read, data: bytes) -> str | None:
    """What is wrong with how an input is read, under guard; None where it is read or refused."""
    with guarded() as guard:
        found = _trouble(read, data, guard)
    return None if found is None else " at ".join(found)


@contextmanager
def guarded() -> Iterator[Guard]:
    """Limit memory, and the time of every input."""
    guard = Guard()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MOST_MEMORY
    before = signal.signal(signal.SIGVTALRM, guard.stop)
    resource.setrlimit(resource.RLIMIT_AS, (most, limits[1]))
    try:
        yield guard
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def _can_be_told(error: AssayError) -> bool:
    """Whether an error has an exit code of its own, and words that can be written down."""
    try:
        "\n".join((str(error), error.hint or "", *error.details)).encode()
    except UnicodeEncodeError:
        return False
    return error.exit_code != _OUR_FAULT


def _trouble(read: Read, data: bytes, guard: Guard) -> tuple[str, str] | None:
    """What happened in place of reading or refusing, and where."""
    guard.restart()
    try:
        read(data)
    except AssayError as error:
        if guard.late:
            return "TooSlow", _place(error)
        if _can_be_told(error):
            return None
        return f"{type(error).__name__} that cannot be told", _place(error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"{type(error).__name__}: {error!s:.200}", _place(error)
    return ("TooSlow", "its end") if guard.late else None


def _place(error: BaseException) -> str:
    """The last line of Assay's own code, or of the reader's, that an error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/src/assay/" in frame.filename] or frames
    return f"{ours[-1].filename.rpartition('/src/')[2]}:{ours[-1].lineno}"


def _smallest(name: str, number: int, read: Read, data: bytes, guard: Guard) -> Finding:
    """Take away what the same trouble does not need: members first, then any bytes."""
    found = _trouble(read, data, guard)
    if found is None:
        return Finding(target=name, number=number, data=data, what="once, not again", where="?")
    kind = _kind(found)
    attempts = 0 if "TooSlow" in kind[0] else _ATTEMPTS
    size, before = -1, len(data) + 1
    while attempts and (size or len(data) < before):
        if size <= 0:  # once more from the start, as long as that takes something away
            size, before = len(data), len(data)
            spans = sorted(cut_up(data).members, reverse=True)
        else:
            size //= 2
            spans = [(place, place + size) for place in range(0, len(data), size or 1)][::-1]
        for start, end in spans if size else ():
            less = data[:start] + data[end:]
            attempts -= 1
            other = _trouble(read, less, guard) if less != data and attempts > 0 else None
            if other is not None and _kind(other) == kind:
                data, found = less, other
        attempts = max(attempts, 0)
    return Finding(target=name, number=number, data=data, what=found[0], where=found[1])


def _kind(found: tuple[str, str]) -> tuple[str, str]:
    """Findings of one kind differ in what they quote."""
    return found[0].partition(":")[0], found[1]
