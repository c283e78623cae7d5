"""Checkers of a repository's history: diffs, branches and tags."""

import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from assay.claim_audit.checkers.checker import Args, Checker, text_arg, texts_arg
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.files import stays_inside

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+@~^-]{0,199}")
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_SHALLOW = "this clone is shallow: fetch the whole history (in GitHub Actions, fetch-depth: 0)"


def _diff_contains(args: Args, evidence: EvidenceReader) -> Observed:
    """Whether a line that a commit adds or removes in a file contains a text.

    A merge is compared with its first parent.
    """
    commit = _resolved(text_arg(args, "commit"), evidence)
    file, part = text_arg(args, "file"), text_arg(args, "substring")
    if not stays_inside(file.removeprefix("./")):
        raise Unverifiable(f"file: {file!r:.80} is no path of a file below the root")
    if commit in evidence.shallow:
        raise Unverifiable(f"what commit {args['commit']} changes is unknown: {_SHALLOW}")
    path = os.fsencode(f"{evidence.inner}{file.removeprefix('./')}")
    changed = _changes(commit, evidence).get(path)
    if changed is None:
        raise NotThere(f"commit {args['commit']} does not change {file}")
    lines = [line.decode("utf-8", "replace") for line in changed]
    value = part in "\n".join(lines) or part in "\n".join(line[1:] for line in lines)
    return Observed(value=value, where=f"commit {args['commit']}, {file}")


def _changes(commit: str, evidence: EvidenceReader) -> Mapping[bytes, Sequence[bytes]]:
    """The lines that a commit adds or removes, by file; asked once for each commit."""

    def ask() -> Mapping[bytes, Sequence[bytes]]:
        found = changed_lines(evidence.changes(commit))
        if found is None:
            raise Unverifiable(f"git's answer about commit {commit[:12]} cannot be read")
        return found

    return evidence.once(("changes", commit), ask)


def changed_lines(shown: bytes) -> dict[bytes, list[bytes]] | None:
    """The lines that a commit adds or removes, with their marks, by file; None if unreadable.

    git names the commit, lists the files, and gives the change of each in that order. A hunk says
    how many lines it has, so that a line is known by its place and not by its looks: the removal of
    `-- drop it` begins with three dashes too.
    """
    listed, _, diff = shown.partition(b"\0\0")
    names = listed.split(b"\0")[2::2]
    found: list[list[bytes]] = []
    old = new = 0
    for line in diff.split(b"\n"):
        if old > 0 or new > 0:
            mark = line[:1]
            old -= mark not in (b"+", b"\\")
            new -= mark not in (b"-", b"\\")
            found[-1] += [line] if mark in (b"+", b"-") else []
        elif line.startswith(b"diff --"):
            found.append([])
        elif found and (hunk := _HUNK.match(line)):
            old, new = (1 if count is None else int(count) for count in hunk.groups())
    return dict(zip(names, found, strict=True)) if len(names) == len(found) else None


def _resolved(name: str, evidence: EvidenceReader) -> str:
    if not _NAME.fullmatch(name):
        raise Unverifiable(f"{name!r:.60} cannot name a commit")
    found = evidence.commit(name)
    if found is None:
        raise _absent(f"there is no commit {name}", evidence)
    return found


def _tip(branch: str, evidence: EvidenceReader) -> str:
    """The last commit of a branch, ours or else a remote's; a tag is no branch."""
    if branch == "HEAD":
        return _resolved(branch, evidence)
    if not _NAME.fullmatch(branch) or set("~^@") & set(branch):
        raise Unverifiable(f"{branch!r:.60} cannot name a branch")
    for place in (f"refs/heads/{branch}", f"refs/remotes/{branch}"):
        found = evidence.commit(place)
        if found is not None:
            return found
    listed = evidence.git("for-each-ref", "--format=%(objectname)", f"refs/remotes/*/{branch}")
    tips = set(listed.decode("ascii", "replace").split())
    if len(tips) > 1:
        raise Unverifiable(f"several remotes have a branch {branch}: say which, as in origin/main")
    if not tips:
        raise _absent(f"there is no branch {branch}", evidence)
    return tips.pop()


def _revision(name: str, evidence: EvidenceReader) -> str:
    """The commit of a tag, or else the last one of a branch."""
    if _NAME.fullmatch(name):
        tagged = evidence.commit(f"refs/tags/{name}")
        if tagged is not None:
            return tagged
    return _tip(name, evidence)


def _absent(what: str, evidence: EvidenceReader) -> NotThere | Unverifiable:
    """Something that is not there; in a shallow clone it may only not have been fetched."""
    return Unverifiable(f"{what} here, and {_SHALLOW}") if evidence.shallow else NotThere(what)


def _branch_contains(args: Args, evidence: EvidenceReader) -> Observed:
    """Whether a branch has the commits, each an ancestor of the next."""
    branch, names = text_arg(args, "branch"), texts_arg(args, "commits")
    if not names:
        raise Unverifiable("commits: expected at least one")
    tip = _tip(branch, evidence)
    chain = [_resolved(name, evidence) for name in names]
    links = [*pairwise(chain), (chain[-1], tip)]
    value = all(_is_ancestor(older, newer, evidence) for older, newer in links)
    value = value and all(older != newer for older, newer in pairwise(chain))
    if not value and evidence.shallow:
        raise Unverifiable(f"branch {branch}: {_SHALLOW}")
    return Observed(value=value, where=f"branch {branch}")


def _is_ancestor(older: str, newer: str, evidence: EvidenceReader) -> bool:
    return evidence.git_line("merge-base", "--is-ancestor", older, newer) is not None


def _tag_exists(args: Args, evidence: EvidenceReader) -> Observed:
    tag = text_arg(args, "tag")
    listed = evidence.git("for-each-ref", "--format=%(refname:strip=2)", "refs/tags")
    try:
        value = os.fsencode(tag) in listed.split(b"\n")
    except UnicodeEncodeError:
        raise Unverifiable(f"tag: {tag!r:.60} cannot name a tag") from None
    if not value and evidence.shallow:
        raise Unverifiable(f"there is no tag {tag} here, and {_SHALLOW}")
    return Observed(value=value, where="tags")


def _commit_count(args: Args, evidence: EvidenceReader) -> Observed:
    branch = text_arg(args, "branch") if "branch" in args else "HEAD"
    if evidence.shallow:
        raise Unverifiable(f"commits of {branch}: {_SHALLOW}")
    found = evidence.git("rev-list", "--count", _revision(branch, evidence))
    return Observed(value=int(found), where=f"commits of {branch}")


CHECKERS = (
    Checker(
        name="git_show_diff_contains",
        about="a commit's change of a file contains a text",
        observe=_diff_contains,
        required=("commit", "file", "substring"),
        altered=("substring", "file", "commit"),
    ),
    Checker(
        name="git_branch_contains_commit_chain",
        about="a branch has these commits, each behind the next",
        observe=_branch_contains,
        required=("branch", "commits"),
        altered=("commits",),
    ),
    Checker(
        name="git_tag_exists",
        about="there is a tag of this name",
        observe=_tag_exists,
        required=("tag",),
        altered=("tag",),
    ),
    Checker(
        name="git_commit_count_equals",
        about="a branch or tag has so many commits",
        observe=_commit_count,
        required=(),
        optional=("branch",),
        value="n",
    ),
)
