"""Part of step 5: what a stored run says about itself must match its seal.

Scorecards use these statements: the method's name and digest, its environment, its confinement.
Whether a method is a learner, or takes batches, only a run can tell: that is step 9.
"""

from collections.abc import Iterator

from assay.method.registry import bundled
from assay.runs.result import RESOURCES, Limits, Run, batch_size
from assay.study.submissions.sealed import SealedPrereg
from assay.study.submissions.spec import limits_of

Fact = tuple[str, object, object]
"""A fact, as the run and as the seal state it."""


def sealed_facts(run: Run, sealed: SealedPrereg) -> Iterator[Fact]:
    """The facts of a run and of its seal, which must be equal."""
    seal, prereg = sealed.seal, sealed.prereg
    second = None if run.second is None else run.second.digest
    yield "method", run.method, prereg.method
    yield "digest of the method", run.method_digest, _method_digest(sealed)
    yield "task", run.task, prereg.task
    yield "benchmark", run.benchmark.digest, seal.benchmark.digest
    yield "second corpus", second, None if seal.second is None else seal.second.digest
    yield "environment", run.environment, prereg.environment
    yield "isolation", run.isolation.value, seal.settings.get("isolation")
    yield "keep_going", run.keep_going, seal.settings.get("keep_going")
    yield "folds", run.folds or seal.settings.get("folds"), seal.settings.get("folds")
    batch = batch_size(prereg.batch)
    yield "batch", batch if run.batch is None else run.batch, batch
    for name in ("assay", "python"):
        yield f"version of {name}", run.harness.get(name), seal.settings.get(name)
    limits = limits_of(prereg)
    for name in Limits.__struct_fields__:
        if name not in RESOURCES or not lacks_limits(run, sealed):
            yield name, getattr(run.limits, name), getattr(limits, name)


def lacks_limits(run: Run, sealed: SealedPrereg) -> bool:
    """Whether a run states no resource limits but its seal has some, as in older runs."""
    limits = limits_of(sealed.prereg)
    unlimited = all(getattr(run.limits, name) is None for name in RESOURCES)
    return unlimited and any(getattr(limits, name) is not None for name in RESOURCES)


def _method_digest(sealed: SealedPrereg) -> str | None:
    """The digest of the method's file; None for a bundled method or an installed module."""
    method = sealed.prereg.method
    name, _, _ = method.rpartition(":")
    file = sealed.seal.files.get(f"preregs/{sealed.id}/{name}")
    ours = bundled(method) is not None
    return None if ours or not name.endswith(".py") or file is None else file.digest
