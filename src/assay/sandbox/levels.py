"""How far untrusted code is confined.

- `trusted`: this process. For one's own exploration; recorded as such.
- `L1`: a subprocess with limits and a clean environment. It keeps labels out of the method's
  address space and survives its crashes. It is *not* isolation: see docs/explanation/trust.md.
- `elsewhere`: not run by us. A harness ran it, and what it could read is not known.

A job names its level; `confine` and the launcher hold it to that level, and nothing else does.
"""

from enum import StrEnum


class Level(StrEnum):
    """How far a method is kept from what it must not see."""

    TRUSTED = "trusted"
    L1 = "L1"
    ELSEWHERE = "elsewhere"
