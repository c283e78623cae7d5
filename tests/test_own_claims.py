"""What the project's own texts claim is what its files hold."""

import re
from pathlib import Path

import pytest

import assay

TOP = Path(__file__).parents[1]
TEXTS = [TOP / "README.md", TOP / "CHANGELOG.md", *sorted((TOP / "docs").rglob("*.md"))]
SIMULATED = ("net-effect", "error-rates", "capability-or-memory")
LEAST = {
    "README.md": 0.46,
    "net-effect.md": 0.88,
    "error-rates.md": 0.91,
    "capability-or-memory.md": 0.92,
    "trust.md": 0.27,
    "CHANGELOG.md": 0.12,
    "0024-dual-interval.md": 0.54,
    "0043-what-was-lost.md": 0.36,
    "0013-bars-v4.md": 0.30,
    "0041-seeds.md": 0.29,
    "0004-verdicts.md": 0.20,
    "0037-limits-of-readers-and-workers.md": 0.20,
    "0011-surface-model.md": 0.16,
    "0012-confound-flags.md": 0.16,
}
"""The share of a page's numbers that claims must cover. A decision states what was measured once,
while choosing, beside what a file of the repository holds: only the latter can have a claim."""
DECISIONS = 75
"""Claims in the decisions and the changelog."""


@pytest.fixture(scope="module")
def audits():
    made = {}
    for path in TEXTS:
        if re.search(r"<!-- claim: \w+_\w+ ", path.read_text(encoding="utf-8")):
            try:
                lists = [TOP / "docs/claims.toml"] if path.name == "README.md" else []
                made[path.name] = assay.claims(*lists, path, root=TOP)
            except assay.SpecError as error:
                assert "no claims" in str(error), error  # a page that only shows how it is done
    return made


def test_every_claim_of_our_texts_holds(audits, record_property):
    claims = sum(len(audit.claims) for audit in audits.values())
    numbers = sum(audit.coverage.numbers for audit in audits.values())
    covered = sum(audit.coverage.covered for audit in audits.values())
    told = f"{claims} claims, {covered:,} of {numbers:,} numbers of {len(audits)} pages covered"
    record_property("claims: our own texts", told)
    assert {name: str(audit) for name, audit in audits.items() if not audit.favourable} == {}
    assert claims >= 130
    decided = [name for name in audits if re.match(r"\d{4}-|CHANGELOG", name)]
    assert sum(len(audits[name].claims) for name in decided) >= DECISIONS


@pytest.mark.parametrize("name", LEAST)
def test_enough_of_a_pages_numbers_have_a_claim(audits, name, record_property):
    record_property(f"claims: coverage of {name}", str(audits[name].coverage))
    assert audits[name].coverage.reaches(LEAST[name])


@pytest.mark.parametrize("name", SIMULATED)
def test_a_figure_that_was_edited_by_hand_is_seen(name, tmp_path):
    text = (TOP / f"docs/explanation/{name}.md").read_text(encoding="utf-8")
    found = next(re.finditer(r"^\|.*\| (0\.\d\d\d) ", text, re.MULTILINE))
    digit = str((int(found[1][-1]) + 1) % 10)
    at = found.end(1)
    edited = tmp_path / "page.md"
    edited.write_text(text[: at - 1] + digit + text[at:], encoding="utf-8")
    audit = assay.claims(edited, root=TOP)
    assert [one.checker for one in audit.claims if one.verdict == "fails"] == ["table_equals"]


def test_every_table_of_a_simulation_is_claimed():
    for path in sorted((TOP / "docs/explanation").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(r"<!-- ([\w-]+): made by .*?<!-- end of \1 -->", text, re.DOTALL):
            tables = len(re.findall(r"(?:^\|.*\|\n)+", found[0], re.MULTILINE))
            assert found[0].count("claim: table_equals") == tables > 0, (path.name, found[1])
