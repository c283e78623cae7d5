"""Recognise two logs of the same run, which a harness may write in two forms.

The forms may differ in what they hold: one may lack the model, the costs or a metric. What both
hold must be equal for each sample. This includes times, so two runs of a deterministic model are
two runs.
"""

from collections.abc import Mapping, Sequence

from assay.logs.trial import Trial


def is_same_run(ours: Sequence[Trial], theirs: Sequence[Trial]) -> bool:
    """Whether the trials of two logs of one harness are equal in everything that both hold."""
    if len(ours) != len(theirs) or not ours or not _alike(ours[0].harness, theirs[0].harness):
        return False
    known = {(trial.instance, trial.trial): trial for trial in ours}
    told = 0
    for trial in theirs:
        own = known.get((trial.instance, trial.trial))
        if own is None or own.crashed is not trial.crashed:
            return False
        shared = own.dimensions.keys() & trial.dimensions.keys()
        if any(own.dimensions[name] != trial.dimensions[name] for name in shared):
            return False
        told += any(own.dimensions[name] is not None for name in shared)
    return told > 0


def _alike(ours: Mapping[str, str], theirs: Mapping[str, str]) -> bool:
    """Whether model and task are equal; a form may lack them."""
    models = {ours.get("model"), theirs.get("model")}
    same_model = len(models) == 1
    same_task = ours.get("task") == theirs.get("task")
    return same_task if same_model else None in models
