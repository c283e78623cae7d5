"""Checkers of files: their contents, equality and number."""

from collections.abc import Sequence

from assay.claim_audit.checkers.checker import Args, Checker, text_arg, texts_arg
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere

_MOST_SHOWN = 6


def _contains(args: Args, evidence: EvidenceReader) -> Observed:
    path, part = text_arg(args, "path"), text_arg(args, "substring")
    return Observed(value=part in evidence.text(path), where=path)


def _bytes_equal(args: Args, evidence: EvidenceReader) -> Observed:
    first, second = text_arg(args, "path_a"), text_arg(args, "path_b")
    same = evidence.data(first) == evidence.data(second)
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
    """The value that a pattern captures in every file; names the places if values differ."""
    seen: dict[str, str] = {}
    for path in paths:
        found = evidence.matches(path, pattern)
        if not found:
            raise NotThere(f"{path} has nothing that matches {pattern!r:.60}")
        for text, line in found:
            seen.setdefault(text, f"{path}, line {line}")
    if len(seen) > 1:
        told = [f"{value!r:.30} in {place}" for value, place in seen.items()]
        raise NotThere(f"the values differ: {'; '.join(told[:_MOST_SHOWN])}")
    if not seen:
        raise Unverifiable("paths: expected at least one")
    value, place = next(iter(seen.items()))
    return Observed(value=value, where=place)


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
        about="the number of files that match a pattern",
        observe=_file_count,
        required=("glob",),
        value="n",
    ),
    Checker(
        name="regex_capture_equals",
        about="the value that a regular expression captures in a file",
        observe=_capture,
        required=("path", "pattern"),
        value="value",
    ),
    Checker(
        name="regex_count_equals",
        about="the number of matches of a regular expression in a file",
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
