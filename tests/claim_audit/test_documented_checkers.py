"""The table of checkers in the guide: every checker, its arguments, and an example that holds."""

import json
import re
from pathlib import Path

import pytest
from claim_audit.larkspur.fixture import build

from assay.claim_audit.check import check_claim
from assay.claim_audit.checkers.table import OURS
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import claims_in

GUIDE = Path(__file__).parents[2] / "docs/how-to/check-claims.md"
ROW = re.compile(r"^\| `(\w+)` \| [^|]+ \| ([^|]*) \| `(.*)` \|$", re.MULTILINE)
ROWS = {name: (args, example) for name, args, example in ROW.findall(GUIDE.read_text("utf-8"))}


@pytest.fixture(scope="module")
def larkspur(tmp_path_factory):
    folder = tmp_path_factory.mktemp("larkspur")
    build(folder)
    return folder


@pytest.fixture
def documented(repository, larkspur):
    """The repository of the examples."""
    results = {"d1": {"auc": 0.8938, "low": 0.83, "high": 0.945}, "d2": {"auc": 0.8}}
    for name in ("results.json", "copy.json"):
        (repository / name).write_text(json.dumps(results))
    (repository / "items.csv").write_text("id,ok\na,1\nb,0\nc,1\n")
    lines = (larkspur / "study/ledger.jsonl").read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    (repository / "ledger.jsonl").write_bytes(b"".join(lines[: _after_two(kinds, "score")]))
    (repository / "logs").mkdir()
    (repository / "logs/facts.json").write_bytes((larkspur / "logs/facts.json").read_bytes())
    return repository


def _after_two(kinds, kind):
    return [n for n, one in enumerate(kinds) if one == kind][1] + 1


def test_the_guide_has_every_checker():
    assert set(ROWS) | {"table_equals"} == set(OURS)  # whose example is a table of its own


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_arguments_are_those_that_it_takes(name):
    required, _, optional = ROWS[name][0].partition("optional")
    assert tuple(re.findall(r"`(\w+)`", required)) == OURS[name].required
    assert tuple(re.findall(r"`(\w+)`", optional)) == OURS[name].optional


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_example_holds_and_could_have_failed(name, documented):
    (one,) = claims_in(Document(ROWS[name][1].replace("\\n", "\n"), "guide", ".md"))
    assert one.claim.checker == name
    with EvidenceReader(documented, allow_commands=True) as evidence:
        found = check_claim(one.claim, evidence)
    assert found.stands, found
