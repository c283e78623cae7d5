"""The outcomes of tests from a JUnit report."""

import re
from xml.etree import ElementTree

from assay.claim_audit.claim import Unverifiable

_OUTCOMES = {"failure": "failed", "error": "error", "skipped": "skipped"}


def outcomes_of(data: bytes, where: str) -> list[tuple[str, str]]:
    """The name and outcome of each test: passed, failed, error or skipped."""
    if re.search(rb"<!\s*(DOCTYPE|ENTITY)", data, re.IGNORECASE):
        raise Unverifiable(f"{where}: has a document type declaration, which is refused")
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - it has no declarations
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise Unverifiable(f"{where}: not XML: {error}") from None
    return [
        (f"{case.get('classname', '')}::{case.get('name', '')}", _outcome(case))
        for case in root.iter("testcase")
    ]


def _outcome(case: ElementTree.Element) -> str:
    return next((_OUTCOMES[part.tag] for part in case if part.tag in _OUTCOMES), "passed")
