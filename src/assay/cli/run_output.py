"""A run on standard error: a progress bar, and the output of the method."""

import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from assay.cli.progress import progress
from assay.runs.collect import Listener
from assay.runs.result import Record

SHOWN = 100_000


class MethodOutput:
    """Prints the first hundred thousand bytes of a method's output."""

    def __init__(self) -> None:
        self._left = SHOWN
        self._open_line = False

    def show(self, data: bytes) -> None:
        """Show some more, control characters as escapes."""
        if self._left <= 0:
            return
        text = data[: self._left].decode("utf-8", "replace")
        self._left -= len(data)
        safe = "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)
        if self._left <= 0:
            safe += "\n(the rest of the method's output is not shown)\n"
        self._open_line = not safe.endswith("\n")
        with suppress(OSError):  # a full disk behind standard error must not end a run
            sys.stderr.write(safe)
            sys.stderr.flush()

    def end(self) -> None:
        """Begin a new line if the method left one open."""
        if self._open_line:
            with suppress(OSError):
                sys.stderr.write("\n")
            self._open_line = False


class RunOutput(Listener):
    """Draws a run. `made` counts its outputs; `kept` names the folder of an unjudged run."""

    def __init__(self, on_started: Callable[[], object] | None = None) -> None:
        self.begun = False
        self.made = 0
        self.asked = self._left = 0
        self.kept: str | None = None
        self.folder: Path | None = None
        self._on_started = on_started
        self._bar = ExitStack()
        self._method = MethodOutput()
        self._advance: Callable[[], None] = lambda: None

    def total(self, items: int, made: int) -> None:
        """Begin a bar."""
        if made:
            click.echo(f"Resumed after {made} of {items} items.", err=True)
        self.begun, self.made, self._left = True, made, items - made
        self._bar.close()
        self._advance = self._bar.enter_context(progress("items", items - made))

    def repeated(self, more: int) -> None:
        """Begin a bar for the other seeds."""
        click.echo(
            "The outputs depend on the seed, so every item is asked under more seeds.", err=True
        )
        self._left = more
        self._bar.close()
        self._advance = self._bar.enter_context(progress("items", more))

    def started(self) -> None:
        """Publish the start."""
        if self._on_started is not None:
            self._on_started()

    def record(self, record: Record) -> None:
        """Advance the bar, which ends with the last item."""
        self.asked += 1
        self.made += record.error is None
        self._advance()
        self._left -= 1
        if not self._left:
            self._bar.close()

    def printed(self, data: bytes) -> None:
        """Show what the method prints, control characters escaped."""
        self._method.show(data)

    def interrupted(self, made: int, folder: Path) -> None:
        """Note where the outputs are stored."""
        self.kept = f"The {made} outputs that were made are kept in {folder}"
        self.folder = folder

    def close(self) -> None:
        """End the bar, and the method's last line."""
        self._bar.close()
        self._method.end()
