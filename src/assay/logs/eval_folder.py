"""Folders written by a harness: `eval.json` with the scores, `manifest.json` with the harness.

A folder with an `eval.json` is one run. In any other folder, every folder below with an `eval.json`
is a run, named by its relative path.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.bounds import LARGEST_NUMBER
from assay.digests import digest, parse_object
from assay.errors import SpecError, storage
from assay.files import read_bounded
from assay.folders import walk
from assay.logs.columns.metric_names import is_cost
from assay.logs.trial import SOURCE_NAMES, UNNAMED, Trial

SCORES, MANIFEST = "eval.json", "manifest.json"
MOST_BYTES = 16 << 20
MOST_RUNS = 100_000
_LARGEST = LARGEST_NUMBER
_MARK = b"\xef\xbb\xbf"
_TEXTS = frozenset({"entity", "fixture", "instance", "trial", "run", "run_id", "scorer", "status"})


def run_folders(root: Path) -> Iterator[tuple[str, Path]]:
    """Each run below a folder, by its name there."""
    with storage(root):
        if (root / SCORES).is_file():
            yield root.resolve().name, root
            return
        count = 0
        entered = set()
        for place, folders, files in walk(root, follow_links=True):
            known = place.stat()
            if (known.st_dev, known.st_ino) in entered and SCORES not in files:
                folders.clear()  # a link back to where we were
                continue
            entered.add((known.st_dev, known.st_ino))
            if SCORES in files:
                folders.clear()
                count += 1
                if count > MOST_RUNS:
                    raise SpecError(f"{root}: more than {MOST_RUNS:,} runs")
                yield place.relative_to(root).as_posix(), place
    if not count:
        raise SpecError(
            f"{root}: no {SCORES} in this folder or below it",
            hint="Name a folder of scored runs, or a .jsonl or .csv of trials.",
        )


def has_runs(root: Path) -> bool:
    """Whether a folder, or one below it, is a run."""
    with storage(root):
        return any(SCORES in files for _, _, files in walk(root, follow_links=False))


def read_run(
    folder: Path, *, all_scores: bool, fixture_required: bool = True
) -> tuple[Trial, bytes]:
    """The trial in a run's folder, and the bytes it was read from.

    The caller may name the trial by its folder if the files do not name it. With `all_scores` every
    number is a dimension; otherwise the five known ones and the costs are. A run without a fixture
    has the instance UNNAMED if none is required.
    """
    where = str(folder / SCORES)
    data = read_bounded(folder / SCORES, MOST_BYTES)
    scores = parse_object(data.removeprefix(_MARK), where=where)
    manifest: Mapping[str, object] = {}
    with storage(folder):
        has_manifest = (folder / MANIFEST).is_file()
    if has_manifest:
        described = read_bounded(folder / MANIFEST, MOST_BYTES)
        manifest = parse_object(described.removeprefix(_MARK), where=str(folder / MANIFEST))
        data += described
    instance = scores.get("instance", scores.get("fixture"))
    if instance is None and not fixture_required:
        instance = UNNAMED
    if not isinstance(instance, (str, int)) or isinstance(instance, bool):
        raise SpecError(f"{where}: no `fixture`, which names the instance of the run")
    both = {**manifest, **scores}
    run = scores.get("run_id", scores.get("run", manifest.get("run_id", manifest.get("run"))))
    artifact = manifest.get("artifact")
    made = Trial(
        instance=str(instance),
        trial=_optional_text(both.get("trial")),
        dimensions=_dimensions(scores, where, all_scores=all_scores),
        harness={
            key: as_text(manifest[key]) for key in ("model", "profile", "params") if key in manifest
        },
        scorer=_optional_text(both.get("scorer")),
        run=_optional_text(run),
        artifact=artifact if isinstance(artifact, str) else None,
        crashed=is_crash(both.get("status")),
    )
    return made, data


def is_crash(status: object) -> bool:
    """Whether a run's status means that it did not finish."""
    if not isinstance(status, str):
        return False
    return status.strip().lower().replace("_", "-").replace(" ", "-") in _CRASHES


_CRASHES = frozenset(
    "crashed crash error errored exception failed failure timeout timed-out killed aborted"
    " cancelled canceled".split()
)


def _dimensions(
    scores: Mapping[str, object], where: str, *, all_scores: bool
) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    for name, value in scores.items():
        if name in _TEXTS or not (all_scores or name in SOURCE_NAMES or is_cost(name)):
            continue
        if value is None or isinstance(value, (bool, int, float)):
            values[name] = value
            if isinstance(value, int) and abs(value) > _LARGEST:
                raise SpecError(f"{where}: {name} is a number too large to hold")
        elif name in SOURCE_NAMES:
            raise SpecError(f"{where}: {name} is {value!r:.60}, expected a number")
    return values


def _optional_text(value: object) -> str | None:
    return None if value is None else as_text(value)


def as_text(value: object) -> str:
    """A value of the manifest as one text; the keys of tables are sorted."""
    if isinstance(value, dict):
        inner = ", ".join(f"{key}: {as_text(value[key])}" for key in sorted(value))
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_text, value))}]"
    return str(value)


def digest_of(parts: list[bytes]) -> str:
    """One digest over the digests of several files."""
    if len(parts) == 1:
        return digest(parts[0])
    return digest("\n".join(digest(part) for part in parts).encode())
