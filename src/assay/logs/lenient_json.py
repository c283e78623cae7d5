"""Read JSON as harnesses write it, including bare NaN, within limits.

If the fast parser refuses a document, a parser that accepts NaN reads it. A short text can take
much memory, a list twenty times its characters, so values are counted before they are made.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypeVar

import msgspec

from assay.bounds import MAX_LINE_BYTES, MAX_SAMPLES
from assay.errors import SpecError, UnknownForm, writable
from assay.tables.json_text import CUT_OFF, is_cut_off

T = TypeVar("T")
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
"""A number of rows, small enough for arithmetic."""
LONGEST_LINE = 64 * MAX_LINE_BYTES
"""The most bytes of a line of a log, which may hold a whole conversation."""
_MOST_VALUES = 20_000_000
"""The most values of a document, counted by commas and brackets."""
_FEW_OBJECTS = 1_000_000
"""An array of up to so many objects is decoded at once, a longer one element by element."""
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def loads(data: bytes | msgspec.Raw, *, where: str) -> Any:  # noqa: ANN401 - JSON is any of six types
    """Parse one JSON value, accepting a bare NaN."""
    _check_values(bytes(data), where)
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return _lenient(bytes(data), where)


def decode(data: bytes, form: type[T], *, where: str, most: int = _MOST_VALUES) -> T:
    """Parse one JSON value as a struct; fields that the struct does not name are skipped."""
    _check_values(data, where, most)
    try:
        return msgspec.json.decode(data, type=form)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return _converted(_lenient(data, where), form, where)


def elements(data: bytes, form: type[T], *, where: str) -> Iterator[T]:
    """The elements of an array as structs, at most as many as the limit of samples."""
    _check_values(data, where)
    if data.count(b"{") <= _FEW_OBJECTS:
        made: list[T] = decode(data, list[form], where=where)  # type: ignore[valid-type]
        found: Iterator[T] = iter(made)
    else:
        values = _one_by_one(data.decode("utf-8", "replace"), where)
        found = (_converted(value, form, where) for value in values)
    for count, element in enumerate(found, 1):
        if count > MAX_SAMPLES:
            raise SpecError(f"{where}: more than {MAX_SAMPLES:,} samples")
        yield element


class FieldReader:
    """Reads some fields of objects; `msgspec.UNSET` where one is missing.

    An object with a bare NaN is read completely, which is slower.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        fields: list[tuple[str, Any, Any]] = [
            (f"field_{at}", Any, msgspec.field(name=name, default=msgspec.UNSET))
            for at, name in enumerate(names)
        ]
        self._decoder = msgspec.json.Decoder(msgspec.defstruct("Fields", fields, gc=False))

    def read(self, line: bytes, *, where: str) -> tuple[Any, ...]:
        """The fields, in the order of their names."""
        if len(line) > _MOST_VALUES:
            _check_values(line, where)
        try:
            return msgspec.structs.astuple(self._decoder.decode(line))
        except (msgspec.DecodeError, RecursionError, ValueError):
            value = loads(line, where=where)
            if not isinstance(value, dict):
                raise SpecError(f"{where}: expected a JSON object") from None
            return tuple(value.get(name, msgspec.UNSET) for name in self._names)


def first_element(data: bytes) -> Any:  # noqa: ANN401 - JSON is any of six types
    """The first element of an array; None if there is no readable one."""
    start = data.lstrip()[:LONGEST_LINE].decode("utf-8", "ignore")
    try:
        return next(_one_by_one(start, ""), None)
    except SpecError:
        return None


def object_or_none(line: bytes) -> dict[str, Any] | None:
    """Parse an object; None if the text is not one."""
    try:
        value = loads(line, where="")
    except SpecError:
        return None
    return value if isinstance(value, dict) else None


def _check_values(data: bytes, where: str, most: int = _MOST_VALUES) -> None:
    if len(data) > most and sum(map(data.count, (b",", b"[", b"{"))) > most:
        raise SpecError(
            f"{where}: more than {most:,} values in one document",
            hint="Export the log as one JSON object a line, or split it.",
        )


def _converted(value: object, form: type[T], where: str) -> T:
    try:
        return msgspec.convert(value, form)
    except RecursionError:
        raise SpecError(f"{where}: nested too deep") from None
    except msgspec.ValidationError as error:
        raise UnknownForm(f"{where}: {error}") from None


def _lenient(data: bytes, where: str) -> Any:  # noqa: ANN401 - JSON is any of six types
    try:
        value = json.loads(data.decode("utf-8-sig"))  # of bytes it would accept lone surrogates
        return _with_whole_pairs(value) if b"\\u" in data else value
    except RecursionError:
        raise SpecError(f"{where}: nested too deep") from None
    except UnicodeDecodeError as error:
        raise SpecError(f"{where}: byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        cut = is_cut_off(error.msg, error.doc, error.pos)
        raise SpecError(f"{where}: not JSON: {error}", hint=CUT_OFF if cut else None) from None
    except ValueError as error:
        raise SpecError(f"{where}: not JSON: {error}") from None


def _one_by_one(text: str, where: str) -> Iterator[Any]:
    """The elements of an array, decoded one at a time."""
    at, before = 0, "["
    try:
        while _letter(text, at) == before:
            at = _after_space(text, at) + 1
            if before == "[" and _letter(text, at) == "]":
                break
            value, at = _DECODER.raw_decode(text, _after_space(text, at))
            yield _with_whole_pairs(value)
            before = ","
    except RecursionError:
        raise SpecError(f"{where}: nested too deep") from None
    except ValueError as error:
        raise SpecError(f"{where}: not JSON: {error}") from None
    if text[_after_space(text, at) :].rstrip(" \t\n\r") != "]":
        raise SpecError(f"{where}: not one JSON array")


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _letter(text: str, at: int) -> str:
    """The next character; empty at the end."""
    at = _after_space(text, at)
    return text[at : at + 1]


def _with_whole_pairs(value: Any) -> Any:  # noqa: ANN401 - JSON is any of six types
    """A value without lone surrogates, in which a cut-off answer of a model may end."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, list):
        return [_with_whole_pairs(each) for each in value]
    if isinstance(value, dict):
        return {writable(key): _with_whole_pairs(each) for key, each in value.items()}
    return value
