"""What is wrong with a key of a file or a dictionary, in plain words.

The words of the library that checks them, `Object contains unknown field`, name its own types.
"""

import re
from typing import Any, Literal, get_args, get_origin

import msgspec

_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<key>.*)`", re.DOTALL)
_NO_WORD = re.compile(r"Invalid enum value (?P<value>.*)", re.DOTALL)
_QUOTED = re.compile(r"`(?P<types>[a-z| ]+)`")
_TYPES = {
    "object": "a table",
    "array": "a list",
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}


def fault_words(error: msgspec.ValidationError, form: type[msgspec.Struct]) -> str:
    """The place of a fault inside a form, what is there, and what was expected."""
    text, _, place = str(error).partition(" - at `$")
    place = place.removesuffix("`").lstrip(".")
    if found := _UNKNOWN.fullmatch(text):
        said = f"unknown key `{found['key']:.60}`"
    elif found := _MISSING.fullmatch(text):
        said = f"the key `{found['key']:.60}` is missing"
    elif found := _NO_WORD.fullmatch(text):
        said = f"got {found['value']:.60}{_expected(form, place)}"
    else:
        said = _QUOTED.sub(lambda match: _in_words(match["types"]), text)
        said = f"{said[:1].lower()}{said[1:]}"
    return f"{place}: {said}" if place else said


def _in_words(types: str) -> str:
    return " or ".join(_TYPES.get(each, each) for each in types.split(" | "))


def _expected(form: type[msgspec.Struct], place: str) -> str:
    """The words that the key at a place takes."""
    kinds: dict[str, Any] = {
        field.encode_name: field.type for field in msgspec.structs.fields(form)
    }
    kind: Any = form
    for name in re.findall(r"[A-Za-z_]+", place):
        kind = kinds.get(name)
        inner = next((each for each in (kind, *get_args(kind)) if _is_form(each)), None)
        kinds = {f.encode_name: f.type for f in msgspec.structs.fields(inner)} if inner else {}
    words = [word for each in (kind, *get_args(kind)) if get_origin(each) is Literal
             for word in get_args(each)]  # fmt: skip
    return f", expected {' or '.join(words)}" if words else ""


def _is_form(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)
