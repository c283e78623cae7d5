"""A proof that is not exactly the proof is refused."""

import itertools
from collections.abc import Callable, Iterator, Sequence

import pytest
from helpers.merkle_oracle import path_shape, proof_shape
from helpers.scale import scale
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.ledger.tree as tree
from assay.ledger.tree import (
    EMPTY_ROOT,
    Tree,
    leaf_hash,
    leaf_hashes,
    verify_consistency,
    verify_inclusion,
)

GREATEST = scale(20, 70)
LEAVES = leaf_hashes(b"%d" % number for number in range(400))
TREE = Tree(LEAVES)
ROOTS = [TREE.root(size) for size in range(len(LEAVES) + 1)]


def flipped(value: bytes, bit: int) -> bytes:
    changed = bytearray(value)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def damaged(proof: Sequence[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """Everything near a proof: a hash changed, dropped, added, doubled, swapped, or cut anew."""
    steps = list(proof)
    for place, step in enumerate(steps):
        yield f"{place} changed", [*steps[:place], flipped(step, 7), *steps[place + 1 :]]
        yield f"{place} dropped", [*steps[:place], *steps[place + 1 :]]
        yield f"{place} cut short", [*steps[:place], step[:-1], *steps[place + 1 :]]
        yield f"{place} longer", [*steps[:place], step + b"\x00", *steps[place + 1 :]]
    for place in range(len(steps) + 1):
        for name, added in (("nothing", b""), ("zeros", bytes(32)), ("a leaf", leaf_hash(b"x"))):
            yield f"{name} added at {place}", [*steps[:place], added, *steps[place:]]
        if steps:
            yield f"one doubled at {place}", [*steps[:place], steps[place - 1], *steps[place:]]
    for one, other in itertools.combinations(range(len(steps)), 2):
        swapped = list(steps)
        swapped[one], swapped[other] = steps[other], steps[one]
        yield f"{one} and {other} swapped", swapped
    for place, (one, other) in enumerate(itertools.pairwise(steps)):
        for whole in (one + other, other + one):
            for at in (31, 33):
                yield (
                    f"{place} cut at {at}",
                    [*steps[:place], whole[:at], whole[at:], *steps[place + 2 :]],
                )


def passing(proof: Sequence[bytes], verify: Callable[[Sequence[bytes]], bool]) -> list[str]:
    """The names of the damaged proofs that pass."""
    assert verify(proof)
    return [name for name, steps in damaged(proof) if verify(steps)]


def included(index: int, size: int) -> Callable[[Sequence[bytes]], bool]:
    return lambda steps: verify_inclusion(LEAVES[index], index, size, steps, ROOTS[size])


def continued(first: int, size: int) -> Callable[[Sequence[bytes]], bool]:
    return lambda steps: verify_consistency(first, size, ROOTS[first], ROOTS[size], steps)


def test_no_damaged_inclusion_proof_passes():
    for size in range(1, GREATEST + 1):
        for index in range(size):
            assert passing(TREE.inclusion(index, size), included(index, size)) == [], (index, size)


def test_no_damaged_consistency_proof_passes():
    for size in range(1, GREATEST + 1):
        for first in range(1, size + 1):
            proof = TREE.consistency(first, size)
            assert passing(proof, continued(first, size)) == [], (first, size)


def test_a_verifier_that_passes_over_what_does_not_fit_is_caught():
    def lenient(steps: Sequence[bytes]) -> bool:
        return any(
            included(5, 13)(part)
            for count in range(len(steps) + 1)
            for part in itertools.combinations(steps, count)
        )

    passed = passing(TREE.inclusion(5, 13), lenient)
    assert {name.split(" at ")[0] for name in passed} == {
        "nothing added",
        "zeros added",
        "a leaf added",
        "one doubled",
    }


def cut_anew() -> bool:
    """Whether a leaf's hash that takes a byte from its neighbour passes: together they are same."""
    leaf, (step, *more) = LEAVES[0], TREE.inclusion(0, 7)
    return verify_inclusion(leaf + step[:1], 0, 7, [step[1:], *more], ROOTS[7])


def test_what_is_not_as_long_as_a_hash_does_not_pass(monkeypatch):
    assert not cut_anew()
    monkeypatch.setattr(tree, "_are_hashes", lambda *values: True)
    assert cut_anew()


def test_another_leaf_or_root_does_not_pass():
    for size in range(1, GREATEST + 1):
        for index in range(size):
            proof, leaf, root = TREE.inclusion(index, size), LEAVES[index], ROOTS[size]
            for bit in (0, 100, 255):
                assert not verify_inclusion(flipped(leaf, bit), index, size, proof, root)
                assert not verify_inclusion(leaf, index, size, proof, flipped(root, bit))
            assert not verify_inclusion(leaf[:-1], index, size, proof, root)
            for other in set(range(size)) - {index}:
                assert not verify_inclusion(LEAVES[other], index, size, proof, root)
                assert not verify_inclusion(leaf, other, size, proof, root)


def test_a_proof_does_not_pass_for_the_tree_of_another_size():
    for size in range(1, GREATEST + 1):
        for index in range(size):
            proof = TREE.inclusion(index, size)
            for other in set(range(GREATEST + 1)) - {size}:
                assert not verify_inclusion(LEAVES[index], index, other, proof, ROOTS[other])


def test_a_leaf_said_to_be_elsewhere_passes_where_the_way_to_the_root_is_the_same():
    # So it is in the RFC: a size alone binds nothing. It must come with its root, in a checkpoint.
    greatest = min(GREATEST, 40)
    ways = {(m, n): path_shape(m, n) for n in range(1, greatest + 1) for m in range(n)}
    for (index, size), way in ways.items():
        proof = TREE.inclusion(index, size)
        for other, its_way in ways.items():
            passed = verify_inclusion(LEAVES[index], *other, proof, ROOTS[size])
            assert passed == (its_way == way), (index, size, other)
    assert ways[0, 5] == ways[0, 8] != ways[0, 4]
    assert ways[4, 5] != ways[4, 8]


def test_a_consistency_proof_does_not_pass_for_other_sizes_or_roots():
    for size in range(1, GREATEST + 1):
        for first in range(1, size + 1):
            proof, old, new = TREE.consistency(first, size), ROOTS[first], ROOTS[size]
            for bit in (0, 255):
                assert not verify_consistency(first, size, flipped(old, bit), new, proof)
                assert not verify_consistency(first, size, old, flipped(new, bit), proof)
            for other in set(range(1, GREATEST + 1)) - {first, size}:
                assert not verify_consistency(other, size, ROOTS[other], new, proof)
                assert not verify_consistency(first, other, old, ROOTS[other], proof)
            if first != size:
                assert not verify_consistency(size, first, new, old, proof)
                assert not verify_consistency(first, size, new, old, proof)


def test_roots_said_to_be_of_other_sizes_pass_where_the_way_between_them_is_the_same():
    for size in range(1, GREATEST + 1):
        for first in range(1, size + 1):
            proof, old, new = TREE.consistency(first, size), ROOTS[first], ROOTS[size]
            others = [(first, other) for other in range(first, GREATEST + 1)]
            others += [(other, size) for other in range(1, size + 1)]
            for other in others:
                same = proof_shape(*other) == proof_shape(first, size)
                assert verify_consistency(*other, old, new, proof) == same, (first, size, other)


@pytest.mark.parametrize(("index", "size"), [(-1, 5), (5, 5), (6, 5), (0, 0), (0, -1), (-6, -5)])
def test_no_leaf_is_where_no_tree_is(index, size):
    assert not verify_inclusion(LEAVES[0], index, size, [], LEAVES[0])
    assert not verify_inclusion(LEAVES[0], index, size, TREE.inclusion(0, 5), ROOTS[5])


@pytest.mark.parametrize(("first", "size"), [(-1, 5), (6, 5), (-2, -1)])
def test_no_tree_becomes_a_smaller_one(first, size):
    assert not verify_consistency(first, size, ROOTS[5], ROOTS[5], [])
    assert not verify_consistency(first, size, EMPTY_ROOT, ROOTS[5], TREE.consistency(3, 5))


def test_an_inner_node_is_not_passed_off_as_a_leaf():
    # The proof of its left child, without the first step, is a proof of the node itself.
    node = TREE.root(2)
    proof = TREE.inclusion(0, 8)[1:]
    assert verify_inclusion(node, 0, 4, proof, ROOTS[8])  # as a hash, it stands in such a tree
    assert leaf_hash(LEAVES[0] + LEAVES[1]) != node  # but no data has that hash as a leaf


sizes = st.integers(1, len(LEAVES))


@settings(max_examples=scale(300, 20_000), deadline=None)
@given(sizes, st.data())
def test_any_one_bit_of_an_inclusion_proof_matters(size, data):
    index = data.draw(st.integers(0, size - 1))
    proof = TREE.inclusion(index, size)
    assert verify_inclusion(LEAVES[index], index, size, proof, ROOTS[size])
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        proof[place] = flipped(proof[place], data.draw(st.integers(0, 255)))
        assert not verify_inclusion(LEAVES[index], index, size, proof, ROOTS[size])


@settings(max_examples=scale(300, 20_000), deadline=None)
@given(sizes, st.data())
def test_any_one_bit_of_a_consistency_proof_matters(size, data):
    first = data.draw(st.integers(1, size))
    proof = TREE.consistency(first, size)
    assert verify_consistency(first, size, ROOTS[first], ROOTS[size], proof)
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        proof[place] = flipped(proof[place], data.draw(st.integers(0, 255)))
        assert not verify_consistency(first, size, ROOTS[first], ROOTS[size], proof)


hashes = st.lists(st.binary(min_size=32, max_size=32) | st.sampled_from(LEAVES[:8]), max_size=8)


@settings(max_examples=scale(300, 20_000), deadline=None)
@given(st.integers(-2, 12), st.integers(-2, 12), hashes)
def test_hashes_picked_by_chance_prove_nothing(one, size, proof):
    true = 0 <= one < size and proof == TREE.inclusion(one, size)
    leaf, root = LEAVES[max(one, 0)], ROOTS[max(size, 0)]
    assert verify_inclusion(leaf, one, size, proof, root) == true
    true = 0 <= one <= size and proof == TREE.consistency(one, size)
    assert verify_consistency(one, size, ROOTS[max(one, 0)], root, proof) == true


@settings(max_examples=scale(100, 5_000), deadline=None)
@given(st.lists(st.binary(max_size=8), min_size=1, max_size=40), st.data())
def test_a_changed_leaf_changes_the_root_and_the_proofs_of_its_neighbours(leaves, data):
    place = data.draw(st.integers(0, len(leaves) - 1))
    changed = [*leaves[:place], leaves[place] + b"!", *leaves[place + 1 :]]
    before, after = Tree(leaf_hashes(leaves)), Tree(leaf_hashes(changed))
    assert before.root() != after.root()
    for index in set(range(len(leaves))) - {place}:
        leaf, proof = leaf_hash(leaves[index]), before.inclusion(index)
        assert verify_inclusion(leaf, index, len(leaves), proof, before.root())
        assert not verify_inclusion(leaf, index, len(leaves), proof, after.root())
