"""A progress line on standard error, on a terminal only; erased at the end.

A thread draws it when nothing was printed for half a second. It is erased before other output, and
drawn again after the next half second without output.
"""

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

PATIENCE = 0.5
_TICK = 0.1
_BAR = 20
_ERASE = "\r\x1b[2K"


class ProgressLine:
    """The line: the step, how much of it is done, and the time taken."""

    def __init__(self, what: str) -> None:
        self.what, self.done, self.total = what, 0, 0
        self._began = self._printed = time.monotonic()
        self._drawn, self._open, self._paused = "", False, 0
        self._ended = threading.Event()
        self._lock = threading.RLock()
        self._raw: list[tuple[TextIO, Callable[[str], int]]] = []

    def start(self) -> None:
        """Watch the output streams, and start drawing."""
        for stream in dict.fromkeys((sys.stdout, sys.stderr)):
            self._raw.append((stream, stream.write))
            stream.write = self._around(stream.write)  # type: ignore[method-assign]  # until stop()
        os.register_at_fork(after_in_child=self._forget)
        threading.Thread(target=self._run, daemon=True).start()

    def stop(self) -> None:
        """Erase the line, for good."""
        self._ended.set()
        with self._lock:
            self._erase()
        self._forget()

    @contextmanager
    def doing(self, what: str, total: int) -> Iterator[Callable[[], None]]:
        """Show a part of the work with its steps; returns a callable to call once per step."""
        before = self.what, self.done, self.total, self._began
        self.what, self.done, self.total, self._began = what, 0, total, time.monotonic()

        def advance() -> None:
            self.done += 1

        try:
            yield advance
        finally:
            with self._lock:
                self._erase()
                self.what, self.done, self.total, self._began = before

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to another program."""
        with self._lock:
            self._erase()
            self._paused += 1
        try:
            yield
        finally:
            self._paused -= 1

    def text(self) -> str:
        """The current text of the line."""
        seconds = int(time.monotonic() - self._began)
        clock = f"{seconds // 60}:{seconds % 60:02d}"
        if not self.total:
            return f"{self.what} ... {clock}"
        done = min(self.done, self.total)
        full = done * _BAR // self.total
        return f"{self.what} [{'#' * full}{'.' * (_BAR - full)}] {done}/{self.total} {clock}"

    def _run(self) -> None:
        while not self._ended.wait(_TICK):
            with self._lock:
                silent = time.monotonic() - self._printed > PATIENCE
                if silent and not (self._open or self._paused or self._ended.is_set()):
                    width = shutil.get_terminal_size().columns - 1
                    line = f"{self.text():.{width}}"
                    if line != self._drawn:
                        self._put(f"{_ERASE}{line}")
                        self._drawn = line

    def _around(self, write: Callable[[str], int]) -> Callable[[str], int]:
        def written(text: str) -> int:
            with self._lock:
                self._erase()
                self._printed = time.monotonic()
                self._open = not text.endswith("\n") if text else self._open
                return write(text)

        return written

    def _erase(self) -> None:
        if self._drawn:
            self._put(_ERASE)
            self._drawn = ""

    def _put(self, text: str) -> None:
        stream, write = self._raw[-1]
        try:
            write(text)
            stream.flush()
        except (OSError, ValueError):  # the terminal is gone
            self._ended.set()

    def _forget(self) -> None:
        """Leave the streams as they were; a fork has no thread that draws."""
        self._lock = threading.RLock()
        self._drawn = ""
        for stream, write in self._raw:
            stream.write = write  # type: ignore[method-assign]  # what it was


_shown: ProgressLine | None = None


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show progress while a command works, if there is a terminal."""
    global _shown
    if _shown is not None or not sys.stderr.isatty():
        yield
        return
    _shown = ProgressLine(what)
    _shown.start()
    try:
        yield
    finally:
        _shown.stop()
        _shown = None


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A callable to call once per step; shows nothing without a terminal."""
    if _shown is None:
        yield lambda: None
        return
    with _shown.doing(what, total) as advance:
        yield advance


@contextmanager
def quiet() -> Iterator[None]:
    """Show nothing while another program uses the terminal, such as git asking for a password."""
    if _shown is None:
        yield
        return
    with _shown.paused():
        yield
