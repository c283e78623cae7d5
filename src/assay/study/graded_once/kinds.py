"""The kinds of what is sealed as files and graded once.

A kind is the folder in the study, and names both entries of the ledger: KIND-seal, then KIND.
"""

from collections.abc import Mapping
from typing import NamedTuple


class GradedKind(NamedTuple):
    """The file of the result, and how one is sealed."""

    result: str
    how: str


KINDS: Mapping[str, GradedKind] = {
    "claims": GradedKind("audit.json", "assay claims seal FILE `name=NAME`"),
    "faithfulness": GradedKind(
        "audit.json",
        "assay critique seal `passages=FILE` `controls=FILE` `model=MODEL` `name=NAME`",
    ),
    "asymmetry": GradedKind(
        "result.json", "assay asymmetry seal DATA `model=MODEL` `prediction=FILE` `name=NAME`"
    ),
}
PLAN = "plan.json"
"""The sealed file of an experiment that asks a model."""


def result_file(kind: str, name: str) -> str:
    """Where the result is stored."""
    return f"{kind}/{name}/{KINDS[kind].result}"


def result_noun(kind: str) -> str:
    """What the result is called: an audit, or a result."""
    return KINDS[kind].result.partition(".")[0]
