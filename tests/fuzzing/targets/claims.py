"""Claims: files of them, comments in texts, and the numbers that a text prints."""

from pathlib import Path

from assay.claim_audit.document import Document, documents_in
from assay.claim_audit.in_place import claims_in
from assay.claim_audit.mentions import mentions_in
from assay.claim_audit.printed_numbers import parse_printed
from assay.claim_audit.spec import parse_claims
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
        found = [claims_in(document) for document in documents_in(data, "README.md")]
        return found, [claims_in(Document(text_of(data), "x", form)) for form in (".tex", ".rst")]

    return Reader(read=read, seeds=[TEXT, REPEATED])


@target("claims: numbers of a text", thousands=20)
def _numbers(_: Path) -> Reader:
    def read(data: bytes) -> object:
        text = text_of(data)
        found = [one.printed for one in mentions_in(Document(text, "x", ".md"))]
        return found, parse_printed(text[:40])

    return Reader(read=read, seeds=[TEXT, b"one hundred and five, a dozen"], language="text")
