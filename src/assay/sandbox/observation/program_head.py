"""Find what the kernel runs for a program: a script's interpreter, an ELF file's loader.

The kernel opens both itself, without a reported call. As in `fs/binfmt_script.c` and
`fs/binfmt_elf.c`, a name ends at a space, a tab, a NUL or the line's end, within 256 bytes.
"""

import os
import re
import struct

_HEAD, _MOST_SEGMENTS, _LONGEST = 256, 1 << 16, 4096
_SCRIPT = re.compile(rb"#![ \t]*([^ \t\0\n]+)")
_ELF = b"\x7fELF"
_LOADER = 3


def interpreter(handle: int) -> str:
    """The interpreter or loader named in the head of an open file; '' if none is."""
    head = os.pread(handle, _HEAD, 0)
    script = _SCRIPT.match(head)
    if script is not None:
        return os.fsdecode(script[1])
    return _loader(handle, head) if head.startswith(_ELF) and len(head) >= 64 else ""


def _loader(handle: int, head: bytes) -> str:
    """The first PT_INTERP of an ELF file of either width."""
    if head[4] == 2:
        (at,), (count,) = struct.unpack_from("=Q", head, 32), struct.unpack_from("=H", head, 56)
        segment = struct.Struct("=I4xQ16xQ16x")
    else:
        (at,), (count,) = struct.unpack_from("=I", head, 28), struct.unpack_from("=H", head, 44)
        segment = struct.Struct("=II8xI12x")
    table = os.pread(handle, min(count * segment.size, _MOST_SEGMENTS), at)
    for kind, start, size in segment.iter_unpack(
        table[: len(table) // segment.size * segment.size]
    ):
        if kind == _LOADER:
            return os.fsdecode(os.pread(handle, min(size, _LONGEST), start).partition(b"\0")[0])
    return ""
