"""How far untrusted code is confined.

- `trusted`: in this process. For exploration of your own code; recorded as such.
- `L1`: a subprocess with limits and a clean environment. It keeps labels out of the method's
  address space and survives its crashes. It is *not* isolation: see docs/explanation/trust.md.
- `elsewhere`: not run by Assay. A harness ran it; what it could read is unknown.

A job names its level; only `confine` and the launcher enforce it.
"""

from enum import StrEnum


class Level(StrEnum):
    """How far a method is isolated from what it must not see."""

    TRUSTED = "trusted"
    L1 = "L1"
    ELSEWHERE = "elsewhere"
