"""Evidence that lies, breaks or never ends: a claim about it is unverifiable, and nothing else."""

import os
import shutil
import time

import pytest
from claim_audit.conftest import git

from assay.claim_audit import evidence as evidence_module
from assay.claim_audit.check import check_claim
from assay.claim_audit.claim import Claim, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere, matches_glob


def checked(root, checker, *, allow_commands=False, **args):
    with EvidenceReader(root, allow_commands=allow_commands) as evidence:
        return check_claim(Claim(id="it", checker=checker, args=args), evidence)


def imported(root, module, attr, expected):
    return checked(root, "python_attr_equals", module=module, attr=attr, expected=expected)


def test_a_module_cannot_change_what_is_found_in_another(tmp_path):
    (tmp_path / "bad.py").write_text(
        "import importlib, types\nX = 1\nreal = importlib.import_module\n"
        "def fake(name):\n"
        "    return types.SimpleNamespace(AUC=0.99) if name == 'good' else real(name)\n"
        "importlib.import_module = fake\n"
    )
    (tmp_path / "good.py").write_text("AUC = 0.5\n")
    with EvidenceReader(tmp_path) as evidence:
        assert evidence.attribute("bad", "X").value == 1
        assert evidence.attribute("good", "AUC").value == 0.5
        assert evidence.attribute("bad", "X").value == 1


def test_a_job_has_a_home_that_no_other_has_seen(tmp_path):
    with EvidenceReader(tmp_path, allow_commands=True) as evidence:
        assert evidence.output("sh", "-c", "echo 0.99 > $HOME/planted; echo ok") == "ok\n"
        with pytest.raises(Unverifiable, match="planted"):
            evidence.output("sh", "-c", "cat $HOME/planted")


def test_a_module_of_the_interpreter_is_none_of_the_root(tmp_path):
    for module in ("click", "json", "sys"):
        found = imported(tmp_path, module, "__name__", module)
        assert found.verdict == "unverifiable"
        assert "no module of the root" in found.evidence.why


def test_a_module_installed_below_the_root_is_none_of_its_own(tmp_path):
    packages = tmp_path / "lib/site-packages"
    packages.mkdir(parents=True)
    (packages / "other.py").write_text("X = 1\n")
    (tmp_path / "mine.py").write_text("import sys\nsys.path.append('lib/site-packages')\nX = 1\n")
    with EvidenceReader(tmp_path) as evidence:
        assert evidence.attribute("mine", "X").file.endswith("mine.py")
        (tmp_path / "lib/__init__.py").write_text("__path__.append('lib/site-packages')\n")
        with pytest.raises(Unverifiable, match="no module of the root"):
            evidence.attribute("lib.other", "X")


def test_documents_and_patterns_are_read_without_code_of_the_root(tmp_path, monkeypatch):
    (tmp_path / "pypdf.py").write_text(
        "class PdfReader:\n    pages = [0] * 7\n    outline = []\n"
        "    def __init__(self, path): pass\n"
    )
    (tmp_path / "sitecustomize.py").write_text("import re\nre.finditer = None\n")
    (tmp_path / "p.pdf").write_bytes(b"%PDF junk")
    (tmp_path / "a.md").write_text("18")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert checked(tmp_path, "pdf_page_count_equals", path="p.pdf", n=7).verdict == "unverifiable"
    found = checked(tmp_path, "regex_capture_equals", path="a.md", pattern=r"\d+", value=18)
    assert found.verdict == "holds"


@pytest.mark.parametrize(
    "answer",
    [
        "5", "{}", "null", "[", "[" * 100_000, '{"type": "attribute"}', '{"value": 1}',
        '{"type": "pdf", "pages": 1, "titles": [], "texts": []}',
        '{"type": "attribute", "file": 5, "present": true}',
        '{"type": "attribute", "file": "/etc/passwd", "present": true, "value": 1}',
    ],
)  # fmt: skip
def test_an_import_that_answers_in_place_of_the_process_is_unverifiable(tmp_path, answer):
    (tmp_path / "forger.py").write_text(
        "import os, sys, time\n"
        f"os.write(int(sys.argv[-3]), {answer!r}.encode() + b'\\n')\ntime.sleep(60)\n"
    )
    assert imported(tmp_path, "forger", "X", 1).verdict == "unverifiable"


def test_one_deadline_is_of_the_whole_exchange(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.claim_audit.confined._SECONDS", 1.5)
    (tmp_path / "drip.py").write_text(
        "import os, sys, time\n"
        "for _ in range(40):\n    os.write(int(sys.argv[-3]), b' ')\n    time.sleep(0.5)\n"
    )
    begun = time.monotonic()
    found = imported(tmp_path, "drip", "X", 1)
    assert "longer than 1.5 s" in found.evidence.why
    assert time.monotonic() - begun < 15  # 20 s of blanks were not waited for


def test_a_value_that_json_cannot_hold_is_unverifiable_or_its_text(tmp_path):
    (tmp_path / "odd.py").write_text("HALF = '\\ud800'\nNAN = float('nan')\n")
    assert imported(tmp_path, "odd", "HALF", "a").verdict == "unverifiable"
    assert imported(tmp_path, "odd", "NAN", "nan").verdict == "holds"


def test_commands_run_only_where_they_are_allowed(tmp_path):
    args = {"command": ["echo", "42"], "value": 42}
    refused = checked(tmp_path, "command_output_equals", **args)
    assert refused.verdict == "unverifiable"
    assert "`allow_commands=True`" in refused.evidence.why
    part = {"checker": "command_output_equals", "args": {"command": ["echo", "42"]}}
    derived = {"operation": "sum", "of": [part, 0], "value": 42}
    assert checked(tmp_path, "derived_equals", **derived).verdict == "unverifiable"
    assert checked(tmp_path, "command_output_equals", allow_commands=True, **args).stands


def test_a_job_sees_the_root_and_the_interpreter_and_nothing_of_the_user(tmp_path):
    root, beside = tmp_path / "root", tmp_path / "beside"
    root.mkdir()
    (root / "inner.txt").write_text("here")
    beside.write_text("secret")
    with EvidenceReader(root, allow_commands=True) as evidence:
        assert evidence.output("cat", "inner.txt") == "here"
        assert evidence.output("python", "-c", "print(6 * 7)") == "42\n"
        for hidden in (beside, "/etc/passwd"):
            with pytest.raises(Unverifiable, match="No such file"):
                evidence.output("cat", str(hidden))


def test_paths_that_cannot_be_looked_at_are_unverifiable(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "out").symlink_to("/etc/hostname")
    for name in ("loop", "x" * 300, "a\0b", "\ud800", "pipe", "out", "../x", "."):
        found = checked(tmp_path, "file_at_path_contains", path=name, substring="a")
        assert found.verdict == "unverifiable", name


@pytest.mark.parametrize("text", ["project = 5", "tool = 5", "[tool]\npoetry = 5", "project = []"])
def test_a_project_that_is_no_table_states_no_version(tmp_path, text):
    (tmp_path / "p.toml").write_text(text)
    found = checked(tmp_path, "package_version_equals", path="p.toml", version="1.0.0")
    assert (found.verdict, found.evidence.why) == ("fails", "p.toml states no version")


def test_a_log_that_leads_out_of_the_root_is_not_read(tmp_path):
    (tmp_path / "root/logs").mkdir(parents=True)
    (tmp_path / "results_1.json").write_text("{}")
    (tmp_path / "root/logs/results_1.json").symlink_to(tmp_path / "results_1.json")
    found = checked(tmp_path / "root", "log_metric_equals", path="logs", metric="a", value=1)
    assert "leads out of root" in found.evidence.why


def test_many_stars_take_no_longer():
    parts = ["d"] * 200
    assert not matches_glob(parts, ["**"] * 40 + ["e"])
    assert not matches_glob(parts, ["**", "d"] * 40 + ["e"])
    assert matches_glob(parts, ["**", "d"] * 40)


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("a.md", "*.md", True),
        ("a/b.md", "*.md", False),
        ("a/b.md", "**/*.md", True),
        ("b.md", "**/*.md", True),
        ("a/b/c.md", "a/**", True),
        ("a/b/c.md", "a/**/c.md", True),
        ("a/c.md", "a/**/c.md", True),
        ("a/b/d.md", "a/**/c.md", False),
        ("b/c.md", "a/**/c.md", False),
        ("a", "a/**", True),
    ],
)
def test_a_glob_fits_these(path, pattern, fits):
    assert matches_glob(path.split("/"), pattern.split("/")) is fits


def test_no_files_of_a_folder_that_is_not_there_is_false(tmp_path):
    (tmp_path / "there").mkdir()
    count = "directory_file_count_equals"
    assert checked(tmp_path, count, glob="there/*.json", n=0).verdict == "holds"
    assert checked(tmp_path, count, glob="absent/*.json", n=0).verdict == "fails"
    assert checked(tmp_path, count, glob="../*.json", n=0).verdict == "unverifiable"


def test_what_is_kept_stays_within_a_budget(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence_module, "_BUDGET", 3000)
    made = []
    with EvidenceReader(tmp_path) as evidence:
        for key in ("a", "b", "c", "a", "d", "a", "b", "large", "large"):
            size = 5000 if key == "large" else 1000
            evidence.once((key,), lambda key=key: made.append(key) or key, size=size)
    assert made == ["a", "b", "c", "d", "b", "large", "large"]


def test_a_text_over_the_limit_is_not_read(tmp_path, monkeypatch):
    with (tmp_path / "t.txt").open("wb") as file:
        file.truncate(evidence_module.MOST_TEXT_BYTES + 1)
    shutil.copy(tmp_path / "t.txt", tmp_path / "u.txt")
    found = checked(tmp_path, "file_at_path_contains", path="t.txt", substring="a")
    assert (found.verdict, "more than" in found.evidence.why) == ("unverifiable", True)
    with EvidenceReader(tmp_path) as evidence:
        assert evidence.same_bytes("t.txt", "u.txt")
        (tmp_path / "u.txt").write_bytes(b"x")
        assert not evidence.same_bytes("t.txt", "u.txt")


def test_bytes_and_text_of_a_json_file_are_not_kept_with_its_value(tmp_path):
    (tmp_path / "r.json").write_text('{"a": 1}')
    with EvidenceReader(tmp_path) as evidence:
        evidence.json("r.json")
        assert {key[0] for key in evidence._kept} & {"data", "text", "json"} == {"json"}


def test_a_tag_is_no_branch_and_a_branch_of_a_remote_is_one(repository, tmp_path_factory):
    args = {"commits": ["main~1", "main"]}
    chain = "git_branch_contains_commit_chain"
    git(repository, "tag", "v9", "main")
    assert checked(repository, chain, branch="main", **args).stands
    assert checked(repository, chain, branch="v9", **args).verdict == "fails"
    clone = tmp_path_factory.mktemp("clone") / "it"
    git(repository, "branch", "work")
    git(repository, "clone", "-q", str(repository), str(clone))
    for name in ("work", "origin/work"):
        assert checked(clone, "git_commit_count_equals", branch=name, n=2).stands


def test_paths_of_git_are_taken_as_they_stand(repository):
    show = {"checker": "git_show_diff_contains", "commit": "main", "substring": "Two more."}
    assert checked(repository, **show, file="notes.md").stands
    assert checked(repository, **show, file="note*.md").verdict == "fails"
    assert checked(repository, **show, file=":(glob)**").verdict == "fails"
    for outside in ("../repo/notes.md", "/etc/passwd", "a\0b"):
        assert checked(repository, **show, file=outside).verdict == "unverifiable"
    assert checked(repository, **show, file="src").verdict == "fails"  # a folder is no file


def test_lines_of_a_diff_are_known_by_their_place(repository):
    (repository / "q.sql").write_text("-- drop it\nselect 1\x0c2;\n++ more\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "third")
    (repository / "q.sql").write_text("select 1\x0c2;\n")
    git(repository, "commit", "-qam", "fourth")
    git(repository, "config", "color.ui", "always")
    git(repository, "config", "diff.suppressBlankEmpty", "true")

    def says(commit, text):
        return checked(repository, "git_show_diff_contains", commit=commit, file="q.sql",
                       substring=text).verdict  # fmt: skip

    assert says("main", "-- drop it") == "holds"
    assert says("main", "++ more") == "holds"
    assert says("main~1", "select 1\x0c2;") == "holds"
    assert says("main", "b/q.sql") == "fails"
    assert says("main", "select 1") == "fails"


def test_a_tag_that_is_no_utf8_breaks_nothing(repository):
    commit = os.fsencode(
        next((repository / ".git/refs/heads").iterdir()).read_text().strip() + "\n"
    )
    (repository / os.fsdecode(b".git/refs/tags/caf\xe9")).write_bytes(commit)
    assert checked(repository, "git_tag_exists", tag="v1.2.3").stands
    assert checked(repository, "git_tag_exists", tag="caf\udce9").verdict == "holds"
    assert checked(repository, "git_tag_exists", tag="\ud800").verdict == "unverifiable"


def test_history_that_was_not_fetched_is_unverifiable_with_what_to_do(repository, tmp_path_factory):
    clone = tmp_path_factory.mktemp("shallow") / "it"
    git(repository, "clone", "-q", "--depth", "1", f"file://{repository}", str(clone))
    asked = [
        ("git_tag_exists", {"tag": "v1.2.3"}),
        ("git_commit_count_equals", {"n": 1}),
        ("git_branch_contains_commit_chain", {"branch": "main", "commits": ["main~1", "main"]}),
        ("git_show_diff_contains", {"commit": "main", "file": "notes.md", "substring": "Two"}),
        ("git_branch_contains_commit_chain", {"branch": "other", "commits": ["main"]}),
    ]
    for checker, args in asked:
        found = checked(clone, checker, **args)
        assert found.verdict == "unverifiable", found
        assert "fetch-depth: 0" in found.evidence.why
    with EvidenceReader(repository) as evidence, pytest.raises(NotThere):
        evidence.attribute("pkg", "nothing")
