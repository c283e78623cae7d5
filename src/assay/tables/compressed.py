"""Compressed files: gzip, bzip2, xz and zstandard, recognised by their first bytes.

A file may hold several frames in sequence. The unpacked size is limited, whatever the file
declares.
"""

import sys
from collections.abc import Callable
from typing import Any

from assay.bounds import MAX_UNPACKED_BYTES
from assay.errors import SpecError

_PART = 1 << 20
_PIECE = 1 << 16
_MOST_FRAMES = 100_000


def _gzip() -> Any:  # noqa: ANN401 - four modules' decompressors, alike in what is called
    import zlib

    return _Deflated(zlib.decompressobj(31))


def _bzip2() -> Any:  # noqa: ANN401 - as above
    import bz2

    return bz2.BZ2Decompressor()


def _xz() -> Any:  # noqa: ANN401 - as above
    import lzma

    return lzma.LZMADecompressor(memlimit=MAX_UNPACKED_BYTES)


def _zstandard() -> Any:  # noqa: ANN401 - as above
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.ZstdDecompressor()


_KINDS: dict[bytes, tuple[str, Callable[[], Any]]] = {
    b"\x1f\x8b": ("gzip", _gzip),
    b"BZh": ("bzip2", _bzip2),
    b"\xfd7zXZ\x00": ("xz", _xz),
    b"\x28\xb5\x2f\xfd": ("zstandard", _zstandard),
}


class _Deflated:
    """The decompressor of gzip with the interface that the others have."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401 - zlib does not name its type
        self._inner = inner

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """At most `max_length` bytes of the unpacked data."""
        unpacked: bytes = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        return unpacked

    @property
    def eof(self) -> bool:
        """Whether a frame has ended."""
        return bool(self._inner.eof)

    @property
    def needs_input(self) -> bool:
        """Whether all input was unpacked."""
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        """The bytes after the frame."""
        return bytes(self._inner.unused_data)


def compression_of(data: bytes) -> str | None:
    """The name of a file's compression, from its first bytes; None if it has none."""
    return next((name for magic, (name, _) in _KINDS.items() if data.startswith(magic)), None)


def unpacked(data: bytes, *, where: str, most: int = MAX_UNPACKED_BYTES) -> bytes:
    """The unpacked bytes of a compressed file; any other file's bytes unchanged."""
    kind = compression_of(data)
    if kind is None:
        return data
    found = unpack_frames(data, most + 1, where=where)
    if len(found) > most:
        raise SpecError(f"{where}: more than {most:,} bytes unpacked", hint="Take a part of it.")
    return found


def unpack_frames(data: bytes, most: int, *, where: str) -> bytes:
    """At most `most` bytes of the unpacked frames of a file."""
    parts: list[bytes] = []
    left, at, frames = most, 0, 0
    try:
        while at < len(data) and left:
            kind = compression_of(data[at : at + 8])
            if kind is None:
                if parts and not data[at:].strip(b"\0"):
                    break  # padding after the last frame
                raise SpecError(f"{where}: other data follow the compressed data")
            frames += 1
            if frames > _MOST_FRAMES:
                raise SpecError(f"{where}: more than {_MOST_FRAMES:,} frames of {kind}")
            packer = next(make for name, make in _KINDS.values() if name == kind)()
            while left and not packer.eof:
                # In pieces: the rest after each frame is copied, and there may be many frames.
                fed = data[at : at + _PIECE] if packer.needs_input else b""
                at += len(fed)
                part = packer.decompress(fed, min(left, _PART))
                parts.append(part)
                left -= len(part)
                if not part and not fed and not packer.eof:
                    raise SpecError(f"{where}: the {kind} data are cut off")
            at -= len(packer.unused_data) if packer.eof else 0
    except SpecError:
        raise
    except ImportError:
        raise SpecError(
            f"{where}: unpacking zstandard needs backports.zstd, which is not installed",
            hint="pip install backports.zstd",
        ) from None
    except Exception as error:  # each of the four has errors of its own
        raise SpecError(f"{where}: cannot be unpacked: {error!s:.200}") from None
    return b"".join(parts)


def pack(data: bytes, kind: str) -> bytes:
    """Bytes packed like a given file; the same bytes give the same file."""
    match kind:
        case "gzip":
            import gzip

            return gzip.compress(data, mtime=0)
        case "bzip2":
            import bz2

            return bz2.compress(data)
        case "xz":
            import lzma

            return lzma.compress(data)
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return bytes(zstd.compress(data))
