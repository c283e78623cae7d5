"""Assay: find out what a number about an AI system is made of, before you believe it.

    >>> import assay
    >>> assay.try_method("oracle:word_length", "darkcore", bars="v3").verdict == "fail"
    True

Names are imported when they are first used, so that importing the package costs nothing.
"""

from assay._version import __version__

TYPE_CHECKING = False  # as in typing, which `python -m assay` must not import from here
if TYPE_CHECKING:
    from assay.api.audit import balance, confounds
    from assay.api.benchmarks import load_benchmark
    from assay.api.methods import methods, run, try_method
    from assay.api.scorecards import score
    from assay.benchmark.benchmark import Benchmark
    from assay.comparison.judge.compare import compare
    from assay.comparison.regression import assert_no_regression
    from assay.comparison.result import Comparison, Comparisons, NetVerdict
    from assay.comparison.spec import Dimension, Dimensions
    from assay.confounding.balance import Balanced
    from assay.confounding.result import ConfoundAudit
    from assay.dual_condition.collect import Dual, run_dual
    from assay.dual_condition.evidence import DualEvidence
    from assay.dual_condition.judge.judge import judge_dual
    from assay.dual_condition.result import DualResult, Regime
    from assay.dual_condition.spec import load_dual_spec
    from assay.errors import (
        AssayError,
        IntegrityError,
        MethodError,
        ProtocolError,
        SpecError,
        StorageError,
    )
    from assay.gauntlet.load import load_bars
    from assay.gauntlet.result import Scorecard
    from assay.gauntlet.spec import BarSet
    from assay.logs.trial import Trial
    from assay.report.study.views import verify
    from assay.runs.result import Limits, Run
    from assay.runs.store import load_run, save_run
    from assay.study.create import new_study
    from assay.study.study import Study, open_study
    from assay.study.submissions.draft import draft
    from assay.study.submissions.rerun import Rerun, rerun
    from assay.study.submissions.run import Finished, run_sealed
    from assay.study.submissions.seal import seal
    from assay.study.submissions.withdraw import withdraw
    from assay.study.verify.procedure import Verification

_HOMES = {
    "api.audit": "balance confounds",
    "api.benchmarks": "load_benchmark",
    "api.methods": "methods run try_method",
    "api.scorecards": "score",
    "benchmark.benchmark": "Benchmark",
    "comparison.judge.compare": "compare",
    "comparison.regression": "assert_no_regression",
    "comparison.result": "Comparison Comparisons NetVerdict",
    "comparison.spec": "Dimension Dimensions",
    "confounding.balance": "Balanced",
    "confounding.result": "ConfoundAudit",
    "dual_condition.collect": "Dual run_dual",
    "dual_condition.evidence": "DualEvidence",
    "dual_condition.judge.judge": "judge_dual",
    "dual_condition.result": "DualResult Regime",
    "dual_condition.spec": "load_dual_spec",
    "errors": "AssayError IntegrityError MethodError ProtocolError SpecError StorageError",
    "gauntlet.load": "load_bars",
    "gauntlet.result": "Scorecard",
    "gauntlet.spec": "BarSet",
    "logs.trial": "Trial",
    "report.study.views": "verify",
    "runs.result": "Limits Run",
    "runs.store": "load_run save_run",
    "study.create": "new_study",
    "study.study": "Study open_study",
    "study.submissions.draft": "draft",
    "study.submissions.rerun": "Rerun rerun",
    "study.submissions.run": "Finished run_sealed",
    "study.submissions.seal": "seal",
    "study.submissions.withdraw": "withdraw",
    "study.verify.procedure": "Verification",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "AssayError",
    "Balanced",
    "BarSet",
    "Benchmark",
    "Comparison",
    "Comparisons",
    "ConfoundAudit",
    "Dimension",
    "Dimensions",
    "Dual",
    "DualEvidence",
    "DualResult",
    "Finished",
    "IntegrityError",
    "Limits",
    "MethodError",
    "NetVerdict",
    "ProtocolError",
    "Regime",
    "Rerun",
    "Run",
    "Scorecard",
    "SpecError",
    "StorageError",
    "Study",
    "Trial",
    "Verification",
    "__version__",
    "assert_no_regression",
    "balance",
    "compare",
    "confounds",
    "draft",
    "judge_dual",
    "load_bars",
    "load_benchmark",
    "load_dual_spec",
    "load_run",
    "methods",
    "new_study",
    "open_study",
    "rerun",
    "run",
    "run_dual",
    "run_sealed",
    "save_run",
    "score",
    "seal",
    "try_method",
    "verify",
    "withdraw",
]


def __getattr__(name: str) -> object:
    from importlib import import_module
    from types import FunctionType

    if name == "errors":
        return import_module("assay.errors")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")

    value = getattr(import_module(f"assay.{_HOME_OF[name]}"), name)
    if isinstance(value, FunctionType):
        value = import_module("assay.api.arguments").checked(value)
        value.__module__ = "assay"  # where it is found again by its name, by pickle for one
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
