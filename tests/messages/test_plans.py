"""The lines of a plan as Python: what is pasted is the plan that the file would be."""

import ast
import tomllib

import pytest

import assay
from assay.comparison.plan_text import dimension_lines, on_one_line
from assay.errors import SpecError
from assay.messages.plans import line_as_python, plan_as_python
from assay.wording import as_flags, as_python

LINES = [
    "[dimensions.success]",
    '[dimensions."of a # b, \\"c\\""]',
    "counts = false",
    'better = "lower"',
    "margin = 0",
    "[dimensions.usd]",
    "gated = true",
    'better = "lower"  # or "higher"',
    "range = [0, 0.5]  # a bound that no run exceeds",
    'margin = "?"  # fill in: how much more',
]


def pasted(said):
    """The dictionary of what is pasted as `config=`."""
    return ast.literal_eval(said[said.index("config=") + len("config=") :].strip("`. \n"))


def test_the_dictionary_is_the_file():
    said = plan_as_python(["usd: 0 to 0.4", *LINES])
    assert said[0] == "usd: 0 to 0.4"
    assert pasted("\n".join(said)) == tomllib.loads("\n".join(LINES))
    assert '        "better": "lower",  # or "higher"' in said, "a comment stays with its key"


def test_a_plan_on_one_line_is_the_file_with_that_line():
    tables = {"a": ["[dimensions.a]"], 'b }" {': ["", "counts = false", 'better = "lower"'],
              "c": dimension_lines("c", [1.0, 4.0])}  # fmt: skip
    line = on_one_line(tables)
    text = f"To count c: `config=FILE` with the line {line}"
    assert pasted(line_as_python(text)) == tomllib.loads(line)
    assert line_as_python(f"{text} And 2 more.").endswith("}}` And 2 more.")
    assert as_python(text) == line_as_python(text)


@pytest.mark.parametrize(
    "lines",
    [
        ["[dimensions.a]", "range = [0, 1"],
        ["[dimensions.a]", "and more words"],
        ['[dimensions."a]'],
        ["[bars.a]", "gated = true"],
        [],
    ],
    ids=str,
)
def test_lines_that_are_no_plan_stay_as_they_are(lines):
    assert plan_as_python(lines) == lines


@pytest.mark.parametrize("rest", ["{a = {}", "{a = b}", "{", "{a = {range = [}}", "{]"])
def test_a_line_that_is_cut_off_stays_as_it_is(rest):
    text = f"To count a: `config=FILE` with the line dimensions = {rest}"
    assert line_as_python(text) == text


def test_an_error_shows_a_dictionary_and_keeps_the_lines_for_the_command():
    error = SpecError("a plan is needed", details=LINES, hint="Say so in a plan, `config=PLAN`.")
    assert pasted(str(error)) == tomllib.loads("\n".join(LINES))
    assert list(error.details) == LINES
    assert error.__notes__ == ["Say so in a plan, `config={...}`."]
    assert as_flags(error.hint) == "Say so in a plan, --config dims.toml."


def test_what_an_error_proposes_runs_when_it_is_pasted():
    before = [{"instance": f"q{n}", "rating": 1 + n % 3} for n in range(40)]
    after = [{"instance": f"q{n}", "rating": 2 + n % 3} for n in range(40)]
    with pytest.raises(SpecError) as refused:
        assay.compare(before, after)
    said = str(refused.value)
    assert assay.compare(before, after, config=pasted(said)).verdict == "ratify"


def test_what_a_printed_result_proposes_runs_when_it_is_pasted():
    rows = [
        [{"instance": f"q{n}", "ok": n % k > 0, "rating": k + n % 3, "usd": n} for n in range(40)]
        for k in (2, 3)
    ]
    line = next(line for line in str(assay.compare(*rows)).splitlines() if "undirected" in line)
    plan = pasted(line)
    assert list(plan["dimensions"]) == ["ok", "usd", "rating"]
    found = assay.compare(*rows, config=plan)
    assert [each.name for each in found.dimensions if each.counts] == ["ok", "rating"]
