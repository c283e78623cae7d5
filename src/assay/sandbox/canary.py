"""A program that writes outside its folder on purpose, to see that the warden reports it."""

from pathlib import Path

from assay.errors import storage
from assay.sandbox.job import Job, View
from assay.sandbox.warden_client import WardenClient

_PROGRAM = """
import os, sys
try:
    handle = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
    os.write(handle, b"out")
except OSError:
    pass
"""
_SECONDS = 60.0


def send_canary(warden: WardenClient, scratch: Path) -> tuple[bool, str]:
    """Whether a write outside was seen and, where views are private, held back; and as text."""
    root, outside = scratch / "canary", scratch / "outside"
    with storage(scratch):
        root.mkdir()
        outside.mkdir()
    target = outside / "file"
    job = Job(
        command=["python", "-I", "-S", "-c", _PROGRAM, str(target)],
        folder=root,
        environment={},
        output=root / "log.txt",
        seconds=_SECONDS,
        view=View(writable=(root,)),
    )
    seen = str(target) in warden.run(job).written
    held = not target.exists()
    if not seen:
        return False, "a program that wrote outside its folder was not seen"
    if warden.private and not held:
        return False, "a program that wrote outside its folder was seen, and not held back"
    return True, f"a program that wrote outside its folder was seen{' and held back' * held}"
