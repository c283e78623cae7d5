"""Parse JSON strictly, and digest exact bytes with SHA-256: equal digests mean equal data.

Digests are of stored bytes, never of data that was serialised again: two serialisers that agree on
the data can disagree on the bytes. Parsing refuses input that two readers could read differently
(duplicate keys, NaN, lone surrogates, bytes that are not UTF-8) or that would exhaust the reader
(deep nesting, endless lines). Every refusal names the place.
"""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from assay.bounds import MAX_DEPTH, MAX_LINE_BYTES
from assay.errors import SpecError

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_PLACE_AFTER = re.compile(r"( starting)? at$")
"""The end of some messages of the json module, before a place that we give ourselves."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def digest(data: bytes) -> str:
    """The SHA-256 of exact bytes, tagged with the algorithm."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def short(tagged: str) -> str:
    """The first twelve hex digits of a tagged digest, for signatures that people read."""
    return tagged.removeprefix("sha256:")[:12]


def is_digest(text: str) -> bool:
    """Whether a text is a tagged digest."""
    return _DIGEST.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether a text is a valid name of a study, of bars and the like."""
    return _NAME.fullmatch(text) is not None


def decode_utf8(data: bytes, *, where: str) -> str:
    """Decode bytes as UTF-8; a SpecError names the first byte that is not."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(
            f"{where}: byte {error.start} ({data[error.start]:#04x}) is not UTF-8",
            hint="Save the file as UTF-8 and try again.",
        ) from None


def parse_json(text: str, *, where: str, floats: Callable[[str], float] | None = None) -> Any:  # noqa: ANN401 - JSON is any of six types
    """Parse one JSON value; a SpecError says where and why that fails.

    `floats` makes a float of its digits.
    """
    decoder = _DECODER if floats is None else _decoder(_digits_kept(floats))
    with _refusing(where):
        try:
            value = decoder.decode(text)
        except json.JSONDecodeError as error:
            whole = text.lstrip()[:1] in ("{", "[") and error.pos >= len(text.rstrip())
            raise SpecError(
                f"{where}, column {error.colno}: not JSON: {_PLACE_AFTER.sub('', error.msg)};"
                f" got {excerpt(text, error.pos)}",
                hint="Write each record on one line." if whole else None,
            ) from None
    _check_value(value, text, where)
    return value


def parse_json_at(text: str, at: int, *, where: str) -> tuple[Any, int]:
    """The JSON value that begins at a place in a text, and where it ends.

    Raises JSONDecodeError if it is not JSON: the caller knows the line.
    """
    with _refusing(where):
        value, end = _DECODER.raw_decode(text, at)
    _check_value(value, text[at:end], where)
    return value, end


@contextmanager
def _refusing(where: str) -> Iterator[None]:
    try:
        yield
    except _Refused as refused:
        raise SpecError(f"{where}: {refused}") from None
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise SpecError(f"{where}: nested deeper than {MAX_DEPTH} levels") from None
    except ValueError:
        raise SpecError(f"{where}: a number has too many digits") from None


def _check_value(value: object, text: str, where: str) -> None:
    if text.count("[") + text.count("{") > MAX_DEPTH:  # fewer brackets cannot nest deeper
        _check_depth(value, where)
    if "\\u" in text:
        _check_surrogates(value, where)


def parse_object(data: bytes, *, where: str) -> dict[str, Any]:
    """One JSON object from the bytes of a whole file."""
    value = parse_json(decode_utf8(data, where=where), where=where)
    if not isinstance(value, dict):
        raise SpecError(f"{where}: expected a JSON object")
    return value


def json_lines(
    data: bytes,
    *,
    where: str,
    on_fault: Callable[[SpecError], None] | None = None,
    unit: str = "line",
) -> Iterator[tuple[int, Any]]:
    """The line number and JSON value of each line; blank lines are skipped.

    With `on_fault`, a line that cannot be read is passed to it as an error, then skipped. `unit` is
    what a line is called.
    """
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        here = f"{where}, {unit} {number}"
        try:
            if len(line) > MAX_LINE_BYTES:
                raise SpecError(f"{here}: {len(line):,} bytes, at most {MAX_LINE_BYTES:,} allowed")
            if not line.strip():
                continue
            value = parse_json(decode_utf8(line, where=here), where=here)
        except SpecError as error:
            if on_fault is None:
                raise
            on_fault(error)
            continue
        yield number, value


class _Refused(Exception):
    """The JSON is ambiguous: two readers could read it differently."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _Refused(f"key {twice!r} occurs twice in one object")
    return members


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Refused(f"number {text} is too large to hold")
    return number


def _not_json(name: str) -> NoReturn:
    raise _Refused(f"{name} is not JSON; leave the value out or write null")


def _digits_kept(floats: Callable[[str], float]) -> Callable[[str], float]:
    """Make a float of its digits, if it is finite."""

    def make(text: str) -> float:
        _finite(text)
        return floats(text)

    return make


def _decoder(floats: Callable[[str], float]) -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=_unique, parse_float=floats, parse_constant=_not_json)


_DECODER = _decoder(_finite)


def _check_depth(value: object, where: str) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            if isinstance(parent, (dict, list))
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
        if not level:
            return
    raise SpecError(f"{where}: nested deeper than {MAX_DEPTH} levels")


def _check_surrogates(value: object, where: str) -> None:
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise SpecError(f"{where}: half of a surrogate pair in {value!a:.60}") from None
    elif isinstance(value, dict):
        for key, child in value.items():
            _check_surrogates(key, where)
            _check_surrogates(child, where)
    elif isinstance(value, list):
        for child in value:
            _check_surrogates(child, where)


def excerpt(text: str, position: int) -> str:
    """The text around a position."""
    return repr(text[max(position - 10, 0) : position + 20])


def pretty_json(record: object) -> bytes:
    """A record as indented JSON with a final newline, its keys in the order of its fields."""
    import msgspec  # here: the warden and the guardian run without installed packages

    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"


def derive(seed: int, purpose: str, *context: str) -> int:
    """A seed for one purpose, derived from a common seed; it reveals no other purpose's seed.

    The order of items also depends on the benchmark's digest: a method that guesses the seed
    (mostly 0) still cannot work out an item's position in the file, unless it knows the file.
    """
    text = "\n".join([str(seed), purpose, *context])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


@dataclass(frozen=True, kw_only=True)
class FileEntry:
    """One file of a folder, by its relative path; a path that ends in / is an empty folder."""

    path: str
    size: int
    digest: str


def manifest_digest(entries: tuple[FileEntry, ...]) -> str:
    """One digest over a manifest."""
    return listing_digest("state", (f"{entry.digest}  {entry.path}" for entry in entries))


def listing_digest(kind: str, lines: Iterable[str]) -> str:
    """One digest over a list, under its kind; a NUL ends each line, since no name can hold one."""
    whole = "".join(f"{line}\0" for line in (kind, *lines))
    return digest(whole.encode("utf-8", "surrogateescape"))
