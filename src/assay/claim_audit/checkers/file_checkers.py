"""Checkers of files: what they contain, whether they are equal, how many there are."""

from collections.abc import Sequence

from assay.claim_audit.checkers.checker import Args, Checker, text_arg, texts_arg
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.tables.numbers.printed_numbers import parse_printed

_MOST_SHOWN = 6


def _contains(args: Args, evidence: EvidenceReader) -> Observed:
    """Whether a text stands in a file; in a PDF lines may break elsewhere."""
    path, part = text_arg(args, "path"), text_arg(args, "substring")
    if path.lower().endswith(".pdf"):
        shown = " ".join(" ".join(evidence.pdf(path).texts).split())
        return Observed(value=" ".join(part.split()) in shown, where=path)
    return Observed(value=part in evidence.text(path), where=path)


def _bytes_equal(args: Args, evidence: EvidenceReader) -> Observed:
    first, second = text_arg(args, "path_a"), text_arg(args, "path_b")
    if evidence.path(first) == evidence.path(second):
        raise Unverifiable(f"{first:.80} is compared with itself, which cannot fail")
    same = evidence.once(("same", first, second), lambda: evidence.same_bytes(first, second))
    return Observed(value=same, where=f"{first} and {second}")


def _file_count(args: Args, evidence: EvidenceReader) -> Observed:
    pattern = text_arg(args, "glob")
    return Observed(value=len(evidence.matching(pattern)), where=pattern)


def _capture(args: Args, evidence: EvidenceReader) -> Observed:
    path, pattern = text_arg(args, "path"), text_arg(args, "pattern")
    return _agreed([path], pattern, evidence)


def _match_count(args: Args, evidence: EvidenceReader) -> Observed:
    path = text_arg(args, "path")
    return Observed(value=len(evidence.matches(path, text_arg(args, "pattern"))), where=path)


def _same_value(args: Args, evidence: EvidenceReader) -> Observed:
    return _agreed(texts_arg(args, "paths"), text_arg(args, "pattern"), evidence)


def _agreed(paths: Sequence[str], pattern: str, evidence: EvidenceReader) -> Observed:
    """The one value that a pattern captures, in every place; places that differ are named."""
    seen: dict[str, tuple[str, list[str]]] = {}
    for path in paths:
        found = evidence.matches(path, pattern)
        if not found:
            raise NotThere(f"{path} has nothing that matches {pattern!r:.60}")
        for text, line in found:
            seen.setdefault(_whole(text), (text, []))[1].append(f"{path}, line {line}")
    if len(seen) > 1:
        told = [
            f"{value!r:.30} in {' and '.join(places[:_MOST_SHOWN])}"
            for value, places in seen.values()
        ]
        raise NotThere(f"the places differ: {'; '.join(told[:_MOST_SHOWN])}")
    if not seen:
        raise Unverifiable("paths: expected at least one")
    value, places = next(iter(seen.values()))
    return Observed(value=value, where=places[0])


def _whole(text: str) -> str:
    """A count in one form, since thirteen is 13 and 1,284 is 1284; any other text as it is."""
    printed = parse_printed(text)
    return text if printed is None or printed.last_place != 1 else str(printed.value)


CHECKERS = (
    Checker(
        name="file_at_path_contains",
        about="a file contains a text",
        observe=_contains,
        required=("path", "substring"),
        altered=("substring", "path"),
    ),
    Checker(
        name="file_byte_equals",
        about="two files have the same bytes",
        observe=_bytes_equal,
        required=("path_a", "path_b"),
        altered=("path_a", "path_b"),
    ),
    Checker(
        name="directory_file_count_equals",
        about="a pattern names so many files",
        observe=_file_count,
        required=("glob",),
        value="n",
    ),
    Checker(
        name="regex_capture_equals",
        about="what a regular expression captures in a file is this value",
        observe=_capture,
        required=("path", "pattern"),
        value="value",
    ),
    Checker(
        name="regex_count_equals",
        about="a regular expression matches so often in a file",
        observe=_match_count,
        required=("path", "pattern"),
        value="n",
    ),
    Checker(
        name="same_value",
        about="several files print the same value",
        observe=_same_value,
        required=("paths", "pattern"),
        value="value",
        bare=True,
    ),
)
