"""The states of all conditions, each built once from copies.

A             production, as it was at the snapshot
B             the declared initial state, and nothing else
C             production without what came from the benchmark's items
without-X     production, with layer X in its initial state
only-X+Y      the initial state, with layers X and Y of production (for Shapley values)
placebo       the state of another corpus, or production with values shuffled
"""

import json
import random
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations
from pathlib import Path
from typing import Literal

import msgspec

from assay.digests import FileEntry, manifest_digest
from assay.dual_condition.evidence import Remains, UndividedFile, subset_name
from assay.dual_condition.spec import DualSpec
from assay.dual_condition.state.forgetting import Mentions, forget, mentions_of
from assay.dual_condition.state.item_traces import ItemTraces
from assay.dual_condition.state.layers import Layer, matches
from assay.dual_condition.state.remains import remains_of
from assay.dual_condition.state.rows import Dropped, kind_of_file, shuffle_rows
from assay.errors import SpecError, StateNotIsolated, storage
from assay.folders import file_digest, manifest

LayerSource = Literal["production", "initial", "forgotten", "placebo"]


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A name, and the source of each layer."""

    name: str
    layers: Mapping[str, LayerSource]


@dataclass(kw_only=True)
class Built:
    """The folder of a condition, what it holds, and what was taken out of it.

    `forgotten` is, by layer and file, what the layers' rules took out.
    """

    folder: Path
    entries: tuple[FileEntry, ...]
    forgotten: dict[str, dict[str, Dropped]] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """One digest over all it holds."""
        return manifest_digest(self.entries)

    def removed_name_in(self, message: str) -> tuple[str, str] | None:
        """A file and a name in it that a message quotes and that was taken out here."""
        for by_file in self.forgotten.values():
            for file, dropped in by_file.items():
                for name in dropped.names:
                    if repr(name) in message or json.dumps(name) in message:
                        return file, name
        return None


def conditions_of(spec: DualSpec) -> list[Condition]:
    """The conditions that a spec requests, each once."""
    layers = list(spec.state.layers)
    conditions = [
        Condition(name="A", layers=dict.fromkeys(layers, "production")),
        Condition(name="B", layers=dict.fromkeys(layers, "initial")),
    ]
    if "C" in spec.asked:
        conditions.append(Condition(name="C", layers=dict.fromkeys(layers, "forgotten")))
    if "shapley" in spec.asked:
        sizes = range(1, len(layers))
        conditions += [_only(layers, kept) for size in sizes for kept in combinations(layers, size)]
    elif "layers" in spec.asked and len(layers) > 1:
        conditions += [_only(layers, [layer for layer in layers if layer != out]) for out in layers]
    if "placebo" in spec.asked:
        conditions.append(Condition(name="placebo", layers=dict.fromkeys(layers, "placebo")))
    return conditions


def _only(layers: Sequence[str], kept: Sequence[str]) -> Condition:
    sources: dict[str, LayerSource] = {
        name: "production" if name in kept else "initial" for name in layers
    }
    return Condition(name=subset_name(layers, kept), layers=sources)


class Conditions:
    """Builds the folder of each condition below `scratch`, from a snapshot of production."""

    def __init__(self, spec: DualSpec, scratch: Path) -> None:
        self.spec = spec
        self.scratch = scratch
        self.snapshot = scratch / "snapshot"
        self.shuffled: set[str] = set()
        with storage(spec.state.root):
            self.entries = manifest(spec.state.root)
            shutil.copytree(spec.state.root, self.snapshot)
            same = manifest(self.snapshot) == self.entries == manifest(spec.state.root)
        if not same:
            raise StateNotIsolated(
                f"{spec.state.root} changed while it was being copied",
                hint="Is the system running? Stop it during the snapshot.",
            )
        names = [entry.path for entry in self.entries]
        self.files, left = spec.state.split(names)
        self.undeclared = [name for name in left if not name.endswith("/")]
        owned = {*self.undeclared, *chain.from_iterable(self.files.values())}
        self.fixed = [name for name in names if name not in owned]

    @property
    def digest(self) -> str:
        """One digest over all that production holds."""
        return manifest_digest(self.entries)

    @cached_property
    def traces(self) -> ItemTraces:
        """The finder of the benchmark's items in texts."""
        return ItemTraces(self.spec.known_items)

    @cached_property
    def initial_digest(self) -> str:
        """One digest over the declared initial state, from its sources, not from a copy."""
        kept = [entry for entry in self.entries if entry.path in set(self.fixed)]
        for name, layer in self.spec.state.layers.items():
            kept += self._initial_entries(name, layer)
        return manifest_digest(tuple(sorted(kept, key=lambda entry: entry.path)))

    def _initial_entries(self, name: str, layer: Layer) -> list[FileEntry]:
        if layer.initial is None:
            return []
        source = self.spec.home / layer.initial
        with storage(source):
            if source.is_dir():
                return list(manifest(source))
            size, content = file_digest(source)
        return [FileEntry(path=self._initial_target(name, layer), size=size, digest=content)]

    def _initial_target(self, name: str, layer: Layer) -> str:
        """The place of a layer's single initial file."""
        source = Path(str(layer.initial))
        plain = [file for file in layer.files if not set(file) & set("*?[")]
        target = layer.sqlite or source.name
        if len(plain) == 1 and layer.sqlite is None and not matches(target, layer.patterns):
            target = plain[0].rstrip("/")
        if any(file.startswith(f"{target}/") for file in self.files[name]):
            target = f"{target}/{source.name}"
        _check_owned(name, layer, [target])
        return target

    def mentions(self) -> dict[str, Mentions]:
        """The benchmark's items in each layer that can be searched for them."""
        mentions = {}
        with storage(self.scratch):
            folder = self.scratch / "reading"  # a database is changed by opening it
            shutil.copytree(self.snapshot, folder)
            for name, layer in self.spec.state.layers.items():
                if layer.tells_items:
                    mentions[name] = mentions_of(folder, self.files[name], layer, self.traces)
            shutil.rmtree(folder)
        return mentions

    def remains(self, built: Mapping[str, Built]) -> Remains | None:
        """What C still holds of the benchmark's items; None without C."""
        if "C" not in built:
            return None
        made, states = built["C"], {name: set(built[name].entries) for name in ("A", "B")}
        layers = self.spec.state.layers
        owners = {
            entry.path: layer
            for entry in made.entries
            for layer in layers.values()
            if matches(entry.path, layer.patterns)
        }
        command = bool(self.spec.state.forget)
        with storage(self.scratch):
            folder = self.scratch / "reading"  # a database is changed by opening it
            shutil.copytree(made.folder, folder)
            remains = remains_of(
                folder,
                owners,
                self.traces,
                in_b={entry.path for entry in made.entries if entry in states["B"]},
                rewritten={
                    entry.path for entry in made.entries if command and entry not in states["A"]
                },
            )
            shutil.rmtree(folder)
        undivided = [
            UndividedFile(file=file, entries=dropped.unsure)
            for by_file in made.forgotten.values()
            for file, dropped in sorted(by_file.items())
            if dropped.unsure
        ]
        return msgspec.structs.replace(remains, undivided=tuple(undivided))

    def build(self, condition: Condition) -> Built:
        """The folder of a condition; a C made by the user's command starts as production."""
        folder = self.scratch / "conditions" / condition.name
        forgotten: dict[str, dict[str, Dropped]] = {}
        with storage(folder):
            folder.mkdir(parents=True)
            _copy(self.snapshot, folder, self.fixed)
            for name, source in condition.layers.items():
                self._lay(folder, name, source, forgotten)
            entries = manifest(folder)
        if "placebo" in condition.layers.values():
            self._check_placebo(entries)
        return Built(folder=folder, entries=entries, forgotten=forgotten)

    def _check_placebo(self, entries: tuple[FileEntry, ...]) -> None:
        """Refuse a placebo that equals production, or shuffles a field that does not exist."""
        fields = () if self.spec.placebo is None else self.spec.placebo.shuffle
        lost = [field for field in fields if field not in self.shuffled]
        paths = {entry.path for entry in entries}
        layers = self.spec.state.layers.values()
        if not any(matches(path, layer.patterns) for path in paths for layer in layers):
            raise SpecError(
                "[placebo] has no file of any layer, so it would equal B",
                hint="placebo.state must be a folder with the same layout as the state.",
            )
        if not lost and entries != self.entries:
            return
        raise SpecError(
            f"placebo.shuffle: no row of the state has the field {lost[0]!r:.60}"
            if lost
            else "[placebo] equals production",
            hint="Name fields whose values differ from row to row, or the state of another corpus.",
        )

    def _lay(
        self,
        folder: Path,
        name: str,
        source: LayerSource,
        forgotten: dict[str, dict[str, Dropped]],
    ) -> None:
        layer, files = self.spec.state.layers[name], self.files[name]
        by_command = source == "forgotten" and bool(self.spec.state.forget)
        kept = source == "forgotten" and layer.in_c == "keep"
        if source == "production" or by_command or kept:
            _copy(self.snapshot, folder, files)
        elif source == "initial" or (source == "forgotten" and layer.in_c == "initial"):
            self._lay_initial(folder, name, layer)
        elif source == "forgotten":
            _copy(self.snapshot, folder, files)
            forgotten[name] = forget(folder, files, layer, self.traces)
        else:
            self._lay_placebo(folder, name, files)

    def _lay_initial(self, folder: Path, name: str, layer: Layer) -> None:
        if layer.initial is None:
            return
        source = self.spec.home / layer.initial
        if source.is_dir():
            names = [entry.path for entry in manifest(source)]
            _check_owned(name, layer, names)
            _copy(source, folder, names)
            return
        target = self._initial_target(name, layer)
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, folder / target)

    def _lay_placebo(self, folder: Path, name: str, files: Sequence[str]) -> None:
        placebo = self.spec.placebo
        layer = self.spec.state.layers[name]
        if placebo is not None and placebo.state is not None:
            other = self.spec.home / placebo.state
            if not other.is_dir():
                raise SpecError(f"placebo.state: there is no folder {placebo.state!r}")
            names = [entry.path for entry in manifest(other)]
            _copy(other, folder, [file for file in names if matches(file, layer.patterns)])
            return
        fields = () if placebo is None else placebo.shuffle
        _copy(self.snapshot, folder, files)
        rng = random.Random(self.digest)  # noqa: S311 - a seeded order, not a secret
        for file in files:
            kind = None if file.endswith("/") else kind_of_file(folder / file)
            if kind is not None and kind != "lines":
                self.shuffled |= shuffle_rows(
                    folder / file, kind, fields, lambda size: rng.sample(range(size), size)
                )


def _copy(source: Path, target: Path, names: Sequence[str]) -> None:
    """Copy some files of a folder to the same places in another."""
    for name in names:
        place = target / name
        if name.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, place)


def _check_owned(name: str, layer: Layer, names: Sequence[str]) -> None:
    """Refuse initial files that do not belong to the layer."""
    for file in names:
        if not matches(file, layer.patterns):
            raise SpecError(
                f"state.layers.{name}: initial has {file}, which is not a file of this layer"
            )
