"""The line of progress: on a terminal only, erased before anything else is printed."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time

from assay.cli.progress import ProgressLine, progress, quiet, working

SLOW = "import time\ndef detect(question, response):\n    time.sleep(0.02)\n    return 1.0\n"
ERASE = "\r\x1b[2K"


def on_a_terminal(folder, *words, columns=80):
    """What a command writes to a terminal on both streams."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("COLUMNS", None)
    with subprocess.Popen(
        [sys.executable, "-m", "assay", *words],
        cwd=folder,
        stdout=inner,
        stderr=inner,
        env=environment,
    ):
        os.close(inner)
        shown = b""
        while True:
            try:
                data = os.read(outer, 4096)
            except OSError:
                break
            if not data:
                break
            shown += data
    os.close(outer)
    return shown.decode().replace("\r\n", "\n")


def left_on_screen(shown):
    """The text once every erased line is gone."""
    return re.sub(r"[^\n]*\r\x1b\[2K", "", shown)


def test_a_slow_method_shows_its_steps_and_leaves_none_behind(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    shown = on_a_terminal(tmp_path, "try", "slow.py:detect")
    assert re.search(r"items \[#*\.*\] \d+/108 0:0\d", shown)
    assert "items [" not in left_on_screen(shown)
    assert "verdict" in left_on_screen(shown)


class Terminal:
    """A stream that notes what is written to it."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return True


def on_streams(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("assay.cli.progress.PATIENCE", 0.0)
    return stream


def wait_for(stream, text):
    until = time.monotonic() + 60
    while text not in stream.text:
        assert time.monotonic() < until, stream.text
        time.sleep(0.01)


def test_work_is_shown_before_its_first_step_is_done(monkeypatch):
    stream = on_streams(monkeypatch)
    with working("dual"):
        wait_for(stream, "dual ... 0:00")
        with progress("runs", 4) as advance:
            wait_for(stream, "runs [....................] 0/4")
            advance()
            wait_for(stream, "runs [#####...............] 1/4")
            sys.stdout.write("a line\n")
    assert stream.text.endswith(f"{ERASE}a line\n") or stream.text.endswith(ERASE)
    assert left_on_screen(stream.text) == "a line\n"


def test_nothing_is_drawn_into_a_line_that_is_open_or_while_another_program_speaks(monkeypatch):
    stream = on_streams(monkeypatch)
    with working("seal"):
        wait_for(stream, "seal ...")
        sys.stderr.write("Passphrase: ")
        before = stream.text
        time.sleep(0.3)
        assert stream.text == before
        sys.stderr.write("\n")
        with quiet():
            before = stream.text
            time.sleep(0.3)
            assert stream.text in (before, before + ERASE)


def test_without_a_terminal_nothing_is_written(monkeypatch):
    stream = on_streams(monkeypatch)
    stream.isatty = lambda: False
    with working("dual"), progress("runs", 1) as advance, quiet():
        advance()
    assert stream.text == ""


def test_more_steps_than_were_foreseen_are_not_more_than_all():
    line = ProgressLine("fitting")
    line.done, line.total = 18, 10
    assert "10/10" in line.text()
