"""Two sides of a comparison, read as the tests ask for them."""

from assay.comparison.sides.read import read_sides
from assay.comparison.sides.reader import SideReading


def read_two(baseline, candidate, **how):
    """What was read for each of two sides, in the order of its paths."""
    named = [("baseline", baseline), ("candidate", candidate)]
    return [side.of_task(None) for side in read_sides(named, SideReading(**how))]
