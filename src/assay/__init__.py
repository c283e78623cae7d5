"""Assay: find out what a number about an AI system is made of, before you believe it.

    >>> import assay
    >>> benchmark = assay.load_benchmark("darkcore")
    >>> run = assay.run("oracle:word_length", benchmark)
    >>> card = assay.score(run, benchmark, assay.load_bars("v3"))
    >>> card.verdict
    <Verdict.FAIL: 'fail'>

Names are imported when they are first used, so that importing the package costs nothing.
"""

from assay._version import __version__

TYPE_CHECKING = False  # as in typing, which `python -m assay` must not import from here
if TYPE_CHECKING:
    from assay.api.comparison import compare
    from assay.api.dual_condition import dual, gate, matrix
    from assay.api.planning import power
    from assay.api.regression import assert_no_regression
    from assay.api.study import Study
    from assay.api.trial_sources import load_trials
    from assay.api.trials import export, trials
    from assay.benchmark.benchmark import Benchmark, Columns, Item
    from assay.benchmark.load import load_benchmark
    from assay.caveats import Caveat
    from assay.comparison.power import Power
    from assay.comparison.result import Comparison, Comparisons
    from assay.confounding.balance import Balanced, balance
    from assay.confounding.judge import confounds
    from assay.confounding.result import ConfoundAudit, Fitness
    from assay.dual_condition.result import DualResult
    from assay.errors import (
        AlreadyRun,
        AlreadySealed,
        AssayError,
        BadOutput,
        BrokenChain,
        DigestMismatch,
        IncomparableRuns,
        IntegrityError,
        MethodCrashed,
        MethodError,
        MethodExited,
        MethodNotLoaded,
        MethodRaised,
        MethodTimedOut,
        NotHere,
        NotRatified,
        NotSealed,
        NotWitnessed,
        OneClassPartition,
        OneSidedResult,
        ProtocolError,
        SpecError,
        StateNotIsolated,
        StorageError,
        UnknownForm,
        Withdrawn,
    )
    from assay.gauntlet.bar import Bar
    from assay.gauntlet.judge import score
    from assay.gauntlet.load import load_bars
    from assay.gauntlet.result import Scorecard, Verdict
    from assay.gauntlet.spec import BarSet
    from assay.logs.trial import Trial
    from assay.runs.collect import run
    from assay.runs.result import Limits, Record, Run
    from assay.runs.store import load_run, save_run
    from assay.stats.estimate import Estimate
    from assay.study.verify.procedure import Verification

_HOMES = {
    "api.comparison": "compare",
    "api.dual_condition": "dual gate matrix",
    "api.planning": "power",
    "api.regression": "assert_no_regression",
    "api.study": "Study",
    "api.trial_sources": "load_trials",
    "api.trials": "export trials",
    "benchmark.benchmark": "Benchmark Columns Item",
    "benchmark.load": "load_benchmark",
    "caveats": "Caveat",
    "comparison.power": "Power",
    "comparison.result": "Comparison Comparisons",
    "confounding.balance": "Balanced balance",
    "confounding.judge": "confounds",
    "confounding.result": "ConfoundAudit Fitness",
    "dual_condition.result": "DualResult",
    "errors": (
        "AlreadyRun AlreadySealed AssayError BadOutput BrokenChain DigestMismatch"
        " IncomparableRuns IntegrityError MethodCrashed MethodError MethodExited MethodNotLoaded"
        " MethodRaised MethodTimedOut NotHere NotRatified NotSealed NotWitnessed"
        " OneClassPartition OneSidedResult ProtocolError SpecError StateNotIsolated StorageError"
        " UnknownForm Withdrawn"
    ),
    "gauntlet.bar": "Bar",
    "gauntlet.judge": "score",
    "gauntlet.load": "load_bars",
    "gauntlet.result": "Scorecard Verdict",
    "gauntlet.spec": "BarSet",
    "logs.trial": "Trial",
    "runs.collect": "run",
    "runs.result": "Limits Record Run",
    "runs.store": "load_run save_run",
    "stats.estimate": "Estimate",
    "study.verify.procedure": "Verification",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "AlreadyRun",
    "AlreadySealed",
    "AssayError",
    "BadOutput",
    "Balanced",
    "Bar",
    "BarSet",
    "Benchmark",
    "BrokenChain",
    "Caveat",
    "Columns",
    "Comparison",
    "Comparisons",
    "ConfoundAudit",
    "DigestMismatch",
    "DualResult",
    "Estimate",
    "Fitness",
    "IncomparableRuns",
    "IntegrityError",
    "Item",
    "Limits",
    "MethodCrashed",
    "MethodError",
    "MethodExited",
    "MethodNotLoaded",
    "MethodRaised",
    "MethodTimedOut",
    "NotHere",
    "NotRatified",
    "NotSealed",
    "NotWitnessed",
    "OneClassPartition",
    "OneSidedResult",
    "Power",
    "ProtocolError",
    "Record",
    "Run",
    "Scorecard",
    "SpecError",
    "StateNotIsolated",
    "StorageError",
    "Study",
    "Trial",
    "UnknownForm",
    "Verdict",
    "Verification",
    "Withdrawn",
    "__version__",
    "assert_no_regression",
    "balance",
    "compare",
    "confounds",
    "dual",
    "export",
    "gate",
    "load_bars",
    "load_benchmark",
    "load_run",
    "load_trials",
    "matrix",
    "power",
    "run",
    "save_run",
    "score",
    "trials",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    from importlib import import_module
    from types import FunctionType

    value = getattr(import_module(f"assay.{_HOME_OF[name]}"), name)
    if isinstance(value, FunctionType):
        value = import_module("assay.api.arguments").checked(value)
        value.__module__ = "assay"  # where it is found again by its name, by pickle for one
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
