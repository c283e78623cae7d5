"""Stats of instances by split and perturbation, and the means over trials that HELM reports.

A trial's mean is over the instances with a stat in it, and a reported mean is over trials. If all
trials have equally many, this is the mean of the rows. If not, it is computed again here, and there
is no mean of rows to compare it with.
"""

import math
from collections.abc import Sequence

from assay.errors import IntegrityError
from assay.logs.harnesses.helm.run_files import InstanceStats, Stat, StatName
from assay.logs.log import ReportedMean, Sample
from assay.logs.log_file import number
from assay.logs.means import is_equal, mean_of

Context = tuple[str | None, str | None, str | None]
"""A split, a part of it, and a perturbation."""
InstanceTrial = tuple[str, int]
"""An instance and a train trial."""
TrialStats = dict[InstanceTrial, dict[str, list[Stat]]]


def contexts_of(entries: Sequence[InstanceStats]) -> dict[Context, TrialStats]:
    """The stats of every instance and trial by their names, for each part of a run."""
    found: dict[Context, TrialStats] = {}
    for entry in entries:
        key = (entry.instance_id, entry.train_trial_index)
        for stat in entry.stats:
            own = found.setdefault(_context(stat.name), {}).setdefault(key, {})
            own.setdefault(stat.name.name, []).append(stat)
    return found


def _context(named: StatName) -> Context:
    """The part of a run; None for stats over several perturbations, which are not of rows."""
    changed = named.perturbation
    if changed is None:
        return named.split, named.sub_split, None
    computed = changed.get("computed_on", "perturbed")
    kind = "" if computed == "perturbed" else f" {computed}"
    return named.split, named.sub_split, f"{changed.get('name')}{kind}"


def value_of(stats: Sequence[Stat]) -> float | None:
    """The mean of all measurements; None if there are none."""
    sums = [number(stat.sum) for stat in stats if stat.count > 0]
    known = [value for value in sums if value is not None]
    if not known or len(known) < len(sums):
        return None
    return number(math.fsum(known) / sum(stat.count for stat in stats if stat.count > 0))


def means_of(
    reported: Sequence[Stat],
    context: Context,
    parts: TrialStats,
    samples: Sequence[Sample],
    place: str,
) -> tuple[list[ReportedMean], list[str]]:
    """The means that are means of rows; a mean of uneven trials is checked here."""
    named = {s.name.name: number(s.mean) for s in reported if _context(s.name) == context}
    means, unlike = [], []
    for metric in dict.fromkeys(name for sample in samples for name in sample.scores):
        value = named.get(metric)
        again = _mean_of_trials(parts, metric)
        plain = mean_of(samples, metric, "rows")
        if value is None:
            continue
        if again is None or plain is None or is_equal(again, plain):
            means.append(ReportedMean(metric=metric, value=value, over="rows"))
        elif is_equal(again, value):
            unlike.append(f"{metric}: HELM's mean {value:.6g} is of trials that differ in size")
        else:
            raise IntegrityError(
                f"{place}: HELM reports {metric} {value:.6g}, but its trials give {again:.6g}",
                hint="Rows were lost or edited after the mean was computed. Copy the run again.",
            )
    return means, unlike


def _mean_of_trials(parts: TrialStats, metric: str) -> float | None:
    trials: dict[int, list[Stat]] = {}
    for (_, trial), stats in parts.items():
        trials.setdefault(trial, []).extend(stats.get(metric, ()))
    means = [value for value in map(value_of, trials.values()) if value is not None]
    return math.fsum(means) / len(means) if means else None
