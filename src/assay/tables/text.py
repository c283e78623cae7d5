"""Decode text: UTF-8, or the encoding the user named; never a guess."""

import codecs
import re

from assay.errors import SpecError
from assay.wording import counted

_PART = 1 << 20
_SAMPLE = 1 << 20
_START = 1 << 12
_NO_FILES = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"})
"""Python's text codecs that no file of rows uses."""
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PATTERNS = {
    "utf-32-le": re.compile(rb"(?:[^\0]\0\0\0){2,}"),
    "utf-32-be": re.compile(rb"(?:\0\0\0[^\0]){2,}"),
    "utf-16-le": re.compile(rb"(?:[^\0]\0){4,}"),
    "utf-16-be": re.compile(rb"(?:\0[^\0]){4,}"),
}
"""The positions of NULs in wide text without a byte order mark, if mostly Latin."""
_RARE = [
    bytes([code])
    for code in range(0x80, 0xA0)
    if code not in b"\x80\x85\x91\x92\x93\x94\x95\x96\x97\x99"
]
"""Bytes that are rare in text from Windows."""
_SAVE = "Or save the file as UTF-8."


def check_encoding(name: str) -> None:
    """Refuse a name that is not a text codec of Python."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError, UnicodeError):
        found = None
    if found is None or not found._is_text_encoding or found.name in _NO_FILES:
        raise SpecError(
            f"`encoding={name!s:.40}`: unknown text encoding",
            hint="Name one that Python knows: utf-16, cp1252, latin-1, shift_jis, gb18030.",
        )


def likely_wide(data: bytes) -> str | None:
    """UTF-16 or UTF-32, if a file looks like it."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    start = data[:_START]
    for name, pattern in _PATTERNS.items():
        if pattern.match(start):
            return name
    return None


def utf8_of(data: bytes, *, where: str, encoding: str | None = None) -> bytes:
    """The text of a file as UTF-8, without a byte order mark."""
    if encoding is None:
        wide = likely_wide(data)
        if wide is not None:
            raise SpecError(
                f"{where}: expected UTF-8, got what looks like {wide.upper()}",
                hint=f"Name the encoding: `encoding={wide}`. {_SAVE}",
            )
        _check_utf8(data, where)
        return data.removeprefix(codecs.BOM_UTF8)
    check_encoding(encoding)
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode("utf-8")
    except UnicodeError as error:
        at = getattr(error, "start", None)
        byte = "" if not isinstance(at, int) else f"byte {at:,} "
        raise SpecError(
            f"{where}: {byte}cannot be read as {encoding}: {getattr(error, 'reason', error)}",
            hint="Name another encoding, or leave out `encoding=` if the file is UTF-8.",
        ) from None


def _check_utf8(data: bytes, where: str) -> None:
    """Refuse bytes that are not UTF-8; the error names the first line and the likely encoding."""
    at = _first_wrong(data)
    if at is None:
        return
    line = data.count(b"\n", 0, at) + 1
    start = data.rfind(b"\n", 0, at) + 1
    marked = len(codecs.BOM_UTF8) if line == 1 and data.startswith(codecs.BOM_UTF8) else 0
    others = sum(_first_wrong(rest) is not None for rest in data[at:].split(b"\n", 1000)[1:1000])
    more = f"; also on {counted(others, 'more line')}" if others else ""
    meant, hint = _likely(data, at)
    raise SpecError(
        f"{where}, line {line}: byte {at - start - marked} ({data[at]:#04x}) is not"
        f" UTF-8{meant}{more}",
        hint=hint,
    )


def _first_wrong(data: bytes) -> int | None:
    """The position of the first byte that is not UTF-8; in parts, as a file may be large."""
    if data.isascii():
        return None
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _PART):
        kept = len(decoder.getstate()[0])
        try:
            decoder.decode(data[start : start + _PART], start + _PART >= len(data))
        except UnicodeDecodeError as error:
            return start - kept + error.start
    return None


def _likely(data: bytes, at: int) -> tuple[str, str]:
    """The likely meaning of a byte, and what to do about it."""
    sample = data[max(at - _SAMPLE, 0) : at + _SAMPLE]
    letters = sample.decode("utf-8", "surrogateescape")
    wrong = sum("\udc80" <= letter <= "\udcff" for letter in letters)
    right = sum(letter > "\x7f" for letter in letters) - wrong
    if right > wrong:
        return "", "The rest of the file is mostly UTF-8: correct this line."
    try:
        meant = data[at : at + 1].decode("cp1252")
        sample.decode("cp1252")
        rare = sum(map(sample.count, _RARE))
    except UnicodeDecodeError:
        rare = wrong
    if 4 * rare > wrong:
        return "", (
            "Name its encoding, such as `encoding=latin-1`, `encoding=shift_jis` or"
            f" `encoding=gb18030`. {_SAVE}"
        )
    return f" ({meant!r} in Windows' cp1252)", f"Name the encoding: `encoding=cp1252`. {_SAVE}"
