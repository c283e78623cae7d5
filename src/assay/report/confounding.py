"""A confound audit for people: what the surface gives away, and what is left of each method."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.confounding.result import (
    ConfoundAudit,
    FeatureResult,
    Finding,
    Fitness,
    Importance,
    Joint,
    MethodResult,
)
from assay.report.terminal import styled, table
from assay.surface.features import OF_QUESTION
from assay.wording import as_flags

if TYPE_CHECKING:
    from rich.console import Console

FEW = 10
_LISTED = 6
_STYLE = {
    Fitness.CLEAN: "green",
    Fitness.CONFOUNDED: "red",
    Fitness.UNFIT: "red",
    Fitness.UNDECIDED: "yellow",
}
_MEANING = {
    Fitness.CLEAN: "the surface tells nothing of the label that these records could show",
    Fitness.CONFOUNDED: "a method can score by the surface alone",
    Fitness.UNFIT: "the surface leaves too little of the label to tell any method from it",
    Fitness.UNDECIDED: "without the joint surface model there is no verdict",
}
_NEXT = {
    Fitness.CONFOUNDED: "Hold methods to what is beyond the surface (`bars=v4`, or plain-2 without"
    " classes), or take a balanced subset: assay balance FILE `out=FILE`",
    Fitness.UNFIT: "Take a balanced subset (assay balance FILE `out=FILE`), or gather records whose"
    " surface does not tell.",
}


def draw_audit(audit: ConfoundAudit, out: "Console", *, every: bool = False) -> None:
    """An audit: features, the joint model, methods, faults of the data, and the verdict."""
    title = f"{audit.benchmark}: {audit.n:,} records, {audit.positives:,} positive"
    out.print(styled(title))
    out.print()
    _draw_features(audit.features, out, every=every)
    if audit.joint is not None:
        _draw_joint(audit.joint, out)
    if audit.methods:
        _draw_methods(audit.methods, out)
    if audit.lint:
        _draw_lint(audit.lint, out)
    line = styled("verdict  ")
    line.append(audit.verdict.upper(), style=f"bold {_STYLE[audit.verdict]}")
    line.append(f"  {_MEANING[audit.verdict]}")
    out.print(line)
    if audit.verdict in _NEXT:
        out.print(styled(as_flags(_NEXT[audit.verdict])))
    out.print()
    for caveat in audit.caveats:
        out.print(styled(f"{caveat.code}: {caveat.message}", style="dim"))
    out.print(styled(audit.signature, style="dim"))


def _draw_features(features: Sequence[FeatureResult], out: "Console", *, every: bool) -> None:
    ranked = sorted(features, key=lambda one: -one.auc)
    shown = ranked if every else [one for one in ranked if one.low > 0.5][:FEW]
    if shown:
        out.print(
            table(
                ("feature alone", "AUC", "95 % interval", "better", "rho", "flag"),
                [_feature_row(one) for one in shown],
                right="lrllrl",
            )
        )
    hidden = len(ranked) - len(shown)
    if hidden:
        more = "more features" if shown else "features"
        told = sum(one.low > 0.5 for one in ranked[len(shown) :])
        tell = "tells" if told == 1 else "tell"
        nothing = f"{hidden} {more}" + (f", {told} of which {tell} something" if told else "")
        what = "" if told else " tell nothing by themselves"
        out.print(styled(as_flags(f"{nothing}{what}; `all=True` shows them."), style="dim"))
    out.print()


def _feature_row(one: FeatureResult) -> tuple[str, ...]:
    rho = "-" if one.rho_length is None else f"{one.rho_length:.2f}"
    interval = f"[{one.low:.3f}, {one.high:.3f}]"
    # Inert means under the bar of .70; beside an interval that is clear of .5 the word misleads.
    flag = "" if one.flag == "inert" and one.low > 0.5 else one.flag
    return _label(one), f"{one.auc:.3f}", interval, one.direction, rho, flag


def _label(one: FeatureResult | Importance) -> str:
    return f"{OF_QUESTION}{one.name}" if one.on == "question" else one.name


def _draw_joint(joint: Joint, out: "Console") -> None:
    figures = f"AUC {joint.auc:.3f} [{joint.low:.3f}, {joint.high:.3f}]"
    out.print(styled(f"All together, out of fold: {figures}"))
    leading = [one for one in joint.importance if one.value >= 0.001][:_LISTED]
    if leading:
        said = ", ".join(f"{_label(one)} {one.value:.3f}" for one in leading)
        out.print(styled(f"  rests on (AUC lost without it): {said}"))
    if joint.given_away and joint.low > 0.5:
        said = ", ".join(f"{one.id} ({one.probability:.2f})" for one in joint.given_away)
        out.print(styled(f"  most given away: {said}"))
    out.print()


def _draw_methods(methods: Sequence[MethodResult], out: "Console") -> None:
    rows = []
    for one in methods:
        beyond = share = "-"
        if one.beyond is not None:
            beyond = f"{one.beyond.value:.3f} [{one.beyond.low:.3f}, {one.beyond.high:.3f}]"
        if one.surface_share is not None:
            share = f"{one.surface_share:.0%}"
        rows.append((one.name, f"{one.auc:.3f} [{one.low:.3f}, {one.high:.3f}]", beyond, share))
    out.print(table(("method", "AUC", "beyond the surface", "of it surface"), rows, right="lllr"))
    out.print()


def _draw_lint(findings: Sequence[Finding], out: "Console") -> None:
    for one in findings:
        line = styled(one.code, style="yellow")
        line.append(f"  {styled(one.message).plain}", style="default")
        out.print(line)
        ids = ", ".join(one.records[:_LISTED]) + (", ..." if one.count > _LISTED else "")
        remedy = f"  {one.remedy}" + (f" ({ids})" if ids else "")
        out.print(styled(remedy, style="dim"))
    out.print()
