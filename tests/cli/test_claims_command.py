"""`assay claims`: exit codes, JSON, coverage, patches."""

import json

import pytest
from helpers.dual_cases import call

COUNT = '<!-- claim: aggregate_equals path="t.csv" statistic="count" -->'
KEYS = {"verdict", "because", "claims", "controls", "kill_gates", "grades", "coverage", "signature"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("id,v\n1,0.5\n2,0.25\n")
    return tmp_path


def checked(folder, text, *words):
    (folder / "a.md").write_text(text)
    return call("claims", "a.md", *words)


def test_a_text_whose_claims_hold_exits_with_0(folder):
    done = checked(folder, f"There are two {COUNT} rows.")
    assert done.code == 0
    assert "HOLDS" in done.out
    assert "coverage: 1 of 1 numbers have a claim (100%)" in done.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"There are three {COUNT} rows.", "the claim says three, t.csv, 2 rows gives 2"),
        ("5 <!-- claim: nope -->", "UNDECIDED"),
    ],
)
def test_a_claim_that_fails_or_is_unverifiable_exits_with_1(folder, text, said):
    done = checked(folder, text)
    assert done.code == 1
    assert said in " ".join(done.out.split())


def test_a_text_without_claims_exits_with_2(folder):
    assert checked(folder, "no claims at all").code == 2


@pytest.mark.parametrize("text", ["5 <!-- claim: -->", f"no number {COUNT}"])
def test_a_claim_that_cannot_be_read_exits_with_1_and_leaves_the_others(folder, text):
    done = checked(folder, f"two {COUNT} rows.\n\n{text}", "--all")
    assert done.code == 1
    assert "1 holds, 1 is unverifiable" in done.out


def test_json_has_the_documented_keys(folder):
    found = json.loads(checked(folder, f"two {COUNT}", "--json").out)
    assert set(found) == KEYS
    (claim,) = found["claims"]
    assert {"id", "text", "checker", "verdict", "evidence", "mutants", "vacuous"} <= set(claim)
    assert set(claim["mutants"]) == {"made", "killed", "survivors"}
    assert claim["evidence"]["got"] == 2


def test_too_little_coverage_exits_with_1(folder):
    text = f"There are two {COUNT} rows of 17 and 0.25."
    assert checked(folder, text).code == 0
    done = checked(folder, text, "--min-coverage", "0.5")
    assert done.code == 1
    assert "assay claims scan" in " ".join(done.out.split())
    assert call("claims", "scan", "a.md", "--min-coverage", "0.5").code == 1
    assert call("claims", "scan", "a.md", "--min-coverage", "0.3").code == 0


def test_commands_run_only_where_they_are_allowed(folder):
    text = """It prints 42 <!-- claim: command_output_equals command="echo 42" -->."""
    refused = checked(folder, text)
    assert refused.code == 1
    assert "--allow-commands" in refused.out
    assert checked(folder, text, "--allow-commands").code == 0


def test_a_fix_is_a_patch_until_it_is_written(folder):
    (folder / "a.md").write_text(f"There are three {COUNT} rows.")
    shown = call("claims", "fix", "a.md")
    assert (shown.code, "+There are two" in shown.out) == (0, True)
    assert "--write" in shown.out
    assert (folder / "a.md").read_text().startswith("There are three")
    assert call("claims", "fix", "a.md", "--write").code == 0
    assert (folder / "a.md").read_text().startswith("There are two")
    again = call("claims", "fix", "a.md")
    assert "nothing changes: every claim holds" in again.out


def test_what_fix_cannot_mend_is_listed_and_exits_with_1(folder):
    (folder / "a.md").write_text(f"two {COUNT.replace('t.csv', 'no.csv')}")
    done = call("claims", "fix", "a.md")
    assert done.code == 1
    assert "there is no no.csv" in " ".join(done.out.split())


def test_a_scan_proposes_a_patch(folder):
    (folder / "a.md").write_text("The mean is 0.375.\n")
    shown = call("claims", "scan", "a.md", "--patch")
    assert "+The mean is 0.375 <!-- claim: aggregate_equals" in shown.out
    assert call("claims", "scan", "a.md", "--write").code == 0
    assert call("claims", "a.md").code == 0
