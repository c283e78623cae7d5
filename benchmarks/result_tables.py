"""Where the tables of a simulation go: into a page of the docs, and into a file of results.

Each table is stored as CSV under benchmarks/results, and the page claims it: `assay claims` checks
every cell of the page against the file.
"""

import argparse
import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from provenance import note

from assay.claim_audit.texts.printed_tables import parse_table

TOP = Path(__file__).parents[1]
RESULTS = TOP / "benchmarks/results"
_TABLE = re.compile(r"(?:^\|.*\|\n?)+", re.MULTILINE)
_CLAIM = re.compile(r"\n*<!-- claim: table_equals [^>]*-->\n*")


def make_tables(
    tables: Mapping[str, Callable[[int], str]], *, about: str, draws: int, by: str, page: Path
) -> None:
    """Print the tables of a page, and write them where it shows them; what a script's flags ask."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--draws", type=int, default=draws)
    parser.add_argument("--only", choices=tables, action="append")
    parser.add_argument("--write", action="store_true")
    flags = parser.parse_args()
    for name in flags.only or tables:
        table = tables[name](flags.draws)
        print(f"## {name}\n\n{table}\n", flush=True)
        if flags.write:
            insert(name, table, by=by, page=page)


def markdown(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [" | ".join(headers), " | ".join("---" for _ in headers)]
    lines += [" | ".join(row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def insert(name: str, block: str, *, by: str, page: Path) -> None:
    """Put the tables of a block, and the words around them, where the documentation shows them."""
    start, end = f"<!-- {name}: made by benchmarks/{by}.py -->", f"<!-- end of {name} -->"
    text = page.read_text(encoding="utf-8")
    head, rest = text.split(start)
    tail = rest.split(end)[1]
    told = claimed(name, block, by=by)
    page.write_text(f"{head}{start}\n\n{told}\n\n{end}{tail}", encoding="utf-8")
    note(name, script=TOP / f"benchmarks/{by}.py", folder=RESULTS / by)


def claimed(name: str, block: str, *, by: str) -> str:
    """The block with a claim behind each table; the tables are stored."""
    count = 0

    def store(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        path = RESULTS / by / f"{name}{'' if count == 1 else f'-{count}'}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_csv(found[0]), encoding="utf-8")
        where = path.relative_to(TOP).as_posix()
        return f'{found[0].rstrip()}\n\n<!-- claim: table_equals path="{where}" -->\n'

    return _TABLE.sub(store, _CLAIM.sub("\n\n", block)).strip()


def as_csv(table: str) -> str:
    """A Markdown table as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(parse_table(table))
    return out.getvalue()
