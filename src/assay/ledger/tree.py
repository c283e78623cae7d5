"""The Merkle tree of RFC 6962 (section 2.1), with its inclusion and consistency proofs.

With a few dozen hashes, a proof shows without the whole ledger that an entry is in it (inclusion),
or that an older ledger is its beginning (consistency). Verification follows RFC 9162, sections
2.1.3.2 and 2.1.4.2. Leaves and inner nodes are hashed with different first bytes, so that one
cannot pass for the other.
"""

import hashlib
from collections.abc import Iterable, Sequence

from assay.errors import SpecError

EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def leaf_hashes(lines: Iterable[bytes]) -> list[bytes]:
    """The hashes of many leaves."""
    sha256 = hashlib.sha256
    return [sha256(b"\x00" + line).digest() for line in lines]


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A tree over leaf hashes; every complete subtree is hashed once."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        sha256 = hashlib.sha256
        self.size = len(leaves)
        self._levels = [list(leaves)]
        level = self._levels[0]
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)  # an odd node has no parent yet
            level = [sha256(b"\x01" + left + right).digest() for left, right in pairs]
            self._levels.append(level)

    def root(self, size: int | None = None) -> bytes:
        """The root over the first `size` leaves; by default over all."""
        size = self.size if size is None else size
        if not 0 <= size <= self.size:
            raise SpecError(f"no tree of {size} leaves: this tree has {self.size}")
        return self._hash(0, size) if size else EMPTY_ROOT

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """The proof that a leaf is in the tree of the first `size` leaves."""
        size = self.size if size is None else size
        if not 0 <= index < size <= self.size:
            raise SpecError(
                f"no leaf {index} in a tree of {size} leaves (this tree has {self.size})"
            )
        proof: list[bytes] = []
        start = 0
        while size > 1:
            half = _split(size)
            if index < half:
                proof.append(self._hash(start + half, size - half))
                size = half
            else:
                proof.append(self._hash(start, half))
                start, index, size = start + half, index - half, size - half
        return proof[::-1]

    def consistency(self, first: int, size: int | None = None) -> list[bytes]:
        """The proof that the first `first` leaves are the beginning of the first `size` leaves."""
        size = self.size if size is None else size
        if not 0 <= first <= size <= self.size:
            raise SpecError(f"no proof from {first} to {size} leaves (this tree has {self.size})")
        if first in (0, size):
            return []
        proof: list[bytes] = []
        start, whole = 0, True
        while first != size:
            half = _split(size)
            if first <= half:
                proof.append(self._hash(start + half, size - half))
                size = half
            else:
                proof.append(self._hash(start, half))
                start, first, size, whole = start + half, first - half, size - half, False
        if not whole:
            proof.append(self._hash(start, size))
        return proof[::-1]

    def _hash(self, start: int, size: int) -> bytes:
        """The hash over `size` leaves from `start`, which must begin a subtree."""
        level = size.bit_length() - 1
        if size == 1 << level:
            return self._levels[level][start >> level]
        half = _split(size)
        return node_hash(self._hash(start, half), self._hash(start + half, size - half))


def verify_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> bool:
    """Whether a proof shows that a leaf is in the tree with this root."""
    if not 0 <= index < size or not _are_hashes(leaf, *proof):
        return False
    place, last, root_so_far = index, size - 1, leaf
    for step in proof:
        if last == 0:
            return False
        if place & 1 or place == last:
            root_so_far = node_hash(step, root_so_far)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            root_so_far = node_hash(root_so_far, step)
        place, last = place >> 1, last >> 1
    return last == 0 and root_so_far == root


def verify_consistency(
    first: int, size: int, first_root: bytes, root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether a proof shows that the tree of one root is the beginning of the tree of another."""
    if not 0 <= first <= size or not _are_hashes(*proof):
        return False
    if first == size:
        return not proof and first_root == root
    if first == 0:
        return not proof and first_root == EMPTY_ROOT
    steps = [first_root, *proof] if first & (first - 1) == 0 else list(proof)
    if not steps:
        return False
    place, last = first - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, step)
        place, last = place >> 1, last >> 1
    return last == 0 and old == first_root and new == root


def _are_hashes(*values: bytes) -> bool:
    """Whether all have the length of a hash; else their concatenation would be ambiguous."""
    return all(len(value) == len(EMPTY_ROOT) for value in values)


def _split(size: int) -> int:
    """The largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1
