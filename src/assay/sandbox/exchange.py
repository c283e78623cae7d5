"""Two names that change places in one step, where the system can do that (Linux's renameat2)."""

import ctypes
import errno
import os
from pathlib import Path

_EXCHANGE = 2
_HERE = -100


def exchange(one: Path, other: Path) -> bool:
    """Swap what two names stand for; False where this system or its disk cannot."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renameat2"):
        return False
    if library.renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS):
        return False
    raise OSError(code, os.strerror(code), str(other))
