"""Things that several tests need."""

import json
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers.command import command
from hypothesis import settings

settings.register_profile("no deadline", deadline=None)  # a busy machine is no fault
settings.load_profile("no deadline")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell makes its background jobs deaf to interrupts, and what they start inherits it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def assay_cmd(tmp_path: Path) -> Callable[..., Done]:
    """Run the command as a user would, in an empty folder."""

    def call(*arguments: str, **environment: str) -> Done:
        done = command(tmp_path, *arguments, **environment)
        return Done(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def method_file(tmp_path: Path) -> Callable[[str], str]:
    """A method file with this body; its reference."""

    def write(body: str, name: str = "detect") -> str:
        (tmp_path / "method.py").write_text(body, encoding="utf-8")
        return f"method.py:{name}"

    return write


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies are made; what is left there can be seen."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Show the figures that tests have noted, of stress tests above all."""
    figures = [
        f"{name}: {value}"
        for kind in ("passed", "failed")
        for report in terminalreporter.stats.get(kind, [])
        for name, value in report.user_properties
    ]
    for line in figures:
        terminalreporter.write_line(line)
