"""Write proposed claims into texts: a comment behind each number with one equal candidate."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.correction.patch import patch_of, write_text
from assay.claim_audit.scan.scan import ClaimScan, Uncovered
from assay.claim_audit.scan.uncovered_tables import UncoveredTable
from assay.digests import decode_utf8
from assay.files import read_bounded

_MARKED = (".md", ".markdown", ".html")


def propose_claims(scan: ClaimScan, paths: Sequence[Path], *, write: bool) -> ClaimScan:
    """The scan with a patch that adds the proposed claims; with `write` the texts are changed.

    LaTeX, reStructuredText and notebooks are left alone: their claims stand on other lines.
    """
    patches, proposed = [], 0
    for path in paths:
        if path.suffix.lower() not in _MARKED:
            continue
        old = decode_utf8(read_bounded(path, MAX_FILE_BYTES), where=str(path))
        tables = [one for one in scan.tables if one.file == str(path)]
        new, count = with_claims(
            old, [one for one in scan.uncovered if one.file == str(path)], tables
        )
        proposed += count
        if new != old:
            patches.append(patch_of(path, old, new))
            if write:
                write_text(path, new)
    return structs.replace(
        scan, patch="".join(patches), proposed=proposed, written=write and bool(patches)
    )


def with_claims(
    text: str, uncovered: Sequence[Uncovered], tables: Sequence[UncoveredTable] = ()
) -> tuple[str, int]:
    """A text with a claim behind each number and table that exactly one equals, and how many.

    The sentence must share a word with the value's names: others match by chance. So do most cells
    of a table, which are left out: a table is one claim.
    """
    places = {
        one.end: f"\n\n{one.candidates[0].comment}"
        for one in tables
        if [candidate.match for candidate in one.candidates] == ["equal"]
    }
    places |= {
        one.end: f" {one.candidates[0].comment}"
        for one in uncovered
        if [(candidate.match, candidate.related) for candidate in one.candidates]
        == [("equal", True)]
        and not text[text.rfind("\n", 0, one.end) + 1 : one.end].lstrip().startswith("|")
    }
    for at in sorted(places, reverse=True):
        end = at + 2 if text[at : at + 2] == "**" else at
        text = f"{text[:end]}{places[at]}{text[end:]}"
    return text, len(places)
