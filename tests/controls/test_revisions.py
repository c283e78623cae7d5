"""What a study is held against: the revision that is meant, and every ledger of the study in it."""

import shutil

import pytest
from helpers.command import command
from helpers.studies import (
    a_study,
    breach,
    cloned,
    commit,
    entries,
    git,
    remember_installed,
    settle,
    steps,
)

from assay.errors import NotHere
from assay.study.git import repository_of
from assay.study.study import open_study


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def begun_anew(study):
    """The study as if nothing but its opening had happened, in a history of its own."""
    home = study.root.parent
    git(home, "checkout", "--quiet", "--orphan", "anew")
    ledger = study.root / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    for name in ("preregs", "runs", "scorecards", "grades"):
        shutil.rmtree(study.root / name)
    return commit(home, "Anew")


@pytest.fixture
def rewritten(tmp_path):
    """A clone of a study whose history was rewritten; the remote still has what was published."""
    home = tmp_path / "home"
    study = a_study(home, "git-finished")
    begun_anew(study)
    return cloned(home, tmp_path / "clone", "--branch", "anew")


def test_a_rewritten_history_is_seen_against_the_remote_branch(rewritten):
    number, found = breach(rewritten, since="origin/main")
    assert number == 1
    assert "some were removed" in found


@pytest.mark.parametrize(
    "ref", ["refs/tags/origin/main", "refs/heads/origin/main", "refs/origin/main"]
)
def test_a_name_that_is_more_than_one_ref_is_not_resolved(rewritten, ref):
    home = rewritten.root.parent
    git(home, "update-ref", ref, "HEAD")
    outcome, found = steps(rewritten, since="origin/main")[1]
    assert outcome == "unchecked"
    assert ref in found and "refs/remotes/origin/main" in found
    done = command(home, "verify", "--all", "--since", "origin/main")
    assert done.returncode == 2
    assert breach(rewritten, since="refs/remotes/origin/main")[0] == 1


def test_a_file_beside_the_refs_is_no_ref(rewritten):
    home = rewritten.root.parent
    (home / ".git/origin").mkdir()
    (home / ".git/origin/main").write_text(git(home, "rev-parse", "HEAD") + "\n")
    assert git(home, "rev-parse", "origin/main") == git(home, "rev-parse", "HEAD")
    assert breach(rewritten, since="origin/main")[0] == 1


def test_a_branch_or_tag_that_is_named_head_changes_nothing(rewritten):
    home = rewritten.root.parent
    before = steps(rewritten)
    for ref in ("refs/tags/HEAD", "refs/heads/HEAD", "refs/remotes/HEAD"):
        git(home, "update-ref", ref, "origin/main")
    assert steps(rewritten) == before


def test_revisions_are_full_names_and_single_refs_with_steps_back(tmp_path):
    home = tmp_path / "home"
    a_study(home, "git-finished")
    last, first = git(home, "rev-parse", "HEAD", "HEAD~1").split()
    git(home, "tag", "-a", "-m", "published", "published")
    git(home, "branch", "to@others")
    repository = repository_of(home)
    for name in (last, "HEAD", "main", "heads/main", "refs/heads/main", "published", "to@others"):
        assert repository.commit(name) == last
    for name in ("HEAD~1", "HEAD^", "main~", "published~1", f"{last}^1"):
        assert repository.commit(name) == first
    for name in (last[:12], f"v1-2-g{last[:12]}", ":/Result", "HEAD@{0}", "HEAD^{/Result}", "@"):
        assert repository.commit(name) is None


def test_what_was_fetched_last_can_be_named(rewritten):
    home = rewritten.root.parent
    assert repository_of(home).commit("FETCH_HEAD") is None
    git(home, "fetch", "--quiet", "origin", "main")
    assert breach(rewritten, since="FETCH_HEAD")[0] == 1
    git(home, "tag", "FETCH_HEAD", "HEAD")
    with pytest.raises(NotHere, match="refs/tags/FETCH_HEAD"):
        repository_of(home).commit("FETCH_HEAD")


@pytest.mark.parametrize("decoy", ["its first line", "nothing"])
def test_every_ledger_of_the_study_in_a_revision_is_continued(tmp_path, decoy):
    """One line of it stood where the study was moved to when its history was rewritten."""
    study = a_study(tmp_path, "git-finished")
    other = tmp_path / "other"
    other.mkdir()
    first = (study.root / "ledger.jsonl").read_bytes().splitlines(keepends=True)[0]
    (other / "ledger.jsonl").write_bytes(first if decoy == "its first line" else b"")
    published = commit(tmp_path, "A decoy")
    assert breach(study) == (None, "")
    begun_anew(study)
    shutil.rmtree(other)
    shutil.move(study.root, other)
    commit(tmp_path, "Moved")
    moved = open_study(other)
    git(tmp_path, "checkout", "--quiet", "--orphan", "once")
    commit(tmp_path, "In a history that never had it elsewhere")
    assert len(entries(moved)) == 1
    number, found = breach(moved, since=published)
    assert number == 1
    assert "some were removed" in found and "study" in found
    assert command(tmp_path, "verify", "--all", "--since", published).returncode == 4


@pytest.mark.parametrize("plan", ["edited", "left out"])
def test_a_ledger_in_a_revision_is_told_by_its_first_line_or_by_the_origin_beside_it(
    tmp_path, plan
):
    study = a_study(tmp_path, "git-finished")
    text = (study.root / "study.toml").read_text()
    if plan == "edited":
        (study.root / "study.toml").write_text(text + "# of the same origin\n")
    else:
        (study.root / "study.toml").unlink()
    published = commit(tmp_path, "With another plan")
    (study.root / "study.toml").write_text(text)
    begun_anew(study)
    git(tmp_path, "mv", "study", "moved")
    git(tmp_path, "checkout", "--quiet", "--orphan", "once")
    commit(tmp_path, "In a history that never had it elsewhere")
    assert breach(open_study(tmp_path / "moved"), since=published)[0] == 1


def nested(outer, inner):
    """A repository with a study's own checkout in it."""
    outer.mkdir()
    git(outer, "init", "--quiet", "--initial-branch", "main")
    settle(outer)
    (outer / "readme").write_text("Something else.\n")
    commit(outer, "Begin")
    return a_study(outer / inner, "git-finished")


def test_verify_all_asks_the_repository_that_a_study_lies_in(tmp_path):
    home = tmp_path / "home"
    study = nested(home, "inner")
    done = command(home, "verify", "--all")
    assert done.returncode == 0, done.stdout
    assert "inner/study" in done.stdout
    ledger = study.root / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    for name in ("preregs", "runs", "scorecards", "grades"):
        shutil.rmtree(study.root / name)
    assert breach(study)[0] == 1
    assert command(home, "verify", "--all").returncode == 4


def test_verify_all_names_a_study_that_was_taken_out_of_a_checkout_within(tmp_path):
    home = tmp_path / "home"
    study = nested(home, "deep/inner")
    shutil.rmtree(study.root)
    done = command(home, "verify", "--all")
    assert done.returncode == 4
    assert "deep/inner/study" in done.stderr and "missing" in done.stderr


def test_verify_all_holds_a_submodule_against_the_commit_that_the_revision_names(tmp_path):
    home, source = tmp_path / "home", tmp_path / "source"
    a_study(source, "git-finished")
    home.mkdir()
    git(home, "init", "--quiet", "--initial-branch", "main")
    settle(home)
    protocol = ("-c", "protocol.file.allow=always")
    git(home, *protocol, "submodule", "--quiet", "add", str(source), "inner")
    published = commit(home, "A study within")
    settle(home / "inner")
    assert command(home, "verify", "--all", "--since", published).returncode == 0
    begun_anew(open_study(home / "inner/study"))
    commit(home, "Rewritten")
    done = command(home, "verify", "--all", "--since", published)
    assert done.returncode == 4, done.stdout
    assert "were removed" in done.stdout


PROTOCOL = ("-c", "protocol.file.allow=always")


def with_module(home, source, place="inner"):
    """Add a repository as a submodule; the commit before, and the one after."""
    before = git(home, "rev-parse", "HEAD")
    git(home, *PROTOCOL, "submodule", "--quiet", "add", str(source), place)
    settle(home / place)
    return before, commit(home, "A repository within")


def recursive_clone(home, place):
    git(home.parent, *PROTOCOL, "clone", "--quiet", "--recurse-submodules", str(home), str(place))
    return place


@pytest.fixture
def taken_within(tmp_path):
    """A published study became a submodule, in which nothing but its opening has happened."""
    home, source = tmp_path / "home", tmp_path / "source"
    study = a_study(home, "git-finished")
    git(home, "branch", "published")
    shutil.copytree(study.root, source)
    git(source, "init", "--quiet", "--initial-branch", "main")
    settle(source)
    anew = open_study(source)
    ledger = source / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    for name in ("preregs", "runs", "scorecards", "grades"):
        shutil.rmtree(source / name)
    commit(source, "The study")
    git(source, "branch", "published")
    git(home, "rm", "-r", "--quiet", "study")
    shutil.rmtree(study.root, ignore_errors=True)
    with_module(home, source, "study")
    assert len(entries(anew)) == 1
    return recursive_clone(home, tmp_path / "clone")


@pytest.mark.parametrize("name", ["origin/published", "its commit", None])
def test_a_study_that_became_a_submodule_continues_its_ledger_in_the_outer_history(
    taken_within, name
):
    """A branch has the same name in both repositories."""
    revision = git(taken_within, "rev-parse", "origin/published") if name == "its commit" else name
    since = () if revision is None else ("--since", revision)
    done = command(taken_within, "verify", "--all", *since)
    assert done.returncode == 4, done.stdout
    assert ("removed" if since else "differs from line") in " ".join(done.stdout.split())


def with_another_study(tmp_path):
    """A repository with a study of its own and a submodule that holds a finished one."""
    home, source = tmp_path / "home", tmp_path / "source"
    a_study(source, "git-finished")
    a_study(home, "git-opened")
    git(home, "mv", "study", "other")
    commit(home, "Another study")
    return home, with_module(home, source)[1]


def changed(home, how):
    if how == "removed":
        git(home, "rm", "--quiet", "-f", "inner")
    elif how == "replaced by files":
        git(home, "rm", "--quiet", "-f", "inner")
        (home / "inner").mkdir()
        (home / "inner/readme").write_text("Nothing.\n")
    elif how == "another repository":
        git(home, "rm", "--quiet", "-f", "inner")
        shutil.rmtree(home / ".git/modules/inner")
        shutil.rmtree(home.parent / "source")
        source = home.parent / "source"
        source.mkdir()
        git(source, "init", "--quiet", "--initial-branch", "main")
        settle(source)
        (source / "readme").write_text("Nothing.\n")
        commit(source, "Nothing")
        git(home, *PROTOCOL, "submodule", "--quiet", "add", str(source), "inner")
    commit(home, how)


@pytest.mark.parametrize("how", ["removed", "replaced by files", "another repository"])
def test_a_submodule_that_a_revision_names_and_that_is_gone_is_unchecked(tmp_path, how):
    home, published = with_another_study(tmp_path)
    assert command(home, "verify", "--all", "--since", published).returncode == 0
    changed(home, how)
    clone = recursive_clone(home, tmp_path / "clone")
    done = command(clone, "verify", "--all", "--since", published)
    assert done.returncode == 2, done.stdout
    assert "inner" in done.stderr and "missing" in done.stderr


def test_a_submodule_that_is_taken_out_of_the_index_is_unchecked(tmp_path):
    home, _ = with_another_study(tmp_path)
    assert command(home, "verify", "--all", "--staged").returncode == 0
    git(home, "rm", "--quiet", "-f", "inner")
    assert command(home, "verify", "--all", "--staged").returncode == 2


def test_a_study_that_is_taken_out_of_a_submodule_is_a_breach(tmp_path):
    home, published = with_another_study(tmp_path)
    git(home / "inner", "rm", "-r", "--quiet", "study")
    commit(home / "inner", "No study")
    commit(home, "Another commit of it")
    assert command(home, "verify", "--all").returncode == 0
    done = command(home, "verify", "--all", "--since", published)
    assert done.returncode == 4
    assert "inner/study" in done.stderr and "missing" in done.stderr


def test_a_submodule_that_was_moved_is_held_against_what_was_named_in_its_old_place(tmp_path):
    home, published = with_another_study(tmp_path)
    git(home, "mv", "inner", "moved")
    commit(home, "Moved")
    assert command(home, "verify", "--all", "--since", published).returncode == 0
    begun_anew(open_study(home / "moved/study"))
    commit(home, "Rewritten")
    done = command(home, "verify", "--all", "--since", published)
    assert done.returncode == 4
    assert "were removed" in done.stdout


def test_a_submodule_that_is_not_checked_out_and_did_not_change_is_left_out(tmp_path):
    home, published = with_another_study(tmp_path)
    clone = tmp_path / "clone"
    git(tmp_path, *PROTOCOL, "clone", "--quiet", str(home), str(clone))
    done = command(clone, "verify", "--all", "--since", published)
    assert done.returncode == 0, done.stdout + done.stderr


def objects_of(home, name):
    """The files of git's objects that a path of the study ever had."""
    commits = git(home, "rev-list", "--all").split()
    found = {git(home, "rev-parse", f"{each}:study/{name}") for each in commits}
    return [home / ".git/objects" / each[:2] / each[2:] for each in found]


@pytest.mark.parametrize("name", ["ledger.jsonl", "study.toml"])
def test_a_history_whose_objects_are_missing_is_unchecked(tmp_path, name):
    study = a_study(tmp_path, "git-finished")
    objects = objects_of(tmp_path, name)
    ledger = study.root / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    for folder in ("preregs", "runs", "scorecards", "grades"):
        shutil.rmtree(study.root / folder)
    commit(tmp_path, "Start over")
    for path in objects:
        path.unlink()
    outcome, found = list(steps(study).values())[-1]
    assert outcome == "unchecked"
    assert "lacks" in found


def test_a_tree_that_is_missing_is_unchecked(tmp_path):
    study = a_study(tmp_path, "git-finished")
    name = git(tmp_path, "rev-parse", "HEAD:study")
    (tmp_path / ".git/objects" / name[:2] / name[2:]).unlink()
    outcome, _ = list(steps(study).values())[-1]
    assert outcome == "unchecked"
    with pytest.raises(NotHere):
        repository_of(study.root).folders(git(tmp_path, "rev-parse", "HEAD"), "ledger.jsonl")


@pytest.mark.parametrize("left_out", ["blob:none", "tree:0"])
def test_an_honest_study_is_unchecked_in_a_clone_without_its_history(tmp_path, left_out):
    home = tmp_path / "home"
    a_study(home, "git-finished")
    git(home, "config", "uploadpack.allowFilter", "true")
    clone = cloned(home, tmp_path / "clone", f"--filter={left_out}")
    outcome, found = list(steps(clone).values())[-1]
    assert outcome == "unchecked", found
