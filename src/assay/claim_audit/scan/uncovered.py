"""A number of a text that no claim covers."""

import msgspec

from assay.claim_audit.scan.candidates import Candidate


class Uncovered(msgspec.Struct, frozen=True, kw_only=True):
    """A number that no claim covers, where it stands, and what could cover it.

    `at` is its place in the sentence.
    """

    number: str
    file: str
    line: int
    end: int
    kind: str
    weight: float
    sentence: str
    at: int = 0
    candidates: tuple[Candidate, ...]
