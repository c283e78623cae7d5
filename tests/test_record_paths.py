import pytest

from assay.files import is_record_path, stays_inside

LEADING_OUT = ["", ".", "..", "/etc", "a/../b", "a//b", "a/", "./a", "a\\b", "a\0b"]


@pytest.mark.parametrize("name", LEADING_OUT)
def test_a_path_that_may_lead_out_is_refused_everywhere(name):
    assert not stays_inside(name)
    assert not is_record_path(name)


@pytest.mark.parametrize("name", ["a", "a/b.c", ".hidden", "a b/ü", "..."])
def test_a_plain_path_is_allowed_everywhere(name):
    assert stays_inside(name)
    assert is_record_path(name)


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[1m", "a" * 1001, "a\u00a0b"])
def test_a_record_names_only_what_can_be_printed_and_is_short(name):
    assert stays_inside(name)
    assert not is_record_path(name)
