"""A metric of a log with its standard error, as papers print the two."""

import json

import pytest
from helpers.inspect_logs import header, samples

from assay.claim_audit.check import check_claim
from assay.claim_audit.claim import Claim
from assay.claim_audit.collect import audit_claims
from assay.claim_audit.correction.fix import fix_texts
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.mutants import altered_values
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import claims_in
from assay.claim_audit.texts.printed_intervals import parse_spread

LOG = 'log_metric_equals path="log.json" metric="accuracy"'
FORMS = [
    "0.75 ± 0.02",
    "0.75±0.02",
    "**0.75** ± 0.02",
    "**0.75 ± 0.02**",
    "0.75 +/- 0.02",
    "0.75 (±0.02)",
    "$0.75 \\pm 0.02$",
    "75.0 ± 2.1 %",
    "75.0% ± 2.1%",
    "(75.0 ± 2.1) %",
    "0.75 ± 0.021 (SE)",
    "0.75 (SE 0.021)",
    "0.75 (SE = 0.021)",
    "0.75 (s.e. 0.021)",
    "0.75 [SE: 0.021]",
    "0.75 (stderr 0.021)",
    "0.75, SE 0.021",
    "0.75 with a standard error of 0.021",
    "0.75 (standard error 0.021)",
    "0.75 ± 0.042 (95 % CI)",
    "0.75 (95 % CI 0.708-0.792)",
    "75 % (95% CI 70.8-79.2 %)",
]


@pytest.fixture
def folder(tmp_path):
    """A log of inspect_ai: 3 of 4 right, with a standard error of 0.0214."""
    made = samples(["C", "C", "C", "I"])
    top = header(made)
    top["results"]["scores"][0]["metrics"]["stderr"] = {"name": "stderr", "value": 0.0214}
    (tmp_path / "log.json").write_text(json.dumps(top | {"samples": made}))
    return tmp_path


def audited(folder, text, comment=LOG, suffix=".md"):
    marks = ("% claim: ", "\n") if suffix == ".tex" else ("<!-- claim: ", " -->")
    path = folder / f"page{suffix}"
    path.write_text(f"Of 9 models the best has {text} {comment.join(marks)} here.\n")
    return audit_claims([path], root=folder)


def said(folder, metric, value, **args):
    args |= {"path": "log.json", "metric": metric, "value": value}
    with EvidenceReader(folder) as evidence:
        return check_claim(Claim(id="it", checker="log_metric_equals", args=args), evidence)


@pytest.mark.parametrize("form", FORMS)
def test_a_number_with_its_error_is_one_claim_of_both(form, folder):
    text, suffix = (form.replace("%", "\\%"), ".tex") if "\\pm" in form else (form, ".md")
    (one,) = audited(folder, text, suffix=suffix).claims
    assert one.stands, one
    assert one.mutants.made >= 4


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("old", "new"), [("75", "74"), ("2", "3"), ("0", "1")])
def test_a_wrong_value_or_error_fails(form, old, new, folder):
    head, mark, tail = form.rpartition(old)
    changed = f"{head}{new}{tail}" if mark else form
    if changed == form or "95 % CI 0" in form:
        return
    (one,) = audited(folder, changed).claims
    assert one.verdict in ("fails", "unverifiable") and not one.stands, one


def test_both_numbers_are_covered(folder):
    coverage = audited(folder, "0.75 ± 0.02").coverage
    assert (coverage.numbers, coverage.covered) == (3, 2)


@pytest.mark.parametrize(
    "text",
    ["0.75 ± 0.02 ± 0.01", "0.75 ± 0.02 (SD)", "0.75 ± 0.02 SD", "0.75 ± 0.02 (std)", "± 0.02",
     "-(75 ± 2) %", "1.2 ± 0.1 million", "x0.75 ± 0.02", "1/0.75 ± 0.02"],
)  # fmt: skip
def test_an_error_that_is_no_standard_error_is_not_read(text, folder):
    (one,) = audited(folder, text).claims
    assert one.verdict == "unverifiable" and "only a part of the number" in one.evidence.why


@pytest.mark.parametrize(
    ("says", "verdict"),
    [("0.75 ± 0.02", "holds"), ("0.75 ±", "holds"), ("± 0.02", "fails"), ("0.75", "unverifiable")],
)
def test_a_comment_may_name_both_or_one_of_the_two(says, verdict, folder):
    (one,) = audited(folder, "0.75 ± 0.02", f'{LOG} says="{says}"').claims
    assert one.verdict == verdict, one


def test_a_number_in_brackets_without_a_name_stays_a_number_of_its_own(folder):
    text = f"0.75 (0.021) <!-- claim: {LOG} -->"
    assert [one.claim.printed for one in claims_in(Document(text, "x", ".md"))] == ["0.021"]


def test_a_checker_that_finds_no_error_reads_no_error():
    text = '0.7 ± 0.1 <!-- claim: json_path_equals path="a" key_path="b" -->'
    (one,) = claims_in(Document(text, "x", ".md"))
    assert "only a part of the number" in one.claim.refused


def test_an_error_that_a_claim_states_of_a_plain_value_cannot_be_read(folder):
    (folder / "r.json").write_text('{"x": 0.75}')
    args = {"path": "r.json", "key_path": "x", "expected": "0.75 ± 0.02"}
    with EvidenceReader(folder) as evidence:
        found = check_claim(Claim(id="it", checker="json_path_equals", args=args), evidence)
    assert (found.verdict, "cannot be read" in found.evidence.why) == ("unverifiable", True)


@pytest.mark.parametrize(
    "text", ["0.75 (95 % CI 0.708-0.792)", "0.75 ± 0.042 (95 % CI)", "75 ± 2 %"]
)
def test_each_altered_claim_is_a_number_with_its_spread(text):
    spread = parse_spread(text)
    for altered in altered_values(text, None):
        again = parse_spread(altered)
        assert (len(again.parts), again.level) == (len(spread.parts), spread.level)


@pytest.mark.parametrize("name", ["stderr", "match/stderr"])
def test_the_error_alone_goes_by_the_name_that_the_harness_shows(name, folder):
    assert said(folder, name, "0.021").stands
    assert said(folder, name, "0.022").verdict == "fails"
    assert said(folder, name, "2.1 %").stands


@pytest.mark.parametrize(("digits", "holds"), [("0.0214", True), ("0.02", True), ("0.020", False)])
def test_an_error_is_compared_at_the_precision_it_is_printed_with(digits, holds, folder):
    assert said(folder, "accuracy", f"0.75 ± {digits}").stands is holds


def test_the_level_of_an_interval_must_be_said_once(folder):
    bare = said(folder, "accuracy", "0.75 [0.708, 0.792]")
    assert (bare.verdict, "say its level" in bare.evidence.why) == ("unverifiable", True)
    assert said(folder, "accuracy", "0.75 [0.708, 0.792]", level=0.95).stands
    assert said(folder, "accuracy", "0.75 ± 0.042", level=0.95).stands
    assert said(folder, "accuracy", "0.75 ± 0.042", level=0.9).verdict == "fails"
    twice = said(folder, "accuracy", "0.75 ± 0.042 (95 % CI)", level=0.9)
    assert (twice.verdict, "states a level of 0.95" in twice.evidence.why) == ("unverifiable", True)
    for level in (95, True, "0.95"):
        assert said(folder, "accuracy", "0.75 ± 0.042", level=level).verdict == "unverifiable"


def test_a_log_without_an_error_leaves_the_claim_of_one_open(folder):
    made = samples(["C", "C", "C", "I"])
    (folder / "log.json").write_text(json.dumps(header(made) | {"samples": made}))
    found = said(folder, "accuracy", "0.75 ± 0.02")
    assert (found.verdict, found.evidence.why) == (
        "unverifiable",
        "one standard error is expected beside the value; there are none",
    )
    assert said(folder, "accuracy", "0.75").stands
    assert said(folder, "stderr", "0.02").verdict == "fails"


def test_a_stale_error_is_rewritten_in_its_form(folder):
    page = folder / "page.md"
    page.write_text(f"It has 72.0 % ± 1.9 % <!-- claim: {LOG} -->.\n")
    with EvidenceReader(folder) as evidence:
        fixed = fix_texts([page], evidence, write=True)
    assert (fixed.changed, fixed.left) == (1, ())
    assert page.read_text().startswith("It has 75.0 % ± 2.1 % <!--")
