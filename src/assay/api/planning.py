"""Plan a comparison: the effect that a number of pairs can show."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.api.arguments import in_range, words
from assay.api.sides.vectors import plain_scores
from assay.api.trial_sources import columns_of, sources_of
from assay.comparison.collect import shared_tasks
from assay.comparison.pilot import PilotPower, power_of_pilot
from assay.comparison.power import (
    Power,
    pairs_for_gate,
    power_of_rates,
    power_of_scores,
    smallest_effect,
)
from assay.comparison.result import Comparison, Comparisons
from assay.comparison.sides.read import read_sides
from assay.comparison.sides.reader import SideReading, SideSource
from assay.comparison.sides.scales import refuse_two_scales
from assay.comparison.trials.collect import Trials
from assay.errors import SpecError
from assay.logs.trial_rows import TrialColumns
from assay.study.scorecards.in_force import scorecard_in_force
from assay.wording import some

_MOST_PAIRS = 100_000
_MOST_DIMENSIONS = 1_000
_NO_PLAN = (
    "Name columns of scores: `dimension=COLUMN`. A pilot takes no plan; in Python, compare its"
    " sides with one, and give the comparison as the pilot."
)


def power(
    from_: float | None = None,
    to: float | None = None,
    *,
    effect: float | None = None,
    spread: float | None = None,
    pairs: int | None = None,
    margin: float | None = None,
    correlation: float = 0.0,
    dimensions: int = 1,
    power: float = 0.8,
    pilot: object = None,
    task: str | None = None,
    instance: str | None = None,
    trial: str | None = None,
    dimension: str | Sequence[str] = (),
    encoding: str | None = None,
    split: str | None = None,
) -> Power | PilotPower:
    """Find out how many pairs show an effect, or how small an effect they show.

    For rates (0/1 scores) the figures are exact for the paired test of `compare` in one dimension.
    Ask in one of five ways: `from_` and `to`, or `from_` and `effect`; `effect` and `spread`;
    `pairs`, perhaps with `from_` or `spread`; `from_` and `margin`, for a gate; or `pilot`, perhaps
    with `effect`.

    Args:
        from_: the baseline's rate of success, from 0 to 1.
        to: the candidate's.
        effect: the candidate's rate less the baseline's; or a mean difference of scores, which
            needs `spread` or `pilot`.
        spread: the standard deviation of the pairs' differences.
        pairs: find the smallest effect that this many pairs show.
        margin: plan a gate: pairs needed to show a loss under this.
        correlation: that of a pair's two runs.
        dimensions: the number of dimensions tested together.
        power: the probability that a true effect is shown.
        pilot: earlier runs, of the baseline or a pair of baseline and candidate; each a path, rows,
            a frame, trials, or plain scores. Or the comparison of such runs, as `compare` gives it.
        task: the task of the pilot, if its logs hold several.
        instance: the pilot's column that names a row's instance.
        trial: the pilot's column that numbers repeated runs of an instance.
        dimension: the pilot's column to plan for, or several.
        encoding: the encoding of a pilot's file, if not UTF-8.
        split: the split of the pilot to read, if a folder has several.

    Example:
        >>> import assay
        >>> plan = assay.power(0.6, 0.8)
        >>> plan.pairs
        91
        >>> print(assay.power(pairs=30, from_=0.6))
        with a rate of 0.6 before, what do 30 pairs show: +0.328, with 80 % power
        exact, sign-flip test of paired 0/1 scores; two-sided, level 95 %
        assumed: the two runs of a pair are uncorrelated; with more correlation, fewer suffice
        >>> pilot = assay.compare([0.2, 0.5, 0.1, 0.6, 0.4, 0.3], [0.4, 0.4, 0.3, 0.7, 0.4, 0.6])
        >>> print(assay.power(pilot=pilot))
        score: about 22 pairs show an effect of +0.117
        pairs for 80 % power, level 95 %, each dimension by itself; from a pilot of 6

    """
    asked = {
        "from_": from_,
        "to": to,
        "effect": effect,
        "spread": spread,
        "pairs": pairs,
        "margin": margin,
    }
    for name, value in {**asked, "correlation": correlation, "power": power}.items():
        if value is not None and not math.isfinite(value):
            raise SpecError(f"`{name}={value}`: expected a number")
    in_range("power", power, 0.0, 1.0, open_ends=True)
    in_range("correlation", correlation, -1.0, 1.0)
    in_range("pairs", pairs, 1, _MOST_PAIRS)
    in_range("dimensions", dimensions, 1, _MOST_DIMENSIONS)
    in_range("margin", margin, 0.0, 1.0, open_ends=True)
    in_range("spread", spread, 0.0, open_ends=True)
    given = {name: value for name, value in asked.items() if value is not None}
    read_by: Mapping[str, object] = {
        "task": task,
        "instance": instance,
        "trial": trial,
        "dimension": words(dimension) or None,
        "encoding": encoding,
        "split": split,
    }
    how_read = [name for name, word in read_by.items() if word is not None]
    if pilot is None:
        why = "is for reading a pilot, and there is none"
        _refuse_unused(how_read, why, "Give it: `pilot=RUNS`.")
        return _planned(given, correlation=correlation, power=power, dimensions=dimensions)
    if dimensions != 1:
        hint = "To plan for one column of it: `dimension=COLUMN`."
        _refuse_unused(["dimensions"], "is a number for plans without a pilot", hint)
    if isinstance(pilot, (Comparison, Comparisons, Trials)):
        _refuse_measured(correlation)
        return _from_comparison(pilot, given, how_read, effect=effect, power=power)
    columns = columns_of(instance, trial, dimension, encoding, split)
    reading = SideReading(columns=columns, in_study=scorecard_in_force)
    sides = _pilot_sides(pilot, given, columns)
    return _from_pilot(sides, reading, task, effect=effect, correlation=correlation, power=power)


def _refuse_unused(names: Sequence[str], why: str, hint: str) -> None:
    """Refuse parameters that the question asked does not use."""
    if names:
        raise SpecError(f"`{names[0]}=` {why}", hint=hint)


def _refuse_measured(correlation: float) -> None:
    """Refuse a correlation beside a pilot of both sides, which shows it."""
    if correlation:
        why = "is assumed only if a pilot has one side; this one has both, so it is measured"
        _refuse_unused(["correlation"], why, "Leave it out.")


def _from_comparison(
    pilot: Comparison | Comparisons | Trials,
    given: Mapping[str, float],
    how_read: Sequence[str],
    *,
    effect: float | None,
    power: float,
) -> PilotPower:
    """Plan from the trials of a comparison that was made in this process."""
    if set(given) - {"effect"} or how_read:
        raise SpecError(
            "`pilot=` is a comparison, which has both sides and was read already",
            hint="Leave out all but `effect=` and `power=`.",
        )
    if isinstance(pilot, Comparisons):
        raise SpecError(
            f"the pilot has {len(pilot.pairs)} comparisons",
            hint="Plan for one of them: result.pairs[0].comparison.",
        )
    made = pilot.comparison if isinstance(pilot, Trials) else pilot
    if made is None or made.trials is None:
        raise SpecError(
            "the pilot has no runs: " + ("none was compared" if made is None else "only a result"),
            hint="Give the runs that were compared as `pilot=`: baseline and candidate.",
        )
    return power_of_pilot(
        *made.trials,
        dimensions=made.settings.plan,
        assumed=made.settings.assumed,
        unit=made.settings.unit,
        effect=effect,
        power=power,
    )


def _pilot_sides(
    pilot: object, given: Mapping[str, float], columns: TrialColumns
) -> list[list[SideSource]]:
    """The baseline's runs, and the candidate's if given."""
    several = isinstance(pilot, tuple) or (
        isinstance(pilot, list) and all(isinstance(each, (str, Path)) for each in pilot)
    )
    sides = list(pilot) if several and isinstance(pilot, (list, tuple)) else [pilot]
    clash = [name for name in given if name != "effect"]
    if clash or not 1 <= len(sides) <= 2:
        wrong = f"`{clash[0]}=`" if clash else "third"
        raise SpecError(
            f"`pilot=` takes the baseline's runs and the candidate's, and no {wrong}",
            hint="`pilot=before.csv` `pilot=after.csv`, and `effect=E` for another effect.",
        )
    scores = plain_scores(sides, ("pilot", "the candidate's pilot"), columns)
    if scores is not None:
        return [[read] for read in scores]
    return [sources_of(side, "pilot", split=columns.split) for side in sides]


def _from_pilot(
    sources: list[list[SideSource]],
    reading: SideReading,
    task: str | None,
    *,
    effect: float | None,
    correlation: float,
    power: float,
) -> PilotPower:
    named = [("baseline", sources[0]), ("candidate", sources[1] if len(sources) > 1 else [])]
    sides = read_sides(named, reading)
    tasks, _ = shared_tasks(sides if len(sources) > 1 else sides[:1], task)
    if len(tasks) > 1:
        raise SpecError(
            f"the pilot has {len(tasks)} tasks: {some([str(each) for each in tasks])}",
            hint=f"Plan for one: `task={tasks[0]}`",
        )
    reads = [side.of_task(tasks[0]) for side in sides]
    baseline, candidate = ([trial for read in side for trial in read.trials] for side in reads)
    if candidate:
        _refuse_measured(correlation)
    refuse_two_scales(("the baseline's pilot", baseline), ("the candidate's", candidate))
    try:
        return power_of_pilot(
            baseline,
            candidate,
            lower=frozenset(name for side in reads for read in side for name in read.lower),
            effect=effect,
            correlation=correlation,
            power=power,
        )
    except SpecError as error:
        if "`config=PLAN`" in (error.hint or ""):
            error.hint = _NO_PLAN
        raise


def _planned(
    given: Mapping[str, float], *, correlation: float, power: float, dimensions: int
) -> Power:
    """The answer to one of the ways of asking."""
    asked = set(given)
    before, after = given.get("from_"), given.get("to")
    pairs = int(given["pairs"]) if "pairs" in given else None
    if "margin" in asked and asked <= {"from_", "to", "margin", "pairs"}:
        if before is None:
            raise SpecError("`margin=` plans a gate and needs the current rate: `from_=RATE`")
        if pairs is not None:
            raise SpecError("`margin=` computes the number of pairs: leave out `pairs=`")
        return pairs_for_gate(
            before, given["margin"], after=after, correlation=correlation, power=power
        )
    if before is not None and asked <= {"from_", "effect", "pairs"} and "effect" in asked:
        asked, after = (asked - {"effect"}) | {"to"}, _rate_after(before, given["effect"])
    if before is not None and after is not None and asked <= {"from_", "to", "pairs"}:
        return power_of_rates(
            before, after, correlation=correlation, pairs=pairs, power=power, dimensions=dimensions
        )
    if asked == {"effect", "spread"}:
        if given["effect"] == 0.0:
            raise SpecError("no number of pairs shows an effect of 0")
        return power_of_scores(given["effect"], given["spread"], power=power, dimensions=dimensions)
    if pairs is not None and asked == {"from_", "pairs"} and before is not None:
        return smallest_effect(pairs, rates=(before,), power=power, dimensions=dimensions)
    if pairs is not None and asked <= {"pairs", "spread"}:
        return smallest_effect(
            pairs, spread=given.get("spread"), power=power, dimensions=dimensions
        )
    raise _no_question(given)


def _rate_after(before: float, effect: float) -> float:
    """The candidate's rate, from the baseline's and the difference."""
    after = round(before + effect, 12)
    if not 0.0 <= after <= 1.0:
        raise SpecError(
            f"a rate of {before:g} and an effect of {effect:+g} give {after:g}: expected a rate"
            " from 0 to 1",
            hint="Write 5 % as 0.05. For scores that are no rates: `effect=E` `spread=S`.",
        )
    return after


def _no_question(given: Mapping[str, float]) -> SpecError:
    """The error for figures that together ask nothing, with the questions that there are."""
    named = [f"`{name}={value:g}`" for name, value in given.items()]
    if not named:
        said = "nothing is given to plan for"
    elif len(named) == 1:
        said = f"{named[0]} alone asks nothing"
    else:
        said = f"{', '.join(named[:-1])} and {named[-1]} are no question together"
    return SpecError(
        said,
        hint="Give both rates, `from_=RATE` `to=RATE`; a rate and a change, `from_=RATE`"
        " `effect=E`; the size of an effect on scores, `effect=E` `spread=S`; a number of pairs,"
        " `pairs=N`; a rate and a gate's margin, `from_=RATE` `margin=M`; or earlier runs,"
        " `pilot=RUNS`.",
    )
