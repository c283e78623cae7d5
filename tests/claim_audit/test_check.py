import subprocess

import pytest

from assay.claim_audit import check
from assay.claim_audit.check import check_claim
from assay.claim_audit.checkers.checker import Checker
from assay.claim_audit.checkers.table import OURS
from assay.claim_audit.claim import Claim, Observed
from assay.claim_audit.evidence import EvidenceReader

R, T, P = "results/r.json", "results/t.csv", "src/pkg/__init__.py"
CASES = [
    # checker, arguments, what is false instead
    ("file_at_path_contains", {"path": "notes.md", "substring": "thirteen things"},
     {"substring": "ten things"}),
    ("file_byte_equals", {"path_a": P, "path_b": P}, {"path_b": "notes.md"}),
    ("directory_file_count_equals", {"glob": "*.md", "n": 2}, {"n": 3}),
    ("regex_capture_equals", {"path": "notes.md", "pattern": r"Baselines: (\d+)", "value": 18},
     {"value": "nineteen"}),
    ("regex_count_equals", {"path": P, "pattern": "^def ", "n": 2}, {"n": 1}),
    ("same_value", {"paths": ["notes.md", "more.md"], "pattern": r"Baselines: (\d+)", "value": 18},
     {"value": 19}),
    ("git_show_diff_contains", {"commit": "main", "file": "notes.md", "substring": "Two more."},
     {"substring": "Ten more."}),
    ("git_branch_contains_commit_chain", {"branch": "main", "commits": ["main~1", "main"]},
     {"commits": ["main", "main~1"]}),
    ("git_tag_exists", {"tag": "v1.2.3"}, {"tag": "v1.2.4"}),
    ("git_commit_count_equals", {"n": 2}, {"n": 3}),
    ("json_path_equals", {"path": R, "key_path": "d1.auc", "expected": 0.894}, {"expected": 0.895}),
    ("json_path_equals", {"path": R, "key_path": "rows[id=a].v", "expected": 3}, {"expected": -3}),
    ("aggregate_equals", {"path": T, "statistic": "count", "value": 3}, {"value": 4}),
    ("aggregate_equals", {"path": T, "statistic": "mean", "column": "score", "value": "0.70"},
     {"value": "0.71"}),
    ("aggregate_equals", {"path": T, "statistic": "share", "of": "ok == 1", "value": "66.7 %"},
     {"value": "33.3 %"}),
    ("aggregate_equals",
     {"path": T, "statistic": "max", "column": "score", "where": "ok == 0", "value": 0.7},
     {"value": 0.9}),
    ("junit_equals", {"path": "report.xml", "outcome": "passed", "value": 1}, {"value": 3}),
    ("junit_equals", {"path": "report.xml", "test": "two", "value": "failed"}, {"value": "passed"}),
    ("python_attr_equals", {"module": "pkg", "attr": "BARS", "expected": 4}, {"expected": 5}),
    ("python_attr_in_iterable", {"module": "pkg", "attr": "run", "iterable": "__all__"},
     {"attr": "detect"}),
    ("package_version_equals", {"path": P, "version": "1.2.3"}, {"version": "1.2.2"}),
    ("pdf_page_count_equals", {"path": "paper.pdf", "n": 2}, {"n": 3}),
    ("pdf_contains_section", {"path": "paper.pdf", "section_title": "What was found"},
     {"section_title": "What was lost"}),
    ("command_output_equals", {"command": ["python", "-c", "print(42)"], "value": 42},
     {"value": 41}),
    ("result_number_equals", {"path": R, "number": "d1", "value": "0.894 [0.830, 0.945]"},
     {"value": "0.894 [0.830, 0.954]"}),
    ("derived_equals",
     {"operation": "points", "value": 9.4,
      "of": [{"checker": "json_path_equals", "args": {"path": R, "key_path": "d1.auc"}}, 0.8]},
     {"value": 8.4}),
]  # fmt: skip


def made(checker, args):
    return Claim(id="it", checker=checker, args=args)


@pytest.mark.parametrize(("checker", "args", "wrong"), CASES)
def test_a_true_claim_holds_and_a_false_one_fails(checker, args, wrong, repository):
    with EvidenceReader(repository) as evidence:
        right = check_claim(made(checker, args), evidence)
        assert (right.verdict, right.vacuous) == ("holds", False), right
        assert right.mutants.made >= 2
        assert check_claim(made(checker, args | wrong), evidence).verdict == "fails"


def test_every_checker_has_a_case():
    tried = {checker for checker, _, _ in CASES}
    assert set(OURS) - tried == {"log_metric_equals", "ledger_entries_equal"}


@pytest.mark.parametrize("checker", sorted({checker for checker, _, _ in CASES}))
def test_an_instrument_that_always_says_yes_is_caught_by_the_mutants(
    checker, repository, monkeypatch
):
    known = OURS[checker]
    args = next(args for name, args, _ in CASES if name == checker)
    liar = Checker(
        name=known.name,
        about=known.about,
        observe=lambda args, evidence: Observed(value=True, where="nowhere"),
        required=known.required,
        optional=known.optional,
        value=known.value,
        altered=known.altered,
    )
    monkeypatch.setattr(check, "checker_named", lambda name: liar)
    monkeypatch.setattr(check, "agrees", lambda *_: True)
    with EvidenceReader(repository) as evidence:
        lied = check_claim(made(checker, args), evidence)
    assert lied.verdict == "holds"
    assert lied.vacuous
    assert lied.mutants.survivors


def test_a_check_that_holds_of_almost_anything_is_vacuous(repository):
    (repository / "notes.md").write_text("quiet")
    args = {"path": "notes.md", "substring": "e"}
    with EvidenceReader(repository) as evidence:
        found = check_claim(made("file_at_path_contains", args), evidence)
        longer = check_claim(made("file_at_path_contains", args | {"substring": "quiet"}), evidence)
    assert (found.verdict, found.vacuous) == ("holds", True)
    assert (longer.verdict, longer.vacuous) == ("holds", False)


def test_counts_that_drift_apart_are_named_with_their_places(repository):
    (repository / "more.md").write_text("Baselines: 19\n")
    args = {"paths": ["notes.md", "more.md"], "pattern": r"Baselines: (\d+)", "value": 18}
    with EvidenceReader(repository) as evidence:
        found = check_claim(made("same_value", args), evidence)
    assert found.verdict == "fails"
    assert "'18' in notes.md, line 2" in found.evidence.why
    assert "'19' in more.md, line 1" in found.evidence.why


@pytest.mark.parametrize(
    ("checker", "args", "why"),
    [
        (
            "json_path_equals",
            {"path": "../x.json", "key_path": "a", "expected": 1},
            "not a path below",
        ),
        ("json_path_equals", {"path": "notes.md", "key_path": "a", "expected": 1}, "not JSON"),
        ("json_path_equal", {}, "did you mean json_path_equals"),
        ("json_path_equals", {"path": R, "key": "a"}, "no argument 'key'"),
        ("json_path_equals", {"path": R, "key_path": "d1"}, "no value is claimed"),
        ("python_attr_equals", {"module": "nowhere", "attr": "x", "expected": 1}, "nowhere"),
        ("command_output_equals", {"command": ["python", "-c", "1/0"], "value": 1}, "exit code 1"),
    ],
)
def test_what_cannot_be_read_is_unverifiable_and_says_why(checker, args, why, repository):
    with EvidenceReader(repository) as evidence:
        found = check_claim(made(checker, args), evidence)
    assert found.verdict == "unverifiable"
    assert why in found.evidence.why


def test_code_that_is_imported_cannot_write_or_reach_the_network(repository):
    (repository / "src/bad.py").write_text(
        "import socket\nfrom pathlib import Path\nVALUE = []\n"
        "try:\n    Path('notes.md').write_text('gone')\nexcept OSError:\n    VALUE.append('no')\n"
        "try:\n    socket.create_connection(('127.0.0.1', 9), 1)\n"
        "except ConnectionRefusedError:\n    VALUE.append('reached')\n"
        "except OSError:\n    VALUE.append('cut off')\n"
    )
    args = {"module": "bad", "attr": "VALUE", "expected": ["no", "cut off"]}
    with EvidenceReader(repository) as evidence:
        assert check_claim(made("python_attr_equals", args), evidence).verdict == "holds"
    assert "thirteen" in (repository / "notes.md").read_text()


def test_a_pattern_that_takes_for_ever_is_ended(repository, monkeypatch):
    monkeypatch.setattr("assay.claim_audit.confined._SECONDS", 1.0)
    (repository / "notes.md").write_text("a" * 60 + "!\n")
    args = {"path": "notes.md", "pattern": "(a+)+$", "value": 3}
    with EvidenceReader(repository) as evidence:
        found = check_claim(made("regex_capture_equals", args), evidence)
        assert found.verdict == "unverifiable"
        assert "longer than 1 s" in found.evidence.why
        again = {"path": "more.md", "pattern": r"Baselines: (\d+)", "value": 18}
        assert check_claim(made("regex_capture_equals", again), evidence).verdict == "holds"


def test_nothing_is_written_and_the_repository_is_as_it_was(repository):
    def state():
        words = ["git", "status", "--porcelain", "--ignored"]
        return subprocess.run(words, cwd=repository, capture_output=True, check=True).stdout

    before = state()
    with EvidenceReader(repository) as evidence:
        for checker, args, _ in CASES:
            check_claim(made(checker, args), evidence)
    assert state() == before
