"""Members of an untrusted zip archive: deflate or zstandard, bounded and checked.

The standard library lists the archive and knows deflate; members of method 93 are zstandard, often
several frames. A member is unpacked only to its declared size, and its checksum must match. Names
are looked up and never become paths.
"""

import io
import struct
import zipfile
import zlib
from pathlib import Path

from assay.bounds import MAX_FILE_BYTES, MAX_UNPACKED_BYTES
from assay.errors import SpecError, UnknownForm, storage
from assay.files import read_parts
from assay.tables.compressed import unpack_frames

_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s2B4HL2L2H")
_MOST_MEMBERS = 500_000
_MOST_UNPACKED = 8 * MAX_FILE_BYTES
"""The most bytes of all members read."""
_MAGIC = b"PK\x03\x04"


def is_zip(head: bytes) -> bool:
    """Whether bytes begin as a zip archive does."""
    return head[:4] in (_MAGIC, b"PK\x05\x06")


class ZipMembers:
    """The members of one archive, by name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with storage(path):
            if path.stat().st_size > MAX_FILE_BYTES:
                raise SpecError(f"{path}: larger than {MAX_FILE_BYTES:,} bytes")
            try:
                with zipfile.ZipFile(path) as archive:
                    listed = archive.infolist()
            except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
                raise SpecError(
                    f"{path}: not a complete zip archive: {error}",
                    hint="It may be cut off. Copy or export it again.",
                ) from None
        if len(listed) > _MOST_MEMBERS:
            raise SpecError(f"{path}: more than {_MOST_MEMBERS:,} members")
        self._members = {member.filename: member for member in listed}
        if len(self._members) < len(listed):
            raise SpecError(f"{path}: two members have the same name")
        self._unpacked = 0

    def __contains__(self, name: str) -> bool:
        return name in self._members

    @property
    def names(self) -> list[str]:
        """The names of all members, in the order of the archive."""
        return list(self._members)

    @property
    def unpacked_bytes(self) -> int:
        """The declared size of all members together."""
        return sum(member.file_size for member in self._members.values())

    def read(self, name: str) -> bytes:
        """The bytes of a member."""
        member = self._members[name]
        where = f"{self.path}, member {name!r:.80}"
        if member.file_size > MAX_UNPACKED_BYTES:
            raise SpecError(f"{where}: {member.file_size:,} bytes are too many to read")
        self._unpacked += member.file_size
        if self._unpacked > _MOST_UNPACKED:
            raise SpecError(f"{self.path}: more than {_MOST_UNPACKED:,} bytes unpacked")
        if member.flag_bits & 1:
            raise SpecError(f"{where}: is encrypted")
        packed = self._packed(member, where)
        data = _unpack(packed, member, where)
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise SpecError(f"{where}: does not match its entry in the archive's index")
        return data

    def _packed(self, member: zipfile.ZipInfo, where: str) -> bytes:
        with storage(self.path), self.path.open("rb") as file:
            file.seek(member.header_offset)
            header = file.read(_LOCAL_HEADER.size)
            if len(header) < _LOCAL_HEADER.size or header[:4] != _MAGIC:
                raise SpecError(f"{where}: is not at the place that the archive's index gives")
            *_, name_size, extra_size = _LOCAL_HEADER.unpack(header)
            file.seek(name_size + extra_size, io.SEEK_CUR)
            packed = b"".join(read_parts(file, min(member.compress_size, MAX_FILE_BYTES)))
        if len(packed) != member.compress_size:
            raise SpecError(f"{where}: is cut off")
        return packed


def _unpack(packed: bytes, member: zipfile.ZipInfo, where: str) -> bytes:
    most = member.file_size + 1
    if member.compress_type == zipfile.ZIP_STORED:
        return packed
    if member.compress_type == _ZSTANDARD:
        return unpack_frames(packed, most, where=where)
    if member.compress_type == zipfile.ZIP_DEFLATED:
        try:
            return zlib.decompressobj(-15).decompress(packed, most)
        except zlib.error as error:
            raise SpecError(f"{where}: cannot be unpacked: {error}") from None
    raise UnknownForm(
        f"{where}: compression method {member.compress_type}, expected deflate or zstandard"
    )
