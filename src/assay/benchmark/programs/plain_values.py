"""Values as plain data, for messages between a completion and its tests.

Both sides run this file alone, so it imports only the standard library. A value is sent as JSON:
JSON types as themselves, other plain types with a tag, and anything else as a number that only the
completion's process can resolve to an object. Nothing received is code: an object with its own
notion of equality is not a plain value. A value of a subclass is sent as its plain class.
"""

import json
import math
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

LONGEST = 16 << 20
"""The most bytes of one message."""
_DEEPEST = 100
_SAFE = 1 << 53
_MANY: dict[str, Callable[[Any], Any]] = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "deque": deque,
}


class NotPlain(Exception):
    """A value that cannot be sent, or a message that is not a value."""


class TooLarge(NotPlain):
    """A value that is too deep or too long."""


def encode(value: Any, refer: Callable[[object], Any], depth: int = 0) -> Any:  # noqa: ANN401
    """A value as JSON; `refer` gives the reference to an object that is not plain."""
    if depth > _DEEPEST:
        raise TooLarge(f"more than {_DEEPEST} values inside each other")

    def inner(one: object) -> Any:  # noqa: ANN401 - JSON
        return encode(one, refer, depth + 1)

    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        number = int.__index__(value)
        return number if -_SAFE < number < _SAFE else {"int": hex(number)}
    if isinstance(value, float):
        real = float.__float__(value)
        return real if math.isfinite(real) else {"float": repr(real)}
    if isinstance(value, list):
        return [inner(one) for one in list.__iter__(value)]
    if isinstance(value, dict):
        return {"dict": [[inner(key), inner(one)] for key, one in dict.items(value)]}
    for tag, kind in _MANY.items():
        if isinstance(value, kind):  # type: ignore[arg-type]  # these are classes
            return {tag: [inner(one) for one in kind.__iter__(value)]}  # type: ignore[attr-defined]
    return _encode_rare(value, refer)


def _encode_rare(value: Any, refer: Callable[[object], Any]) -> Any:  # noqa: ANN401
    if isinstance(value, bytes):
        return {"bytes": bytes.hex(value)}
    if isinstance(value, bytearray):
        return {"bytearray": bytearray.hex(value)}
    if isinstance(value, complex):
        return {"complex": complex.__repr__(value)}
    if isinstance(value, Decimal):
        return {"decimal": Decimal.__str__(value)}
    if isinstance(value, Fraction):
        return {"fraction": Fraction.__str__(value)}
    if isinstance(value, range):
        return {"range": [hex(value.start), hex(value.stop), hex(value.step)]}
    return refer(value)


def decode(node: Any, resolve: Callable[[int], Any], depth: int = 0) -> Any:  # noqa: ANN401 - JSON in, a value out
    """The value of a node; `resolve` gives the object of a number.

    The reader has limited the length of the message. No value is deeper than `encode` allows.
    """
    if depth > _DEEPEST:
        raise TooLarge(f"more than {_DEEPEST} values inside each other")

    def inner(one: object) -> Any:  # noqa: ANN401 - a value
        return decode(one, resolve, depth + 1)

    if node is None or isinstance(node, bool | int | float | str):
        return node
    if isinstance(node, list):
        return [inner(one) for one in node]
    if not isinstance(node, dict) or len(node) != 1:
        raise NotPlain("an unknown form")
    ((tag, held),) = node.items()
    try:
        if tag == "object" and type(held) is int:
            return resolve(held)
        if tag in _MANY and isinstance(held, list):
            return _MANY[tag](inner(one) for one in held)
        if tag == "dict":
            return {inner(key): inner(one) for key, one in held}
        if tag == "range":
            return range(*(int(part, 16) for part in held))
        return _TEXTS[tag](held)
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise NotPlain(f"{tag!r:.20}: {error}") from None


_TEXTS: dict[str, Callable[[str], Any]] = {
    "int": lambda text: int(text, 16),
    "float": {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}.__getitem__,
    "bytes": bytes.fromhex,
    "bytearray": bytearray.fromhex,
    "complex": complex,
    "decimal": Decimal,
    "fraction": Fraction,
}


def to_line(message: object) -> bytes:
    """A message as a line of limited length."""
    line = json.dumps(message).encode() + b"\n"
    if len(line) > LONGEST:
        raise TooLarge(f"longer than {LONGEST:,} bytes")
    return line


def from_line(line: bytes) -> Any:  # noqa: ANN401 - JSON
    """The message of a line."""
    if not line.endswith(b"\n"):
        raise NotPlain("no whole message")
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotPlain(f"not JSON: {error}") from None
