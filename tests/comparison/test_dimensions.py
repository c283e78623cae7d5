from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.comparison.spec import (
    SOURCE_DIMENSIONS,
    Dimension,
    Dimensions,
    assumed,
    is_cost,
    parse_dimensions,
)


def parse(text):
    return parse_dimensions(text.encode(), where="dims.toml")


def test_everything_left_out_has_a_default():
    (one,) = parse("[dimensions.acc]").dimensions
    assert one == Dimension(
        name="acc", gated=False, better="higher", ideal=1.0, range=(0.0, 1.0), margin=0.05,
        weight=1.0, counts=True,
    )  # fmt: skip


def test_everything_can_be_said():
    plan = parse(
        """
        [dimensions.errors]
        gated = true
        better = "lower"
        ideal = 1
        range = [0, 20]
        margin = 2
        weight = 3
        [dimensions.tokens]
        counts = false
        better = "lower"
        [policy]
        missing = "fail"
        crashed = "exclude"
        allow = ["harness"]
        gates = "strict"
        """
    )
    errors, tokens = plan.dimensions
    assert (errors.gated, errors.better, errors.ideal, errors.range) == (True, "lower", 1, (0, 20))
    assert (errors.margin, errors.weight, errors.width) == (2, 3, 20)
    assert not tokens.counts and tokens.range is None
    assert (plan.missing, plan.crashed, plan.allow) == ("fail", "exclude", ("harness",))
    assert plan.strict_gates


def test_the_default_margin_is_a_twentieth_and_the_ideal_the_better_end():
    higher, lower = parse(
        "[dimensions.a]\nrange=[0,100]\n[dimensions.b]\nrange=[0,100]\nbetter='lower'"
    ).dimensions
    assert (higher.margin, higher.ideal) == (5.0, 100.0)
    assert (lower.margin, lower.ideal) == (5.0, 0.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "dimensions"),
        ("x = 1", "`x`"),
        ("[dimensions]", "no dimensions"),
        ("dimensions = [1]", "expected a table, got a list"),
        ("[dimensions.a]\ngate = true", "`gate`"),
        ("[dimensions.a]\ngated = 1", "gated: expected true or false, got a whole number"),
        ("[dimensions.a]\nbetter = 'up'", "better: got 'up', expected higher or lower"),
        ("[dimensions.a]\nideal = '1'", "got text"),
        ("[dimensions.a]\nideal = 2", "ideal = 2 is outside"),
        ("[dimensions.a]\nideal = nan", "ideal = nan is outside"),
        ("[dimensions.a]\nrange = [1, 0]", "a lower and a higher number"),
        ("[dimensions.a]\nrange = [1, 1]", "a lower and a higher number"),
        ("[dimensions.a]\nrange = [0, inf]", "a lower and a higher number"),
        ("[dimensions.a]\nrange = [nan, 1]", "a lower and a higher number"),
        ("[dimensions.a]\nrange = [0]", "length 2"),
        ("[dimensions.a]\nrange = [0, 1" + "0" * 400 + "]", "out of range"),
        ("[dimensions.a]\nrange = [-1e308, 1e308]", "range"),
        ("[dimensions.a]\nmargin = 0", "margin = 0"),
        ("[dimensions.a]\nmargin = 1", "margin = 1"),
        ("[dimensions.a]\nmargin = 2", "margin = 2"),
        ("[dimensions.a]\nmargin = -1", "margin = -1"),
        ("[dimensions.a]\nmargin = nan", "margin = nan"),
        ("[dimensions.a]\nweight = 0", "weight = 0"),
        ("[dimensions.a]\nweight = -1", "weight = -1"),
        ("[dimensions.a]\nweight = nan", "weight = nan"),
        ("[dimensions.a]\nweight = 1e308", "weight = 1e+308"),
        ("[dimensions.a]\ncounts = false", "no dimension counts"),
        ("[dimensions.a]\ncounts = false\ngated = true", "a gated dimension must count"),
        ("[dimensions.a]\n[dimensions.a]", "not TOML"),
        ("[dimensions.a", "not TOML"),
        ("[dimensions.a]\n[policy]\nmissing = 'drop'", "drop"),
        ("[dimensions.a]\n[policy]\ncrashed = 'drop'", "drop"),
        ("[dimensions.a]\n[policy]\nallow = ['scorer']", "got 'scorer', expected"),
        ("[dimensions.a]\n[policy]\ngates = 'loose'", "loose"),
        ("[dimensions.a]\n[policy]\nother = 1", "`other`"),
    ],
)
def test_a_wrong_key_or_value_is_refused_and_named(text, said):
    with pytest.raises(assay.SpecError, match=r"^dims\.toml: ") as error:
        parse(text)
    assert said in error.value.message


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(assay.SpecError, match="not UTF-8"):
        parse_dimensions(b"\xff", where="dims.toml")


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_is_a_plan_or_a_refusal(text):
    with suppress(assay.SpecError):
        assert parse(f"[dimensions.a]\n{text}").dimensions


@pytest.mark.parametrize(
    "wrong",
    [
        {"range": (1.0, 0.0)},
        {"range": None},
        {"better": None},
        {"ideal": 2.0},
        {"margin": 0.0},
        {"margin": 2.0},
        {"weight": 0.0},
        {"weight": float("inf")},
        {"counts": False, "gated": True},
    ],
    ids=str,
)
def test_a_dimension_made_in_python_is_checked_as_well(wrong):
    with pytest.raises(assay.SpecError, match="dimension a: "):
        Dimension(name="a", **wrong)


def test_a_dimension_made_in_python_has_the_better_end_as_its_ideal():
    assert Dimension(name="a").ideal == 1.0
    assert Dimension(name="a", better="lower").ideal == 0.0


def test_a_plan_made_in_python_is_checked_as_well():
    one = Dimension(name="a")
    for wrong in (
        {"dimensions": ()},
        {"dimensions": (one, one)},
        {"dimensions": (one,), "missing": "drop"},
        {"dimensions": (one,), "crashed": "drop"},
        {"dimensions": (one,), "allow": ("scorer",)},
    ):
        with pytest.raises(assay.SpecError):
            Dimensions(**wrong)


def test_the_sources_five_have_ideal_1_and_two_gates():
    assert all(one.ideal == 1.0 for one in SOURCE_DIMENSIONS)
    assert {one.name for one in SOURCE_DIMENSIONS if one.gated} == {"grounded", "citation_coverage"}


@pytest.mark.parametrize(
    "name", ["tokens", "input_tokens", "cost", "cost_usd", "total_seconds", "latency_ms", "Time"]
)
def test_tokens_money_and_time_are_costs(name):
    assert is_cost(name)
    found = assumed(name, [1.0, 500.0])
    assert not found.counts and found.better == "lower"


@pytest.mark.parametrize("name", ["acc", "timely", "stepwise", "costly_errors", "grounded"])
def test_words_that_only_begin_like_a_cost_are_none(name):
    assert not is_cost(name)


def test_a_column_is_a_share_a_cost_or_nothing_that_decides():
    assert assumed("acc", [0.0, 1.0]).counts
    odd = assumed("acc", [0.0, 50.0])
    assert not odd.counts and odd.better is None
    with pytest.raises(assay.SpecError, match="it needs a range"):
        assumed("acc", [0.0, 50.0], gated=True)


@pytest.mark.parametrize("name", ["cost_usd", "errors", "error_rate", "hallucinated", "val_loss"])
def test_what_sounds_as_if_less_were_better_is_not_taken_for_a_score(name):
    assert not assumed(name, [0.0, 1.0]).counts
    with pytest.raises(assay.SpecError, match=r"is better, so its gate needs a (range|direction)"):
        assumed(name, [0.0, 1.0], gated=True)
