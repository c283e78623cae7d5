"""Why a run failed, as far as its state and what it tried to write can tell."""

from collections.abc import Sequence
from pathlib import Path

from assay.digests import FileEntry
from assay.dual_condition.state.conditions import Built
from assay.dual_condition.system.file_access import Reached


def causes_of(
    trouble: str, condition: str, built: Built, production: Sequence[FileEntry], reached: Reached
) -> str:
    """Possible causes of a run's own message, each in brackets; empty if none is known."""
    left_out = _left_out(trouble, built) or _absent(trouble, condition, built, production)
    return _wrote(reached) + left_out


def _wrote(reached: Reached) -> str:
    """What a failed run tried to write outside its folders."""
    return "".join(
        f" (it tried to write {path}; a run may write only to its state, $TMPDIR and standard"
        " error)"
        for path in sorted(reached.outside)[:1]
    )


def _left_out(trouble: str, built: Built) -> str:
    """What the message names and the rules of a layer took out of the state."""
    found = built.removed_name_in(trouble)
    if found is None:
        return ""
    file, name = found
    what = f"{file}, which" if name == Path(file).name else f"{name!r:.60} of {file}, which"
    return f" (C lacks {what} names an item: the system must do without what it has not met)"


def _absent(trouble: str, condition: str, built: Built, production: Sequence[FileEntry]) -> str:
    """A file that the message names, that production has and this condition begins without."""
    here = {entry.path for entry in built.entries}
    lost = (entry.path for entry in production if entry.path not in here)
    name = next((path for path in lost if f"/{path}" in trouble), None)
    if name is None:
        return ""
    return (
        f" ({condition} has no {name}: the system must start without it, or its layer names what it"
        ' starts with: initial = "FILE")'
    )
