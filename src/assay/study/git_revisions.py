"""Which commit a revision names: a full commit name, HEAD, or exactly one ref.

git takes the first of several refs that have one short name, tags before branches before
remote branches. A tag `origin/main` that is pushed would answer for the branch of the remote.
An abbreviated commit name can be met by another commit, and a search in messages by any.
"""

import re
from pathlib import Path

from assay.errors import NotHere
from assay.study.git_command import ask_git, complaint_of, output_of

NAMES = "A revision is a whole commit name, HEAD, or one branch or tag; ~ and ^ lead back from it."
_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REVISION = re.compile(r"(?P<name>(?:[^~^:@\s]|@(?!\{))+)(?P<steps>(?:[~^][0-9]*)*)")
_FETCHED = "FETCH_HEAD"
_PATTERNS = (
    *("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}"),
    "refs/remotes/{}/HEAD",
)


def commit_of(top: Path, revision: str) -> str | None:
    """The full name of a revision's commit, where this clone has it; several refs are refused."""
    match = _REVISION.fullmatch(revision)
    if match is None or revision.startswith("-") or not revision.isprintable():
        return None
    name = match["name"]
    if _FULL.fullmatch(name) is None:
        refs = [name] if name == "HEAD" else _refs_named(top, name)
        if len(refs) > 1:
            raise NotHere(
                f"{name:.80} is more than one ref here: {' and '.join(refs):.300}",
                hint="Name one of them in full, or a commit by its 40 digits.",
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
    """Every ref that git would take a name for, in full."""
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
