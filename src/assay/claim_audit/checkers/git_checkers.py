"""Checkers of a repository's history: diffs, branches and tags."""

import re
from itertools import pairwise

from assay.claim_audit.checkers.checker import Args, Checker, text_arg, texts_arg
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+@~^-]{0,199}")


def _diff_contains(args: Args, evidence: EvidenceReader) -> Observed:
    commit, file = _commit(args, evidence), text_arg(args, "file")
    words = ("show", "--no-ext-diff", "--no-textconv", "--format=", commit, "--", file)
    diff = evidence.git(*words)
    if not diff:
        raise NotThere(f"commit {args['commit']} does not change {file}")
    marked = [line for line in diff.decode("utf-8", "replace").splitlines()
              if line[:1] in "+-" and line[:3] not in ("+++", "---")]  # fmt: skip
    part = text_arg(args, "substring")
    value = part in "\n".join(marked) or part in "\n".join(line[1:] for line in marked)
    return Observed(value=value, where=f"commit {args['commit']}, {file}")


def _commit(args: Args, evidence: EvidenceReader) -> str:
    return _resolved(text_arg(args, "commit"), evidence)


def _resolved(name: str, evidence: EvidenceReader) -> str:
    if not _NAME.fullmatch(name):
        raise Unverifiable(f"{name!r:.60} is not a valid commit name")
    found = evidence.git(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
    )
    if not found:
        raise NotThere(f"there is no commit {name}")
    return found.decode().strip()


def _branch_contains(args: Args, evidence: EvidenceReader) -> Observed:
    """Whether a branch has the commits, each an ancestor of the next."""
    branch = text_arg(args, "branch")
    tip = _resolved(branch, evidence)
    chain = [_resolved(name, evidence) for name in texts_arg(args, "commits")]
    if not chain:
        raise Unverifiable("commits: expected at least one")
    listed = evidence.git("rev-list", "--topo-order", tip)
    places = {commit: n for n, commit in enumerate((listed or b"").decode().split())}
    if not all(commit in places for commit in chain):
        return Observed(value=False, where=f"branch {branch}")
    value = all(_is_ancestor(older, newer, evidence) for older, newer in pairwise(chain))
    return Observed(value=value, where=f"branch {branch}")


def _is_ancestor(older: str, newer: str, evidence: EvidenceReader) -> bool:
    return older != newer and evidence.git("merge-base", "--is-ancestor", older, newer) is not None


def _tag_exists(args: Args, evidence: EvidenceReader) -> Observed:
    tag = text_arg(args, "tag")
    listed = evidence.git("for-each-ref", "--format=%(refname:strip=2)", "refs/tags")
    return Observed(value=tag in (listed or b"").decode().split("\n"), where="tags")


def _commit_count(args: Args, evidence: EvidenceReader) -> Observed:
    branch = text_arg(args, "branch") if "branch" in args else "HEAD"
    found = evidence.git("rev-list", "--count", _resolved(branch, evidence))
    return Observed(value=int(found or b"0"), where=f"commits of {branch}")


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
        about="a branch has these commits, in this order",
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
        about="the number of commits of a branch",
        observe=_commit_count,
        required=(),
        optional=("branch",),
        value="n",
    ),
)
