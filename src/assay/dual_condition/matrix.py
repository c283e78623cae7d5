"""The cross-corpus matrix: one row a corpus, from result files alone.

The newest of several results on one corpus is the row; the others are its history. A result is
judged again from its scores, with the whole history. A result with one condition is `one-sided`; a
result with both but without evidence is blocked.
"""

import csv
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import msgspec

from assay.dual_condition.commit_gate import (
    held_evidence,
    judge_again,
    one_sided,
    out_of_date,
    sides,
)
from assay.dual_condition.evidence import DualEvidence, Metric, Past
from assay.dual_condition.result import (
    EnteredResult,
    Precondition,
    Quantity,
    Regime,
    RowState,
)
from assay.dual_condition.result_file import headline_keys
from assay.result import Result
from assay.wording import counted

FORMAT = "assay-matrix/1"
HEAD = ("corpus", "metric", "A production", "B architecture", "A - B", "memorisation",
        "transfer", "regime", "n")  # fmt: skip
"""The columns of a Markdown matrix."""
CSV_HEAD = (
    *("corpus", "system", "metric", "state", "a", "a_low", "a_high", "b", "b_low", "b_high"),
    *("learning_contribution", "learning_contribution_low", "learning_contribution_high"),
    *("memorisation", "memorisation_low", "memorisation_high"),
    *("transfer", "transfer_low", "transfer_high", "split", "regime", "items", "positives"),
    *("seeds", "made", "artifact", "checksum", "entered", "reasons", "matrix_of"),
)
"""The columns of a CSV matrix; the last one names the folder of its results."""
MARK, MARK_END = "<!-- assay matrix of ", " -->"
_TOP = f"| {' | '.join(HEAD)} |"


class MatrixRow(msgspec.Struct, frozen=True, kw_only=True, rename={"file": "artifact"}):
    """A corpus: its columns, their interpretation, and their source.

    A row that is not `entered` in a study's ledger is loose: its result only agrees with itself.
    """

    corpus: str
    system: str
    metric: str
    state: RowState
    a: Quantity | None = None
    b: Quantity | None = None
    learning_contribution: Quantity | None = None
    memorisation: Quantity | None = None
    transfer: Quantity | None = None
    split: Precondition | None = None
    regime: Regime | None = None
    items: int = 0
    positives: int = 0
    seeds: int = 0
    made: str
    file: str
    checksum: str | None = None
    reasons: tuple[str, ...]
    caveats: tuple[str, ...] = ()
    history: tuple[Past, ...] = ()
    entered: EnteredResult | None = None


class Matrix(Result, frozen=True, kw_only=True):
    """Rows in order of corpus."""

    format: str
    rows: tuple[MatrixRow, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each corpus, each quantity with the ends of its interval."""
        return [_flat(row) for row in self.rows]

    def lines(self) -> list[str]:
        """How many rows are reported, and the first few of them."""
        reported = sum(row.state is RowState.REPORTED for row in self.rows)
        said = [f"{reported} of {counted(len(self.rows), 'row')} reported"]
        said += [_said(row) for row in self.rows[:_MOST_SAID]]
        if len(self.rows) > _MOST_SAID:
            said.append(f"and {len(self.rows) - _MOST_SAID} more: to_rows() has all of them")
        loose = sum(row.entered is None for row in self.rows)
        return [*said, *([f"loose, in no ledger: {counted(loose, 'row')}"] if loose else [])]


_MOST_SAID = 6


def _said(row: MatrixRow) -> str:
    if row.state is not RowState.REPORTED or row.learning_contribution is None:
        return f"{row.corpus:.60}: {row.state.value}, {'; '.join(row.reasons):.120}"
    regime = "" if row.regime is None else f", {row.regime.value}"
    return f"{row.corpus:.60}: A - B {row.learning_contribution.said(sign=True)}{regime}"


def _flat(row: MatrixRow) -> dict[str, Any]:
    flat: dict[str, Any] = {"corpus": row.corpus, "system": row.system, "metric": row.metric}
    flat |= {"state": row.state.value, "regime": None if row.regime is None else row.regime.value}
    for name in ("a", "b", "learning_contribution", "memorisation", "transfer"):
        quantity: Quantity | None = getattr(row, name)
        low, high = (None, None) if quantity is None else quantity.interval
        flat[name] = None if quantity is None else quantity.value
        flat |= {f"{name}_low": low, f"{name}_high": high}
    named = ("items", "positives", "seeds", "made")
    return flat | {name: getattr(row, name) for name in named} | {"artifact": row.file}


def matrix_of(
    results: Mapping[str, Mapping[str, Any]], entered: Mapping[str, EnteredResult] | None = None
) -> Matrix:
    """The matrix of results by file name, given those that were entered."""
    judged, rows = [], []
    for name, record in results.items():
        founded = "scores" in record and "preconditions_checked" in record
        if out_of_date(record) or one_sided(record) is not None or not founded:
            rows.append(_unfounded(name, record))
            continue
        judged.append((name, record, held_evidence(record, where=name)))
    judged.sort(key=lambda result: (str(result[1].get("made")), result[0]))
    keys = dict.fromkeys(_key(evidence) for _, _, evidence in judged)
    rows += [_row([result for result in judged if _key(result[2]) == key]) for key in keys]
    rows.sort(key=lambda row: (row.corpus, row.metric, row.system, row.file))
    known = entered or {}
    return Matrix(
        format=FORMAT,
        rows=tuple(msgspec.structs.replace(row, entered=known.get(row.file)) for row in rows),
    )


def _key(evidence: DualEvidence) -> tuple[str, str, str]:
    return evidence.corpus, evidence.metric, evidence.system


def _row(same: Sequence[tuple[str, Mapping[str, Any], DualEvidence]]) -> MatrixRow:
    """The row of the newest result, with the others as its history."""
    name, record, evidence = same[-1]
    past: dict[str, Past] = {}
    for file, old, older in same[:-1]:
        if older.inputs.benchmark_digest != evidence.inputs.benchmark_digest:
            continue
        past |= {entry.checksum: entry for entry in older.history}
        earlier = judge_again(older, where=file)
        if earlier.row is RowState.REPORTED and earlier.b is not None:
            mark = str(old["reproducibility_checksum"])
            past[mark] = Past(
                made=str(old.get("made")),
                checksum=mark,
                value=earlier.b.value,
                low=earlier.b.interval[0],
                high=earlier.b.interval[1],
            )
    past |= {entry.checksum: entry for entry in evidence.history}
    history = tuple(sorted(past.values(), key=lambda entry: (entry.made, entry.checksum)))
    result = judge_again(msgspec.structs.replace(evidence, history=history), where=name)
    return MatrixRow(
        corpus=evidence.corpus,
        system=evidence.system,
        metric=evidence.metric,
        state=result.row,
        a=result.a,
        b=result.b,
        learning_contribution=result.learning_contribution,
        memorisation=result.memorisation,
        transfer=result.transfer,
        split=result.split,
        regime=result.regime,
        items=len(evidence.items.id),
        positives=sum(evidence.items.positive),
        seeds=len(evidence.seeds),
        made=str(record.get("made")),
        file=name,
        checksum=str(record["reproducibility_checksum"]),
        reasons=result.reasons,
        caveats=tuple(caveat.code for caveat in result.caveats),
        history=history,
    )


def _unfounded(name: str, record: Mapping[str, Any]) -> MatrixRow:
    """A row for a result that cannot be judged: one side only, or numbers without evidence."""
    lone = one_sided(record)
    why = out_of_date(record) or lone
    why = why or "it holds two numbers and no evidence: no preconditions, no scores"
    keys = {key for side in sides(record).values() for key in side}
    metric = next(
        (known for known in get_args(Metric) if headline_keys(known)["a"] in keys), "auroc"
    )
    return MatrixRow(
        corpus=str(record.get("corpus", name.removesuffix(".json")))[:80],
        system=str(record.get("system", ""))[:200],
        metric=metric,
        state=RowState.BLOCKED if lone is None else RowState.ONE_SIDED,
        made=str(record.get("made", ""))[:40],
        file=name,
        reasons=(why,),
    )


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """The quoted folder that a written matrix names, and whether it shows the history."""

    of: str | None
    history: bool = False


def mark_in_markdown(text: str) -> Mark | None:
    """The mark of a Markdown matrix; None if the text has neither a mark nor such a table.

    Code blocks are examples, and are skipped.
    """
    first = text.partition("\n")[0]
    if first.startswith(MARK) and first.endswith(MARK_END):
        inner = first.removeprefix(MARK).removesuffix(MARK_END)
        return Mark(of=inner.removesuffix(" --history"), history=inner.endswith(" --history"))
    fenced = False
    for line in text.split("\n"):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not fenced and (line.startswith(_TOP) or MARK.strip() in line):
            return Mark(of=None)
    return None


def mark_in_csv(text: str) -> Mark | None:
    """The mark of a CSV file whose first line has most of a matrix's columns."""
    lines = text.lstrip("\ufeff").splitlines()[:2]
    try:
        head, row = (next(csv.reader([line]), []) for line in (*lines, "", "")[:2])
    except csv.Error:
        return None
    if 2 * len(set(head) & set(CSV_HEAD)) < len(CSV_HEAD):
        return None
    return Mark(of=row[-1] if len(row) == len(CSV_HEAD) else None)


def mark_in_json(whole: object) -> Mark | None:
    """The mark of a JSON value that is a matrix, or was one before it was edited."""
    if not isinstance(whole, dict):
        return None
    rows = whole.get("rows")
    first = rows[0] if isinstance(rows, list) and rows else None
    like = isinstance(first, dict) and {"artifact", "learning_contribution"} <= set(first)
    if whole.get("format") != FORMAT and "matrix_of" not in whole and not like:
        return None
    of = whole.get("matrix_of")
    return Mark(of=of if isinstance(of, str) else None)
