"""Kinds of files and sockets that a watched process reached, in sealed and in dual runs."""

import os

_CODE = frozenset(
    ".py .pyc .pyi .so .pyd .pth .js .mjs .cjs .ts .rb .pl .jar .class .lua .jl .sh .wasm".split()
)
_QUIET_PLACES = (
    *("/var/run/nscd", "/run/nscd", "/var/lib/sss/pipes", "/run/systemd/userdb"),
    *("/dev/log", "/run/systemd/journal"),
)
"""Sockets of the operating system: the names of users, and logs that only take."""


def has_code_suffix(path: str) -> bool:
    """Whether a file is code by the end of its name."""
    return os.path.splitext(path)[1] in _CODE  # noqa: PTH122 - fast


def is_quiet_peer(peer: str) -> bool:
    """Whether a peer is a socket of the operating system, which tells nothing of use."""
    name = peer.removeprefix("unix:")
    if name == peer or not name.startswith("/"):
        return False
    real = os.path.realpath(name)  # the name may lead out of where it begins
    return any(is_below(real, place) for place in _QUIET_PLACES)


def is_below(path: str, place: str) -> bool:
    """Whether a path is a folder, or lies in it."""
    return path == place or path.startswith(f"{place}/")
