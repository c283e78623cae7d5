"""The cross-corpus matrix: a row a corpus, from result files alone.

Of several results on one corpus the newest is the row and the others are its history. A result is
judged again from its scores, with all the history there is. What carries one condition only is
`one-sided`, and never more; what carries both and no evidence is blocked.
"""

import csv
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import msgspec

from assay.dual_condition.commit_gate import held_evidence, judge_again, one_sided, sides
from assay.dual_condition.evidence import DualEvidence, Metric, Past
from assay.dual_condition.result import DualResult, Quantity, Regime, RowState
from assay.dual_condition.result_file import headline_keys

FORMAT = "assay-matrix/1"
HEAD = ("corpus", "metric", "A production", "B architecture", "A - B", "memorisation",
        "transfer", "regime", "n")  # fmt: skip
"""The columns of a Markdown matrix."""
CSV_HEAD = (
    *("corpus", "system", "metric", "state", "a", "a_low", "a_high", "b", "b_low", "b_high"),
    *("learning_contribution", "learning_contribution_low", "learning_contribution_high"),
    *("memorisation", "memorisation_low", "memorisation_high"),
    *("transfer", "transfer_low", "transfer_high", "regime", "items", "positives", "seeds"),
    *("made", "artifact", "checksum", "reasons", "matrix_of"),
)
"""The columns of a CSV matrix; the last one names the folder of its results."""
MARK, MARK_END = "<!-- assay matrix of ", " -->"
_TOP = f"| {' | '.join(HEAD)} |"
_FENCES = ("```", "~~~")
_METRICS = get_args(Metric)


class MatrixRow(msgspec.Struct, frozen=True, kw_only=True, rename={"file": "artifact"}):
    """A corpus: the columns, what they say, and where they come from."""

    corpus: str
    system: str
    metric: str
    state: RowState
    a: Quantity | None
    b: Quantity | None
    learning_contribution: Quantity | None
    memorisation: Quantity | None
    transfer: Quantity | None
    regime: Regime | None
    items: int
    positives: int
    seeds: int
    made: str
    file: str
    checksum: str | None
    reasons: tuple[str, ...]
    caveats: tuple[str, ...]
    history: tuple[Past, ...]


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """Rows in order of corpus."""

    format: str
    rows: tuple[MatrixRow, ...]


def matrix_of(results: Mapping[str, Mapping[str, Any]]) -> Matrix:
    """The matrix of some results, each under the name of its file."""
    judged, rows = [], []
    for name, record in results.items():
        if one_sided(record) is not None or not _has_evidence(record):
            rows.append(_unfounded(name, record))
            continue
        judged.append((name, record, held_evidence(record, where=name)))
    for key in dict.fromkeys(_key(evidence) for _, _, evidence in judged):
        same = [result for result in judged if _key(result[2]) == key]
        same.sort(key=lambda result: (str(result[1].get("made")), result[0]))
        rows.append(_row(same))
    rows.sort(key=lambda row: (row.corpus, row.metric, row.system, row.file))
    return Matrix(format=FORMAT, rows=tuple(rows))


def _key(evidence: DualEvidence) -> tuple[str, str, str]:
    return evidence.corpus, evidence.metric, evidence.system


def _has_evidence(record: Mapping[str, Any]) -> bool:
    return "scores" in record and "preconditions_checked" in record


def _row(same: Sequence[tuple[str, Mapping[str, Any], DualEvidence]]) -> MatrixRow:
    """The newest of some results, with what the others were."""
    name, record, evidence = same[-1]
    past: dict[str, Past] = {}
    for file, old, held in same[:-1]:
        if held.inputs.benchmark_digest != evidence.inputs.benchmark_digest:
            continue
        past |= {entry.checksum: entry for entry in held.history}
        earlier = judge_again(held, where=file)
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
    return _filled(name, record, evidence, result, history)


def _filled(
    name: str,
    record: Mapping[str, Any],
    evidence: DualEvidence,
    result: DualResult,
    history: tuple[Past, ...],
) -> MatrixRow:
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
    why = lone or "it holds two numbers and no evidence: no preconditions, no scores"
    keys = {key for side in sides(record).values() for key in side}
    metric = next((known for known in _METRICS if headline_keys(known)["a"] in keys), "auroc")
    return MatrixRow(
        corpus=str(record.get("corpus", name.removesuffix(".json")))[:80],
        system=str(record.get("system", ""))[:200],
        metric=metric,
        state=RowState.BLOCKED if lone is None else RowState.ONE_SIDED,
        a=None,
        b=None,
        learning_contribution=None,
        memorisation=None,
        transfer=None,
        regime=None,
        items=0,
        positives=0,
        seeds=0,
        made=str(record.get("made", ""))[:40],
        file=name,
        checksum=None,
        reasons=(why,),
        caveats=(),
        history=(),
    )


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """The folder that a written matrix names, quoted, and whether it shows the history."""

    of: str | None
    history: bool = False


def mark_in_markdown(text: str) -> Mark | None:
    """The mark of a Markdown matrix; None where the text has neither a mark nor such a table.

    Code blocks are examples, and are skipped.
    """
    first = text.partition("\n")[0]
    if first.startswith(MARK) and first.endswith(MARK_END):
        inner = first.removeprefix(MARK).removesuffix(MARK_END)
        return Mark(of=inner.removesuffix(" --history"), history=inner.endswith(" --history"))
    fenced = False
    for line in text.split("\n"):
        fenced ^= line.lstrip().startswith(_FENCES)
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
