"""Two manifests have one digest only if they are the same."""

from hypothesis import given
from hypothesis import strategies as st

from assay.digests import FileEntry, manifest_digest

ENTRIES = st.lists(
    st.builds(
        FileEntry,
        path=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
        size=st.just(0),
        digest=st.sampled_from(["sha256:0", "sha256:1"]),
    ),
    max_size=4,
)


@given(ENTRIES, ENTRIES)
def test_two_manifests_have_one_digest_only_if_they_are_the_same(one, other):
    same = manifest_digest(tuple(one)) == manifest_digest(tuple(other))
    assert same == (one == other)
