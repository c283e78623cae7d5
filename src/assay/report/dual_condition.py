"""Draw dual-condition results and the commit gate's report on a terminal."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from assay.digests import short
from assay.dual_condition.answered import AnswerForms, shown_answers
from assay.dual_condition.committed_file import SELF_CONSISTENT, GateReport
from assay.dual_condition.result import DualResult, Quantity, Regime, RowState
from assay.report.terminal import EVERY_CAVEAT, draw_caveats, marked, styled, table
from assay.wording import counted, interval

if TYPE_CHECKING:
    from rich.console import Console

    from assay.dual_condition.collect import Dual

_MOSTLY_RIGHT = 0.5
_STYLE = {Regime.LEARNING: "green", Regime.POLISH: "green", Regime.UNDETERMINED: "yellow"}


def draw_dual(dual: "Dual", out: "Console", *, caveats: bool = False) -> None:
    """Draw the conditions, their differences, layers, subsets, the regime and caveats."""
    result, record = dual.result, dual.record
    items, seeds = len(record["items"]["id"]), len(record["seeds"])
    out.print(styled(f"{record['corpus']}: {record['system']}"))
    out.print()
    if result.row is RowState.BLOCKED:
        out.print(marked("row      ", "BLOCKED", "bold red", f"  {result.meaning}"))
        for reason in result.reasons:
            out.print(styled(f"  {reason}"))
        if record["failed"] is not None:
            again = "The same command makes the missing runs, and after a change of the code all."
            out.print(styled(again, style="dim"))
        elif record["runs"]:
            again = (
                "After a change of the spec, the code or the state the same command makes new runs."
            )
            out.print(styled(again, style="dim"))
            out.print(styled("To make the very same runs again, remove", style="dim"))
            out.print(styled(f"  {dual.runs}", style="dim"), soft_wrap=True)
    else:
        _draw_numbers(result, str(record["metric"]), out)
        _draw_wrong_answers(record, out)
    out.print()
    draw_caveats(result.caveats, out, every=None if caveats else EVERY_CAVEAT)
    holding = sum(precondition.holds for precondition in result.preconditions.values())
    inputs, mark = record["inputs"], short(str(record["reproducibility_checksum"]))
    parts = [
        f"n {items}",
        counted(seeds, "seed"),
        f"{inputs['benchmark']}@{short(inputs['benchmark_digest'])[:4]}",
        f"preconditions {holding}/{len(result.preconditions)}",
        mark,
        f"assay {record['assay']}",
    ]
    out.print(styled(" · ".join(parts), style="dim"))
    out.print(styled(f"{dual.path}", style="dim"), soft_wrap=True)


def _draw_numbers(result: DualResult, metric: str, out: "Console") -> None:
    name = {"auroc": "AUROC", "f1": "F1", "average-precision": "avg. prec."}.get(metric, metric)
    rows = [
        _row("A  all its state", result.a),
        _row("B  none of it", result.b),
        _row("C  without what it saw here", result.c),
        _row("A - B  what the state adds", result.learning_contribution, sign=True),
        _row("A - C  memorisation", result.memorisation, sign=True),
        _row("C - B  transfer", result.transfer, sign=True),
    ]
    if result.split is not None and not result.split.holds:
        rows.append(["A - C, C - B", "", "not decidable", ""])
    for what, subset in (("seen", result.seen), ("unseen", result.unseen)):
        if subset is not None:
            label = f"A - B  on {subset.items} items {what}"
            lone = [label, "", "one class only", ""] if subset.items else None
            rows.append(_row(label, subset.learning_contribution, sign=True) or lone)
    for layer, part in result.layers.items():
        if len(result.layers) > 1:
            rows.append(_row(f"A - (A without {layer})", part.contribution, sign=True))
            rows.append(_row(f"Shapley value of {layer}", part.shapley, sign=True))
    if result.placebo is not None:
        rows.append(_row("placebo - B", result.placebo.gain, sign=True))
        rows.append(_row("A - placebo", result.placebo.beyond, sign=True))
    shown = [row for row in rows if row is not None]
    out.print(
        table(
            ("", name, "95 % interval", "over seeds alone"),
            shown,
            right=" r",
            drop=("over seeds alone",),
        )
    )
    for line in result.left_out_lines():
        out.print(styled(line))
    out.print()
    if result.row is RowState.PILOT_ONLY:
        out.print(marked("row      ", "PILOT ONLY", "bold yellow", f"  {result.reasons[0]}"))
    elif result.regime is not None:
        style = f"bold {_STYLE.get(result.regime, 'red')}"
        meaning = f"  {result.meaning}"
        out.print(marked("regime   ", result.regime.upper(), style, meaning))


def _draw_wrong_answers(record: Mapping[str, Any], out: "Console") -> None:
    """A few wrong answers beside their targets, if most answers of every condition are wrong."""
    answers = record.get("answers")
    if answers is None or any(
        _share_right(held) > _MOSTLY_RIGHT for held in record["scores"].values()
    ):
        return
    forms = msgspec.convert(list(answers["A"].values()), list[AnswerForms])
    out.print()
    out.print(styled("Most answers differ from their targets. The first of A that do:"))
    for wrong in shown_answers(forms):
        out.print(styled(f"  {wrong.said}"))


def _share_right(held: Mapping[str, Sequence[float | None]]) -> float:
    scores = [score for by_seed in held.values() for score in by_seed]
    return scores.count(1.0) / max(len(scores), 1)


def _row(label: str, quantity: Quantity | None, *, sign: bool = False) -> list[str] | None:
    if quantity is None:
        return None
    value = f"{quantity.value:{'+' if sign else ''}.4f}"
    over = quantity.t_interval
    return [label, value, interval(*quantity.interval), "" if over is None else interval(*over)]


def draw_gate(report: GateReport, out: "Console") -> None:
    """Draw every fault of every file, and how many files are in order."""
    for file in report.files:
        for fault in file.faults:
            out.print(marked(f"{file.file}: ", fault.kind, "red", f": {fault.message}"))
        for note in file.notes:
            out.print(styled(f"{file.file}: {note}"))
    out.print(styled(report.summary))
    results = [file for file in report.files if file.kind == "result" and not file.faults]
    for file in results:
        if file.entered is not None:
            out.print(styled(f"{file.file}: {file.shows}"))
    loose = sum(file.entered is None for file in results)
    if loose:
        whose = "it" if loose == len(results) == 1 else f"each of {counted(loose, 'loose result')}"
        out.print(styled(f"{whose}{SELF_CONSISTENT.removeprefix('it')}"))
