"""Which commit a revision names: a full commit name, HEAD, or exactly one ref.

If several refs share a short name, git takes the first: tags, then branches, then remote branches.
A pushed tag `origin/main` would stand for the remote's branch. An abbreviated commit name can match
another commit, and a search in messages any commit.
"""

import re
from pathlib import Path

from assay.errors import NotHere
from assay.study.git_command import ask_git, complaint_of, output_of

NAMES = "A revision is a full commit name, HEAD, a branch or a tag; ~ and ^ name ancestors."
_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REVISION = re.compile(r"(?P<name>(?:[^~^:@\s]|@(?!\{))+)(?P<steps>(?:[~^][0-9]*)*)")
_FETCHED = "FETCH_HEAD"
_PATTERNS = (
    *("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}"),
    "refs/remotes/{}/HEAD",
)


def commit_of(top: Path, revision: str) -> str | None:
    """The full name of a revision's commit, if this clone has it; an ambiguous name is refused."""
    match = _REVISION.fullmatch(revision)
    if match is None or revision.startswith("-") or not revision.isprintable():
        return None
    name = match["name"]
    if _FULL.fullmatch(name) is None:
        refs = [name] if name == "HEAD" else _refs_named(top, name)
        if len(refs) > 1:
            raise NotHere(
                f"{name:.80} is ambiguous: {' and '.join(refs):.300}",
                hint="Write one of them in full, or the 40 digits of a commit.",
            )
        if not refs:
            return None
        name = refs[0]
    output = output_of(
        top, "rev-parse", "--verify", "--quiet", f"{name}{match['steps']}^{{commit}}"
    )
    commit = output.decode().strip() if output else None
    # A branch can have a name that is a commit's in another repository.
    is_other = _FULL.fullmatch(revision) is not None and commit != revision
    return None if is_other else commit


def _refs_named(top: Path, name: str) -> list[str]:
    """The full names of all refs that a name can mean."""
    if name.startswith("refs/"):
        possible = [name]
    else:
        possible = [pattern.format(name) for pattern in _PATTERNS]
    done = ask_git(top, "for-each-ref", "--format=%(refname)", *possible)
    if done.returncode != 0:
        raise NotHere(f"git cannot list the refs here: {complaint_of(done)}")
    listed = done.stdout.decode("utf-8", "replace").split("\n")
    refs = [ref for ref in possible if ref in listed]
    return [_FETCHED, *refs] if name == _FETCHED and _was_fetched(top) else refs


def _was_fetched(top: Path) -> bool:
    place = output_of(top, "rev-parse", "--git-path", _FETCHED)
    return place is not None and (top / place.decode().removesuffix("\n")).is_file()
