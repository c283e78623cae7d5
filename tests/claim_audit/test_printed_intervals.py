from decimal import Decimal

import pytest

from assay.claim_audit.agreement import agrees
from assay.claim_audit.correction.reprint import reprinted
from assay.claim_audit.mutants import altered_values
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import claims_in
from assay.claim_audit.texts.printed_intervals import parse_spread

RECORD = {"value": 0.894, "low": 0.830, "high": 0.945}
FORMS = [
    "0.894 [0.830, 0.945]",
    "0.894 [0.830; 0.945]",
    "0.894 (0.830, 0.945)",
    "0.894 (0.830-0.945)",
    "0.894 (0.830\u20130.945)",
    "0.894 (0.830 to 0.945)",
    "0.894 (95% CI 0.830\u20130.945)",
    "0.894 (95 % CI: 0.830, 0.945)",
    "0.894 (95% confidence interval 0.830 to 0.945)",
    "0.894 (CI 0.830-0.945)",
    "0.894 95% CI [0.830, 0.945]",
    "0.894, 95% CI 0.830-0.945",
    "**0.894** [0.830, 0.945]",
    "**0.894 [0.830, 0.945]**",
    "0.894\n(0.830-0.945)",
    "89.4 % [83.0, 94.5]",
    "89.4% (83.0\u201394.5%)",
    "89.4% (95% CI 83.0% to 94.5%)",
    "89.4 (83.0\u201394.5 %)",
    "$0.894$ ($0.830$--$0.945$)",
    "$0.894\\,[0.830,\\,0.945]$",
    "0.894~[0.830,~0.945]",
]


@pytest.mark.parametrize("form", FORMS)
def test_a_number_is_read_with_its_interval(form):
    found = parse_spread(form)
    assert [part.value for part in found.parts] == [Decimal(x) for x in ("0.894", "0.830", "0.945")]
    assert agrees(form, RECORD)
    for name in RECORD:
        for step in (0.001, -0.001):
            assert not agrees(form, {**RECORD, name: RECORD[name] + step})
    altered = altered_values(form, RECORD)
    assert len(altered) == 6 and not any(agrees(one, RECORD) for one in altered)


@pytest.mark.parametrize("form", FORMS)
def test_a_claim_behind_it_covers_all_three(form):
    claim = 'result_number_equals path="r.json" number="d1"'
    latex = form.startswith("$") or "~" in form
    comment, suffix = (
        (f" % claim: {claim}\n", ".tex") if latex else (f" <!-- claim: {claim} -->", ".md")
    )
    text = form.replace("%", "\\%") if latex else form
    (one,) = claims_in(Document(f"Of 12 models the best has {text}{comment}", "x", suffix))
    assert agrees(one.claim.printed, RECORD)


@pytest.mark.parametrize("form", FORMS)
def test_another_interval_is_printed_in_the_same_form(form):
    new = reprinted(form, {"value": 0.801, "low": 0.702, "high": 0.903})
    digits = form.replace("0.894", "0.801").replace("0.830", "0.702").replace("0.945", "0.903")
    assert new == digits.replace("89.4", "80.1").replace("83.0", "70.2").replace("94.5", "90.3")


@pytest.mark.parametrize(
    ("form", "ends"),
    [
        ("-0.05 (-0.10 to -0.01)", (-0.05, -0.10, -0.01)),
        ("\u22120.05 [\u22120.10, 0.01]", (-0.05, -0.10, 0.01)),
        ("+0.219 [+0.117, +0.310]", (0.219, 0.117, 0.310)),
        ("1,234 [1,100, 1,400]", (1234, 1100, 1400)),
        ("12.6ms (11.0-14.2ms)", (12.6, 11.0, 14.2)),
    ],
)
def test_signs_thousands_and_units(form, ends):
    assert agrees(form, list(ends))


@pytest.mark.parametrize(
    "text",
    ["0.894 (n = 12, 13)", "12 (5)", "0.894 [0.830]", "0.894 (0.830, 0.945, 0.99)", "0.894 (a, b)",
     "0.894 and [0.830, 0.945]", "[0.830, 0.945]", "0.894 CI", "", 3, "1 " + "[" * 300],
)  # fmt: skip
def test_what_is_no_interval_is_none(text):
    assert parse_spread(text) is None
