"""Part of step 5: what a stored run says of itself is what its seal fixed.

Scorecards are made from these words: the method's name and digest, what was passed on to it, how it
was confined. Whether a method is a learner, or takes batches, is known by running it only; that is
step 9's.
"""

from collections.abc import Iterator

from assay.method.registry import REGISTERED
from assay.runs.result import RESOURCES, Limits, Run, batch_size
from assay.study.submissions.sealed import SealedPrereg
from assay.study.submissions.spec import limits_of

Fact = tuple[str, object, object]
"""What it is about, what the run says, and what the seal says."""


def sealed_facts(run: Run, sealed: SealedPrereg) -> Iterator[Fact]:
    """What the run says beside what was sealed; the two must be equal."""
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
    """Whether a run states no limit of resources, and its seal has some: so were older runs."""
    limits = limits_of(sealed.prereg)
    unlimited = all(getattr(run.limits, name) is None for name in RESOURCES)
    return unlimited and any(getattr(limits, name) is not None for name in RESOURCES)


def _method_digest(sealed: SealedPrereg) -> str | None:
    """The digest of the method's file; None for one of ours, or of an installed module."""
    method = sealed.prereg.method
    name, _, _ = method.rpartition(":")
    file = sealed.seal.files.get(f"preregs/{sealed.id}/{name}")
    return None if method in REGISTERED or not name.endswith(".py") or file is None else file.digest
