import pytest

from assay.caveats import Caveat, Caveats
from assay.comparison.judge.caveats import Notes
from assay.errors import SpecError

CODES = {"grave": "This is grave.", "slight": "This is slight."}


def noted():
    caveats = Caveats(CODES)
    caveats.add("slight", "First.")
    caveats.add("grave")
    caveats.add("slight", "Second.")
    return caveats


def test_caveats_come_by_weight_with_every_detail_under_its_code():
    assert noted().by_weight() == (
        Caveat(code="grave", message="This is grave."),
        Caveat(code="slight", message="This is slight. First. Second."),
    )


def test_caveats_come_as_noted_one_for_each_time():
    found = noted().in_order_noted()
    assert [caveat.code for caveat in found] == ["slight", "grave", "slight"]
    assert found[2].message == "This is slight. Second."


def test_a_code_that_no_table_has_is_refused():
    caveats = noted()
    with pytest.raises(SpecError, match="no caveat 'grvae'"):
        caveats.add("grvae")
    assert "grvae" not in caveats
    assert "grave" in caveats
    with pytest.raises(SpecError, match="no caveat 'grave'"):
        Notes().add("grave")


def test_a_caveat_that_blocks_once_goes_on_blocking():
    notes = Notes()
    notes.add("missing", "a.", blocking=True)
    notes.add("missing", "b.")
    notes.add("crashed")
    blocking = {caveat.code: caveat.blocking for caveat in notes.by_weight()}
    assert blocking == {"missing": True, "crashed": False}
