from assay.logs.log import LogRun, Sample
from assay.logs.log_trials import trials_of


def test_a_metric_called_like_a_cost_is_the_metric():
    sample = Sample(instance="a", scores={"seconds": 0.9}, costs={"seconds": 7.0, "tokens": 3.0})
    run = LogRun(harness="x", task="t", samples=(sample,), place="x", files=())
    (trial,) = trials_of(run)
    assert trial.dimensions == {"seconds": 0.9, "tokens": 3.0}
