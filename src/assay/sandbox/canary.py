"""A program that reaches past its folder on purpose, to see that it is seen."""

from pathlib import Path

from assay.errors import storage
from assay.sandbox.warden_client import Job, Keeper

_PROGRAM = """
import os, sys
try:
    handle = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
    os.write(handle, b"out")
except OSError:
    pass
"""
_SECONDS = 60.0


def send_canary(keeper: Keeper, scratch: Path) -> tuple[bool, str]:
    """Whether a write outside was seen and, where views are private, held back; and in words."""
    root, outside = scratch / "canary", scratch / "outside"
    with storage(scratch):
        root.mkdir()
        outside.mkdir()
    target = outside / "file"
    job = Job(
        words=["python", "-I", "-S", "-c", _PROGRAM, str(target)],
        folder=root,
        environment={},
        log=root / "log.txt",
        seconds=_SECONDS,
        writable=(root,),
    )
    seen = str(target) in keeper.run(job).written
    held = not target.exists()
    if not seen:
        return False, "a program that wrote outside its folder was not seen"
    if keeper.private and not held:
        return False, "a program that wrote outside its folder was seen, and not held back"
    return True, f"a program that wrote outside its folder was seen{' and held back' * held}"
