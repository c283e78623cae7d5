"""Assay: find out what a number about an AI system is made of, before you believe it.

    >>> import assay
    >>> benchmark = assay.load_benchmark("darkcore")
    >>> run = assay.run("oracle:word_length", benchmark)
    >>> card = assay.score(run, benchmark, assay.load_bars("v3"))
    >>> card.verdict
    <Verdict.FAIL: 'fail'>

Names are imported when they are first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from assay._version import __version__

if TYPE_CHECKING:
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
    )
    from assay.evidence.record import Limits, Record, Run
    from assay.evidence.run import run
    from assay.evidence.trial import Trial
    from assay.judges.balance import Balanced, balance
    from assay.judges.compare.comparison import Comparison, NetVerdict
    from assay.judges.compare.judge import compare
    from assay.judges.confound_audit import ConfoundAudit, Fitness
    from assay.judges.confounds import confounds
    from assay.judges.dual.evidence import DualEvidence
    from assay.judges.dual.judge import judge_dual
    from assay.judges.dual.result import DualResult, Regime
    from assay.judges.score import score
    from assay.judges.scorecard import Caveat, Scorecard, Verdict
    from assay.plan.bars import Bar, BarSet, load_bars
    from assay.plan.benchmark import Benchmark, Columns, Item
    from assay.plan.dimensions import Dimension, Dimensions
    from assay.plan.dual_spec import load_dual_spec
    from assay.plan.reading import load_benchmark
    from assay.report.views import verify
    from assay.stats.estimate import Estimate
    from assay.study.auditing import Audit, audit_run
    from assay.study.concluding import Finished
    from assay.study.creating import new_study
    from assay.study.drafting import draft
    from assay.study.dualling import Dual, run_dual
    from assay.study.folder import Study, open_study
    from assay.study.running import run_sealed
    from assay.study.runs import load_run, save_run
    from assay.study.sealing import seal
    from assay.study.verify.verification import Verification

_HOMES = {
    "errors": (
        "AlreadyRun",
        "AlreadySealed",
        "AssayError",
        "BadOutput",
        "BrokenChain",
        "DigestMismatch",
        "IncomparableRuns",
        "IntegrityError",
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
        "ProtocolError",
        "SpecError",
        "StateNotIsolated",
        "StorageError",
    ),
    "evidence.record": ("Limits", "Record", "Run"),
    "evidence.run": ("run",),
    "evidence.trial": ("Trial",),
    "judges.balance": ("Balanced", "balance"),
    "judges.compare.comparison": ("Comparison", "NetVerdict"),
    "judges.compare.judge": ("compare",),
    "judges.confound_audit": ("ConfoundAudit", "Fitness"),
    "judges.confounds": ("confounds",),
    "judges.dual.evidence": ("DualEvidence",),
    "judges.dual.judge": ("judge_dual",),
    "judges.dual.result": ("DualResult", "Regime"),
    "judges.score": ("score",),
    "judges.scorecard": ("Caveat", "Scorecard", "Verdict"),
    "plan.bars": ("Bar", "BarSet", "load_bars"),
    "plan.benchmark": ("Benchmark", "Columns", "Item"),
    "plan.dimensions": ("Dimension", "Dimensions"),
    "plan.dual_spec": ("load_dual_spec",),
    "plan.reading": ("load_benchmark",),
    "report.views": ("verify",),
    "stats.estimate": ("Estimate",),
    "study.auditing": ("Audit", "audit_run"),
    "study.concluding": ("Finished",),
    "study.creating": ("new_study",),
    "study.drafting": ("draft",),
    "study.dualling": ("Dual", "run_dual"),
    "study.folder": ("Study", "open_study"),
    "study.running": ("run_sealed",),
    "study.runs": ("load_run", "save_run"),
    "study.sealing": ("seal",),
    "study.verify.verification": ("Verification",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AlreadyRun",
    "AlreadySealed",
    "AssayError",
    "Audit",
    "BadOutput",
    "Balanced",
    "Bar",
    "BarSet",
    "Benchmark",
    "BrokenChain",
    "Caveat",
    "Columns",
    "Comparison",
    "ConfoundAudit",
    "DigestMismatch",
    "Dimension",
    "Dimensions",
    "Dual",
    "DualEvidence",
    "DualResult",
    "Estimate",
    "Finished",
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
    "NetVerdict",
    "NotHere",
    "NotRatified",
    "NotSealed",
    "NotWitnessed",
    "OneClassPartition",
    "OneSidedResult",
    "ProtocolError",
    "Record",
    "Regime",
    "Run",
    "Scorecard",
    "SpecError",
    "StateNotIsolated",
    "StorageError",
    "Study",
    "Trial",
    "Verdict",
    "Verification",
    "__version__",
    "audit_run",
    "balance",
    "compare",
    "confounds",
    "draft",
    "judge_dual",
    "load_bars",
    "load_benchmark",
    "load_dual_spec",
    "load_run",
    "new_study",
    "open_study",
    "run",
    "run_dual",
    "run_sealed",
    "save_run",
    "score",
    "seal",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    found = getattr(import_module(f"assay.{_HOME_OF[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
