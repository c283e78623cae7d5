"""One line of a ledger."""

from collections.abc import Mapping

import msgspec

from assay.bounds import MAX_LINE_BYTES
from assay.digests import digest, parse_json
from assay.errors import BrokenChain, SpecError

NOTHING = digest(b"")
"""The `previous` of the first entry: the digest of zero bytes."""
_LONGEST_NUMBER = 16


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """An event: its kind and subject, the digests of its files, and the digest of the line before.

    `previous` is the digest of the previous line's exact bytes, without its newline. `files` maps
    paths, relative to the ledger's folder, to digests. `said` holds further texts. The time is that
    of the writer's clock; no decision depends on it.
    """

    n: int
    previous: str
    time: str
    kind: str
    subject: str
    files: Mapping[str, str] = {}
    said: Mapping[str, str] = {}

    def stated_number(self, name: str) -> int | None:
        """A whole number stored in `said`; None if it is missing, not a number or too long."""
        text = self.said.get(name, "")
        return int(text) if text.isdecimal() and len(text) < _LONGEST_NUMBER else None


class Link(msgspec.Struct, frozen=True, gc=False):
    """The fields of an entry that link the chain; parsed fast, without checking the others."""

    n: int
    previous: str


_LINKS = msgspec.json.Decoder(Link)
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Entry)


def encode_line(entry: Entry) -> bytes:
    """The bytes of a line, without its newline; a line that no reader would accept is refused."""
    files, said = entry.files, entry.said
    try:
        texts = (*files, *files.values(), *said, *said.values())
        "".join(
            (entry.time, entry.kind, entry.subject, *texts)
        )  # refuses values that are not texts
        line = _ENCODER.encode(entry)
    except (ValueError, TypeError, AttributeError) as error:
        raise SpecError(f"a ledger entry cannot hold this: {error}") from None
    if len(line) > MAX_LINE_BYTES:
        raise SpecError(
            f"a ledger entry of {len(line):,} bytes, at most {MAX_LINE_BYTES:,} allowed"
        )
    return line


def decode_lines(data: bytes, *, where: str, first: int = 0) -> list[Entry]:
    """Parse complete lines; a line that could be read in two ways is a breach.

    If writing the entries again gives the same bytes, the lines are unambiguous. Otherwise each
    line goes through the strict parser, which is slow and names the fault.
    """
    if len(data) > MAX_LINE_BYTES:  # one line may be too long
        _check_lengths(data, where, first)
    try:
        entries = _DECODER.decode_lines(data)
        if _ENCODER.encode_lines(entries) == data:
            return entries
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        pass
    for number, line in enumerate(data.split(b"\n")[:-1], first + 1):
        _explain(line, f"{where}, line {number}")
    raise BrokenChain(f"{where}: not in the exact form in which Assay writes a ledger")


def decode_links(data: bytes, *, where: str, first: int = 0) -> list[Link]:
    """The link fields of complete lines."""
    try:
        links = _LINKS.decode_lines(data)
    except (ValueError, RecursionError):
        links = []
    if len(links) != data.count(b"\n"):
        decode_lines(data, where=where, first=first)  # names the fault
        raise BrokenChain(f"{where}: not in the exact form in which Assay writes a ledger")
    return links


def _check_lengths(data: bytes, where: str, first: int) -> None:
    for number, line in enumerate(data.split(b"\n"), first + 1):
        if len(line) > MAX_LINE_BYTES:
            raise BrokenChain(
                f"{where}, line {number}: {len(line):,} bytes, at most {MAX_LINE_BYTES:,} allowed"
            )


def _explain(line: bytes, where: str) -> None:
    """Raise an error that names the fault of a line, if it has one."""
    if line.endswith(b"\r"):
        raise BrokenChain(f"{where}: ends in CR LF; another program changed the line endings")
    if not line:
        raise BrokenChain(f"{where} is empty")
    try:
        entry = msgspec.convert(parse_json(line.decode("utf-8"), where=where), Entry)
    except UnicodeDecodeError as error:
        raise BrokenChain(f"{where}: byte {error.start} is not UTF-8") from None
    except msgspec.ValidationError as error:
        raise BrokenChain(f"{where}: {error}") from None
    except SpecError as error:
        raise BrokenChain(error.message) from None
    if _ENCODER.encode(entry) != line:
        raise BrokenChain(
            f"{where}: not in the exact form in which Assay writes an entry (expected"
            f" {_ENCODER.encode(entry)[:60]!r}..., got {line[:60]!r}...)"
        )
