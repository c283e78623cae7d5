"""Read TOML within limits: input that would stall the parser is refused before parsing.

The standard library's parser needs time quadratic in the parts of a key: a dotted key of one
megabyte takes hours.
"""

import re
from collections.abc import Callable
from typing import Any, get_args

import msgspec

from assay.bounds import MAX_DEPTH, MAX_TOML_BYTES
from assay.digests import decode_utf8
from assay.errors import SpecError
from assay.wording import did_you_mean

MAX_KEY_PARTS = 32
_UNKNOWN = re.compile(r"unknown field `([^`]{1,80})`")
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?!"")(?:[^"\\\n]|\\.)*+"'
    r"|'(?!'')[^'\n]*+'"
    r"|(?P<unclosed>[\"'])"
    r"|\#[^\n]*+"
    r"|(?P<sign>[.=,\n\[\]{}])",
    re.DOTALL,
)
"""Strings and comments, which are skipped, and the punctuation of keys and values."""


def read_toml(
    data: bytes, *, where: str, hint: str | None = None, floats: Callable[[str], object] = float
) -> dict[str, Any]:
    """Parse the bytes of a TOML file; a SpecError says where and why that fails.

    `floats` makes a float of its digits.
    """
    if len(data) > MAX_TOML_BYTES:
        raise SpecError(f"{where}: more than {MAX_TOML_BYTES:,} bytes")
    text = decode_utf8(data, where=where)
    _check_keys(text, where)
    import tomllib  # most commands read no such file

    try:
        return tomllib.loads(text, parse_float=floats)
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{where}: not TOML: {error}", hint=hint) from None


def nearest_key(error: msgspec.ValidationError, form: type, hint: str | None = None) -> str | None:
    """A question that names the key nearest to an unknown one, if one is near; then the hint."""
    found = _UNKNOWN.search(str(error))
    near = None if found is None else did_you_mean(found[1], _keys(form, set()))
    return " ".join(filter(None, (near, hint))) or None


def _keys(form: object, seen: set[object]) -> set[str]:
    """The keys of a struct and of the structs in it."""
    inner: list[object] = list(get_args(form))
    keys: set[str] = set()
    if isinstance(form, type) and issubclass(form, msgspec.Struct) and form not in seen:
        seen.add(form)
        fields = msgspec.structs.fields(form)
        keys = {field.encode_name for field in fields}
        inner += [field.type for field in fields]
    return keys.union(*(_keys(each, seen) for each in inner))


def _check_keys(text: str, where: str) -> None:
    """Refuse keys of many parts, and deeply nested lists and tables.

    Up to the first fault, the tokens are those of the parser, which stops there. This stops there
    too, at a string that is not closed: going on after its quote would take quadratic time.
    """
    dots = depth = 0
    for token in _TOKEN.finditer(text):
        if token["unclosed"]:
            return
        sign = token["sign"]
        if sign is None:
            continue
        dots = dots + 1 if sign == "." else 0
        depth += (sign in "[{") - (sign in "]}")
        if dots >= MAX_KEY_PARTS:
            line = text.count("\n", 0, token.start()) + 1
            raise SpecError(f"{where}, line {line}: a key of more than {MAX_KEY_PARTS} parts")
        if depth > MAX_DEPTH:
            raise SpecError(f"{where}: nested deeper than {MAX_DEPTH} levels")
