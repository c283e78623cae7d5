"""Comparisons that allow an artifact to be frozen, made from runs that gain by it."""

import json

import msgspec

from assay.comparison.collect import Request, compare_paths
from assay.comparison.store import read_comparison, write_comparison
from assay.digests import digest
from assay.folders import artifact_digest


def runs(path, score, *, artifact=None, count=20):
    """A file of runs that all have one score."""
    said = {} if artifact is None else {"artifact": artifact}
    rows = [{"instance": f"i{n}", "score": score, **said} for n in range(count)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def compared(home, artifact, *, before=0, after=1, name="comparison.json"):
    """A comparison file of an artifact, with the runs beside it."""
    measured = artifact_digest(artifact)
    stem = name.removesuffix(".json")
    sides = (
        runs(home / f"{stem}-baseline.jsonl", before),
        runs(home / f"{stem}-candidate.jsonl", after, artifact=measured),
    )
    request = Request(plan=None, policies={})
    write_comparison(home / name, compare_paths([sides[0]], [sides[1]], request))
    return home / name


def skill(home, text="Think first.\n", name="skill.md"):
    """An artifact of one file."""
    home.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(text)
    return home / name


def skill_folder(home, name="skill.md", **files):
    """An artifact of a folder."""
    (home / name / "inner").mkdir(parents=True)
    for inner, text in (files or {"one": "1"}).items():
        (home / name / "inner" / inner).write_text(text)
    return home / name


def shown(home, artifact):
    """A comparison as `ratify` takes it."""
    home.mkdir(parents=True, exist_ok=True)
    return read_comparison(compared(home, artifact, name=f"{artifact_digest(artifact)[-12:]}.json"))


def forge(path, change):
    """Edit a comparison as someone would who computes the checksum anew."""
    record = json.loads(path.read_bytes())
    change(record)
    inner = {key: value for key, value in record.items() if key not in ("format", "checksum")}
    record["checksum"] = digest(msgspec.json.encode(inner, order="sorted"))
    path.write_bytes(msgspec.json.encode(record))
    return path
