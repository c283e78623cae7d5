"""The outcomes of tests from a JUnit report."""

import codecs
import re
from xml.etree import ElementTree

from assay.claim_audit.claim import Unverifiable

OUTCOMES = ("passed", "failed", "error", "skipped")
_PARTS = {"failure": "failed", "error": "error", "skipped": "skipped"}
_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.-]{1,40})["']""")
_ENCODINGS = {"utf-8", "ascii", "iso8859-1", "cp1252"}
"""Encodings in which markup has the bytes of ASCII; UTF-16 is known by its first bytes."""


class _NoDeclarations(ElementTree.TreeBuilder):
    """Refuses a document type, whose entities can stand for anything, of any size."""

    def doctype(self, *_: object) -> None:
        """Called before what the document type declares is read."""
        raise ValueError("a document type, which no test report needs")


def outcomes_of(data: bytes, where: str) -> list[tuple[str, str]]:
    """The name and outcome of each test: passed, failed, error or skipped."""
    text = _decoded(data, where)
    parser = ElementTree.XMLParser(  # noqa: S314 - it refuses declarations
        target=_NoDeclarations(), encoding="utf-8"
    )
    try:
        parser.feed(text.encode())
        root = parser.close()
    except (ElementTree.ParseError, ValueError) as error:
        raise Unverifiable(f"{where}: no test report: {error}") from None
    if root.tag not in ("testsuites", "testsuite"):
        raise Unverifiable(f"{where}: no test report: it begins with {root.tag!r:.60}")
    return [
        (f"{case.get('classname', '')}::{case.get('name', '')}", _outcome(case))
        for case in root.iter("testcase")
    ]


def _decoded(data: bytes, where: str) -> str:
    """The text of an XML file, by its first bytes or the encoding that it declares."""
    encoding = "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif declared := _DECLARED.match(data.removeprefix(codecs.BOM_UTF8)):
        named = declared[1].decode("ascii")
        try:
            known = codecs.lookup(named).name
        except LookupError:
            known = ""
        if known not in _ENCODINGS:
            raise Unverifiable(f"{where}: encoding {named}: expected UTF-8")
        encoding = encoding if known == "utf-8" else known
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unverifiable(f"{where}: byte {error.start} is not {encoding}") from None


def _outcome(case: ElementTree.Element) -> str:
    return next((_PARTS[part.tag] for part in case if part.tag in _PARTS), "passed")
