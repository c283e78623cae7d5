"""A method in this very process: for one's own callables, in a notebook, without ceremony.

Nothing is kept from it, no deadline holds, a crash takes everything along, and its randomness is
the caller's; the run says so.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from assay.methods.reference import MethodRef
from assay.runs import method_loader as calling
from assay.sandbox.levels import Level


class TrustedWorker:
    """The same verbs as a worker process, done here."""

    level = Level.TRUSTED
    method_digest: str | None = None
    printed = 0
    broken = False
    passed: tuple[str, ...] = ()

    def __init__(self, method: Callable[..., Any] | calling.FittedMethod) -> None:
        name = getattr(method, "__qualname__", type(method).__qualname__)
        module = getattr(method, "__module__", "")
        self.method = MethodRef(
            text=f"{module}:{name}", kind="callable", target=module, attribute=name
        )
        self._loaded = calling.inspect_method(method, isolated=False)
        self._asked = self._loaded
        self.arguments, self.learner = self._loaded.arguments, self._loaded.learner
        self.asks_by_name = self._loaded.asks_by_name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Nothing to end."""

    def restart(self) -> None:
        """Nothing to start again."""

    def branch(self) -> None:
        """Nothing to copy."""

    def fit(self, examples: Sequence[Mapping[str, object]]) -> None:
        """Fit the learner here."""
        self._asked = calling.fit(self._loaded, examples)

    def ask(self, question: str, response: str | None) -> object:
        """One answer as the method gave it, unchecked."""
        return calling.call(self._asked, question, response)

    def modules(self) -> calling.Modules:
        """Nothing that could be told apart from what Assay itself has loaded."""
        return calling.Modules(installed=(), files=())

    def forget(self) -> None:
        """Back to the unfitted learner."""
        self._asked = self._loaded
