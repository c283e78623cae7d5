"""The dimensions that columns are assumed to be without a plan."""

from collections.abc import Sequence

from assay.comparison.judge.caveats import Notes
from assay.comparison.spec import SOURCE_DIMENSIONS, Dimensions, assumed
from assay.errors import SpecError
from assay.logs.trial import Trial


def assumed_dimensions(
    baseline: Sequence[Trial], candidate: Sequence[Trial], gated: Sequence[str], notes: Notes
) -> Dimensions:
    """Assume the dimensions from the columns, and note what was assumed."""
    values: dict[str, list[float]] = {}
    for trial in (*baseline, *candidate):
        for name, value in trial.dimensions.items():
            values.setdefault(name, []).extend([] if value is None else [value])
    for name in gated:
        if name not in values:
            listed = ", ".join(list(values)[:12])
            raise SpecError(
                f"no run has a dimension {name!r:.60}, which is to be gated; there are {listed}"
            )
    dimensions = [assumed(name, known, gated=name in gated) for name, known in values.items()]
    if not any(dimension.counts for dimension in dimensions):
        raise SpecError(
            "no column can be taken for a score from 0 to 1",
            hint="Say what the columns are: `config=dims.toml`.",
        )
    known = {dimension.name for dimension in SOURCE_DIMENSIONS}
    counting = [dimension.name for dimension in dimensions if dimension.counts]
    guessed = [name for name in counting if name not in known]
    if guessed:
        notes.add("assumed", f"{', '.join(guessed)}.")
    undirected = [dimension.name for dimension in dimensions if dimension.better is None]
    if undirected:
        notes.add("undirected", f"{', '.join(undirected)}.")
    return Dimensions(dimensions=tuple(dimensions))
