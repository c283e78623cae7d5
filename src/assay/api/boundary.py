"""Where the library begins for its callers: arguments are checked, tracebacks end here.

An error of ours says what was wrong with the input; the frames inside Assay that found it say
nothing more. A notebook printed a hundred lines of them before the message. Other exceptions keep
all their frames, since they are bugs.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from assay.api.arguments import checked
from assay.errors import AssayError

P = ParamSpec("P")
R = TypeVar("R")


def public(function: Callable[P, R]) -> Callable[P, R]:
    """A function for callers of the library: types are checked, and our errors have no inside."""
    inner = checked(function)

    @wraps(inner)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # read by IPython and pytest
        try:
            return inner(*args, **kwargs)
        except AssayError as error:
            raise error.with_traceback(None) from error.__cause__

    return call
