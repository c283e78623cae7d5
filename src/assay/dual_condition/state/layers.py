"""The named layers of the state that a system keeps between runs, and their initial states.

A layer is a set of files of the state folder: paths, folders or globs, or a SQLite database with
its side files. Every file of the folder belongs to one layer or is `fixed`: part of the system, the
same in every condition.
"""

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from assay.dual_condition.evidence import Route
from assay.errors import SpecError
from assay.files import stays_inside

InC = Literal["initial", "keep"]
Match = Literal["id", "text"]
_BESIDE = ("", "-wal", "-shm", "-journal")


class Layer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One layer: its files, its initial state, and how to find what came from which item.

    `initial` is a file or folder beside the spec; without it the layer starts empty. `provenance`
    is the field of its rows that names the item they came from. `match` finds rows by their
    content: an item's id, or nearly its text. `in_c` is for a layer without separable rows: in C it
    is in its initial state, or kept because nothing in it came from the benchmark.
    """

    files: tuple[str, ...] = ()
    sqlite: str | None = None
    initial: str | None = None
    provenance: str | None = None
    match: tuple[Match, ...] = ()
    in_c: InC | None = None

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of its file names."""
        if self.sqlite is None:
            return self.files
        return (*self.files, *(f"{self.sqlite}{end}" for end in _BESIDE))

    @property
    def tells_items(self) -> bool:
        """Whether its rows can be traced to items."""
        return self.provenance is not None or bool(self.match)


class State(msgspec.Struct, frozen=True, kw_only=True):
    """The state folder of production, and how a run gets a copy in its place.

    `forget` is a command that removes what came from items from a copy; it replaces the layers' own
    rules.
    """

    root: Path
    layers: Mapping[str, Layer]
    fixed: tuple[str, ...]
    route: Route
    variable: str | None
    forget: tuple[str, ...]

    @property
    def can_forget(self) -> bool:
        """Whether C, a state without what came from the benchmark, can be made."""
        each = (layer.tells_items or layer.in_c is not None for layer in self.layers.values())
        return bool(self.forget) or all(each)

    def split(self, names: Iterable[str]) -> tuple[dict[str, list[str]], list[str]]:
        """The files of a state folder by layer, and those that belong to none.

        A fixed file is in neither. A file in two layers, or in a layer and fixed, is a SpecError.
        """
        by_layer: dict[str, list[str]] = {name: [] for name in self.layers}
        left = []
        for name in names:
            owners = [
                owner for owner, layer in self.layers.items() if matches(name, layer.patterns)
            ]
            if len(owners) > 1:
                raise SpecError(
                    f"{name} of the state belongs to {owners[0]} and to {owners[1]}",
                    hint="Each file belongs to one layer: make the patterns narrower.",
                )
            fixed = matches(name, self.fixed)
            if owners and fixed:
                raise SpecError(f"{name} of the state belongs to {owners[0]} and is fixed")
            if owners:
                by_layer[owners[0]].append(name)
            elif not fixed:
                left.append(name)
        return by_layer, left


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a file is one of these paths, lies in one of these folders, or matches a glob."""
    bare = name.rstrip("/")
    return any(
        bare == pattern
        or name.startswith(f"{pattern}/")
        or _fits(bare.split("/"), pattern.split("/"))
        for pattern in (pattern.rstrip("/") for pattern in patterns)
    )


def _fits(parts: Sequence[str], globs: Sequence[str]) -> bool:
    """Whether a path matches a glob part by part; `**` matches any number of folders."""
    if not globs:
        return not parts
    if globs[0] == "**":
        return any(_fits(parts[start:], globs[1:]) for start in range(len(parts) + 1))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], globs[0]) and _fits(parts[1:], globs[1:])


def check_layer(name: str, layer: Layer, where: str) -> None:
    """Refuse a layer without files, or with contradictory keys."""
    at = f"{where}: state.layers.{name}"
    if not layer.patterns:
        raise SpecError(f"{at} has no files", hint='Say which: files = ["memory.jsonl"].')
    for pattern in layer.patterns:
        if not stays_inside(pattern.rstrip("/")):
            raise SpecError(f"{at}: {pattern!r} is not a path inside the state folder")
    if layer.provenance == "":
        raise SpecError(f"{at}.provenance is empty, expected the name of a field")
    if layer.tells_items and layer.in_c is not None:
        rule = "provenance" if layer.provenance is not None else "match"
        raise SpecError(f"{at}: in_c and {rule} exclude each other: both say what C keeps")
