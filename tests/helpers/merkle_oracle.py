"""RFC 6962, section 2.1, as it stands there: the definitions, recursive and slow.

Hashes over ranges of the leaves are remembered, and nothing else is clever.
"""

import hashlib
from collections.abc import Sequence
from functools import cache


def _k(n: int) -> int:
    """The largest power of two smaller than n."""
    k = 1
    while 2 * k < n:
        k *= 2
    return k


class Oracle:
    """MTH, PATH and PROOF over the first n leaves of a list; D[start:end] is a pair."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self.leaves = leaves
        self.mth = cache(self._mth)

    def _mth(self, start: int, end: int) -> bytes:
        n = end - start
        if n == 0:
            return hashlib.sha256().digest()
        if n == 1:
            return hashlib.sha256(b"\x00" + self.leaves[start]).digest()
        k = _k(n)
        inner = self.mth(start, start + k) + self.mth(start + k, end)
        return hashlib.sha256(b"\x01" + inner).digest()

    def path(self, m: int, start: int, end: int) -> list[bytes]:
        n = end - start
        if n == 1:
            return []
        k = _k(n)
        if m < k:
            return [*self.path(m, start, start + k), self.mth(start + k, end)]
        return [*self.path(m - k, start + k, end), self.mth(start, start + k)]

    def proof(self, m: int, n: int) -> list[bytes]:
        return self.subproof(m, 0, n, True)

    def subproof(self, m: int, start: int, end: int, b: bool) -> list[bytes]:
        n = end - start
        if m == n:
            return [] if b else [self.mth(start, end)]
        k = _k(n)
        if m <= k:
            return [*self.subproof(m, start, start + k, b), self.mth(start + k, end)]
        return [*self.subproof(m - k, start + k, end, False), self.mth(start, start + k)]


def path_shape(m: int, n: int) -> str:
    """On which side each step of PATH(m, D[n]) stands."""
    if n == 1:
        return ""
    k = _k(n)
    return path_shape(m, k) + "r" if m < k else path_shape(m - k, n - k) + "l"


def proof_shape(m: int, n: int, *, b: bool = True) -> str:
    """On which side each step of PROOF(m, D[n]) stands; = is the subtree that both trees have."""
    if m == n:
        return "" if b else "="
    k = _k(n)
    if m <= k:
        return proof_shape(m, k, b=b) + "r"
    return proof_shape(m - k, n - k, b=False) + "l"
