"""The sides of a comparison, read from paths, from rows, or given as trials.

A path is a harness's log or a folder of logs, a folder of scored runs (`eval.json`), a file of
trials or a folder of its shards, or a stored run that was judged. A side may hold runs of several
tasks, which are compared task by task. One file may hold several sides, separated by a column
(`by=model`). Rows in memory are read like a file of trials; trials in memory are used as they are.
"""

from collections.abc import Sequence

from assay.comparison.sides.reader import SideReader, SideReading, SideSource
from assay.comparison.sides.shared_columns import no_scores, refuse_mixed_forms, without
from assay.comparison.sides.side import Side


def read_sides(
    named: Sequence[tuple[str, Sequence[SideSource]]], reading: SideReading
) -> list[Side]:
    """Each side by its name and its sources; refuses a path that is given twice."""
    reader = SideReader(reading)
    sides = [
        Side(name=name, reads=tuple(read for source in sources for read in reader.read(source)))
        for name, sources in named
    ]
    reader.refuse_unused()
    if reader.where is not None:
        reader.where.refuse_unmet()
    refuse_mixed_forms([read for side in sides for read in side.reads])
    if reading.planned or reading.columns.dimensions:
        return sides
    return without(sides, no_scores(sides))
