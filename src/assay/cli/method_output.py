"""What a method prints, shown on standard error: harmless, and bounded."""

import sys
from contextlib import suppress

SHOWN = 100_000


class MethodOutput:
    """Passes on the first hundred thousand bytes."""

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
            safe += "\n(the method prints more than is shown)\n"
        self._open_line = not safe.endswith("\n")
        with suppress(OSError):  # a full disk behind standard error must not end a run
            sys.stderr.write(safe)
            sys.stderr.flush()

    def end(self) -> None:
        """Begin a new line, where the method left one open."""
        if self._open_line:
            with suppress(OSError):
                sys.stderr.write("\n")
            self._open_line = False
