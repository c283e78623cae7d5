"""The recording of a method's calls: how its file reaches the process in which the method runs.

A run has no words for it, so it goes through two variables of the environment. The file has its
whole path there, since a sealed method runs in a folder of its own.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.errors import storage
from assay.folders import file_digest
from assay.models.cassette import Cassette, Mode, mode_of

CASSETTE, CASSETTE_MODE = "ASSAY_CASSETTE", "ASSAY_CASSETTE_MODE"


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A file of recorded calls, and where replies come from."""

    path: Path
    mode: Mode

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables by which a worker finds it."""
        return {CASSETTE: str(self.path), CASSETTE_MODE: self.mode.value}

    def disclosed(self) -> Mapping[str, str]:
        """What a run says of it: its name, the mode, and the digest of what is in it now."""
        said = {"cassette": self.path.name, "cassette_mode": self.mode.value}
        with storage(self.path):
            if self.path.is_file():
                said["cassette_digest"] = file_digest(self.path)[1]
        return said


def recording_of(cassette: str | Path | None, mode: str) -> Recording | None:
    """The recording that these words name; None without a file."""
    chosen = mode_of(mode, recorded=cassette is not None)
    if cassette is None:
        return None
    with storage(cassette):
        return Recording(path=Path(cassette).absolute(), mode=chosen)


def replayed(cassette: str | Path | None) -> Recording | None:
    """A recording from which alone replies come; None without a file."""
    return recording_of(cassette, Mode.AUTO if cassette is None else Mode.REPLAY)


def open_recording() -> Cassette | None:
    """The recording that the environment names, opened; None if it names none."""
    path = os.environ.get(CASSETTE)
    if not path:
        return None
    return Cassette(Path(path), mode_of(os.environ.get(CASSETTE_MODE) or Mode.AUTO, recorded=True))
