"""Confound audits and balanced benchmarks for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.confounding.balanced import TELLING, Balanced, Surfaces
from assay.confounding.result import (
    ABOUT_WHAT_WAS_READ,
    ConfoundAudit,
    FeatureResult,
    Finding,
    Fitness,
    Importance,
    Joint,
    MethodResult,
)
from assay.report.terminal import EVERY_CAVEAT, draw_caveats, marked, styled, table
from assay.surface.features import OF_QUESTION
from assay.wording import as_flags, interval

if TYPE_CHECKING:
    from rich.console import Console

FEW = 10
_LISTED = 6
_KEPT_LISTED = 8
_STYLE = {
    Fitness.CLEAN: "green",
    Fitness.CONFOUNDED: "red",
    Fitness.UNFIT: "red",
    Fitness.UNDECIDED: "yellow",
}
_BALANCE = "assay balance FILE `out=FILE`"
_NEXT = {
    Fitness.CONFOUNDED: "Use bars that ask for more than the surface gives (`bars=v4`;"
    " `bars=plain-2` for labels without classes), or take a balanced subset:",
    Fitness.UNFIT: "Collect records whose surface does not predict the label, or take a balanced"
    " subset:",
}
_SURFACE = {
    "declared": "declared surface: features that read no meaning; `surface=lexical` adds words and"
    " letters",
    "lexical": "lexical surface: features that read no meaning, and words and letters",
}
_FLAGS = (
    "better: whether higher or lower values mean positive. rho: rank correlation with the number of"
    " words."
)
_FLAGGED = (
    " Flags mark an AUC of at least 0.70: length if |rho| is at least 0.5, otherwise orthogonal."
)
_INERT = " inert: an AUC under 0.70."
_NOT_FITTED = "beyond the surface, surface share: not computed, as no surface model was fitted."
_SHARES = (
    "beyond the surface: the AUC by the part of the score that surface features do not predict."
    " surface share: the share of the score that they predict."
)


def draw_audit(
    audit: ConfoundAudit,
    out: "Console",
    *,
    every: bool = False,
    caveats: bool = False,
    balance: str = _BALANCE,
) -> None:
    """An audit: features, the joint model, methods, faults of the data, and the verdict.

    `balance` is the command that takes a balanced subset of these data.
    """
    out.print(styled(f"{audit.benchmark}: {audit.records_read}"))
    first = [caveat for caveat in audit.caveats if caveat.code in ABOUT_WHAT_WAS_READ]
    for caveat in first:
        out.print(styled(as_flags(caveat.message)))
    out.print(styled(as_flags(_SURFACE[audit.surface]), style="dim"))
    out.print()
    _draw_features(audit, out, every=every)
    if audit.joint is not None:
        _draw_joint(audit.joint, out, numbered=audit.numbered)
    if audit.methods:
        _draw_methods(audit.methods, out, fitted=audit.joint is not None)
    if audit.lint:
        _draw_lint(audit.lint, out, numbered=audit.numbered)
    style = f"bold {_STYLE[audit.verdict]}"
    out.print(marked("verdict  ", audit.verdict.upper(), style, f"  {audit.because}"))
    if audit.verdict in _NEXT:
        out.print(styled(as_flags(_NEXT[audit.verdict])))
        out.print(styled(f"  {as_flags(balance)}"), soft_wrap=True)  # whole, to be pasted
    out.print()
    others = [each for each in audit.caveats if each not in first]
    draw_caveats(others, out, every=None if caveats else EVERY_CAVEAT)
    out.print(styled(audit.signature, style="dim"))


def _draw_features(audit: ConfoundAudit, out: "Console", *, every: bool) -> None:
    ranked = sorted(audit.features, key=lambda feature: -feature.auc)
    telling = [feature for feature in ranked if feature.low > 0.5][:FEW]
    shown = [
        feature
        for feature in ranked
        if every or feature in telling or feature.name in audit.own_features
    ]
    if shown:
        out.print(
            table(
                ("feature alone", "AUC", "95 % interval", "better", "rho", "flag"),
                [_feature_row(feature) for feature in shown],
                right="lrllrl",
                drop=("rho", "better", "flag"),
            )
        )
        out.print(styled(_legend([_feature_row(feature)[-1] for feature in shown]), style="dim"))
    hidden = len(ranked) - len(shown)
    if hidden:
        more = "more features" if shown else "features"
        others = sum(feature.low > 0.5 for feature in ranked if feature not in shown)
        words = f"{hidden} {more}, {others or 'none'} of them shown to predict the label alone"
        out.print(styled(as_flags(f"{words}; `all=True` shows them."), style="dim"))
    out.print()


def _legend(flags: Sequence[str]) -> str:
    """What the columns rho and flag mean."""
    return f"{_FLAGS}{_FLAGGED}{_INERT if 'inert' in flags else ''}"


def _feature_row(feature: FeatureResult) -> tuple[str, ...]:
    rho = "-" if feature.rho_length is None else f"{feature.rho_length:z.2f}"
    ends = interval(feature.low, feature.high)
    flag = feature.shown_flag or ""
    return _label(feature), f"{feature.auc:.3f}", ends, feature.direction, rho, flag


def _label(feature: FeatureResult | Importance) -> str:
    return f"{OF_QUESTION}{feature.name}" if feature.on == "question" else feature.name


def _draw_joint(joint: Joint, out: "Console", *, numbered: bool) -> None:
    figures = f"AUC {joint.auc:.3f} {interval(joint.low, joint.high)}"
    out.print(styled(f"All together, out of fold (cross-validated): {figures}"))
    leading = [entry for entry in joint.importance if entry.value >= 0.001][:_LISTED]
    if leading:
        listed = ", ".join(f"{_label(entry)} {entry.value:.3f}" for entry in leading)
        out.print(styled(f"  rests on (AUC lost if shuffled): {listed}"))
    if joint.given_away and joint.low > 0.5:
        listed = ", ".join(f"{entry.id} ({entry.probability:.2f})" for entry in joint.given_away)
        named = "record number, from 1," if numbered else "record id"
        out.print(styled(f"  most given away ({named} and probability of its label): {listed}"))
    out.print()


def _draw_methods(methods: Sequence[MethodResult], out: "Console", *, fitted: bool) -> None:
    """Each method; without a surface model its AUC alone, and why the rest is missing."""
    if not fitted:
        alone = [
            (method.name, f"{method.auc:.3f} {interval(method.low, method.high)}")
            for method in methods
        ]
        out.print(table(("method", "AUC"), alone, right="ll"))
        out.print(styled(_NOT_FITTED, style="dim"))
        out.print()
        return
    rows = []
    for method in methods:
        left, share = method.beyond, method.surface_share
        rows.append(
            (
                method.name,
                f"{method.auc:.3f} {interval(method.low, method.high)}",
                "-" if left is None else f"{left.value:.3f} {interval(left.low, left.high)}",
                "-" if share is None else f"{share:.0%}",
            )
        )
    out.print(table(("method", "AUC", "beyond the surface", "surface share"), rows, right="lllr"))
    out.print(styled(_SHARES, style="dim"))
    out.print()


def _draw_lint(findings: Sequence[Finding], out: "Console", *, numbered: bool) -> None:
    for finding in findings:
        line = styled(finding.code, style="yellow")
        line.append(f"  {styled(finding.message).plain}", style="default")
        out.print(line)
        ids = ", ".join(finding.records[:_LISTED]) + (", ..." if finding.count > _LISTED else "")
        named = "record" if numbered and finding.count == 1 else "records" if numbered else "ids"
        remedy = f"  {finding.remedy}" + (f" ({named} {ids})" if ids else "")
        out.print(styled(remedy, style="dim"))
    out.print()


_UNDER_HALF = (
    "An AUC under 0.5 is no surface that predicts: records are left out in turn, and each part left"
    " out has more of what the others have less of. In small files that alone gives such values."
)


def draw_balanced(balanced: Balanced, out: str, confounds: str, console: "Console") -> None:
    """Draw the surface before and after, what was dropped, and the new file's name.

    `confounds` is the command that audits the new file as it was audited here.
    """
    rows = [
        ("records", f"{balanced.n:,}", f"{balanced.kept:,}"),
        ("positives", f"{balanced.positives:,}", f"{balanced.kept_positives:,}"),
        ("AUC of all features together", _joint(balanced.before), _joint(balanced.after)),
        ("AUC of the worst feature alone", _worst(balanced.before), _worst(balanced.after)),
    ]
    tried = "balanced" if balanced.achieved else "last tried"
    console.print(table(("", "before", tried), rows))
    if balanced.after.high < 0.5:
        console.print(styled(_UNDER_HALF, style="dim"))
    console.print()
    telling = [each for each in balanced.caveats if each.code in TELLING]
    others = [each for each in balanced.caveats if each not in telling]
    draw_caveats(others, console, every=None)  # of three kinds at most
    if not balanced.achieved:
        words = f"Nothing was written. {as_flags(balanced.remedy)}"
        console.print(styled(f"{balanced.outcome} {words}"))
        return
    console.print(styled(balanced.balanced_for))
    for caveat in telling:
        console.print(styled(as_flags(caveat.message), style="yellow"))
    for what, counts in balanced.lost.items():
        if counts:
            most = sorted(counts.items(), key=lambda pair: -pair[1])
            listed = ", ".join(f"{name} {count}" for name, count in most[:_KEPT_LISTED])
            more = ", ..." if len(most) > _KEPT_LISTED else ""
            console.print(styled(f"dropped by {what}: {listed}{more}"))
    if balanced.kept == balanced.n:
        console.print(styled(f"Nothing had to be dropped. {out} has all {balanced.n:,} records."))
    else:
        share = f"{balanced.kept / balanced.n:.0%}"
        console.print(styled(f"{out} has {balanced.kept:,} of the records ({share})."))
    console.print(styled(balanced.audited))
    console.print(styled(f"Audit it so: {confounds}", style="dim"))


def _joint(surfaces: Surfaces) -> str:
    return f"{surfaces.joint:.3f} {interval(surfaces.low, surfaces.high)}"


def _worst(surfaces: Surfaces) -> str:
    return f"{surfaces.worst_auc:.3f} {surfaces.worst}"
