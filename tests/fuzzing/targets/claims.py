"""Claims: files of them, comments in texts, and the numbers that a text prints."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.claim_audit.checkers.git_checkers import changed_lines
from assay.claim_audit.checkers.junit import outcomes_of
from assay.claim_audit.checkers.key_path import value_at
from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.collect import read_texts
from assay.claim_audit.correction.reprint import reprinted
from assay.claim_audit.evidence import NotThere
from assay.claim_audit.spec import parse_claims
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import claims_in
from assay.claim_audit.texts.mentions import mentions_in
from assay.errors import SpecError
from assay.tables.numbers.printed_numbers import parse_printed
from fuzzing.campaign import Reader
from fuzzing.targets import target
from fuzzing.targets.texts import text_of

FILE = b"""kill_gates = {failures = 3}
[[claim]]
id = "a"
checker = "json_path_equals"
args = {path = "r.json", key_path = "a.b[0]", expected = 0.5}
predicted = "holds"
confidence = 0.5
"""
TEXT = b"""# Results 3
The AUC is **0.894** <!-- claim: json_path_equals path="r.json" key_path="auc" -->, or
0.894 [0.830, 0.945] <!-- claim: derived_equals operation=points of=[{checker="x"}, 2] -->;
thirteen of 86.4 % <!-- claim: regex_count_equals pattern='a' says="thirteen" id=x -->.

| a | b |
| --- | --- |
| 1 | 0.5 |

<!-- claim: table_equals path="t.csv" -->
"""
REPEATED = b"<!-- claim: " * 40 + b"123 ab " * 40 + b"<!--" * 40 + b"```~~~" * 9


@target("claims: files", thousands=60)
def _files(_: Path) -> Reader:
    return Reader(read=lambda data: parse_claims(data, "claims.toml"), seeds=[FILE])


@target("claims: in place", thousands=60)
def _in_place(_: Path) -> Reader:
    def read(data: bytes) -> object:
        found = read_texts(data, "README.md")
        return found, [claims_in(Document(text_of(data), "x", form)) for form in (".tex", ".rst")]

    return Reader(read=read, seeds=[TEXT, REPEATED])


@target("claims: numbers of a text", thousands=20)
def _numbers(_: Path) -> Reader:
    def read(data: bytes) -> object:
        text = text_of(data)
        found = [one.printed for one in mentions_in(Document(text, "x", ".md"))]
        return found, parse_printed(text[:40])

    return Reader(read=read, seeds=[TEXT, b"one hundred and five, a dozen"], language="text")


REPORT = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite><testcase classname="a" name="b"/><testcase name="c"><failure>x</failure>
</testcase><testcase><skipped/></testcase></testsuite></testsuites>"""
DIFF = b"""0123\0:100644 100644 1 2 M\0q.sql\0\0diff --git a/q.sql b/q.sql
index 1..2 100644
--- a/q.sql
+++ b/q.sql
@@ -1,3 +1,2 @@ x
--- drop it
 select 1;
-++ more
+more
\\ No newline at end of file
"""
ARTIFACT = {"a": {"b": [{"id": "q.7", "v": 1}, 2]}, "gpt-3.5": {"auc": 0.7}, "": None}
PATHS = (b"$.a.b[0].v", b"a.b[id=q.7].v", b'["gpt-3.5"].auc', b"a.b[-1]", b"['']", b"a.b.0.id")
PRINTED = (b"0.86", b"86.4 %", b"1,000", b"2e-16", b"1.2E+06", b"Twenty-five", b"0.9 [0.8; 1.0]",
           b".57", b"1.2k", b"half")  # fmt: skip


@contextmanager
def _refused() -> Iterator[None]:
    """What a checker raises where it refuses, as the campaign knows it."""
    try:
        yield
    except Unverifiable as refusal:
        raise SpecError(refusal.why) from None
    except NotThere as refusal:
        raise SpecError(refusal.what) from None


@target("claims: test reports", thousands=40)
def _reports(_: Path) -> Reader:
    def read(data: bytes) -> object:
        with _refused():
            return outcomes_of(data, "report.xml")

    return Reader(read=read, seeds=[REPORT, REPORT.decode().encode("utf-16")], language="text")


@target("claims: paths into JSON", thousands=40)
def _key_paths(_: Path) -> Reader:
    def read(data: bytes) -> object:
        with _refused():
            return value_at(ARTIFACT, text_of(data), "r.json")

    return Reader(read=read, seeds=list(PATHS), language="text")


@target("claims: diffs", thousands=40)
def _diffs(_: Path) -> Reader:
    return Reader(read=changed_lines, seeds=[DIFF], language="text")


@target("claims: numbers printed again", thousands=40)
def _reprinted(_: Path) -> Reader:
    values = (0.25, -3, 10**30, {"value": 0.5, "low": 0.1, "high": 1e9}, "12", "none", 0)

    def read(data: bytes) -> object:
        return [reprinted(text_of(data), value) for value in values]

    return Reader(read=read, seeds=list(PRINTED), language="text")
