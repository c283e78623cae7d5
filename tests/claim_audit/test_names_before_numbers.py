"""A name that ends in a digit may stand before a number; what could be one number is refused."""

import json

import pytest

from assay.api.claims import claims

HELD = {"share": 0.91, "count": 812, "large": 12345, "seconds": 2.3}


def audited(root, text, key):
    (root / "r.json").write_text(json.dumps(HELD))
    comment = f'<!-- claim: json_path_equals path="r.json" key_path="{key}" -->'
    (root / "t.md").write_text(f"{text} {comment}.\n")
    (one,) = claims(root / "t.md", root=root).claims
    return one


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Latency p95 2.3 s", "seconds"),
        ("The p99.9 0.91", "share"),
        ("On D1 0.91", "share"),
        ("With GPT-4 0.91", "share"),
        ("At top-5 0.91", "share"),
        ("recall@10 0.91", "share"),
        ("Latency p95 812 ms", "count"),
        ("With GPT-4 812", "count"),
        ("Latency p95 12,345 ms", "large"),
    ],
)
def test_a_number_behind_a_name_is_whole(tmp_path, text, key):
    assert audited(tmp_path, text, key).stands


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("EUR12 345", "count"),
        ("US$12 345", "count"),
        ("D1 812", "count"),
        ("3 0.91", "share"),
        ("x5 0.91", "share"),
        ("log10 0.91", "share"),
        ("1e5 0.91", "share"),
        ("p95 9/812", "count"),
    ],
)
def test_what_may_be_a_part_of_another_number_is_refused(tmp_path, text, key):
    assert audited(tmp_path, text, key).verdict == "unverifiable"


def test_thousands_parted_by_a_space_are_one_number_behind_a_name_of_letters(tmp_path):
    assert audited(tmp_path, "USD 12 345", "large").stands
