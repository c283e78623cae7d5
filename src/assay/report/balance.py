"""What balancing a benchmark kept, and what it cost."""

from typing import TYPE_CHECKING

from assay.confounding.balance import HIGHEST, Balanced, Surfaces
from assay.report.terminal import styled, table
from assay.surface.joint_model import FEWEST

if TYPE_CHECKING:
    from rich.console import Console

_LISTED = 8


def draw_balanced(found: Balanced, out: str, console: "Console") -> None:
    """Before and after, what was lost, and where the subset is."""
    rows = [
        ("records", f"{found.n:,}", f"{found.kept:,}"),
        ("positives", f"{found.positives:,}", f"{found.kept_positives:,}"),
        ("joint surface AUC", *(_joint(one) for one in (found.before, found.after))),
        ("worst feature alone", *(_worst(one) for one in (found.before, found.after))),
    ]
    tried = "balanced" if found.achieved else "last tried"
    console.print(table(("", "before", tried), rows))
    console.print()
    if not found.achieved:
        console.print(
            styled(
                "No subset was found in which no feature alone is over"
                f" {HIGHEST:.2f} and all together tell nothing, with at least {FEWEST} of each"
                " class. Nothing was written. Gather records whose surface does not tell."
            )
        )
        return
    for what, counts in found.lost.items():
        if counts:
            most = sorted(counts.items(), key=lambda one: -one[1])
            said = ", ".join(f"{name} {count}" for name, count in most[:_LISTED])
            more = ", ..." if len(most) > _LISTED else ""
            console.print(styled(f"lost by {what}: {said}{more}"))
    if found.kept == found.n:
        console.print(styled(f"Nothing had to be dropped. {out} holds every record."))
    else:
        share = f"{found.kept / found.n:.0%}"
        console.print(styled(f"{out} holds {found.kept:,} records, {share} of them."))


def _joint(one: Surfaces) -> str:
    return f"{one.joint:.3f} [{one.low:.3f}, {one.high:.3f}]"


def _worst(one: Surfaces) -> str:
    return f"{one.worst_auc:.3f} {one.worst}"
