"""Claims for people: what holds, what does not, and what no claim covers."""

from collections import Counter
from typing import TYPE_CHECKING

from assay.claim_audit.correction.fix import ClaimFix
from assay.claim_audit.result import (
    ClaimAudit,
    ClaimResult,
    counted_verb,
    counted_verdicts,
    told_of,
)
from assay.claim_audit.scan.candidates import Candidate
from assay.claim_audit.scan.scan import ClaimScan, Uncovered
from assay.claim_audit.scan.uncovered_tables import UncoveredTable, told_cell
from assay.claim_audit.sealed_claims import SealedClaims
from assay.report.terminal import marked, styled
from assay.wording import as_flags, counted

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"holds": "green", "fails": "bold red", "vacuous": "yellow", "unverifiable": "yellow"}
_SHOWN = 25
_AROUND = 90
"""Characters of a sentence that are shown on each side of a number."""


def draw_claims(audit: ClaimAudit, out: "Console", *, every: bool = False) -> None:
    """A line for each claim that does not stand, or for each; then the verdict."""
    lines = Counter((one.place, one.text) for one in audit.claims)
    for one in audit.claims:
        if one.control or every or not one.stands:
            _draw_claim(one, out, several=lines[one.place, one.text] > 1)
    counts = counted_verdicts([one for one in audit.claims if not one.control])
    told = [f"{count} {counted_verb(count, word)}" for word, count in counts.items() if count]
    mutants = sum(one.mutants.made for one in audit.claims)
    killed = sum(one.mutants.killed for one in audit.claims)
    altered = f"{killed} of {mutants} altered claims failed, as they must" if mutants else ""
    out.print(styled("; ".join(part for part in (", ".join(told), altered) if part)))
    if audit.coverage is not None:
        out.print(styled(f"coverage: {audit.coverage}"))
    if audit.grades is not None:
        brier = "" if audit.grades.brier is None else f", Brier score {audit.grades.brier:.3f}"
        graded = audit.grades.predicted - audit.grades.ungraded
        out.print(styled(f"predicted verdicts: {audit.grades.hits} of {graded} right{brier}"))
    out.print()
    style = "bold green" if audit.favourable else "bold red"
    out.print(marked("verdict  ", audit.verdict.upper(), style, f"  {audit.because}"))
    out.print(styled(audit.signature, style="dim"))


def draw_sealed(sealed: SealedClaims, out: "Console") -> None:
    """What was sealed, and what comes next."""
    for line in sealed.lines():
        out.print(styled(line))
    out.print(styled(f"Commit the study. Then grade them, once: assay claims grade {sealed.name}"))


def _draw_claim(one: ClaimResult, out: "Console", *, several: bool) -> None:
    word = "vacuous" if one.vacuous and one.verdict == "holds" else str(one.verdict)
    control = " (a control: it must fail)" if one.control else ""
    out.print(marked("", word, _STYLES[word], f"  {_named(one.place, one.id)}{control}"))
    if one.text:
        text = pointed(one.text, one.at) if several and one.at is not None else one.text[:200]
        out.print(styled(f"    {text}", style="dim"))
    if not one.stands:
        told = told_of(one)
        out.print(styled(as_flags(f"    {told.partition(': ')[2] or told}")))


def pointed(text: str, at: int) -> str:
    """The words around a place of a text, with an arrow that points at what stands before it."""
    begin, end = max(0, at - _AROUND), at + _AROUND
    before = text[begin:at].rstrip()
    first = "..." if begin > 0 else ""
    last = "..." if end < len(text) else ""
    return f"{first}{before} \u2190{text[at:end]}{last}"


def _named(place: str, name: str) -> str:
    """The place and the name of a claim; a name that was made from the place is not said again."""
    made = name.rpartition("#")[0] == place.replace(", line ", ":")
    return place if made else f"{place}  {name}" if place else name


def draw_scan(scan: ClaimScan, out: "Console", *, every: bool = False) -> None:
    """The numbers without a claim, the weightiest first, each with what could cover it."""
    for table in scan.tables:
        _draw_table(table, out)
    shown = scan.uncovered if every else scan.uncovered[:_SHOWN]
    if shown:
        out.print(styled("numbers without a claim, those that carry most first:", style="dim"))
    for one in shown:
        out.print(marked(f"{one.file}, line {one.line}  ", one.number, "bold"))
        sentence = pointed(one.sentence, one.at + len(one.number))
        out.print(styled(f"    {sentence}", style="dim"))
        for candidate in one.candidates:
            out.print(styled(f"    {_told(one, candidate)}"))
            out.print(styled(f"      {candidate.comment}"))
    more = len(scan.uncovered) - len(shown)
    if more:
        told = f"and {counted(more, 'more number')} (`all=True` shows them)"
        out.print(styled(as_flags(told)))
    out.print()
    out.print(styled(as_flags(f"coverage: {scan.sentence}")))
    if scan.cut is not None:
        out.print(styled(scan.cut))
    left = ", ".join(f"{count} {kind}" for kind, count in sorted(scan.left_out.items()))
    if left:
        out.print(styled(f"left out as no statements: {left}", style="dim"))


def _draw_table(table: UncoveredTable, out: "Console") -> None:
    """A table without a claim, the file that it prints, and the cells that differ."""
    out.print(marked(f"{table.file}, line {table.line}  ", "table", "bold"))
    for one in table.candidates:
        path, other = one.args["path"], len(one.differs)
        all_of = "every cell" if not other else f"{one.cells - other} of {one.cells} cells"
        out.print(styled(f"    {all_of} as in {path}:"))
        for cell in one.differs[:_SHOWN]:
            out.print(styled(f"      {told_cell(cell)}"))
        out.print(styled(f"      {one.comment}"))


def draw_patch(_: object, out: "Console", *, patch: str) -> None:
    """A patch as it is, for `git apply`."""
    out.file.write(patch)


def draw_fix(fix: ClaimFix, out: "Console") -> None:
    """The patch, unless it was applied, and the claims that it does not mend."""
    if not fix.written:
        out.file.write(fix.patch)
    for one in fix.left:
        out.print(marked("", "left", "yellow", f"  {_named(one.place, one.id)}: {one.why}"))
    out.print(styled(as_flags(fix.sentence)))


def _told(one: Uncovered, candidate: Candidate) -> str:
    said = "" if candidate.match == "equal" else f", and the text says {one.number}"
    chance = "" if candidate.related else " (perhaps by chance)"
    return f"{candidate.value:g} is there{said}{chance}:"
