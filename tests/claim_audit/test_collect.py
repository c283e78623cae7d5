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
    assert "bars: fails: the claim says 5, pkg.BARS in src/pkg/__init__.py gives 4" in str(made)


def test_a_control_that_holds_fails_the_instrument(repository):
    made = audit(repository, TRUE.replace('"tag"', '"c"', 1) + "control = true\n" + CONTROL)
    assert made.verdict == "fails"
    assert made.controls.missed == ("c",)


def test_a_control_fails_by_what_is_there_and_not_by_a_file_that_is_missing(repository):
    control = CONTROL.replace('module = "pkg", attr = "BARS"', 'path = "no.json", key_path = "a"')
    control = control.replace("python_attr_equals", "json_path_equals")
    made = audit(repository, TRUE + control)
    assert (made.verdict, made.controls.missed) == ("fails", ("control",))


def test_an_audit_of_controls_alone_is_undecided(repository):
    assert audit(repository, CONTROL).verdict == "undecided"


def test_what_is_unverifiable_leaves_the_whole_undecided(repository):
    made = audit(repository, TRUE + FALSE.replace("python_attr_equals", "no_such_checker"))
    assert (made.verdict, made.favourable) == ("undecided", False)


def test_a_prediction_of_what_is_unverifiable_is_not_graded(repository):
    told = FALSE.replace("python_attr_equals", "nope") + 'predicted = "fails"\nconfidence = 1.0\n'
    made = audit(repository, told)
    assert (made.grades.predicted, made.grades.ungraded, made.grades.hits) == (1, 1, 0)
    assert made.grades.brier is None


def test_of_two_files_the_stricter_kill_gate_counts(repository):
    first, second = repository / "a.toml", repository / "b.toml"
    first.write_text("kill_gates = {failures = 1}\n" + FALSE)
    second.write_text("kill_gates = {failures = 9}\n" + TRUE)
    assert [gate.limit for gate in audit_claims([first, second]).kill_gates] == [1]


def test_a_list_covers_the_numbers_that_it_quotes(repository):
    claims = repository / "claims.toml"
    claims.write_text(FALSE + 'text = "It has 4 bars in all."\n')
    text = repository / "t.md"
    text.write_text("It has 4\nbars in all. And 17 others.")
    made = audit_claims([claims, text])
    assert (made.coverage.covered, made.coverage.numbers) == (1, 2)


def test_coverage_of_lists_alone_cannot_be_asked_for(repository):
    path = repository / "claims.toml"
    path.write_text(TRUE)
    with pytest.raises(SpecError, match="only lists of claims"):
        audit_claims([path], least_coverage=0.5)


@pytest.mark.parametrize(("name", "form"), [("c.toml", "= 0.90"), ("c.json", ": 0.90")])
def test_the_digits_of_a_number_in_a_file_are_kept(name, form, repository):
    (repository / "v.json").write_text('{"x": 0.94, "y": 0.4, "z": 0.9}')
    args = '"path"{0}"v.json", "key_path"{0}"x", "expected"{1}'
    if name.endswith("json"):
        inner = args.format(":", form)
        text = '[{"id": "a", "checker": "json_path_equals", "args": {' + inner + "}}]"
    else:
        inner = args.format("=", form)
        text = f'[[claim]]\nid = "a"\nchecker = "json_path_equals"\nargs = {{{inner}}}\n'
    assert audit(repository, text, name).verdict == "fails"
    assert audit(repository, text.replace('"x"', '"z"'), name).verdict == "holds"


def test_an_expectation_of_false_denies_a_value(repository):
    row = {"id": "a", "checker": "json_path_equals", "expected": False,
           "args": {"path": "results/r.json", "key_path": "d1.auc", "expected": 0.5}}  # fmt: skip
    assert audit(repository, json.dumps([row]), "c.json").verdict == "holds"
    row["args"]["expected"] = 0.8938
    assert audit(repository, json.dumps([row]), "c.json").verdict == "fails"


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
        ("[[claims_]]\nid = 'a'", "none of the tables"),
        ("[[claim]]\nid = 'a'", "missing required field `checker`"),
        ("[[claim]]\nid = 'a'\nchecker = 'x'\nwrong = 1", "no key 'wrong'"),
        ("[[claim]]\nid = ''\nchecker = 'x'", "an empty id"),
        ("[[claim]]\nid = 'a'\nchecker = 'x'\nconfidence = 2", "expected 0 to 1"),
        ("kill_gates = {failures = 0}\n[[claim]]\nid = 'a'\nchecker = 'x'", "over 0"),
        (TRUE + TRUE, "is taken"),
        (TRUE + TRUE.replace("[[claim]]", "[[claims]]"), "both"),
        ("[[claim]]\nid = 'a'\nchecker = 'x'\nconfidence = 0.5", "without `predicted`"),
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
