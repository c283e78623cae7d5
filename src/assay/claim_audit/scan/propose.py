"""Write proposed claims into texts: a comment behind each number with one equal candidate."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.correction.patch import patch_of, write_text
from assay.claim_audit.scan.candidates import words_of
from assay.claim_audit.scan.scan import ClaimScan, Uncovered
from assay.claim_audit.scan.uncovered_tables import UncoveredTable
from assay.claim_audit.scan.whole_intervals import OF_INTERVALS
from assay.claim_audit.texts.boundaries import part_of
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.reading.refusal import NotWhole
from assay.claim_audit.texts.reading.relations import refuse_other_relation
from assay.claim_audit.texts.reading.units import PRINTED_UNIT, known_unit
from assay.digests import decode_utf8
from assay.files import read_bounded
from assay.tables.numbers.printed_numbers import parse_printed

_MARKED = (".md", ".markdown", ".html")
_FEWEST = 10
_DIFFERENCES = frozenset({"delta", "diff", "difference", "point"})
"""Words of names for a difference, which is no relative change."""
_ENDS_AND_MEANS = ("max", "min", "mean")


def propose_claims(scan: ClaimScan, paths: Sequence[Path], *, write: bool) -> ClaimScan:
    """The scan with a patch that adds the proposed claims; with `write` the texts are changed.

    LaTeX, reStructuredText and notebooks are left alone: their claims stand on other lines.
    """
    patches, proposed = [], 0
    for path in paths:
        if path.suffix.lower() not in _MARKED:
            continue
        old = decode_utf8(read_bounded(path, MAX_FILE_BYTES), where=str(path))
        uncovered = [one for one in scan.uncovered if one.file == str(path)]
        tables = [one for one in scan.tables if one.file == str(path)]
        new, count = with_claims(Document(old, str(path), path.suffix), uncovered, tables)
        proposed += count
        if new != old:
            patches.append(patch_of(path, old, new))
            if write:
                write_text(path, new)
    return structs.replace(
        scan, patch="".join(patches), proposed=proposed, written=write and bool(patches)
    )


def with_claims(
    document: Document, uncovered: Sequence[Uncovered], tables: Sequence[UncoveredTable] = ()
) -> tuple[str, int]:
    """A text with a claim behind each number and table that exactly one equals, and how many.

    The number must be one that a claim could cover, written whole and no bound. The sentence must
    share a word with the value's names: others match by chance. So do most cells of a table, which
    are left out: a table is one claim, and so is an interval. Words for numbers and integers below
    ten match too often, and so does the end or mean of a column that the sentence does not name.
    """
    text, plain = document.text, document.plain
    places = {
        one.end: f"\n\n{one.candidates[0].comment}"
        for one in tables
        if [candidate.match for candidate in one.candidates] == ["equal"]
    }
    places |= {
        _behind_unit(text, plain.behind_marks(one.end)): f" {one.candidates[0].comment}"
        for one in uncovered
        if [(candidate.match, candidate.related) for candidate in one.candidates]
        == [("equal", True)]
        and not text[text.rfind("\n", 0, one.end) + 1 : one.end].lstrip().startswith("|")
        and _is_telling(one)
        and _is_whole(document, one)
    }
    for at in sorted(places, reverse=True):
        text = f"{text[:at]}{places[at]}{text[at:]}"
    return text, len(places)


def _is_telling(one: Uncovered) -> bool:
    """Whether a match can hardly be chance: by the number, the statistic and the whole interval."""
    printed, candidate = parse_printed(one.number), one.candidates[0]
    if printed is None or not any(letter.isdecimal() for letter in one.number):
        return False
    if printed.last_place == 1 and abs(printed.value) < _FEWEST:
        return False
    if one.interval is not None and candidate.checker not in OF_INTERVALS:
        return False
    named = words_of(" ".join(str(value) for value in candidate.args.values()))
    if printed.percent and "relative" in words_of(one.sentence) and named & _DIFFERENCES:
        return False
    column = candidate.args.get("column")
    if candidate.args.get("statistic") in _ENDS_AND_MEANS:
        return words_of(str(column)) <= words_of(one.sentence)
    return True


def _behind_unit(text: str, at: int) -> int:
    """The place behind a unit that follows a number."""
    found = PRINTED_UNIT.match(text, at)
    return found.end() if found is not None and known_unit(found["unit"]) else at


def _is_whole(document: Document, one: Uncovered) -> bool:
    """Whether a claim of equality could stand behind a number."""
    plain, whole = document.plain, one.interval or one.number
    start = plain.place_of(one.end) - len(whole)
    end = start + len(whole)
    try:
        refuse_other_relation(document, start, end, None)
    except NotWhole:
        return False
    return part_of(plain.text, start, end) is None
