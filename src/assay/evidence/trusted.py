"""A method in this very process: for one's own callables, in a notebook, without ceremony.

Nothing is kept from it, no deadline holds, and a crash takes everything along; the run says so.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from assay.evidence import calling
from assay.evidence.confine import Level
from assay.plan.method import MethodRef


class TrustedWorker:
    """The same verbs as a worker process, done here."""

    level = Level.TRUSTED
    printed = 0
    broken = False
    passed: tuple[str, ...] = ()

    def __init__(self, method: Callable[..., Any], *, seed: int) -> None:
        name = getattr(method, "__qualname__", type(method).__qualname__)
        module = getattr(method, "__module__", "")
        self.method = MethodRef(
            text=f"{module}:{name}", kind="callable", target=module, attribute=name
        )
        calling.seed_everything(seed)
        self._loaded = calling.inspect_method(method)
        self._asked = self._loaded
        self.parameters, self.learner = self._loaded.parameters, self._loaded.learner
        self.file: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Nothing to end."""

    def restart(self) -> None:
        """Nothing to start again."""

    def branch(self) -> None:
        """Nothing to copy: `fit` does not change the learner's class."""

    def fit(self, examples: Sequence[Mapping[str, object]]) -> None:
        """Fit the learner here."""
        self._asked = calling.fit(self._loaded, examples)

    def ask(self, question: str, response: str | None) -> object:
        """One answer as the method gave it, unchecked."""
        return calling.call(self._asked, question, response)

    def forget(self) -> None:
        """Back to the unfitted learner."""
        self._asked = self._loaded
