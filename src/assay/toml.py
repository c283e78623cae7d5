"""Read TOML within limits, and write a dictionary as TOML.

Input that would stall the parser is refused before parsing: the standard library's parser needs
time quadratic in the parts of a key, so a dotted key of one megabyte takes hours. A dictionary
given in place of a file is written as one, so the same code checks both, with the same messages.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

import msgspec

from assay.bounds import MAX_DEPTH, MAX_TOML_BYTES
from assay.digests import decode_utf8
from assay.errors import SpecError
from assay.wording import did_you_mean

MAX_KEY_PARTS = 32
_UNKNOWN = re.compile(r"unknown field `(?P<key>[^`]{1,80})`(?: - at `\$(?P<place>[^`]*)`)?")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
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


def key_hint(error: msgspec.ValidationError, form: type, hint: str | None = None) -> str | None:
    """For an unknown key, the nearest one and those that may stand in its place; else `hint`."""
    found = _UNKNOWN.search(str(error))
    if found is None:
        return hint
    table = _struct_at(form, found["place"] or "")
    keys = [] if table is None else [f.encode_name for f in msgspec.structs.fields(table)]
    near = did_you_mean(found["key"], _keys(form, set()))
    said = f"The keys here: {', '.join(keys)}." if keys else hint
    return " ".join(filter(None, (near, said))) or None


def _struct_at(form: object, place: str) -> type[msgspec.Struct] | None:
    """The struct at a place such as `.bar[0].minus` inside a struct."""
    table = _struct(form)
    for name in re.findall(r"\.([A-Za-z_]+)", place):
        fields = {f.encode_name: f.type for f in msgspec.structs.fields(table)} if table else {}
        table = _struct(fields.get(name))
    return table


def _struct(form: object) -> type[msgspec.Struct] | None:
    """A struct, or the first one in a list, a dictionary or a union."""
    if isinstance(form, type) and issubclass(form, msgspec.Struct):
        return form
    return next((found for each in get_args(form) if (found := _struct(each))), None)


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


def toml_bytes(table: Mapping[Any, Any], *, where: str) -> bytes:
    """A dictionary as the bytes of a TOML file; a key whose value is None is left out."""
    alone: list[str] = []
    tables: list[str] = []
    for name, value in _entries(table, where):
        listed = list(value) if isinstance(value, (list, tuple)) else []
        if isinstance(value, Mapping):
            tables += [f"\n[{_key(name)}]", *_lines(value, f"{where}: {name}")]
        elif listed and all(isinstance(each, Mapping) for each in listed):
            for number, each in enumerate(listed):
                tables += [f"\n[[{_key(name)}]]", *_lines(each, f"{where}: {name}[{number}]")]
        else:
            alone += _lines({name: value}, where)
    return "\n".join([*alone, *tables, ""]).lstrip("\n").encode("utf-8", "backslashreplace")


def _lines(table: Mapping[Any, Any], where: str) -> list[str]:
    return [
        f"{_key(name)} = {_value(value, f'{where}: {name}')}"
        for name, value in _entries(table, where)
    ]


def _entries(table: Mapping[Any, Any], where: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if not isinstance(name, str):
            raise SpecError(f"{where}: a key is {name!r:.60}, expected text")
        if value is not None:
            yield name, value


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else quoted(name)


def _value(value: Any, where: str, depth: int = 0) -> str:  # noqa: ANN401 - any value
    """A value within its line."""
    if depth > MAX_DEPTH:
        raise SpecError(f"{where}: nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(str(value))
    if isinstance(value, (int, float)):
        return repr(int(value) if isinstance(value, int) else float(value))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(each, where, depth + 1) for each in value)}]"
    if isinstance(value, Mapping):
        pairs = (
            f"{_key(name)} = {_value(each, f'{where}.{name:.60}', depth + 1)}"
            for name, each in _entries(value, where)
        )
        return f"{{{', '.join(pairs)}}}"
    for convert in ("__fspath__", "tolist"):  # a path; a number or an array of numpy
        if callable(getattr(value, convert, None)):
            return _value(getattr(value, convert)(), where, depth + 1)
    raise SpecError(
        f"{where}: got {type(value).__name__}, expected text, a number, True, False, a list or a"
        " dictionary",
        hint=_how_to_name(value),
    )


def _how_to_name(value: object) -> str | None:
    """How a file names what it cannot hold."""
    if callable(value):
        return "Save the function in a file and name both, as text: FILE.py:FUNCTION."
    if hasattr(value, "to_dict") or hasattr(value, "to_dicts") or hasattr(value, "columns"):
        return (
            "Write the rows to a file and give its name; a frame of pandas:"
            ' frame.to_json("data.jsonl", orient="records", lines=True).'
        )
    return None


def quoted(text: str) -> str:
    """A TOML basic string."""
    escaped = (
        _ESCAPES.get(char, char if char.isprintable() else f"\\U{ord(char):08X}") for char in text
    )
    return f'"{"".join(escaped)}"'
