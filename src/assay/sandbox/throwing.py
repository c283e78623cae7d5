"""Taking away what a run has left, whatever it made of it: a folder, a file, a link."""

import os
import shutil
import stat
from pathlib import Path


def throw_away(path: Path) -> None:
    """Take away what goes by a name, if anything does; folders that were locked are opened."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        path.unlink()
        return
    try:
        shutil.rmtree(path)
    except PermissionError:
        _open_all(path)
        shutil.rmtree(path)


def _open_all(path: Path) -> None:
    """Allow oneself to look into every folder, and to take away what is in it."""
    path.chmod(0o700)
    for place, folders, _ in os.walk(path):
        for name in folders:
            inner = Path(place, name)
            if not inner.is_symlink():
                inner.chmod(0o700)
