"""A trial: one run of a system on an instance, already scored by someone else."""

import math
from collections.abc import Mapping
from pathlib import Path

import msgspec

from assay.errors import SpecError, storage


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of a system was worth, dimension by dimension; never scored again by us.

    `trial` tells repeated runs of an instance apart, and pairs the sides where both know it.
    `harness` is what the run was made with (model, profile, parameters), `scorer` the fingerprint
    of what scored it, `run` an id of the run that no other has, `artifact` the digest of what was
    being tried out, where the run had it. A value that is None is missing. A crashed run has no
    values.
    """

    instance: str
    trial: str | None = None
    dimensions: Mapping[str, float | None]
    harness: Mapping[str, str] = {}
    scorer: str | None = None
    run: str | None = None
    artifact: str | None = None
    crashed: bool = False

    def __post_init__(self) -> None:
        for name in ("instance", "trial"):
            value = getattr(self, name)
            if isinstance(value, int) and not isinstance(value, bool):
                msgspec.structs.force_setattr(self, name, str(value))
            elif not isinstance(value, str) and not (name == "trial" and value is None):
                raise SpecError(f"{name} {value!r:.60}: expected a text")
        where = f"instance {self.instance!r:.80}" + (
            "" if self.trial is None else f", trial {self.trial!r:.40}"
        )
        values = {
            str(name): _number(value, f"{where}: {name}") for name, value in self.dimensions.items()
        }
        msgspec.structs.force_setattr(self, "dimensions", values)
        harness = {str(name): str(value) for name, value in self.harness.items()}
        msgspec.structs.force_setattr(self, "harness", harness)


def _number(value: object, where: str) -> float | None:
    if value is None:
        return None
    if not isinstance(value, (bool, int, float)) and not hasattr(value, "__float__"):
        raise SpecError(f"{where}: expected a number, got {value!r:.60}")
    try:
        number = float(value)
    except OverflowError:
        raise SpecError(f"{where}: too large to hold") from None
    if math.isnan(number):
        return None
    if math.isinf(number):
        raise SpecError(f"{where}: {number} is no score", hint="Leave it out where it is missing.")
    return number


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a file that a stranger wrote, if it is a regular one and not too large."""
    with storage(path):
        if not path.is_file():
            raise SpecError(f"{path}: no regular file")
        with path.open("rb") as file:
            data = file.read(most + 1)
    if len(data) > most:
        raise SpecError(f"{path}: more than {most:,} bytes")
    return data
