"""Run git: ask about a repository, and commit.

Reading a repository must not run anything, and answers must come from its objects alone: grafts,
replaced objects and commit-graphs can each claim another parent for a commit, `core.worktree`
another folder, and environment variables another repository. All of these are off or overridden
here. The user's own configuration is read, for `safe.directory`; settings that could change an
answer are given on the command line, which overrides every file and every include.
"""

import os
import select
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, cast

from assay.errors import NotHere, SpecError, StorageError
from assay.files import read_parts

_SECONDS = 60.0
_PART = 1 << 16
_SETTINGS = (
    *("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "core.commitGraph=false"),
    *("core.multiPackIndex=false", "core.quotePath=false", "core.bare=false", "gc.auto=0"),
    *("advice.graftFileDeprecated=false", "log.showSignature=false"),
)
_OFF = {
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    # A repository can promise that what it lacks is to be had from somewhere, by a command.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_ANOTHER_REPOSITORY = frozenset(
    "GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_PREFIX"
    " GIT_GRAFT_FILE GIT_SHALLOW_FILE GIT_NAMESPACE GIT_OBJECT_DIRECTORY GIT_REPLACE_REF_BASE"
    " GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CEILING_DIRECTORIES".split()
)


def ask_git(
    top: Path, *words: str, staged: bool = False, given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Ask about the repository with this work tree; `given` goes to git's standard input.

    `staged` asks the index that a hook gets.
    """
    settings = (word for setting in _SETTINGS for word in ("-c", setting))
    try:
        return _call(top, *settings, *words, environment=_environment(top, staged), given=given)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise NotHere(f"git could not be run: {error}") from None


def ask_within(top: Path, *words: str, given: bytes = b"", most: int) -> bytes:
    """An answer of git that may be very long; one over the limit raises `NotHere`."""
    settings = (word for setting in _SETTINGS for word in ("-c", setting))
    try:
        with tempfile.TemporaryFile() as file:
            file.write(given)
            file.seek(0)
            with subprocess.Popen(  # noqa: S603 - fixed words and our own paths, no shell
                ["git", *settings, *words],  # noqa: S607 - the user's git
                cwd=top,
                env=_environment(top, staged=False),
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ) as process:
                deadline = threading.Timer(_SECONDS, process.kill)
                deadline.start()
                try:
                    with cast("BinaryIO", process.stdout) as answer:  # closed, git ends too
                        output = b"".join(read_parts(answer, most + 1))
                finally:
                    deadline.cancel()
    except (OSError, ValueError) as error:
        raise NotHere(f"git could not be run: {error}") from None
    if len(output) > most:
        raise NotHere(f"git {words[0]} answers with more than {most:,} bytes")
    if process.returncode != 0:
        raise NotHere(f"git {words[0]} failed here, or took longer than {_SECONDS:g} s")
    return output


class StandingGit:
    """A git that stays and answers one line at a time: much faster than one for each question."""

    def __init__(self, top: Path, *words: str) -> None:
        settings = (word for setting in _SETTINGS for word in ("-c", setting))
        try:
            self._git = subprocess.Popen(  # noqa: S603 - fixed words and our own paths, no shell
                ["git", *settings, *words],  # noqa: S607 - the user's git
                cwd=top,
                env=_environment(top, staged=False),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            raise NotHere(f"git could not be run: {error}") from None

    def ask(self, question: bytes, *, end: bytes, most: int) -> bytes:
        """The answer, up to the text that ends it; `NotHere` if it is too long or too late."""
        asks, answers = cast("BinaryIO", self._git.stdin), cast("BinaryIO", self._git.stdout)
        parts, size, late = [b""], 0, time.monotonic() + _SECONDS
        try:
            asks.write(question)
            while not b"".join(parts[-2:]).endswith(end):
                ready, _, _ = select.select([answers], [], [], max(late - time.monotonic(), 0.0))
                part = os.read(answers.fileno(), _PART) if ready else b""
                size += len(part)
                if not part or size > most:
                    raise NotHere(f"git gave no answer within {_SECONDS:g} s and {most:,} bytes")
                parts.append(part)
        except (OSError, ValueError) as error:
            raise NotHere(f"git could not be asked: {error}") from None
        return b"".join(parts).removesuffix(end)

    def close(self) -> None:
        """End it."""
        self._git.kill()
        self._git.communicate()


def output_of(top: Path, *words: str, staged: bool = False, given: bytes = b"") -> bytes | None:
    """The answer of git; None if it fails."""
    done = ask_git(top, *words, staged=staged, given=given)
    return done.stdout if done.returncode == 0 else None


def complaint_of(done: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of git's error message."""
    return (done.stderr.decode("utf-8", "replace").strip().splitlines() or [""])[0][:300]


def tell_git(top: Path, *words: str) -> bytes:
    """Run git with the user's own hooks and settings; its output."""
    try:
        done = _call(top, *words, environment=_own_environment(), seconds=10 * _SECONDS)
    except FileNotFoundError:
        raise SpecError(
            "git is not installed", hint="Install it, or leave out `commit=True`."
        ) from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise StorageError(f"git {words[0]}: {error}") from None
    if done.returncode != 0:
        complaint = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        last = " / ".join(line.strip() for line in complaint.splitlines()[-4:] if line.strip())
        raise StorageError(f"git {words[0]} failed: {last[-600:]}")
    return done.stdout


def _call(
    folder: Path,
    *words: str,
    environment: Mapping[str, str],
    given: bytes = b"",
    seconds: float = _SECONDS,
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - fixed words and our own paths, no shell
        ["git", *words],  # noqa: S607 - the user's git
        cwd=folder,
        env=environment,
        input=given,
        capture_output=True,
        timeout=seconds,
        check=False,
    )


def _environment(top: Path, staged: bool) -> Mapping[str, str]:
    """The user's environment, with git's variables replaced to bind it to this work tree.

    A hook runs with GIT_DIR set, and with the index of the commit that is being made.
    """
    index = {"GIT_INDEX_FILE"} if staged else set()
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in index
    }
    here = {"GIT_WORK_TREE": str(top), "GIT_CEILING_DIRECTORIES": str(top.parent)}
    return {**kept, **_OFF, **here}


def _own_environment() -> Mapping[str, str]:
    """The user's environment, without variables that point git at another repository."""
    return {name: value for name, value in os.environ.items() if name not in _ANOTHER_REPOSITORY}
