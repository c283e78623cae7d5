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
    from assay.api.claims import claims, fix_claims, scan_claims
    from assay.api.comparison import compare
    from assay.api.critic.asymmetry import asymmetry
    from assay.api.critic.critique import critique
    from assay.api.critic.faithfulness import faithfulness
    from assay.api.dual_condition import dual, gate, matrix
    from assay.api.methods import methods, run, try_method
    from assay.api.planning import power
    from assay.api.regression import assert_no_regression
    from assay.api.scorecards import score
    from assay.api.study.study import Study
    from assay.api.trial_sources import load_trials
    from assay.api.trials import export, trials
    from assay.benchmark.benchmark import Benchmark
    from assay.claim_audit.correction.fix import ClaimFix
    from assay.claim_audit.result import ClaimAudit
    from assay.claim_audit.scan.scan import ClaimScan
    from assay.comparison.power import Power
    from assay.comparison.result import Comparison, Comparisons
    from assay.confounding.balanced import Balanced
    from assay.confounding.result import ConfoundAudit
    from assay.critic.asymmetry.result import Asymmetry
    from assay.critic.faithfulness.result import FaithfulnessAudit
    from assay.critic.result import Critique
    from assay.dual_condition.result import DualResult
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
    from assay.runs.result import Limits, Run
    from assay.runs.store import load_run, save_run
    from assay.study.verify.procedure import Verification

_HOMES = {
    "api.claims": "claims fix_claims scan_claims",
    "api.comparison": "compare",
    "api.critic.asymmetry": "asymmetry",
    "api.critic.critique": "critique",
    "api.critic.faithfulness": "faithfulness",
    "api.dual_condition": "dual gate matrix",
    "api.planning": "power",
    "api.regression": "assert_no_regression",
    "api.study.study": "Study",
    "api.trial_sources": "load_trials",
    "api.trials": "export trials",
    "api.audit": "balance confounds",
    "api.benchmarks": "load_benchmark",
    "api.methods": "methods run try_method",
    "api.scorecards": "score",
    "benchmark.benchmark": "Benchmark",
    "claim_audit.correction.fix": "ClaimFix",
    "claim_audit.result": "ClaimAudit",
    "claim_audit.scan.scan": "ClaimScan",
    "comparison.power": "Power",
    "comparison.result": "Comparison Comparisons",
    "confounding.balanced": "Balanced",
    "confounding.result": "ConfoundAudit",
    "critic.asymmetry.result": "Asymmetry",
    "critic.faithfulness.result": "FaithfulnessAudit",
    "critic.result": "Critique",
    "dual_condition.result": "DualResult",
    "errors": "AssayError IntegrityError MethodError ProtocolError SpecError StorageError",
    "gauntlet.load": "load_bars",
    "gauntlet.result": "Scorecard",
    "gauntlet.spec": "BarSet",
    "logs.trial": "Trial",
    "runs.result": "Limits Run",
    "runs.store": "load_run save_run",
    "study.verify.procedure": "Verification",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "AssayError",
    "Asymmetry",
    "Balanced",
    "BarSet",
    "Benchmark",
    "ClaimAudit",
    "ClaimFix",
    "ClaimScan",
    "Comparison",
    "Comparisons",
    "ConfoundAudit",
    "Critique",
    "DualResult",
    "FaithfulnessAudit",
    "IntegrityError",
    "Limits",
    "MethodError",
    "Power",
    "ProtocolError",
    "Run",
    "Scorecard",
    "SpecError",
    "StorageError",
    "Study",
    "Trial",
    "Verification",
    "__version__",
    "assert_no_regression",
    "asymmetry",
    "balance",
    "claims",
    "compare",
    "confounds",
    "critique",
    "dual",
    "export",
    "faithfulness",
    "fix_claims",
    "gate",
    "load_bars",
    "load_benchmark",
    "load_run",
    "load_trials",
    "matrix",
    "methods",
    "power",
    "run",
    "save_run",
    "scan_claims",
    "score",
    "trials",
    "try_method",
]


def __getattr__(name: str) -> object:
    from importlib import import_module
    from types import FunctionType

    if name == "errors":
        return import_module("assay.errors")
    if name not in _HOME_OF:
        from assay.wording import did_you_mean

        near = did_you_mean(name, [*__all__, "errors"])
        raise AttributeError(
            f"module 'assay' has no attribute {name!r}" + (f". {near}" if near else "")
        )

    value = getattr(import_module(f"assay.{_HOME_OF[name]}"), name)
    if isinstance(value, FunctionType):
        value = import_module("assay.api.boundary").public(value)
        value.__module__ = "assay"  # where it is found again by its name, by pickle for one
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
