"""The errors for scores whose records cannot be told, each with what can be pasted instead."""

import json
from collections.abc import Sequence

from assay.benchmark.benchmark import Benchmark
from assay.errors import SpecError

_MOST_SHOWN = 3
_LONGEST_LABEL = 40
_COLUMN = "Or put the scores into the data as a column, and name it: `score=COLUMN`."


def wrong_number(count: int, benchmark: Benchmark) -> SpecError:
    """Scores without labels that are not as many as the records."""
    return SpecError(
        f"{count:,} scores, but {benchmark.name} has {benchmark.records:,} records",
        hint="Give one number per record, in the order of the records, or scores by id.",
    )


def repeated(kind: str, text: str, count: int) -> SpecError:
    """A label of the scores that occurs more than once."""
    return SpecError(
        f"scores in a {kind} whose index has the label {text:.{_LONGEST_LABEL}} {count} times:"
        " which score is which record's?",
        hint=f"If the scores are in the order of the records: {_listed(kind)}. {_COLUMN}",
    )


def two_readings(kind: str, benchmark: Benchmark, *, has_ids: bool) -> SpecError:
    """Labels that can be read in two ways, which pair differently."""
    whose = "their frame" if benchmark.index is not None else "the records"
    if has_ids:
        said = (
            f"scores in a {kind} whose labels may be ids of the records or places in {whose}, and"
            " the two pair differently"
        )
    else:
        said = (
            f"scores in a {kind}: its labels and the rows of {whose} are the same numbers in"
            " another order, and one side counts 0, 1, 2, ...; either the labels pair them, or rows"
            " were moved and then numbered anew"
        )
    ways = [f"By the ids of the records: `{_series(kind)}.to_dict()`."] if has_ids else []
    if benchmark.index is not None:
        ways.append(f"By the labels of the frame: {_by_index(kind)}.")
    else:
        ways.append(
            f"By the place of each record, from 0: `{_series(kind)}.sort_index().to_list()`."
        )
    return SpecError(said, hint=" ".join([*ways, f"In the order of the rows: {_listed(kind)}."]))


def no_reading(kind: str, texts: Sequence[str], benchmark: Benchmark) -> SpecError:
    """Labels that are neither ids nor the index of the records' frame."""
    whose = f"scores in a {kind} whose {'keys are' if _is_dict(kind) else 'index is'}"
    in_order = f"If the scores are in the order of the records: {_listed(kind)}."
    if len(texts) not in (len(benchmark.items), benchmark.records):
        in_order = "Give one score a record, with None where there is none."
    ids = [json.dumps(record, ensure_ascii=False) for record in benchmark.all_ids]
    if benchmark.index is None:
        known = set(ids)
        strange = next((text for text in texts if text not in known), texts[0])
        numbered = " Records without ids are numbered from 1, as texts." * benchmark.numbered
        return SpecError(
            f"{whose} not the ids of the records: {strange:.{_LONGEST_LABEL}} is none, they are"
            f" such as {_shown(ids)}",
            hint=in_order + numbered,
        )
    known = set(benchmark.index)
    shared = sum(text in known for text in texts)
    nor, or_ids = "not", ""
    if not benchmark.numbered:
        nor, or_ids = "neither the ids nor", f", the ids with {_shown(ids)}"
    said = (
        f"{whose} {nor} the index of the records' frame: it begins with {_shown(texts)}{or_ids},"
        f" the frame with {_shown(benchmark.index)}"
    )
    if len(known) < len(benchmark.index):
        said += ", which has labels more than once"
        return SpecError(said, hint=f"{in_order} {_COLUMN}")
    said += f"; {shared:,} of its {len(texts):,} labels are among the {len(known):,} of the frame"
    by_index = f"If equal labels are the same record: {_by_index(kind)}. " * bool(shared)
    return SpecError(said, hint=by_index + in_order)


def _is_dict(kind: str) -> bool:
    return kind == "dict"


def _listed(kind: str) -> str:
    """The scores as a list, which is in the order of the records."""
    return "`list(scores.values())`" if _is_dict(kind) else f"`{_series(kind)}.to_list()`"


def _by_index(kind: str) -> str:
    """The scores in the order of the frame, by their labels."""
    return f"`{_series(kind)}.reindex(frame.index).to_list()`"


def _series(kind: str) -> str:
    """The scores as a series, as Python writes them."""
    series = {"dict": "pandas.Series(scores)", "frame": 'scores["COLUMN"]'}
    return series.get(kind, "series")


def _shown(texts: Sequence[str]) -> str:
    return ", ".join(f"{text:.{_LONGEST_LABEL}}" for text in texts[:_MOST_SHOWN])
