import pytest

from assay.caveats import RANKS, Caveat, Caveats, Rank, caveat_lines, rank_of, split_by_rank
from assay.comparison.judge.caveats import CODES as COMPARISON
from assay.comparison.judge.caveats import Notes
from assay.comparison.result import ComparisonCaveat
from assay.confounding.caveats import BALANCED
from assay.confounding.caveats import CODES as CONFOUNDING
from assay.critic.asymmetry.judge import CODES as ASYMMETRY
from assay.critic.caveats import CODES as CRITIQUE
from assay.critic.faithfulness.judge import CODES as FAITHFULNESS
from assay.dual_condition.judge.caveats import CODES as DUAL
from assay.errors import SpecError
from assay.gauntlet.caveats import CODES as SCORECARD

TABLES = (SCORECARD, CONFOUNDING, BALANCED, COMPARISON, DUAL, CRITIQUE, ASYMMETRY, FAITHFULNESS)

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


def test_every_code_has_a_rank_and_every_rank_is_of_a_code():
    assert set(RANKS) == {code for table in TABLES for code in table}


def of(*codes):
    return [Caveat(code=code, message=f"About {code}.") for code in codes]


def test_what_could_overturn_a_verdict_comes_first_and_three_are_written_out():
    caveats = of("method-printed", "small-n", "unsealed", "reversed", "not-isolated")
    shown, others = split_by_rank(caveats)
    assert [caveat.code for caveat in shown] == ["reversed", "small-n", "unsealed"]
    assert [caveat.code for caveat in others] == ["not-isolated", "method-printed"]
    assert caveat_lines(caveats) == [
        "reversed: About reversed.",
        "small-n: About small-n.",
        "unsealed: About unsealed.",
        "also noted: not-isolated, method-printed (`.caveats` has all)",
    ]


def test_three_caveats_leave_none_to_name():
    assert len(caveat_lines(of("resumed", "small-n", "unsealed"))) == 3
    assert caveat_lines([]) == []


def test_all_that_block_are_written_out_before_any_other():
    blocking = [
        ComparisonCaveat(code=code, message="", blocking=True)
        for code in ("missing", "crashed", "either-way", "unpaired")
    ]
    shown, others = split_by_rank([*of("models-differ"), *blocking])
    assert shown == blocking
    assert [caveat.code for caveat in others] == ["models-differ"]


def test_a_code_of_another_version_is_taken_to_weigh_most():
    assert rank_of("from-tomorrow") is Rank.OVERTURNS
