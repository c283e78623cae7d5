"""A chain of entries, each with the digest of the line before."""

import hashlib
from collections.abc import Sequence

from assay.errors import BrokenChain
from assay.journal import end_of_lines
from assay.ledger.entry import NOTHING, Entry, Link, decode_lines, decode_links
from assay.ledger.tree import Tree, leaf_hashes

MAX_ENTRIES = 10_000_000
_AT_ONCE = 1 << 18  # bytes


class Chain:
    """The complete lines of a ledger, in order, and the bytes of an interrupted write.

    A line counts once its newline is written, and an append returns only after that is on the disk.
    So bytes after the last newline are an interrupted write: `torn`, not an entry.

    `extend` checks every link: that each line carries its number and the digest of the line before.
    The rest of a line is parsed, strictly, when `entries` is first used.
    """

    def __init__(self, *, where: str = "the ledger") -> None:
        self.where = where
        self.lines: list[bytes] = []
        self.last = NOTHING
        self.size = 0
        self.torn = 0
        self._leaves: list[bytes] = []
        self._entries: list[Entry] = []

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries, parsed on first use."""
        new = self.lines[len(self._entries) :]
        if new:
            data = b"\n".join(new) + b"\n"
            self._entries += decode_lines(data, where=self.where, first=len(self._entries))
        return self._entries

    def extend(self, data: bytes) -> None:
        """Add lines after the last complete line, checking every link."""
        whole = end_of_lines(data)
        last, lines, leaves = self.last, list[bytes](), list[bytes]()
        start = 0
        while start < whole:
            # In parts that stay in the processor's cache until they have been hashed twice.
            end = data.rfind(b"\n", start, start + _AT_ONCE) + 1 or data.index(b"\n", start) + 1
            part = data[start:end].split(b"\n")[:-1]
            last = self._check(data[start:end], part, len(self.lines) + len(lines), last)
            leaves += leaf_hashes(part)
            lines += part
            start = end
        if len(self._leaves) == len(self.lines):
            self._leaves += leaves
        self.lines += lines
        self.last = last
        self.size += whole
        self.torn = len(data) - whole

    def push(self, line: bytes) -> None:
        """Add one line that Assay made to follow the last."""
        self.lines.append(line)
        self.last = "sha256:" + hashlib.sha256(line).hexdigest()
        self.size += len(line) + 1
        self.torn = 0

    def tree(self) -> Tree:
        """The Merkle tree over the lines."""
        self._leaves += leaf_hashes(self.lines[len(self._leaves) :])
        return Tree(self._leaves)

    def _check(self, data: bytes, lines: list[bytes], first: int, last: str) -> str:
        """Check consecutive lines, and return the digest of the last."""
        if first + len(lines) > MAX_ENTRIES:
            raise BrokenChain(f"{self.where}: more than {MAX_ENTRIES:,} entries")
        sha256 = hashlib.sha256
        links = decode_links(data, where=self.where, first=first)
        digests = [last] + ["sha256:" + sha256(line).hexdigest() for line in lines]
        if [link.previous for link in links] != digests[:-1] or (
            [link.n for link in links] != list(range(first, first + len(lines)))
        ):
            decode_lines(data, where=self.where, first=first)  # the line itself may be invalid
            raise self._broken(links, digests, first)
        return digests[-1]

    def _broken(self, links: Sequence[Link], digests: Sequence[str], first: int) -> BrokenChain:
        """The error for the first entry that does not link to the line before."""
        for number, (link, before) in enumerate(zip(links, digests, strict=False), first):
            here = f"{self.where}, line {number + 1}"
            if link.n != number:
                return BrokenChain(f"{here}: got entry {link.n}, expected entry {number}")
            if link.previous != before:
                actual = "it is the first line" if number == 0 else f"line {number} has {before}"
                claim = f"it names {link.previous:.80} as the digest of the line before"
                return BrokenChain(f"{here}: {claim}, but {actual}")
        return BrokenChain(f"{self.where}: the hash links between its entries do not match")


def read_chain(data: bytes, *, where: str) -> Chain:
    """Parse a whole ledger: every link checked, every entry read."""
    chain = Chain(where=where)
    chain.extend(data)
    _ = chain.entries
    return chain
