"""Whether a plan fits the runs that were read, before anything is judged."""

from collections.abc import Sequence

from assay.comparison.sides.path_trials import PathTrials, read_columns
from assay.comparison.sides.side import Side
from assay.comparison.spec import Dimensions
from assay.errors import SpecError
from assay.wording import did_you_mean, some


def refuse_unknown_dimensions(plan: Dimensions, sides: Sequence[Side]) -> None:
    """Refuse a dimension that no run has if it is gated, or like a column that is not planned.

    A plan may be shared by files with different columns, so others are only noted as absent. But
    some dimension that counts must be there.
    """
    known = dict.fromkeys(
        name
        for side in sides
        for read in side.reads
        for trial in read.trials
        for name in trial.dimensions
    )
    planned = {dimension.name for dimension in plan.dimensions}
    others = [name for name in known if name not in planned]
    counting = [dimension for dimension in plan.dimensions if dimension.counts]
    nothing_counts = not any(dimension.name in known for dimension in counting)
    for dimension in plan.dimensions:
        near = did_you_mean(dimension.name, others)
        is_missed = dimension.gated or (nothing_counts and dimension.counts)
        if dimension.name not in known and (near or is_missed):
            raise SpecError(
                f"no run has the dimension {dimension.name!r:.60} of the plan (`config=`);"
                f" there are {some(list(known), 12)}",
                hint=" ".join(filter(None, (near, "A plan names columns of the runs."))),
            )


def refuse_points(plan: Dimensions, reads: Sequence[PathTrials]) -> None:
    """Refuse a range up to 100 for percentages, which are read as shares."""
    forms = read_columns(reads, lambda scores: scores.forms)
    for dimension in plan.dimensions:
        form = forms.get(dimension.name)
        if form is None or not form.percent or dimension.range is None:
            continue
        if dimension.range[1] > 1.0:
            raise SpecError(
                f"dimension {dimension.name:.60}: its range ends at {dimension.range[1]:g}, but its"
                f" values are read as shares ({form.said})",
                hint="Leave the range out of the plan, and write a margin of 2 % as 0.02.",
            )
