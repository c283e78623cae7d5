"""One score on two scales: shares on one side, per cent on the other.

Nothing in a number says which it is, so this looks at both sides. If one side has no value over 1
and the other none over 100, and the values other than 0 are 20 to 500 times as large there, the
scales differ by far more than the systems could: per cent are shares times 100.
"""

from collections.abc import Collection, Sequence

from assay.comparison.plan_text import shown_values
from assay.errors import IncomparableRuns
from assay.logs.columns.metric_names import is_cost
from assay.logs.trial import Trial
from assay.wording import as_column

_LEAST, _MOST = 20.0, 500.0


def refuse_two_scales(
    one: tuple[str, Sequence[Trial]],
    other: tuple[str, Sequence[Trial]],
    *,
    among: Collection[str] | None = None,
) -> None:
    """Refuse a score that is a share on one side and a percentage on the other.

    A side is its name and its trials. `among` are the dimensions to look at; without it, all but
    costs, which may differ by so much.
    """
    (ours, first), (theirs, second) = one, other
    names = dict.fromkeys(name for trial in (*first, *second) for name in trial.dimensions)
    for name in names:
        if is_cost(name) if among is None else name not in among:
            continue
        values = _values(first, name), _values(second, name)
        if _differ(*values) or _differ(*values[::-1]):
            raise IncomparableRuns(
                f"{as_column(name)} is {shown_values(values[0])} in {ours} and"
                f" {shown_values(values[1])} in {theirs}: is one side in per cent?",
                hint="Write both sides on one scale: divide per cent by 100. If the sides do differ"
                " by so much: `allow=scale`.",
            )


def _values(trials: Sequence[Trial], name: str) -> list[float]:
    return [value for trial in trials if (value := trial.dimensions.get(name)) is not None]


def _differ(shares: Sequence[float], points: Sequence[float]) -> bool:
    """Whether the first look like shares and the second like per cent of the same."""
    if not shares or not points or min(*shares, *points) < 0.0:
        return False
    if max(shares) > 1.0 or not 1.0 < max(points) <= 100.0:
        return False
    small, large = ([value for value in values if value] for values in (shares, points))
    if not small:
        return False
    ratio = (sum(large) / len(large)) / (sum(small) / len(small))
    return _LEAST <= ratio <= _MOST
