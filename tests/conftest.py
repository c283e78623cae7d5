"""Things that several tests need."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


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
        done = subprocess.run(
            [sys.executable, "-m", "assay", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=120,
            env={**os.environ, **environment},
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def method_file(tmp_path: Path) -> Callable[[str], str]:
    """A method file with this body; its reference."""

    def write(body: str, name: str = "detect") -> str:
        (tmp_path / "method.py").write_text(body, encoding="utf-8")
        return f"method.py:{name}"

    return write


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
