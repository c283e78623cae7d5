"""Draw claim audits and scans on a terminal."""

from typing import TYPE_CHECKING

from assay.claim_audit.result import ClaimAudit, ClaimResult, counted_verdicts, told_of
from assay.claim_audit.scan.scan import ClaimScan, Uncovered
from assay.report.terminal import marked, styled
from assay.wording import as_flags, counted

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"holds": "green", "fails": "bold red", "vacuous": "yellow", "unverifiable": "yellow"}
_SHOWN = 25


def draw_claims(audit: ClaimAudit, out: "Console", *, every: bool = False) -> None:
    """Draw the claims that do not hold, or all of them, and the verdict."""
    for one in audit.claims:
        if one.control or every or not one.stands:
            _draw_claim(one, out)
    counts = counted_verdicts([one for one in audit.claims if not one.control])
    told = [f"{count} {word}" for word, count in counts.items() if count]
    mutants = sum(one.mutants.made for one in audit.claims)
    killed = sum(one.mutants.killed for one in audit.claims)
    out.print(styled(", ".join(told)))
    out.print(styled(f"controls: {killed} of {mutants} claims altered to be false failed"))
    if audit.coverage is not None and audit.coverage.share is not None:
        covered = f"{audit.coverage.covered} of {audit.coverage.numbers} numbers"
        out.print(styled(f"coverage: {covered} have a claim ({audit.coverage.share:.0%})"))
    if audit.grades is not None:
        brier = "" if audit.grades.brier is None else f", Brier score {audit.grades.brier:.3f}"
        hits = f"{audit.grades.hits} of {audit.grades.predicted}"
        out.print(styled(f"predicted verdicts: {hits} right{brier}"))
    out.print()
    style = "bold green" if audit.favourable else "bold red"
    out.print(marked("verdict  ", audit.verdict.upper(), style, f"  {audit.because}"))
    out.print(styled(audit.signature, style="dim"))


def _draw_claim(one: ClaimResult, out: "Console") -> None:
    word = "vacuous" if one.vacuous and one.verdict == "holds" else str(one.verdict)
    name = f"{one.place}  " if one.place else ""
    control = " (a control: it must fail)" if one.control else ""
    out.print(marked("", word, _STYLES[word], f"  {name}{one.id}{control}"))
    if one.text:
        out.print(styled(f"    {one.text[:200]}", style="dim"))
    if not one.stands:
        out.print(styled(f"    {told_of(one).partition(': ')[2] or told_of(one)}"))


def draw_scan(scan: ClaimScan, out: "Console", *, every: bool = False) -> None:
    """Draw the numbers without a claim, most important first, with claims that could cover them."""
    shown = scan.uncovered if every else scan.uncovered[:_SHOWN]
    for one in shown:
        out.print(marked(f"{one.file}, line {one.line}  ", one.number, "bold"))
        out.print(styled(f"    {one.sentence[:160]}", style="dim"))
        for candidate in one.candidates:
            out.print(styled(f"    {_told(one, candidate.value, candidate.match)}"))
            args = " ".join(f'{name}="{value}"' for name, value in candidate.args.items())
            out.print(styled(f"      <!-- claim: {candidate.checker} {args} -->"))
    more = len(scan.uncovered) - len(shown)
    if more:
        told = f"and {counted(more, 'more number')} (`all=True` shows them)"
        out.print(styled(as_flags(told)))
    out.print()
    share = "" if scan.share is None else f" ({scan.share:.0%})"
    numbers = f"{scan.coverage.covered} of {scan.coverage.numbers} numbers"
    out.print(styled(f"coverage: {numbers} have a claim{share}"))
    left = ", ".join(f"{count} {kind}" for kind, count in sorted(scan.left_out.items()))
    if left:
        out.print(styled(f"not counted: {left}", style="dim"))


def _told(one: Uncovered, value: float, match: str) -> str:
    if match == "equal":
        return f"{value:g} found:"
    return f"{value:g} found, the text says {one.number}:"
