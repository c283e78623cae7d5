"""What balancing a benchmark kept, and what it cost."""

from typing import TYPE_CHECKING

from assay.confounding.balance import HIGHEST, Balanced, Surfaces
from assay.report.terminal import interval, styled, table
from assay.surface.joint_model import FEWEST

if TYPE_CHECKING:
    from rich.console import Console

_LISTED = 8


def draw_balanced(balanced: Balanced, out: str, console: "Console") -> None:
    """Before and after, what was lost, and where the subset is."""
    rows = [
        ("records", f"{balanced.n:,}", f"{balanced.kept:,}"),
        ("positives", f"{balanced.positives:,}", f"{balanced.kept_positives:,}"),
        ("joint surface AUC", _joint(balanced.before), _joint(balanced.after)),
        ("worst feature alone", _worst(balanced.before), _worst(balanced.after)),
    ]
    tried = "balanced" if balanced.achieved else "last tried"
    console.print(table(("", "before", tried), rows))
    console.print()
    if not balanced.achieved:
        console.print(
            styled(
                "No subset was found in which no feature alone is over"
                f" {HIGHEST:.2f} and all together tell nothing, with at least {FEWEST} of each"
                " class. Nothing was written. Gather records whose surface does not tell."
            )
        )
        return
    for what, counts in balanced.lost.items():
        if counts:
            most = sorted(counts.items(), key=lambda pair: -pair[1])
            listed = ", ".join(f"{name} {count}" for name, count in most[:_LISTED])
            more = ", ..." if len(most) > _LISTED else ""
            console.print(styled(f"lost by {what}: {listed}{more}"))
    if balanced.kept == balanced.n:
        console.print(styled(f"Nothing had to be dropped. {out} holds every record."))
    else:
        share = f"{balanced.kept / balanced.n:.0%}"
        console.print(styled(f"{out} holds {balanced.kept:,} records, {share} of them."))


def _joint(surfaces: Surfaces) -> str:
    return f"{surfaces.joint:.3f} {interval(surfaces.low, surfaces.high)}"


def _worst(surfaces: Surfaces) -> str:
    return f"{surfaces.worst_auc:.3f} {surfaces.worst}"
