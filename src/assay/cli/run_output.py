"""The events of a run on standard error: a progress bar, and what the method prints."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import click

from assay.cli.method_output import MethodOutput
from assay.cli.progress import progress
from assay.runs.result import Record
from assay.runs.run_events import Listener


class RunOutput(Listener):
    """Draws a run. `made` counts its outputs; `kept` says where an interrupted run is stored."""

    def __init__(self, on_started: Callable[[], None] | None = None) -> None:
        self.made = 0
        self.asked = 0
        self.kept: str | None = None
        self._on_started = on_started
        self._bar = ExitStack()
        self._method = MethodOutput()
        self._advance: Callable[[], None] = lambda: None

    def total(self, items: int, made: int) -> None:
        """Begin a bar."""
        if made:
            click.echo(f"Resumed after {made} of {items} items.", err=True)
        self.made = made
        self._bar.close()
        self._advance = self._bar.enter_context(progress("items", items - made))

    def started(self) -> None:
        """Publish the start."""
        if self._on_started is not None:
            self._on_started()

    def record(self, record: Record) -> None:
        """Advance the bar."""
        self.asked += 1
        self.made += record.error is None
        self._advance()

    def printed(self, data: bytes) -> None:
        """Show what the method prints, control characters escaped."""
        self._method.show(data)

    def interrupted(self, made: int, folder: Path) -> None:
        """Note where the outputs are stored."""
        self.kept = kept_in(made, folder)

    def close(self) -> None:
        """End the bar, and the method's last line."""
        self._bar.close()
        self._method.end()


def kept_in(made: int, folder: Path) -> str:
    """Where the outputs of an unfinished or unjudged run are."""
    return f"The {made} outputs that were made are kept in {folder}"
