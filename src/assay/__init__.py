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
    from assay.api.regression import assert_no_regression
    from assay.benchmark.benchmark import Benchmark, Columns, Item
    from assay.benchmark.load import load_benchmark
    from assay.caveats import Caveat
    from assay.comparison.judge.compare import compare
    from assay.comparison.result import Comparison, Comparisons, NetVerdict
    from assay.comparison.spec import Dimension, Dimensions
    from assay.confounding.balance import Balanced, balance
    from assay.confounding.judge import confounds
    from assay.confounding.result import ConfoundAudit, Fitness
    from assay.dual_condition.collect import Dual, run_dual
    from assay.dual_condition.evidence import DualEvidence
    from assay.dual_condition.judge.judge import judge_dual
    from assay.dual_condition.result import DualResult, Regime
    from assay.dual_condition.spec import load_dual_spec
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
    from assay.report.study.views import verify
    from assay.runs.collect import run
    from assay.runs.result import Limits, Record, Run
    from assay.runs.store import load_run, save_run
    from assay.stats.estimate import Estimate
    from assay.study.create import new_study
    from assay.study.study import StudyFolder, open_study
    from assay.study.submissions.draft import draft
    from assay.study.submissions.rerun import Rerun, rerun
    from assay.study.submissions.run import Finished, run_sealed
    from assay.study.submissions.seal import seal
    from assay.study.submissions.withdraw import withdraw
    from assay.study.verify.procedure import Verification

_HOMES = {
    "benchmark.benchmark": "Benchmark Columns Item",
    "benchmark.load": "load_benchmark",
    "caveats": "Caveat",
    "comparison.judge.compare": "compare",
    "api.regression": "assert_no_regression",
    "comparison.result": "Comparison Comparisons NetVerdict",
    "comparison.spec": "Dimension Dimensions",
    "confounding.balance": "Balanced balance",
    "confounding.judge": "confounds",
    "confounding.result": "ConfoundAudit Fitness",
    "dual_condition.collect": "Dual run_dual",
    "dual_condition.evidence": "DualEvidence",
    "dual_condition.judge.judge": "judge_dual",
    "dual_condition.result": "DualResult Regime",
    "dual_condition.spec": "load_dual_spec",
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
    "report.study.views": "verify",
    "runs.collect": "run",
    "runs.result": "Limits Record Run",
    "runs.store": "load_run save_run",
    "stats.estimate": "Estimate",
    "study.create": "new_study",
    "study.study": "StudyFolder open_study",
    "study.submissions.draft": "draft",
    "study.submissions.rerun": "Rerun rerun",
    "study.submissions.run": "Finished run_sealed",
    "study.submissions.seal": "seal",
    "study.submissions.withdraw": "withdraw",
    "study.verify.procedure": "Verification",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = ["AlreadyRun", "AlreadySealed", "AssayError", "BadOutput", "Balanced", "Bar", "BarSet"]
__all__ += ["Benchmark", "BrokenChain", "Caveat", "Columns", "Comparison", "Comparisons"]
__all__ += ["ConfoundAudit"]
__all__ += ["DigestMismatch", "Dimension", "Dimensions", "Dual", "DualEvidence", "DualResult"]
__all__ += ["Estimate", "Finished", "Fitness", "IncomparableRuns", "IntegrityError", "Item"]
__all__ += ["Limits", "MethodCrashed", "MethodError", "MethodExited", "MethodNotLoaded"]
__all__ += ["MethodRaised", "MethodTimedOut", "NetVerdict", "NotHere", "NotRatified", "NotSealed"]
__all__ += ["NotWitnessed", "OneClassPartition", "OneSidedResult", "ProtocolError", "Record"]
__all__ += ["Regime", "Rerun", "Run", "Scorecard", "SpecError", "StateNotIsolated", "StorageError"]
__all__ += ["Study", "Trial", "UnknownForm", "Verdict", "Verification", "Withdrawn", "__version__"]
__all__ += ["assert_no_regression", "balance"]
__all__ += [
    "compare",
    "confounds",
    "draft",
    "judge_dual",
    "load_bars",
    "load_benchmark",
    "load_dual_spec",
]
__all__ += ["load_run", "new_study", "open_study", "rerun", "run", "run_dual", "run_sealed"]
__all__ += ["save_run", "score", "seal", "verify", "withdraw"]


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
