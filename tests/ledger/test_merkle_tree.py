"""Roots and proofs are those of RFC 6962: of its text, of another library, of its test vectors."""

from functools import reduce

import pymerkle
import pytest
from helpers.ledgers import joined, ledger_lines
from helpers.merkle_oracle import Oracle
from helpers.scale import scale
from pymerkle.hasher import MerkleHasher

from assay.errors import SpecError
from assay.ledger.chain import read_chain
from assay.ledger.tree import (
    EMPTY_ROOT,
    Tree,
    leaf_hash,
    leaf_hashes,
    node_hash,
    verify_consistency,
    verify_inclusion,
)

GREATEST = 512
WITH_PROOFS = scale(130, GREATEST)
LEAVES = [b"leaf %d" % number + bytes(number % 70) for number in range(GREATEST)]
TREE = Tree(leaf_hashes(LEAVES))
ORACLE = Oracle(LEAVES)


@pytest.fixture(scope="module")
def peer():
    tree = pymerkle.InmemoryTree()
    for leaf in LEAVES:
        tree.append_entry(leaf)
    return tree


def test_every_root_is_that_of_the_definition_and_of_another_library(peer):
    for size in range(GREATEST + 1):
        root = Tree(leaf_hashes(LEAVES[:size])).root()
        assert root == TREE.root(size) == ORACLE.mth(0, size) == peer.get_root(size)


def test_every_inclusion_proof_is_that_of_the_definition_and_passes():
    for size in range(1, WITH_PROOFS + 1):
        root = ORACLE.mth(0, size)
        for index in range(size):
            proof = TREE.inclusion(index, size)
            assert proof == ORACLE.path(index, 0, size)
            assert verify_inclusion(leaf_hash(LEAVES[index]), index, size, proof, root)


def test_every_inclusion_proof_is_that_of_another_library(peer):
    for size in range(1, WITH_PROOFS + 1):
        for index in range(size):
            leaf, *path = peer.prove_inclusion(index + 1, size).path
            assert [leaf, *path] == [leaf_hash(LEAVES[index]), *TREE.inclusion(index, size)]


def test_every_consistency_proof_is_that_of_the_definition_and_passes():
    for size in range(1, WITH_PROOFS + 1):
        root = ORACLE.mth(0, size)
        for first in range(1, size + 1):
            proof = TREE.consistency(first, size)
            assert proof == ORACLE.proof(first, size)
            assert verify_consistency(first, size, ORACLE.mth(0, first), root, proof)


def as_in_the_rfc(proof: pymerkle.ConsistencyProof) -> list[bytes]:
    """The peer's proof with what it takes apart put together.

    Where the old tree ends between two subtrees, the peer goes on down to the leaf right of that
    place; the RFC stops at the subtree. And the RFC leaves out a first hash that is the old root.
    """
    path = list(proof.path)
    if not proof.subset[0]:
        place = proof.subset.index(1)
        path[: place + 1] = [path[place], reduce(MerkleHasher("sha256").hash_pair, path[:place])]
    first = proof.prior_size
    return path[1:] if first == proof.size or first & (first - 1) == 0 else path


def test_every_consistency_proof_is_that_of_another_library(peer):
    for size in range(1, WITH_PROOFS + 1):
        for first in range(1, size + 1):
            proof = peer.prove_consistency(first, size)
            assert as_in_the_rfc(proof) == TREE.consistency(first, size), (first, size)


@pytest.mark.parametrize("size", [0, 1, 2, 7, 64])
def test_every_tree_goes_on_from_the_empty_one(size):
    assert TREE.consistency(0, size) == []
    assert verify_consistency(0, size, EMPTY_ROOT, TREE.root(size), [])
    if size:
        assert not verify_consistency(0, size, TREE.root(1), TREE.root(size), [])
        assert not verify_consistency(0, size, EMPTY_ROOT, TREE.root(size), [EMPTY_ROOT])


def test_a_tree_that_hashes_leaves_as_nodes_is_caught():
    wrong = Tree([node_hash(leaf, b"") for leaf in LEAVES])
    assert [size for size in range(GREATEST + 1) if wrong.root(size) == ORACLE.mth(0, size)] == [0]


def test_a_tree_that_pads_with_the_last_leaf_is_caught():
    def padded(size):
        whole = 1 << (size - 1).bit_length()
        return Tree(leaf_hashes(LEAVES[:size] + LEAVES[size - 1 : size] * (whole - size))).root()

    right = [size for size in range(1, 65) if padded(size) == ORACLE.mth(0, size)]
    assert right == [1, 2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: TREE.root(GREATEST + 1),
        lambda: TREE.root(-1),
        lambda: TREE.inclusion(0, 0),
        lambda: TREE.inclusion(5, 5),
        lambda: TREE.inclusion(-1, 5),
        lambda: TREE.inclusion(0, GREATEST + 1),
        lambda: TREE.consistency(6, 5),
        lambda: TREE.consistency(-1, 5),
        lambda: TREE.consistency(1, GREATEST + 1),
    ],
)
def test_what_no_tree_has_is_refused(ask):
    with pytest.raises(SpecError, match="no "):
        ask()


def test_a_ledgers_tree_is_over_its_lines_without_their_newlines():
    lines = ledger_lines(5)
    assert read_chain(joined(lines), where="x").tree().root() == Oracle(lines).mth(0, 5)


# The vectors of Certificate Transparency (github.com/google/certificate-transparency,
# cpp/merkletree/merkle_tree_test.cc).
CT_LEAVES = [
    bytes.fromhex(leaf)
    for leaf in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
CT_ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
CT_INCLUSION = {  # index from zero, size
    (0, 1): (),
    (0, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (5, 8): (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 3): ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",),
    (1, 5): (
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}
CT_CONSISTENCY = {
    (1, 1): (),
    (1, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (6, 8): (
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 5): (
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}


def test_the_published_roots():
    tree = Tree(leaf_hashes(CT_LEAVES))
    assert tuple(tree.root(size).hex() for size in range(1, 9)) == CT_ROOTS
    assert tree.root(0).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("case", CT_INCLUSION)
def test_the_published_inclusion_proofs(case):
    index, size = case
    tree = Tree(leaf_hashes(CT_LEAVES))
    proof = tree.inclusion(index, size)
    assert tuple(step.hex() for step in proof) == CT_INCLUSION[case]
    root = bytes.fromhex(CT_ROOTS[size - 1])
    assert verify_inclusion(leaf_hash(CT_LEAVES[index]), index, size, proof, root)


@pytest.mark.parametrize("case", CT_CONSISTENCY)
def test_the_published_consistency_proofs(case):
    first, size = case
    proof = Tree(leaf_hashes(CT_LEAVES)).consistency(first, size)
    assert tuple(step.hex() for step in proof) == CT_CONSISTENCY[case]
    old, new = (bytes.fromhex(CT_ROOTS[number - 1]) for number in case)
    assert verify_consistency(first, size, old, new, proof)
