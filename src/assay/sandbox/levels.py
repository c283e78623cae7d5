"""How a worker is confined: the levels, and the command that starts a worker at one of them.

- `trusted`: this process. For one's own exploration; recorded as such.
- `L1`: a subprocess with limits and a clean environment. It keeps labels out of the method's
  address space and survives its crashes. It is *not* isolation: see docs/explanation/trust.md.

Stronger levels wrap the same worker in another command, so they are added here and nowhere else.
"""

from enum import StrEnum


class Level(StrEnum):
    """How far a method is kept from what it must not see."""

    TRUSTED = "trusted"
    L1 = "L1"


def confined(level: Level, command: list[str]) -> list[str]:
    """The command that runs `command` at a level."""
    if level is not Level.L1:
        raise ValueError(f"{level} does not start a process")
    return command
