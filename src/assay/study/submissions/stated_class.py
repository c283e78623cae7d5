"""The class of method that a submission states: one of a fixed list, and true of its reference."""

from assay.errors import SpecError
from assay.method.classes import METHOD_CLASSES, method_class
from assay.wording import did_you_mean


def check_class(method: str, stated: str | None) -> None:
    """Refuse a class that does not exist, or that the reference of the method contradicts."""
    if stated is None:
        return
    if stated not in METHOD_CLASSES:
        listed = f"The classes are: {', '.join(METHOD_CLASSES)}."
        raise SpecError(
            f"method_class = {stated!r:.80} is not a class of method",
            hint=did_you_mean(stated, METHOD_CLASSES, most=1) or listed,
        )
    known = method_class(method)
    if known not in (None, stated):
        raise SpecError(
            f"method_class = {stated!r}, but {method:.80} is of the class {known!r}",
            hint="Leave it out: the reference says it.",
        )
