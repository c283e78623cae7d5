import math
import signal

import pytest
from helpers.studies import in_child
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import SpecError
from assay.study.predictions.spec import (
    VERDICTS,
    Direction,
    Predictable,
    Range,
    Term,
    parse_prediction,
)

ABOUT = Predictable(
    metrics={"D1": 0.0, "D2": 0.0, "D3": -1.0, "D3.folklore": -1.0, "D3.all": -1.0},
    bars=3,
    submissions=("007", "first-try"),
)
COUNTS = ("0/3", "1/3", "2/3", "3/3")


def parsed(text, about=ABOUT):
    return parse_prediction(text.encode(), about, where="prediction.toml")


def refused(text, about=ABOUT):
    with pytest.raises(SpecError) as caught:
        parsed(text, about)
    assert caught.value.message.startswith("prediction.toml")
    return caught.value


def test_a_whole_prediction_is_read():
    found = parsed(
        """
        level = 0.9
        directions = ["D2 > D1", "D3 <= 0.1", "D1>=007:D1"]
        notes = "why"
        [ranges]
        D1 = [0.7, 0.85]
        "D3.folklore" = { range = [-0.5, 0], level = 0.5 }
        [outcomes]
        pass = 0.1
        fail = 0.9
        """
    )
    assert found.ranges == (
        Range(metric="D1", low=0.7, high=0.85, level=0.9),
        Range(metric="D3.folklore", low=-0.5, high=0.0, level=0.5),
    )
    assert found.outcomes == {"fail": 0.9, "unresolved": 0.0, "pass": 0.1}
    assert [one.text for one in found.directions] == ["D2 > D1", "D3 <= 0.1", "D1 >= 007:D1"]
    assert found.directions[2] == Direction(
        text="D1 >= 007:D1",
        left=Term(metric="D1"),
        sign=">=",
        right=Term(metric="D1", submission="007"),
    )
    assert found.directions[1].right == Term(number=0.1)
    assert (found.no_idea, found.notes) == (False, "why")


@pytest.mark.parametrize(
    "text",
    [
        "[ranges]\nD1 = [0.7, 0.8]",
        "[outcomes]\nunresolved = 1",
        'directions = ["0.5 < D1"]',
    ],
)
def test_one_commitment_of_any_kind_is_enough(text):
    assert not parsed(text).no_idea


def test_a_range_has_the_level_of_its_own_then_of_the_file_then_four_in_five():
    alone = "[ranges]\nD1 = [0.7, 0.8]"
    assert parsed(alone).ranges[0].level == 0.8
    assert parsed("level = 0.6\n" + alone).ranges[0].level == 0.6
    own = "[ranges]\nD1 = { range = [0.7, 0.8], level = 0.5 }\nD2 = { range = [0.1, 0.2] }"
    assert [one.level for one in parsed("level = 0.6\n" + own).ranges] == [0.5, 0.6]


def test_a_range_may_be_a_single_value_and_may_end_at_the_bounds():
    found = parsed("[ranges]\nD1 = [0.7, 0.7]\nD2 = [0, 1]\nD3 = [-1, 1]")
    assert [(one.low, one.high) for one in found.ranges] == [(0.7, 0.7), (0, 1), (-1, 1)]


def test_having_no_idea_is_a_prediction():
    found = parsed("no_idea = true\nnotes = 'new territory'")
    assert found.no_idea
    assert not (found.ranges or found.outcomes or found.directions)
    assert found.notes == "new territory"


@pytest.mark.parametrize(
    "said", ['directions = ["D1 > 0.5"]', "[ranges]\nD1 = [0, 1]", "[outcomes]\npass = 1"]
)
def test_having_no_idea_and_an_idea_exclude_each_other(said):
    error = refused("no_idea = true\n" + said)
    assert "no_idea = true, but the file also holds a prediction" in error.message
    assert error.hint == "Remove one of them."


@pytest.mark.parametrize(
    "text",
    ["", "level = 0.9", "notes = 'hm'", "no_idea = false", "[ranges]\n[outcomes]", "directions=[]"],
)
def test_committing_to_nothing_is_refused_and_says_what_would_do(text):
    error = refused(text)
    assert error.message == "prediction.toml commits to nothing"
    assert "no_idea = true" in error.hint


def test_probabilities_that_do_not_reach_one_say_how_much_is_missing():
    error = refused("[outcomes]\npass = 0.2\nfail = 0.5")
    assert error.message == (
        "prediction.toml, outcomes: the probabilities sum to 0.7, expected 1: 0.3 is missing"
    )


def test_probabilities_beyond_one_say_how_much_is_too_much():
    error = refused('[outcomes]\n"0/3" = 0.75\n"3/3" = 0.5')
    assert error.message == (
        "prediction.toml, outcomes: the probabilities sum to 1.25, expected 1: 0.25 too much"
    )


@pytest.mark.parametrize("off", [2e-6, -2e-6, 0.01, -0.01])
def test_a_sum_that_is_off_by_more_than_rounding_is_refused(off):
    assert "sum to" in refused(f"[outcomes]\npass = 0.5\nfail = {0.5 + off!r}").message


@pytest.mark.parametrize("off", [5e-7, -5e-7, 1e-16])
def test_a_sum_that_is_off_by_rounding_is_brought_to_one(off):
    found = parsed(f"[outcomes]\npass = 0.5\nfail = {0.5 + off!r}")
    assert math.fsum(found.outcomes.values()) == pytest.approx(1, abs=1e-15)


def test_probabilities_of_nothing_sum_to_nothing():
    assert "1 is missing" in refused("[outcomes]\npass = 0\nfail = 0").message


@pytest.mark.parametrize("share", ["-0.1", "1.1", "nan", "inf", "-inf"])
def test_what_is_no_probability_is_refused_under_its_name(share):
    message = refused(f"[outcomes]\npass = 0.5\nfail = {share}").message
    expected = f"prediction.toml, outcomes: fail = {float(share)}, expected a probability from 0"
    assert message.startswith(expected)


def test_two_scales_of_outcomes_do_not_mix():
    message = refused('[outcomes]\npass = 0.5\n"0/3" = 0.5').message
    assert "outcomes: two scales mixed; they are fail, unresolved, pass, or" in message
    assert message.endswith("how many bars are met: '0/3', '1/3', '2/3', '3/3'")


@pytest.mark.parametrize("name", ["passed", "4/3", "0/4", "-1/3", "PASS", "", "\\u001b"])
def test_an_unknown_outcome_is_named_beside_the_known_ones(name):
    message = refused(f'[outcomes]\n"{name}" = 1').message
    assert "outcomes: no outcome " in message
    assert "fail, unresolved, pass" in message
    assert "'0/3', '1/3', '2/3', '3/3'" in message
    assert message.isprintable()


def test_an_unknown_metric_is_named_beside_the_known_ones():
    known = "the metrics are D1, D2, D3, D3.folklore, D3.all"
    for text in ("[ranges]\nD9 = [0, 1]", 'directions = ["D1 > D9"]', 'directions = ["D9 > 0.5"]'):
        message = refused(text).message
        assert "no metric 'D9'" in message
        assert message.endswith(known)


@pytest.mark.parametrize("metric", ["d1", "D3.misconception", "D1.all", "D3.", ""])
def test_metrics_are_named_letter_by_letter(metric):
    assert f"no metric {metric!r}" in refused(f'[ranges]\n"{metric}" = [0, 1]').message


@pytest.mark.parametrize("level", ["0", "1", "2", "-0.5", "nan", "inf", "80"])
def test_a_level_lies_between_nothing_and_certainty(level):
    shown = f"{float(level):g}"
    for text, where in (
        (f"level = {level}\n[ranges]\nD1 = [0, 1]", "prediction.toml: level"),
        (
            f"[ranges]\nD1 = {{ range = [0, 1], level = {level} }}",
            "prediction.toml, ranges: D1: level",
        ),
    ):
        error = refused(text)
        assert error.message == f"{where} = {shown}, expected a number between 0 and 1"
        assert error.hint == "0.8 means that four in five ranges should hold."


def test_a_level_is_checked_where_no_range_uses_it():
    assert "level = 1" in refused('level = 1\ndirections = ["D1 > 0.5"]').message


def test_an_inverted_range_is_refused():
    message = refused("[ranges]\nD1 = [0.8, 0.7]").message
    assert message == "prediction.toml, ranges: D1 = [0.8, 0.7], expected the lower limit first"


@pytest.mark.parametrize("ends", ["[nan, 0.5]", "[0.5, nan]", "[0.5, inf]", "[-inf, inf]"])
def test_an_end_that_is_not_finite_is_refused(ends):
    message = refused(f"[ranges]\nD1 = {ends}").message
    assert message == f"prediction.toml, ranges: D1 = {ends}, expected two finite numbers"


@pytest.mark.parametrize(
    ("metric", "ends", "least"),
    [
        ("D1", "[-0.1, 0.5]", "0"),
        ("D1", "[0.5, 1.1]", "0"),
        ("D1", "[70, 85]", "0"),
        ("D3", "[-1.1, 0.5]", "-1"),
        ('"D3.folklore"', "[0, 2]", "-1"),
    ],
)
def test_a_range_stays_where_its_metric_can_be(metric, ends, least):
    message = refused(f"[ranges]\n{metric} = {ends}").message
    name = metric.strip('"')
    assert message == (
        f"prediction.toml, ranges: {name} = {ends}, but it can only be from {least} to 1"
    )


RANGES_OF_A_WRONG_FORM = {
    "0.5": "Expected `array`, got `float`",
    "[0.5]": "Expected `array` of length 2, got 1",
    "[0.1, 0.2, 0.3]": "Expected `array` of length 2, got 3",
    '["low", "high"]': "Expected `float`, got `str` - at `$[0]`",
    "[true, false]": "Expected `float`, got `bool` - at `$[0]`",
    "[[0.1, 0.2]]": "Expected `array` of length 2, got 1",
    "2030-01-01": "Expected `array`, got `date`",
    "{ level = 0.9 }": "missing required field `range`",
    "{ range = [0.1, 0.2], lvel = 0.9 }": "unknown field `lvel`",
    "{ range = [0.1], level = 0.9 }": "Expected `array` of length 2, got 1 - at `$.range`",
    '{ range = [0.1, 0.2], level = "high" }': "Expected `float`, got `str` - at `$.level`",
}


@pytest.mark.parametrize(("value", "said"), RANGES_OF_A_WRONG_FORM.items())
def test_a_range_of_a_wrong_form_is_shown_the_right_one(value, said):
    error = refused(f"[ranges]\nD1 = {value}")
    assert error.message.startswith("prediction.toml, ranges: D1: ")
    assert said in error.message
    assert error.hint == "Write D1 = [0.70, 0.85], or { range = [0.70, 0.85], level = 0.9 }."


OF_A_WRONG_TYPE = {
    "no_idea = 1": "Expected `bool`, got `int` - at `$.no_idea`",
    "level = '80 %'": "Expected `float`, got `str` - at `$.level`",
    "level = true": "Expected `float`, got `bool` - at `$.level`",
    "notes = 3": "Expected `str`, got `int` - at `$.notes`",
    "directions = 'D1 > D2'": "Expected `array`, got `str` - at `$.directions`",
    "directions = [1]": "Expected `str`, got `int` - at `$.directions[0]`",
    "ranges = [1]": "Expected `object`, got `array` - at `$.ranges`",
    "outcomes = 'pass'": "Expected `object`, got `str` - at `$.outcomes`",
    "[outcomes]\npass = 'likely'": "outcomes: pass: Expected `float`, got `str`",
    "[outcomes]\npass = true": "outcomes: pass: Expected `float`, got `bool`",
    "rnages = {}": "unknown field `rnages`",
    "[ranges]\nD1 = [0, 1]\n[outcome]\npass = 1": "unknown field `outcome`",
}


@pytest.mark.parametrize(("text", "said"), OF_A_WRONG_TYPE.items())
def test_what_is_of_a_wrong_type_is_named_with_what_was_expected(text, said):
    error = refused(text)
    assert said in error.message
    assert "outcomes" in error.hint


@pytest.mark.parametrize(
    "text",
    [
        "level = ",
        "[ranges",
        "level = 0.8\nlevel = 0.9",
        "[ranges]\nD1 = [0, 1]\nD1 = [0, 1]",
        "\x00",
        "\ufeffno_idea = true",
        "{}",
        "level = 1" + "0" * 5000,
    ],
)
def test_what_is_not_toml_is_refused_as_such(text):
    assert refused(text).message.startswith("prediction.toml: not TOML: ")


def test_what_is_not_utf8_names_the_byte():
    with pytest.raises(SpecError, match=r"prediction\.toml: byte 9 \(0xe9\) is not UTF-8"):
        parse_prediction(b"notes = '\xe9'", ABOUT, where="prediction.toml")


@pytest.mark.parametrize(
    "text",
    [
        "[ranges]\nD1 = " + "[" * 5000 + "]" * 5000,
        "[outcomes]\npass = " + "{a = " * 5000 + "1" + "}" * 5000,
        "[ranges.D1" + ".a" * 5000 + "]",
        "level = 1" + "0" * 400,
        "[ranges]\nD1 = [1" + "0" * 400 + ", 1]",
    ],
)
def test_nothing_too_deep_or_too_large_gets_through(text):
    assert len(refused(text).message) < 300


NO_COMPARISON = ["", "D1", "D1 >", "> D1", "D1 = 0.5", "D1 != D2", "D1 < = 0.5", "0.1 < D1 < 0.9"]


@pytest.mark.parametrize("text", NO_COMPARISON)
def test_what_is_no_comparison_is_shown_how_one_looks(text):
    error = refused(f'directions = ["{text}"]')
    assert error.message == f"prediction.toml, directions: {text!r} is not a comparison"
    assert '"D1 > 007:D1"' in error.hint


def test_a_chain_without_spaces_is_not_taken_for_a_comparison():
    assert "no metric '0.1<D1'" in refused('directions = ["0.1<D1<0.9"]').message


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("space", ["", " ", "\t", "   "])
def test_every_sign_is_read_with_and_without_spaces(sign, space):
    (found,) = parsed(f"directions = ['{space}D1{space}{sign}{space}0.5{space}']").directions
    assert (found.text, found.sign) == (f"D1 {sign} 0.5", sign)
    assert (found.left, found.right) == (Term(metric="D1"), Term(number=0.5))


def test_two_numbers_predict_nothing():
    message = refused('directions = ["0.5 < 0.7"]').message
    assert message.endswith("'0.5 < 0.7' compares two numbers, so it predicts nothing")


@pytest.mark.parametrize("text", ["D1 >= D1", "007:D1 < 007:D1"])
def test_a_comparison_with_itself_predicts_nothing(text):
    name = text.split()[0]
    assert f"compares {name} with itself" in refused(f'directions = ["{text}"]').message


@pytest.mark.parametrize("text", ["007:D1 > 0.5", "0.5 < 007:D1", "007:D1 < first-try:D1"])
def test_what_is_about_earlier_results_alone_predicts_nothing(text):
    message = refused(f'directions = ["{text}"]').message
    assert message.endswith(f"{text!r} compares earlier results, so it predicts nothing")


def test_a_metric_may_be_compared_with_itself_in_an_earlier_submission():
    (found,) = parsed('directions = ["D1 > first-try:D1"]').directions
    assert found.right == Term(metric="D1", submission="first-try")


def test_a_direction_stands_once():
    message = refused('directions = ["D1 > D2", "D2 > D3", "D1>D2"]').message
    assert message == "prediction.toml, directions: 'D1 > D2' occurs twice"


@pytest.mark.parametrize("text", ["nan < D1", "D1 > inf", "D1 > -inf", "D1 > 1e999"])
def test_only_finite_numbers_are_compared_with(text):
    assert "is not a valid number" in refused(f'directions = ["{text}"]').message


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("D1 > 70", "but D1 can only be from 0 to 1"),
        ("-0.1 < D1", "but D1 can only be from 0 to 1"),
        ("D3 >= -1.5", "but D3 can only be from -1 to 1"),
    ],
)
def test_a_number_beyond_what_the_metric_can_be_is_refused(text, bounds):
    assert refused(f'directions = ["{text}"]').message.endswith(f"{text!r}, {bounds}")
    assert parsed('directions = ["D3 >= -0.5", "0 < D1"]').directions


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("008:D1", "008 has no result yet"),
        (":D1", "':D1' does not name a submission"),
        ("../x:D1", "'../x:D1' does not name a submission"),
        ("a:b:D1", "'a:b:D1' does not name a submission"),
        ("007:D9", "no metric 'D9'; the metrics are D1"),
        ("007:", "no metric ''; the metrics are D1"),
    ],
)
def test_a_submission_without_a_result_cannot_be_compared_with(term, said):
    assert said in refused(f'directions = ["D1 > {term}"]').message


LEVELS = st.floats(0, 1, exclude_min=True, exclude_max=True)


@st.composite
def ranges(draw):
    found = []
    for metric in draw(st.lists(st.sampled_from(list(ABOUT.metrics)), unique=True)):
        values = st.floats(ABOUT.metrics[metric], 1)
        low, high = sorted((draw(values), draw(values)))
        found.append(Range(metric=metric, low=low, high=high, level=draw(LEVELS)))
    return found


@st.composite
def outcomes(draw):
    scale = draw(st.sampled_from([VERDICTS, COUNTS]))
    names = draw(st.lists(st.sampled_from(scale), unique=True, min_size=1))
    weights = [draw(st.integers(0, 1000)) for _ in names]
    weights[0] += 1
    return scale, {name: weight / sum(weights) for name, weight in zip(names, weights, strict=True)}


@settings(deadline=None)
@given(ranges(), outcomes())
def test_every_valid_prediction_is_read_as_it_was_written(stated, chosen):
    scale, probabilities = chosen
    lines = ["[ranges]"]
    lines += [
        f'"{one.metric}" = {{ range = [{one.low!r}, {one.high!r}], level = {one.level!r} }}'
        for one in stated
    ]
    lines += ["[outcomes]", *(f'"{name}" = {share!r}' for name, share in probabilities.items())]
    found = parsed("\n".join(lines))
    assert found.ranges == tuple(stated)
    assert tuple(found.outcomes) == scale
    assert math.fsum(found.outcomes.values()) == pytest.approx(1, abs=1e-12)
    for name in scale:
        assert found.outcomes[name] == pytest.approx(probabilities.get(name, 0), abs=1e-12)


TERMS = st.one_of(
    st.floats(0, 1).map(repr),
    st.sampled_from(list(ABOUT.metrics)),
    st.tuples(st.sampled_from(ABOUT.submissions), st.sampled_from(list(ABOUT.metrics))).map(
        ":".join
    ),
)


@settings(deadline=None)
@given(TERMS, st.sampled_from(["<", "<=", ">", ">="]), TERMS)
def test_every_direction_is_read_as_it_was_written_or_predicts_nothing(left, sign, right):
    text = f'directions = ["{left} {sign} {right}"]'
    numbers = [not side[0].isalpha() and ":" not in side for side in (left, right)]
    about_this_run = [side in ABOUT.metrics for side in (left, right)]
    if not any(about_this_run) or left == right:
        assert "predicts nothing" in refused(text).message
        return
    (found,) = parsed(text).directions
    assert found.text == f"{left} {sign} {right}"
    for side, term, number in zip((left, right), (found.left, found.right), numbers, strict=True):
        if number:
            assert term == Term(number=float(side))
        else:
            submission, _, metric = side.rpartition(":")
            assert term == Term(metric=metric, submission=submission or None)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_text_at_all_gets_past_as_anything_but_a_prediction_or_a_spec_error(text):
    try:
        found = parsed(text)
    except SpecError as error:
        assert error.message.startswith("prediction.toml")
    else:
        assert found.no_idea or found.ranges or found.outcomes or found.directions


def in_time(text):
    def parse():
        signal.alarm(20)
        parsed(text)

    return in_child(parse)


def test_many_directions_are_read_in_time():
    """Each was held against all before it."""
    many = ",".join(f'"D1 > .{number:06d}"' for number in range(500_000, 560_000))
    assert in_time(f"directions = [{many}]") == 0


def test_a_direction_of_many_signs_is_refused_in_time():
    """Each sign was tried with all that follows it."""
    assert in_time(f'directions = ["{"<" * 200_000}a b"]') == SpecError.exit_code


def test_all_faults_of_a_prediction_are_named_together():
    text = """
level = 80
directions = ["D1 > ", "D1 > D1"]
[ranges]
AUC = [0.5, 0.6]
D1 = [0.9, 0.8]
[outcomes]
pass = 0.9
fail = 0.3
"""
    with pytest.raises(SpecError) as caught:
        parsed(text)
    error = caught.value
    told = "\n".join([error.message, *error.details])
    assert "and 5 more faults" in error.message
    for said in ("level = 80", "'D1 > ' is not a comparison", "with itself", "no metric 'AUC'",
                 "the lower limit first", "sum to 1.2"):  # fmt: skip
        assert said in told


def test_a_single_fault_of_a_prediction_is_said_as_before():
    with pytest.raises(SpecError) as caught:
        parsed("[outcomes]\npass = 0.9\n")
    assert caught.value.message.endswith("the probabilities sum to 0.9, expected 1: 0.1 is missing")
    assert caught.value.details == ()
