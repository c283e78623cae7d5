"""The labelled claims, and how well verdicts agree with their labels."""

import json
from pathlib import Path

FOLDER = Path(__file__).parent


def rows_of(name):
    """The rows of a corpus: claims, or texts with the labels of their claims."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def labels_of(name):
    """Whether each claim of a corpus is true."""
    return [one["truth"] for row in rows_of(name) for one in row.get("labels", [row])]


def precision_and_recall(checked):
    """Of `fails`, from pairs of a label and a verdict."""
    failed = [truth for truth, verdict in checked if verdict == "fails"]
    caught, false = failed.count(False), sum(not truth for truth, _ in checked)
    return caught / len(failed), caught / false
