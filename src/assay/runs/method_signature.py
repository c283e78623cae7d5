"""How a method wants to be called, by its signature and its name: one item at a time, or lists."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.errors import MethodNotLoaded

Predictor = Callable[..., object]
_BOTH = ("question", "response")
_ONE = {name: name for name in _BOTH}
_BATCH = {f"{name}s": name for name in _BOTH}
_OTHER_NAMES = {
    **dict.fromkeys(("answer", "completion", "output", "reply", "text"), "response"),
    **dict.fromkeys(("prompt", "query", "q"), "question"),
}
"""Other names of a single parameter, and what it gets."""
_SPREAD = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, kw_only=True)
class MethodSignature:
    """The arguments to pass: `question`, `response` or both; lists for a batch."""

    batch: bool
    positional: tuple[str, ...]
    named: Mapping[str, str]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The parts of an item that the method gets."""
        return tuple(sorted({*self.positional, *self.named.values()}))

    @property
    def asks_by_name(self) -> bool:
        """Whether a parameter is named after its content, or there are two."""
        by_name = (_meaning(name) == value for name, value in self.named.items())
        return len(self.arguments) > 1 or any(by_name)


def _meaning(name: str) -> str | None:
    """What a parameter of this name gets, one item or a list; None if its name says nothing."""
    one = name if name in _OTHER_NAMES or name in _BOTH else name.removesuffix("s")
    one = "reply" if name == "replies" else "query" if name == "queries" else one
    return one if one in _BOTH else _OTHER_NAMES.get(one)


def read_signature(method: Predictor, name: str) -> MethodSignature:
    """How a method, which goes by this name, wants to be called."""
    _refuse_generator(method)
    batch = _takes_batches(method, name)
    positional, named = _binding(method, _BATCH if batch else _ONE)
    return MethodSignature(batch=batch, positional=positional, named=named)


def bind(method: Predictor, signature: MethodSignature) -> Predictor:
    """A function of question and response that passes what the method takes."""
    positional, named = signature.positional, signature.named
    if positional == _BOTH and not named:
        return method

    def ask(question: object, response: object) -> object:
        given = {"question": question, "response": response}
        return method(
            *(given[value] for value in positional),
            **{name: given[value] for name, value in named.items()},
        )

    return ask


def _refuse_generator(method: Predictor) -> None:
    """A generator never returns an answer."""
    own_call = getattr(type(method), "__call__", None)  # noqa: B004 - of an object, not whether
    for each in (method, own_call):
        if inspect.isgeneratorfunction(each) or inspect.isasyncgenfunction(each):
            raise MethodNotLoaded("it yields (a generator), expected a function that returns")


def _takes_batches(method: Predictor, name: str) -> bool:
    """Whether a method takes lists: by the names of its parameters, else by its own.

    Parameters `questions` or `responses` mean lists, `question` or `response` single items; without
    any of them, a name that ends in `_batch` means lists.
    """
    parameters = _parameters(method)
    if any(p.name in _BOTH for p in parameters):
        both = [p.name for p in parameters if p.name in _BATCH and p.default is p.empty]
        if both:
            raise MethodNotLoaded(
                f"it takes {inspect.signature(method)}, expected `question` and `response` (one"
                " item), or `questions` and `responses` (lists), and no mixture"
            )
        return False
    own = getattr(getattr(method, "func", method), "__name__", "")
    named = any(each.endswith("_batch") for each in (name, own) if isinstance(each, str))
    return named or any(p.name in _BATCH for p in parameters)


def _parameters(method: Predictor) -> list[inspect.Parameter]:
    """The parameters of a method; those of some built-in functions cannot be told."""
    try:
        return list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        return [inspect.Parameter("both", inspect.Parameter.VAR_POSITIONAL)]


def _binding(method: Predictor, names: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The arguments to pass: by name if parameters have one of these names, else in order.

    An optional parameter of another name (`temperature=0.7`) is left to its default.
    """
    parameters = _parameters(method)
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    ours = {p.name: names[p.name] for p in parameters if p.kind not in _SPREAD and p.name in names}
    rest = [value for value in _BOTH if value not in ours.values()]
    wanted = [p for p in plain if p.default is p.empty and p.name not in ours]
    unmet = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if not ours and not wanted and plain:
        wanted = plain[:1]
    spread = not ours and not plain and any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if len(wanted) > len(rest) or any(p.name not in ours for p in unmet):
        raise _uncallable(method, names)
    if spread or [p.name for p in plain[:2]] == list(names) or (not ours and len(wanted) == 2):
        return _BOTH, {}
    if not ours and len(wanted) == 1:  # detect(answer) means the response
        rest = [_meaning(wanted[0].name) or rest[0]]
    given = {**ours, **{p.name: value for p, value in zip(wanted, rest, strict=False)}}
    if not given:
        raise _uncallable(method, names)
    first = [p for p in plain if p.kind is p.POSITIONAL_ONLY and p.name in given]
    return tuple(given.pop(p.name) for p in first), given


def _uncallable(method: Predictor, names: Mapping[str, str]) -> MethodNotLoaded:
    first = next(iter(names))
    return MethodNotLoaded(
        f"it takes {inspect.signature(method)}, expected ({first}) or ({', '.join(names)})"
    )
