"""The environment variables of a job: few of ours, each chosen."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import SpecError

_KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "PYTHONPATH", "TZ")
_FOLDERS = ("HOME", "TMPDIR")
_DECIDING = ("PYTHON", "LD_", "DYLD_")


def check_passed(names: Sequence[str]) -> None:
    """Refuse to pass on a variable that is not set."""
    missing = [name for name in names if name not in os.environ]
    if missing:
        raise SpecError(
            f"the environment variable {missing[0]} is not set, so it cannot be passed on"
        )


def job_environment(
    passed: Sequence[str],
    *,
    home: Path | None = None,
    temporary: Path | None = None,
    more: Mapping[str, str] | None = None,
    isolated: bool = False,
) -> dict[str, str]:
    """The variables for programs and locale, the named variables, and the job's folders.

    Without its own home and temporary folder, a job has ours. `more` takes precedence. An
    `isolated` command gets no variable that decides which code Python loads.
    """
    check_passed(passed)
    if isolated:
        decides = [name for name in passed if name.startswith(_DECIDING)]
        if decides:
            raise SpecError(
                f"{decides[0]} cannot be passed on: it decides which code is loaded",
                hint="Leave it out. A sealed method brings its own code.",
            )
    folders = {"HOME": home, "TMPDIR": temporary}
    kept = (*_KEPT, *(name for name in _FOLDERS if folders[name] is None), *passed)
    own = {name: str(folder) for name, folder in folders.items() if folder is not None}
    ours = {name: os.environ[name] for name in kept if name in os.environ}
    if isolated:
        ours.pop("PYTHONPATH", None)
        return ours | own | dict(more or {})
    return ours | own | dict(more or {}) | {"PYTHONDONTWRITEBYTECODE": "1"}


def empty_environment(*, home: Path, temporary: Path) -> dict[str, str]:
    """An environment without any of our variables, so that results cannot depend on them."""
    return {
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        "USER": "nobody",
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
