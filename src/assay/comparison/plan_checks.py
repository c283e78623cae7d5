"""Whether a plan fits the runs that were read, before anything is judged."""

from collections.abc import Sequence

from assay.comparison.sides.path_trials import PathTrials, read_columns
from assay.comparison.sides.side import Side
from assay.comparison.spec import Dimensions
from assay.errors import SpecError
from assay.wording import did_you_mean, some


def refuse_unknown_dimensions(plan: Dimensions, sides: Sequence[Side]) -> None:
    """Refuse a dimension of the plan that no side has as a column or metric: it is misspelt.

    One that some side has stays: its missing values are noted, or block.
    """
    known = dict.fromkeys(
        name
        for side in sides
        for read in side.reads
        for trial in read.trials
        for name in trial.dimensions
    )
    for dimension in plan.dimensions:
        if dimension.name not in known:
            others = [name for name in known if name not in {d.name for d in plan.dimensions}]
            near = did_you_mean(dimension.name, others or known)
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
