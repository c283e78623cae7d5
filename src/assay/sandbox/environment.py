"""The environment variables of a job: few of ours, each chosen."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import SpecError

_KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "PYTHONPATH", "TZ")
_FOLDERS = ("HOME", "TMPDIR")
_DECIDING = ("PYTHON", "LD_", "DYLD_")
_MISSING_KEY = re.compile(r"KeyError: '(\w+)'")
_UPPER_CASE = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")
_SECRET = re.compile(r"_(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$")
_NO_KEY = re.compile(r"\b(api[ _-]?key|access token|credentials?|unauthori[sz]ed)\b", re.IGNORECASE)


def check_names(names: Sequence[str]) -> None:
    """Refuse a variable that is given with its value, without showing that."""
    for name in names:
        if "=" in name:
            only = name.partition("=")[0]
            raise SpecError(
                f"the environment variable {only} is given with a value, expected its name",
                hint=f"Set it in the environment, and give the name only: `env={only}`.",
            )


def check_passed(names: Sequence[str]) -> None:
    """Refuse to pass on a variable that is not set, or that is given with a value."""
    check_names(names)
    missing = [name for name in names if name not in os.environ]
    if missing:
        raise SpecError(
            f"the environment variable {missing[0]} is not set, so it cannot be passed on"
        )


def missing_variable(failure: str, passed: Sequence[str], *, how: str = "`env=NAME`") -> str | None:
    """What to do where a failure is about a variable that was not passed on; values are not shown.

    A client without its key names the variable ("... OPENAI_API_KEY ..."), or says only that there
    is no key. `how` says how NAME is passed on.
    """
    error = failure.rpartition("'): ")[2]  # without the item, whose words are not the error's
    words = [*_MISSING_KEY.findall(error), *_UPPER_CASE.findall(error)]
    named = [word for word in words if word not in (*_KEPT, *_FOLDERS, *passed)]
    ours = next((word for word in named if word in os.environ), None)
    if ours is not None:
        return (
            f"The method sees a clean environment; pass the variable: {how.replace('NAME', ours)}."
        )
    secret = next((word for word in named if _SECRET.search(word)), None)
    if secret is not None:
        pass_it = how.replace("NAME", secret)
        return f"{secret} is not set here. Set it, then pass it to the method: {pass_it}."
    if not passed and _NO_KEY.search(error):
        return f"The method sees a clean environment; pass the variable with its key: {how}."
    return None


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
