"""The questions that `power` answers, and what it says of those that it does not."""

import pytest
from helpers.command import command

import assay
from assay.errors import SpecError

SIDES = [
    [{"task": f"t{n}", "ok": n % k > 0, "safe": (n + k) % 7 > 0, "usd": n} for n in range(40)]
    for k in (2, 3)
]
SIDES_OF_PILOT = tuple(SIDES)


def test_a_rate_and_an_effect_are_two_rates():
    assert assay.power(0.6, effect=0.2) == assay.power(0.6, 0.8)
    assert assay.power(0.6, effect=-0.2, pairs=40) == assay.power(0.6, 0.4, pairs=40)
    with pytest.raises(SpecError, match=r"a rate of 0.6 and an effect of \+5 give 5.6"):
        assay.power(0.6, effect=5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "nothing is given to plan for"),
        ({"from_": 0.5}, "`from_=0.5` alone asks nothing"),
        ({"spread": 0.5, "to": 0.5}, "`to=0.5` and `spread=0.5` are no question together"),
    ],
)
def test_what_is_no_question_is_answered_with_all_questions(given, said):
    with pytest.raises(SpecError) as refused:
        assay.power(**given)
    assert refused.value.message == said
    for name in ("to", "effect", "spread", "pairs", "margin", "pilot"):
        assert f"`{name}=" in refused.value.hint


def test_a_pilot_is_planned_for_by_column_and_names_what_it_leaves_out():
    whole = assay.power(pilot=SIDES_OF_PILOT, instance="task")
    assert [row.dimension for row in whole.dimensions] == ["ok", "safe"]
    assert whole.left_out == ("usd",)
    assert "not planned for: usd, which decide no verdict" in str(whole)
    one = assay.power(pilot=SIDES_OF_PILOT, instance="task", dimension="ok")
    assert [row.dimension for row in one.dimensions] == ["ok"]
    assert "not planned for" not in str(one)
    with pytest.raises(SpecError, match="no column 'okk'"):
        assay.power(pilot=SIDES_OF_PILOT, instance="task", dimension="okk")


def test_a_column_that_no_plan_makes_count_is_no_dead_end():
    with pytest.raises(SpecError, match="no column is known to be a score") as refused:
        assay.power(pilot=SIDES_OF_PILOT, instance="task", dimension="usd")
    assert "config" not in refused.value.hint and "`dimension=COLUMN`" in refused.value.hint


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"from_": 0.5, "to": 0.6, "instance": "task"}, "`instance=` is for reading a pilot"),
        ({"pairs": 30, "dimension": "ok"}, "`dimension=` is for reading a pilot"),
        (
            {"pilot": SIDES_OF_PILOT, "instance": "task", "dimensions": 3},
            "`dimensions=` is a number",
        ),
        ({"pilot": SIDES_OF_PILOT, "instance": "task", "correlation": 0.5}, "`correlation=` is"),
    ],
)
def test_what_a_question_does_not_use_is_refused(given, said):
    with pytest.raises(SpecError, match=said):
        assay.power(**given)


def test_the_command_reads_a_pilot_by_its_columns(tmp_path):
    for name, rows in zip("ab", SIDES, strict=True):
        lines = ["task,ok,safe,usd", *(f"{r['task']},{int(r['ok'])},{int(r['safe'])},{r['usd']}"
                                       for r in rows)]  # fmt: skip
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), "utf-8")
    pilot = ("power", "--pilot", "a.csv", "--pilot", "b.csv", "--instance", "task")
    done = command(tmp_path, *pilot)
    assert "not planned for: usd, which decide no verdict" in done.stdout
    done = command(tmp_path, *pilot, "--dimension", "ok")
    assert "safe" not in done.stdout and "ok" in done.stdout
