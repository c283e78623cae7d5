"""Entries in a row, each carrying the digest of the line before."""

import hashlib
from collections.abc import Sequence

from assay.errors import BrokenChain
from assay.ledger.entry import NOTHING, Entry, decode_lines
from assay.ledger.tree import Tree, leaf_hashes

MAX_ENTRIES = 10_000_000
_AT_ONCE = 1000  # few enough that what is read and thrown away stays in the processor's cache


class Chain:
    """The good lines of a ledger, in order, and what was left of a line that never ended.

    A line counts once its newline is there, and an append is acknowledged only after that is on the
    disk. So bytes behind the last newline are a write that was cut off: `torn`, and no entry.
    """

    def __init__(self, *, where: str = "the ledger") -> None:
        self.where = where
        self.lines: list[bytes] = []
        self.last = NOTHING
        self.size = 0
        self.torn = 0
        self._entries: list[Entry] = []

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries, read when they are first asked for."""
        new = self.lines[len(self._entries) :]
        if new:
            data = b"\n".join(new) + b"\n"
            self._entries += decode_lines(data, where=self.where, first=len(self._entries))
        return self._entries

    def extend(self, data: bytes) -> None:
        """Read on from where the good lines end; each line is checked, and each link."""
        whole = data.rfind(b"\n") + 1
        lines = data[:whole].split(b"\n")[:-1]
        first = len(self.lines)
        if first + len(lines) > MAX_ENTRIES:
            raise BrokenChain(f"{self.where}: more than {MAX_ENTRIES:,} entries")
        last = self.last
        for start in range(0, len(lines), _AT_ONCE):
            last = self._check(lines[start : start + _AT_ONCE], first + start, last)
        self.lines += lines
        self.last = last
        self.size += whole
        self.torn = len(data) - whole

    def push(self, line: bytes) -> None:
        """One line more, which was made to follow."""
        self.lines.append(line)
        self.last = "sha256:" + hashlib.sha256(line).hexdigest()
        self.size += len(line) + 1
        self.torn = 0

    def _check(self, lines: list[bytes], first: int, last: str) -> str:
        """Check some lines in a row, and give the digest of the last."""
        sha256 = hashlib.sha256
        entries = decode_lines(b"\n".join(lines) + b"\n", where=self.where, first=first)
        digests = [last] + ["sha256:" + sha256(line).hexdigest() for line in lines]
        if [entry.previous for entry in entries] != digests[:-1] or (
            [entry.n for entry in entries] != list(range(first, first + len(lines)))
        ):
            raise self._broken(entries, digests, first)
        return digests[-1]

    def tree(self) -> Tree:
        """The Merkle tree over the lines."""
        return Tree(leaf_hashes(self.lines))

    def _broken(self, entries: Sequence[Entry], digests: Sequence[str], first: int) -> BrokenChain:
        """What is wrong with the first entry that does not follow from the line before."""
        for number, (entry, before) in enumerate(zip(entries, digests, strict=False), first):
            here = f"{self.where}, line {number + 1}"
            if entry.n != number:
                return BrokenChain(f"{here}: entry {entry.n} stands where entry {number} should")
            if entry.previous != before:
                found = "nothing stands before it" if number == 0 else f"line {number} has {before}"
                said = f"it follows a line with digest {entry.previous:.80}"
                return BrokenChain(f"{here}: {said}, and {found}")
        return BrokenChain(f"{self.where}: its entries do not follow from each other")


def read_chain(data: bytes, *, where: str) -> Chain:
    """All of a ledger, every link checked."""
    chain = Chain(where=where)
    chain.extend(data)
    return chain
