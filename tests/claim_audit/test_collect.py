import json

import pytest

from assay.claim_audit.collect import audit_claims
from assay.errors import SpecError


def audit(folder, text, name="claims.toml"):
    path = folder / name
    path.write_text(text)
    return audit_claims([path])


TRUE = """
[[claim]]
id = "tag"
checker = "git_tag_exists"
args = {tag = "v1.2.3"}
predicted = "holds"
confidence = 0.8
"""
FALSE = """
[[claim]]
id = "bars"
checker = "python_attr_equals"
args = {module = "pkg", attr = "BARS", expected = 5}
"""
CONTROL = FALSE.replace('"bars"', '"control"') + "control = true\n"


def test_an_audit_holds_where_every_claim_holds_and_every_control_fails(repository):
    made = audit(repository, TRUE + CONTROL)
    assert (made.verdict, made.favourable) == ("holds", True)
    assert (made.controls.declared, made.controls.failed) == (1, 1)
    assert made.grades.hits == 1
    assert made.grades.brier == pytest.approx(0.04)


def test_a_false_claim_fails_it_and_says_got_and_expected(repository):
    made = audit(repository, TRUE + FALSE)
    assert made.verdict == "fails"
    assert "bars: fails: got 4, expected 5 (pkg.BARS)" in str(made)


def test_a_control_that_holds_fails_the_instrument(repository):
    made = audit(repository, TRUE.replace('"tag"', '"c"', 1) + "control = true\n" + CONTROL)
    assert made.verdict == "fails"
    assert made.controls.missed == ("c",)


def test_a_kill_gate_is_hit_by_so_many_failures(repository):
    made = audit(repository, "kill_gates = {failures = 1}\n" + FALSE)
    assert [gate.hit for gate in made.kill_gates] == [True]
    held = audit(repository, "kill_gates = {failures = 2}\n" + FALSE)
    assert [gate.hit for gate in held.kill_gates] == [False]


def test_lists_of_the_source_run_unchanged(repository):
    claims = [
        {"id": "a", "text": "t", "checker": "git_tag_exists", "args": {"tag": "v1.2.3"}},
        {
            "id": "b",
            "text": "t",
            "checker": "json_path_equals",
            "args": {"path": "results/r.json", "key_path": "d1.auc", "expected": 0.8938},
            "expected": True,
        },
    ]
    assert audit(repository, json.dumps(claims), "claims.json").verdict == "holds"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no claims"),
        ("[[claims_]]\nid = 'a'", "unknown table"),
        ("[[claim]]\nid = 'a'", "missing required field `checker`"),
        ("[[claim]]\nid = 'a'\nchecker = 'x'\nwrong = 1", "no key 'wrong'"),
        ("[[claim]]\nid = ''\nchecker = 'x'", "an empty id"),
        ("[[claim]]\nid = 'a'\nchecker = 'x'\nconfidence = 2", "expected 0 to 1"),
        ("kill_gates = {failures = 0}\n[[claim]]\nid = 'a'\nchecker = 'x'", "over 0"),
        (TRUE + TRUE, "is already used"),
    ],
)
def test_a_malformed_file_is_refused(text, what, repository):
    with pytest.raises(SpecError) as error:
        audit(repository, text)
    assert what in " ".join([error.value.message, *error.value.details])


def test_a_result_is_rows_and_lines_and_json(repository):
    made = audit(repository, TRUE + FALSE)
    assert [row["verdict"] for row in made.to_rows()] == ["holds", "fails"]
    assert made.to_dict()["claims"][0]["mutants"]["killed"] >= 2
    assert "<table>" in made._repr_html_()
