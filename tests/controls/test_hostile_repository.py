"""A repository whose own files tell git another story; a folder whose files Python would import."""

import hashlib
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.studies import (
    a_study,
    breach,
    commit,
    git,
    redigest,
    remember_installed,
    rewrite_json,
    steps,
)

from assay.errors import NotHere
from assay.report.study.views import write_view
from assay.study.discover import staged
from assay.study.git import repository_of
from assay.study.study import open_study


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def orphan(tmp_path):
    """A finished study whose history was rewritten: its witness comes before nothing."""
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    witness = git(home, "rev-parse", "HEAD~1")
    git(home, "branch", "kept", witness)
    git(home, "checkout", "--quiet", "--orphan", "other")
    head = commit(home, "Everything")
    assert breach(study)[0] == 3
    return study, home, head, witness


def test_a_graft_makes_no_ancestor(orphan):
    study, home, head, witness = orphan
    (home / ".git/info").mkdir(exist_ok=True)
    (home / ".git/info/grafts").write_text(f"{head} {witness}\n")
    assert git(home, "merge-base", "--is-ancestor", witness, head) == ""  # git believes it
    assert breach(study)[0] == 3


def test_a_replaced_commit_makes_no_ancestor(orphan):
    study, home, head, witness = orphan
    git(home, "replace", "--graft", head, witness)
    assert git(home, "merge-base", "--is-ancestor", witness, head) == ""
    assert breach(study)[0] == 3


def with_parent(graph, head, witness):
    """A commit-graph in which a commit without parents has one."""
    data = bytearray(graph)
    chunks, start = data[6], 8
    table = [struct.unpack_from(">4sQ", data, start + 12 * n) for n in range(chunks + 1)]
    places = dict(table)
    names = places[b"OIDL"]
    count = (places[b"CDAT"] - names) // 20
    at = {bytes(data[names + 20 * n : names + 20 * n + 20]).hex(): n for n in range(count)}
    entry = places[b"CDAT"] + 36 * at[head]
    struct.pack_into(">I", data, entry + 20, at[witness])
    struct.pack_into(">Q", data, entry + 28, (1000 << 34) | (1 << 33))
    data[-20:] = hashlib.sha1(data[:-20], usedforsecurity=False).digest()
    return bytes(data)


def test_a_forged_commit_graph_makes_no_ancestor(orphan):
    study, home, first, witness = orphan
    head = commit(home, "One more")  # git reads the commits that are named from their objects
    git(home, "-c", "commitGraph.generationVersion=1", "commit-graph", "write", "--reachable")
    path = home / ".git/objects/info/commit-graph"
    forged = with_parent(path.read_bytes(), first, witness)
    path.chmod(0o644)
    path.write_bytes(forged)
    assert git(home, "merge-base", "--is-ancestor", witness, head) == ""
    assert breach(study)[0] == 3


def test_another_work_tree_in_the_configuration_leads_nowhere(tmp_path):
    home, other = tmp_path / "home", tmp_path / "other"
    study = a_study(home, "git-finished")
    other.mkdir()
    before = steps(study)
    git(home, "config", "core.worktree", str(other))
    assert steps(study) == before
    inside = home / "study"
    git(home, "config", "core.worktree", str(inside))
    assert steps(study) == before


def test_a_work_tree_that_an_included_file_names_leads_nowhere(tmp_path):
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    before = steps(study)
    (tmp_path / "more").write_text("[core]\n\tworktree = /\n\tcommitGraph = true\n")
    git(home, "config", "include.path", str(tmp_path / "more"))
    assert steps(study) == before


def test_objects_that_lie_elsewhere_are_not_taken_for_the_repository(tmp_path):
    home, store = tmp_path / "home", tmp_path / "store"
    study = a_study(home, "git-finished")
    shutil.move(home / ".git/objects", store)
    (home / ".git/objects/info").mkdir(parents=True)
    (home / ".git/objects/pack").mkdir()
    (home / ".git/objects/info/alternates").write_text(f"{store}\n")
    assert git(home, "fsck") == ""
    with pytest.raises(Exception, match="alternates"):
        steps(study)


def test_a_list_of_other_objects_is_not_read_however_long(tmp_path):
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    with (home / ".git/objects/info/alternates").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(NotHere, match="alternates"):
        repository_of(study.root)


def test_a_repository_that_lies_beside_an_empty_git_folder_is_not_taken(tmp_path):
    """git looks into the folder itself where `.git` is no repository."""
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    for part in list((home / ".git").iterdir()):
        shutil.move(part, home / part.name)
    assert git(home, "rev-parse", "HEAD")
    with pytest.raises(NotHere, match="expected"):
        repository_of(study.root)


def test_a_checkout_whose_git_is_a_file_is_taken(tmp_path):
    home = tmp_path / "home"
    a_study(home, "git-finished")
    git(home, "worktree", "add", "--quiet", str(tmp_path / "other"))
    other = open_study(tmp_path / "other/study")
    assert repository_of(other.root).top == tmp_path / "other"
    assert breach(other) == (None, "")


STRAY = {
    "GIT_OBJECT_DIRECTORY": "{other}/.git/objects",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": "{other}/.git/objects",
    "GIT_COMMON_DIR": "{other}/.git",
    "GIT_REPLACE_REF_BASE": "refs/heads/",
    "GIT_CONFIG_PARAMETERS": "'core.worktree=/' 'core.bare=true'",
    "GIT_CONFIG": "{other}/.git/config",
    "GIT_CEILING_DIRECTORIES": "{home}",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ICASE_PATHSPECS": "1",
    "GIT_NOGLOB_PATHSPECS": "1",
    "GIT_EXEC_PATH": "{other}",
    "GIT_TRACE": "{other}/trace",
    "GIT_SHALLOW_FILE": "{other}/.git/HEAD",
    "GIT_DEFAULT_HASH": "sha256",
}


@pytest.mark.parametrize("name", STRAY)
def test_no_variable_leads_git_astray(tmp_path, monkeypatch, name):
    home, other = tmp_path / "home", tmp_path / "other"
    study = a_study(home, "git-finished")
    a_study(other, "git-opened")
    before = steps(study)
    assert before[3][0] == "ok"
    monkeypatch.setenv(name, STRAY[name].format(home=home, other=other))
    assert steps(study) == before
    assert not (other / "trace").exists()


def test_a_configuration_by_variables_leads_nowhere(tmp_path, monkeypatch):
    study = a_study(tmp_path, "git-finished")
    before = steps(study)
    pairs = (("core.bare", "true"), ("core.worktree", "/"), ("core.repositoryformatversion", "9"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(pairs)))
    for number, (key, value) in enumerate(pairs):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    assert steps(study) == before


def test_a_branch_that_is_named_like_a_commit_is_no_witness(tmp_path):
    study = a_study(tmp_path, "git-finished")
    name = "ab" * 32
    git(tmp_path, "branch", name, "HEAD~1")
    rewrite_json(
        study.root / "runs/001/run.json",
        lambda run: run["provenance"].update(witness=f"git:{name}"),
    )
    git(tmp_path, "reset", "--quiet", "--soft", "HEAD~1")
    redigest(study, run_started={"witness": f"git:{name}"})
    commit(tmp_path, "Result of 001")
    number, found = breach(study)
    assert number == 3
    assert "not in this repository" in found


def index_of(*names, blob):
    """An index as git would never write it, of entries with these names."""
    data = b"DIRC" + struct.pack(">II", 2, len(names))
    for name in names:
        path = name.encode()
        flags = min(len(path), 0xFFF)
        entry = struct.pack(">10I", *[0] * 6, 0o100644, 0, 0, 0) + bytes.fromhex(blob)
        entry += struct.pack(">H", flags) + path
        data += entry + b"\0" * (8 - len(entry) % 8)
    return data + hashlib.sha1(data, usedforsecurity=False).digest()


def test_no_path_of_an_index_leads_out_of_the_folder_or_into_its_git(tmp_path):
    home = tmp_path / "home"
    a_study(home, "git-finished")
    blob = git(home, "rev-parse", "HEAD:study/study.toml")
    names = ("../escaped", ".git/config", "a/../../b", "deep/.GIT/config", "fine.toml")
    (home / ".git/index").write_bytes(index_of(*names, blob=blob))
    with staged(home) as tree:
        top = tree.folder
        laid_out = sorted(p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file())
        assert laid_out == ["fine.toml"]
        assert sorted(p.name for p in top.parent.glob("*escaped*")) == []


HOSTILE = """
import os
with open(os.environ["TRACE"], "a") as file:
    file.write(__name__ + "\\n")
"""


def unavoidable():
    """What Python itself imports before `-m` reaches us, when no code of ours has run yet."""
    code = "import runpy, sys; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    return {name.partition(".")[0] for name in names.decode().split()}


@pytest.fixture
def hostile(tmp_path):
    """A folder with a file for every module that a command might import, each leaving a trace."""
    folder = tmp_path / "hostile"
    a_study(folder, "git-finished")
    write_view(open_study(folder / "study"), "BOARD.md")
    third = ("click", "msgspec", "numpy", "rich", "scipy", "sklearn", "sitecustomize")
    names = {*sys.stdlib_module_names, *third} - unavoidable()
    for name in names:
        (folder / f"{name}.py").write_text(HOSTILE)
        (folder / "study" / f"{name}.py").write_text(HOSTILE)
    return folder


def started(folder, program, *words):
    trace = folder / "trace.txt"
    environment = {**os.environ, "TRACE": str(trace)}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [*program, *words], cwd=folder, env=environment, capture_output=True, check=False
    )
    imported = trace.read_text().split() if trace.exists() else []
    return done.returncode, imported, done.stderr.decode()


MODULE = (sys.executable, "-m", "assay")
SCRIPT = (str(Path(sys.executable).parent / "assay"),)
WORDS = (
    ("--help",),
    ("methods",),
    ("verify", "study"),
    ("verify", "study", "--rerun"),
    ("board", "--study", "study", "--json"),
    ("try", "oracle:word_length", "--bars", "v4"),
)


@pytest.mark.parametrize("program", [MODULE, SCRIPT], ids=["module", "script"])
@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_nothing_is_imported_from_a_hostile_folder(hostile, program, words):
    code, imported, errors = started(hostile, program, *words)
    assert imported == [], errors
    assert code in (0, 1), errors
