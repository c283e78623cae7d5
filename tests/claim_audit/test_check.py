import json
import subprocess

import pytest
from claim_audit.conftest import git

from assay.claim_audit.check import check_claim
from assay.claim_audit.checkers.table import OURS
from assay.claim_audit.claim import Claim
from assay.claim_audit.evidence import EvidenceReader

R, T, P = "results/r.json", "results/t.csv", "src/pkg/__init__.py"
CASES = [
    # checker, arguments, what is false instead
    ("file_at_path_contains", {"path": "notes.md", "substring": "thirteen things"},
     {"substring": "ten things"}),
    ("file_byte_equals", {"path_a": "more.md", "path_b": "again.txt"}, {"path_b": "notes.md"}),
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
    ("aggregate_equals", {"path": T, "statistic": "count", "where": "score >= 0.7", "value": 2},
     {"value": 3}),
    ("aggregate_equals", {"path": T, "statistic": "std", "column": "score", "value": "0.20"},
     {"value": "0.16"}),
    ("aggregate_equals",
     {"path": T, "statistic": "mean", "column": "score", "scale": 1000, "value": 700},
     {"value": 0.7}),
    ("table_equals", {"path": T, "columns": ["id", "score"],
                      "rows": [["id", "score"], ["a", "0.50"], ["b", "0.7"], ["c", "0.9"]]},
     {"rows": [["id", "score"], ["a", "0.51"], ["b", "0.7"], ["c", "0.9"]]}),
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
    with EvidenceReader(repository, allow_commands=True) as evidence:
        right = check_claim(made(checker, args), evidence)
        assert (right.verdict, right.vacuous) == ("holds", False), right
        assert right.mutants.made >= 2
        assert check_claim(made(checker, args | wrong), evidence).verdict == "fails"


def test_every_checker_has_a_case():
    tried = {checker for checker, _, _ in CASES}
    assert set(OURS) - tried == {"log_metric_equals", "ledger_entries_equal"}


def test_a_check_that_holds_of_almost_anything_is_vacuous(repository):
    (repository / "notes.md").write_text("quiet")
    args = {"path": "notes.md", "substring": "e"}
    with EvidenceReader(repository, allow_commands=True) as evidence:
        found = check_claim(made("file_at_path_contains", args), evidence)
        longer = check_claim(made("file_at_path_contains", args | {"substring": "quiet"}), evidence)
    assert (found.verdict, found.vacuous) == ("holds", True)
    assert (longer.verdict, longer.vacuous) == ("holds", False)


@pytest.mark.parametrize(
    ("claimed", "stored", "more"),
    [
        ("0.052", 0.0515, {}),
        ("0.051", 0.0515, {}),
        ("0.1 [0.051, 0.2]", {"value": 0.1, "low": 0.0515, "high": 0.2}, {}),
        ("62 %", 62.5, {"percent": True}),
        (3, 2.5, {}),
    ],
)
def test_a_value_half_way_between_two_printed_ones_is_not_vacuous(
    claimed, stored, more, repository
):
    (repository / R).write_text(json.dumps({"x": stored}))
    args = {"path": R, "key_path": "x", "expected": claimed, **more}
    with EvidenceReader(repository) as evidence:
        found = check_claim(made("json_path_equals", args), evidence)
    assert (found.verdict, found.vacuous) == ("holds", False), found.mutants.survivors
    assert found.mutants.made >= 3


def test_counts_that_drift_apart_are_named_with_their_places(repository):
    (repository / "more.md").write_text("Baselines: 19\n")
    args = {"paths": ["notes.md", "more.md"], "pattern": r"Baselines: (\d+)", "value": 18}
    with EvidenceReader(repository, allow_commands=True) as evidence:
        found = check_claim(made("same_value", args), evidence)
    assert found.verdict == "fails"
    assert "'18' in notes.md, line 2" in found.evidence.why
    assert "'19' in more.md, line 1" in found.evidence.why


def test_a_count_is_the_same_in_words_and_in_digits_and_a_version_is_not(repository):
    args = {"paths": ["notes.md", "more.md"], "pattern": r"Baselines: (\S+)", "value": 18}
    for written, verdict in {"eighteen": "holds", "18.0": "fails", "nineteen": "fails"}.items():
        (repository / "more.md").write_text(f"Baselines: {written}\n")
        with EvidenceReader(repository) as evidence:
            assert check_claim(made("same_value", args), evidence).verdict == verdict, written


@pytest.mark.parametrize(
    ("checker", "args", "why"),
    [
        (
            "json_path_equals",
            {"path": "../x.json", "key_path": "a", "expected": 1},
            "no path below",
        ),
        ("json_path_equals", {"path": "notes.md", "key_path": "a", "expected": 1}, "not JSON"),
        ("json_path_equal", {}, "did you mean json_path_equals"),
        ("junit_equals", {"path": "report.xml", "outcome": "failures", "value": 0}, "expected one"),
        ("json_path_equals", {"path": R, "key": "a"}, "no argument 'key'"),
        ("json_path_equals", {"path": R, "key_path": "d1"}, "no value is claimed"),
        ("derived_equals", {"operation": "points", "of": [3, 2, 1], "value": 100}, "numbers alone"),
        ("python_attr_equals", {"module": "nowhere", "attr": "x", "expected": 1}, "nowhere"),
        ("command_output_equals", {"command": ["python", "-c", "1/0"], "value": 1}, "exit code 1"),
    ],
)
def test_what_cannot_be_read_is_unverifiable_and_says_why(checker, args, why, repository):
    with EvidenceReader(repository, allow_commands=True) as evidence:
        found = check_claim(made(checker, args), evidence)
    assert found.verdict == "unverifiable"
    assert why in found.evidence.why


def test_a_test_that_two_classes_have_is_not_looked_up_in_the_first(repository):
    (repository / "report.xml").write_text(
        '<testsuite><testcase classname="a" name="it"/>'
        '<testcase classname="b" name="it"><failure/></testcase></testsuite>'
    )
    args = {"path": "report.xml", "test": "it", "value": "passed"}
    with EvidenceReader(repository) as evidence:
        assert "several tests" in check_claim(made("junit_equals", args), evidence).evidence.why
        named = check_claim(made("junit_equals", args | {"test": "a::it"}), evidence)
    assert named.verdict == "holds"


def test_a_distinct_count_leaves_out_empty_cells_and_needs_its_column(repository):
    (repository / "results/t.csv").write_text("id,tag\n1,x\n2,\n3,y\n4,x\n")
    args = {"path": T, "statistic": "distinct", "column": "tag", "value": 2}
    with EvidenceReader(repository) as evidence:
        assert check_claim(made("aggregate_equals", args), evidence).verdict == "holds"
        no_column = args | {"column": "language", "value": 1}
        assert check_claim(made("aggregate_equals", no_column), evidence).verdict == "fails"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[project]\nversion = "1.10"'),
        ("package.json", '{"version": "1.10"}'),
        ("CITATION.cff", 'cff-version: 1.2.0\nversion: "1.10"'),
        ("pkg/_version.py", "__version__ = version = '1.10'"),
        ("pkg/about.py", '__version__: Final[str] = "1.10"'),
        ("VERSION", "1.10\n"),
    ],
)
def test_a_version_is_a_text_and_no_number(path, text, repository):
    (repository / "pkg").mkdir()
    (repository / path).write_text(text)
    with EvidenceReader(repository) as evidence:
        for version, verdict in {"1.10": "holds", "1.1": "fails", "1": "fails"}.items():
            found = check_claim(
                made("package_version_equals", {"path": path, "version": version}), evidence
            )
            assert (found.verdict, found.vacuous) == (verdict, False), version
        ordered = {"path": path, "version": "1.9", "op": ">"}
        assert (
            check_claim(made("package_version_equals", ordered), evidence).verdict == "unverifiable"
        )


def test_a_line_that_begins_with_two_dashes_is_no_header_of_a_diff(repository):
    (repository / "query.sql").write_text("-- the old query\nselect 1\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "third")
    (repository / "query.sql").write_text("select 1\n")
    git(repository, "commit", "-qam", "fourth")
    args = {"commit": "HEAD", "file": "query.sql", "substring": "the old query"}
    with EvidenceReader(repository) as evidence:
        assert check_claim(made("git_show_diff_contains", args), evidence).verdict == "holds"
        header = args | {"substring": "a/query.sql"}
        assert check_claim(made("git_show_diff_contains", header), evidence).verdict == "fails"


def test_a_text_holds_no_names(repository):
    (repository / "src/pkg/__init__.py").write_text('__all__ = ("detector")\n')
    args = {"module": "pkg", "attr": "detect", "iterable": "__all__"}
    with EvidenceReader(repository) as evidence:
        assert check_claim(made("python_attr_in_iterable", args), evidence).verdict == "fails"


def test_code_that_is_imported_cannot_write_or_reach_the_network(repository):
    (repository / "src/bad.py").write_text(
        "import socket\nfrom pathlib import Path\nVALUE = []\n"
        "try:\n    Path('notes.md').write_text('gone')\nexcept OSError:\n    VALUE.append('no')\n"
        "try:\n    socket.create_connection(('127.0.0.1', 9), 1)\n"
        "except ConnectionRefusedError:\n    VALUE.append('reached')\n"
        "except OSError:\n    VALUE.append('cut off')\n"
    )
    args = {"module": "bad", "attr": "VALUE", "expected": ["no", "cut off"]}
    with EvidenceReader(repository, allow_commands=True) as evidence:
        assert check_claim(made("python_attr_equals", args), evidence).verdict == "holds"
    assert "thirteen" in (repository / "notes.md").read_text()


def test_a_pattern_that_takes_for_ever_is_ended(repository, monkeypatch):
    monkeypatch.setattr("assay.claim_audit.confined._SECONDS", 1.0)
    (repository / "notes.md").write_text("a" * 60 + "!\n")
    args = {"path": "notes.md", "pattern": "(a+)+$", "value": 3}
    with EvidenceReader(repository, allow_commands=True) as evidence:
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
    with EvidenceReader(repository, allow_commands=True) as evidence:
        for checker, args, _ in CASES:
            check_claim(made(checker, args), evidence)
    assert state() == before
