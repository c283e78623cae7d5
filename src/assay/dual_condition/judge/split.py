"""Decide whether the gain can be split into memorisation and transfer.

C is the state without anything of the benchmark's items, and with all else. Where something of
them is left in it, or may be where nothing can be looked up, or where C lacks more than that, C - B
is no transfer and A - C no memorisation; the split is then not decidable, and no number is given
for it.
"""

from fnmatch import fnmatchcase

from assay.dual_condition.evidence import DualEvidence
from assay.dual_condition.result import Precondition
from assay.wording import counted

MOST_VALUES = 0.1
"""The split stays decidable up to this many unsearchable values an item."""
_SHOWN = 3


def check_split(evidence: DualEvidence) -> Precondition | None:
    """Whether the split is decidable, with the evidence; None if C was not run."""
    if "C" not in evidence.conditions:
        return None
    why = _obstacle(evidence)
    if why is not None:
        return Precondition(holds=False, evidence=why)
    remains = evidence.state.remains
    files = counted(0 if remains is None else remains.files, "file")
    items = counted(len(evidence.items.id), "item")
    return Precondition(holds=True, evidence=f"C holds nothing of the {items} in {files}")


def _obstacle(evidence: DualEvidence) -> str | None:
    remains = evidence.state.remains
    if remains is None:
        return "C was not searched for what it still holds of the items"
    if remains.traces:
        parts = [
            f"{trace.file} repeats {counted(trace.items, 'item')} ({trace.example:.60})"
            for trace in remains.traces[:_SHOWN]
        ]
        return f"C still holds items of the benchmark: {_listed(parts, len(remains.traces))}"
    if remains.undivided:
        parts = [
            f"{counted(file.entries, 'entry')} of {file.file}"
            for file in remains.undivided[:_SHOWN]
        ]
        return (
            "C lacks texts of no item too, since nothing tells where an entry ends in what names"
            f" items: {_listed(parts, len(remains.undivided))}"
        )
    values = unreadable_values(evidence)
    if values > MOST_VALUES * len(evidence.items.id):
        files = [file for file in remains.unreadable if not file.rewritten]
        parts = [f"{file.file} ({counted(file.values, 'value')})" for file in files[:_SHOWN]]
        return (
            "C keeps what cannot be looked up, and may be memory of the items:"
            f" {_listed(parts, len(files))}"
        )
    strangers = undeclared_peers(evidence)
    if strangers:
        return (
            f"the system spoke to {_listed(strangers[:_SHOWN], len(strangers))}, and what is kept"
            " there of the items is in C as well"
        )
    return None


def unreadable_values(evidence: DualEvidence) -> int:
    """How many values of C cannot be searched, without those that `state.forget` wrote."""
    remains = evidence.state.remains
    files = () if remains is None else remains.unreadable
    return sum(file.values for file in files if not file.rewritten)


def undeclared_peers(evidence: DualEvidence) -> list[str]:
    """The peers of runs that the spec does not name as part of the system."""
    peers = sorted({peer for run in evidence.runs for peer in run.peers})
    return [peer for peer in peers if not is_service(peer, evidence.services)]


def is_service(peer: str, services: tuple[str, ...]) -> bool:
    """Whether a peer is one of these addresses, or matches one with `*` in it."""
    return any(peer == service or fnmatchcase(peer, _glob(service)) for service in services)


def _glob(service: str) -> str:
    """An address as a pattern in which only `*` is a wildcard."""
    return service.replace("[", "[[]").replace("?", "[?]")


def _listed(parts: list[str], count: int) -> str:
    return ", ".join(parts) + (f" and {count - len(parts)} more" if count > len(parts) else "")
