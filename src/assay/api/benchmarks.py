"""Load a benchmark from a file, from memory, or by its name."""

from typing import Unpack

from assay.api.columns import ColumnWords, columns_of
from assay.benchmark import load
from assay.benchmark.benchmark import Benchmark


def load_benchmark(
    data: object, *, second: object = None, **columns: Unpack[ColumnWords]
) -> Benchmark:
    """Read questions, responses and labels as a benchmark.

    `data` is a bundled name (`darkcore`, `minimal-pairs`, `folklore-two`); a file or folder
    (JSONL, JSON, CSV, Parquet, Arrow, a log of an evaluation harness); a list of dictionaries, one
    per row; a dictionary of lists, one per column; or a frame of pandas, polars, Arrow or Hugging
    Face; an open file; rows as named tuples; the result of `balance`. The index of a pandas frame
    is not read. Without an `id`, a record's id is its number as a text, counted from 1: the row at
    position 0 is record "1". `None`, NaN and `pandas.NA` are missing values.
    `second` is another corpus, for bars that need one; it has the default columns.

    Columns are found by their names `id`, `question`, `response`, `label`, `class`, `source` and
    `group`; if yours have other names, pass them by the parameters of the same names (`class_` for
    the class). A question and a label (0 or 1) or a class are required. `positive` and `negative`
    name the label, class or expression (`class != truth`) of each. `unknown="exclude"` leaves out
    records that are neither, `missing="exclude"` those that lack a value; `ids="none"` numbers the
    records and `ids="repair"` replaces blank and repeated ids. `encoding` is that of a text file
    that is not UTF-8; `split` chooses one of several splits.

    Example:
        >>> import assay
        >>> assay.load_benchmark("darkcore").records
        108
        >>> rows = [
        ...     {"question": "Is the sun a star?", "answer": "Yes.", "wrong": 0},
        ...     {"question": "Do fish breathe air?", "answer": "Yes, all do.", "wrong": 1},
        ... ]
        >>> benchmark = assay.load_benchmark(rows, response="answer", label="wrong")
        >>> [item.label for item in benchmark.items]
        [False, True]
    """
    return load.load_benchmark(data, columns=columns_of(columns), second=second)
