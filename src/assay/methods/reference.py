"""References to methods: `file.py:function`, `package.module:function`, or a registered name.

A reference is only read here. Importing what it names is running someone else's code, and
happens in a worker.
"""

import sys
from collections.abc import Collection
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Literal

from assay.errors import SpecError, storage


@dataclass(frozen=True, kw_only=True)
class MethodRef:
    """What names a method: a file and a function, a module and a function, or a name of ours."""

    text: str
    kind: Literal["registered", "file", "module", "callable"]
    target: str
    attribute: str


def parse_method(text: str, *, registered: Collection[str]) -> MethodRef:
    """Read a reference; `registered` are the names that need no file."""
    if text in registered:
        return MethodRef(text=text, kind="registered", target=text, attribute="")
    target, _, attribute = text.rpartition(":")
    if text.endswith(".py") or not target:
        if text.endswith(".py"):
            raise SpecError(
                f"method {text!r} names a file and no function",
                hint=f"Name the function too, for example {text}:detect",
            )
        raise _unknown(text, registered)
    if not attribute.isidentifier():
        raise _unknown(text, registered)
    if target.endswith(".py"):
        path = Path(target)
        with storage(target):
            exists = path.is_file()
        if not exists or not target.isprintable():
            raise SpecError(f"method {text!r:.200}: there is no file {target!r:.200}")
        return MethodRef(text=text, kind="file", target=str(path.resolve()), attribute=attribute)
    if not all(part.isidentifier() for part in target.split(".")):
        raise _unknown(text, registered)
    if target in {name.partition(":")[0] for name in registered}:
        raise _unknown(text, registered)
    return MethodRef(text=text, kind="module", target=target, attribute=attribute)


def source_file(method: MethodRef) -> Path | None:
    """The file that a reference names, found without importing anything of it."""
    if method.kind == "file":
        return Path(method.target)
    if method.kind != "module":
        return None
    places: list[str] | None = [str(Path.cwd()), *sys.path]
    spec = None
    for part in method.target.split("."):
        spec = PathFinder.find_spec(part, places) if places is not None else None
        if spec is None:
            return None
        locations = spec.submodule_search_locations
        places = None if locations is None else list(locations)
    return Path(spec.origin) if spec is not None and spec.origin is not None else None


def _unknown(text: str, registered: Collection[str]) -> SpecError:
    import difflib

    near = difflib.get_close_matches(text, registered, n=3)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    if not near and ":" not in text and "." in text:
        hint = f"Perhaps {':'.join(text.rsplit('.', 1))}? "
    return SpecError(
        f"no method {text!r}: not a registered name, file.py:function or package.module:function",
        hint=hint + "`assay methods` lists the registered ones.",
    )
