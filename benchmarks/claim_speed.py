"""A thousand claims against the reads that they need.

    python benchmarks/claim_speed.py

The repository has 5,000 files and 5,000 commits. The peer is the reading alone: each file that a
claim names is read and parsed once, and git is asked each question once, in this process.
"""

import csv
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from timing import by_turns, cost

from assay.claim_audit.collect import audit_claims

FILES = 5_000
COMMITS = 5_000
CLAIMS = 1_000
_GIT_COMMAND = shutil.which("git") or "git"
_EACH = CLAIMS // 4
"""Claims of each kind: a value in JSON, a table's rows, a file's text, a commit's change."""
_TAGS = 50


def claim_audits() -> None:
    """An audit of many claims, as a multiple of the reads that it needs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder)
        path = folder / "claims.json"
        path.write_text(json.dumps(claims()), encoding="utf-8")
        audit = audit_claims([path], root=folder)
        if not audit.favourable or len(audit.claims) != CLAIMS:
            raise SystemExit(str(audit))
        ours, peer = by_turns(5, lambda: audit_claims([path], root=folder), lambda: reads(folder))
    what = f"{CLAIMS:,} claims over {FILES:,} files and {COMMITS:,} commits"
    cost(what, ours, peer, "the reads they need, once each", 1.5)


def build(folder: Path) -> None:
    """Files of results and tables, a long history, and tags."""
    for number in range(FILES // 2):
        part = folder / f"results/{number // 100}"
        part.mkdir(parents=True, exist_ok=True)
        value = {"auc": _auc(number), "n": number, "rows": [{"id": k, "v": k} for k in range(20)]}
        (part / f"r{number}.json").write_text(json.dumps(value), encoding="utf-8")
        rows = "".join(f"{k},{k % 7}\n" for k in range(40))
        (part / f"t{number}.csv").write_text(f"id,score\n{rows}", encoding="utf-8")
    _git(folder, "init", "-q", "-b", "main")
    stream = b"".join(_commit(number) for number in range(COMMITS))
    subprocess.run([_GIT_COMMAND, "fast-import", "--quiet"], cwd=folder, input=stream, check=True)
    for number in range(_TAGS):
        _git(folder, "tag", f"v1.{number}", f"main~{number}")


def _commit(number: int) -> bytes:
    text = f"line {number}\n".encode()
    head = f"commit refs/heads/main\ncommitter a <a@b.example> {1_700_000_000 + number} +0000\n"
    return (
        head.encode()
        + b"data 1\nx\n"
        + f"M 644 inline notes/n{number % 50}.txt\ndata {len(text)}\n".encode()
        + text
        + b"\n"
    )


def claims() -> list[dict[str, object]]:
    """As many of each kind; every one is true."""
    made = []
    for number in range(_EACH):
        path = f"results/{number // 100}/r{number}.json"
        table = f"results/{number // 100}/t{number}.csv"
        commit, line = f"main~{number}", f"line {COMMITS - 1 - number}"
        file = f"notes/n{(COMMITS - 1 - number) % 50}.txt"
        made += [
            _claim("json_path_equals", path=path, key_path="auc", expected=_auc(number)),
            _claim("aggregate_equals", path=table, statistic="count", value=40),
            _claim("file_at_path_contains", path=path, substring=f'"n": {number}'),
            _claim("git_tag_exists", tag=f"v1.{number}")
            if number < _TAGS
            else _claim("git_show_diff_contains", commit=commit, file=file, substring=line),
        ]
    return [{"id": str(number), "text": "", **claim} for number, claim in enumerate(made)]


def _claim(checker: str, **args: object) -> dict[str, object]:
    return {"checker": checker, "args": args}


def reads(folder: Path) -> None:
    """What the claims need: each file once, each question to git once."""
    for number in range(_EACH):
        part = folder / f"results/{number // 100}"
        json.loads((part / f"r{number}.json").read_text(encoding="utf-8"))
        with (part / f"t{number}.csv").open(encoding="utf-8", newline="") as table:
            list(csv.DictReader(table))
    _git(folder, "tag", "--list")
    for number in range(_TAGS, _EACH):
        file = f"notes/n{(COMMITS - 1 - number) % 50}.txt"
        _git(folder, "show", "--format=", f"main~{number}", "--", file)


def _auc(number: int) -> float:
    return 0.5 + number / 10_000


def _git(folder: Path, *words: str) -> None:
    subprocess.run([_GIT_COMMAND, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    claim_audits()
