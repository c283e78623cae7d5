import json
import time

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay.cli.group import assay as group
from assay.stats.power import pairs_for

KEYS = {"question", "pairs", "effect", "power", "level", "how", "table", "correlation"}


def call(*arguments):
    """The verb in this process; an error of ours is raised."""
    done = CliRunner().invoke(group, ["power", *map(str, arguments)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def answer(*arguments):
    done = call(*arguments, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert set(found) == KEYS
    return found


def test_the_command_answers_in_a_sentence_and_a_table(assay_cmd):
    done = assay_cmd("power", "--from", "0.6", "--to", "0.8")
    assert done.code == 0
    assert done.out.startswith("a rate of 0.6 becomes 0.8: 91 pairs for 80 % power\n")


def test_bad_usage_exits_2_and_says_what_can_be_asked(assay_cmd):
    done = assay_cmd("power", "--json")
    assert done.code == 2
    assert done.json["error"]["type"] == "SpecError"
    assert "--from RATE --to RATE" in done.err


def test_so_many_pairs_have_the_power_and_one_fewer_has_not():
    needed = answer("--from", 0.6, "--to", 0.8)["pairs"]
    reached, short = (
        answer("--from", 0.6, "--to", 0.8, "--pairs", pairs)["power"]
        for pairs in (needed, needed - 1)
    )
    assert reached >= 0.8 > short


def test_a_loss_takes_as_many_pairs_as_the_same_gain():
    up, down = answer("--from", 0.6, "--to", 0.8), answer("--from", 0.8, "--to", 0.6)
    assert up["pairs"] == down["pairs"]
    assert up["effect"] == -down["effect"]


def test_more_dimensions_more_power_and_less_correlation_take_more_pairs():
    plain = answer("--from", 0.6, "--to", 0.8)["pairs"]
    assert answer("--from", 0.6, "--to", 0.8, "--dimensions", 5)["pairs"] > plain
    assert answer("--from", 0.6, "--to", 0.8, "--power", 0.95)["pairs"] > plain
    assert answer("--from", 0.6, "--to", 0.8, "--correlation", 0.5)["pairs"] < plain


def test_the_smallest_effect_of_so_many_pairs_takes_so_many_pairs():
    found = answer("--pairs", 100, "--spread", 0.3)
    again = answer("--effect", found["effect"], "--spread", 0.3)
    assert again["pairs"] == pytest.approx(100, abs=1)


def test_more_pairs_show_less():
    effects = [answer("--pairs", pairs)["effect"] for pairs in (20, 100, 900, 1100, 100_000)]
    assert effects == sorted(effects, reverse=True)


def test_so_few_pairs_that_nothing_can_be_shown():
    found = answer("--pairs", 3)
    assert found["effect"] is None
    assert "what do 3 pairs show: nothing" in call("--pairs", 3).stdout


def test_an_effect_too_small_for_anyone_is_said_to_be():
    assert answer("--from", 0.6, "--to", 0.6001)["pairs"] is None
    assert "no feasible number of pairs" in call("--from", 0.6, "--to", 0.6001).stdout


def test_a_gate_takes_at_least_what_a_spotless_record_takes():
    assert answer("--from", 1, "--margin", 0.05)["pairs"] == 61
    assert answer("--from", 0.95, "--margin", 0.05)["pairs"] > 59


def test_no_answer_keeps_anyone_waiting():
    started = time.monotonic()
    for arguments in (("--pairs", 100_000), ("--from", 0.5, "--to", 0.51), ("--pairs", 1_001)):
        answer(*arguments)
    assert time.monotonic() - started < 5.0


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "--from 0.5",
        "--effect 1",
        "--spread 1",
        "--margin 0.05",
        "--from 2 --to 0.5",
        "--from -0.1 --to 0.5",
        "--from nan --to 0.5",
        "--from 0.5 --to 0.5",
        "--effect 0 --spread 1",
        "--effect nan --spread 1",
        "--effect inf --spread 1",
        "--effect 0.1 --spread nan",
        "--effect 0.1 --spread inf",
        "--from 0.6 --to 0.8 --power nan",
        "--from 0.6 --to 0.8 --correlation nan",
        "--from 0.6 --to 0.8 --correlation 1",
        "--from 0.95 --to 0.8 --margin 0.05",
        "--from 0.6 --to 0.8 --effect 0.2",
        "--effect 0.1 --spread 0.3 --pairs 5",
        "--pairs 30 --from 0.6 --spread 1",
        "--pairs 30 --from 0.6 --margin 0.05",
        "--pairs 30 --margin 0.05",
    ],
)
def test_a_question_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(assay.SpecError):
        call(*wrong.split())


@pytest.mark.parametrize(
    "wrong",
    [
        "--pairs 0",
        "--pairs 1e3",
        "--pairs 100001",
        "--power 1",
        "--power 0",
        "--spread 0",
        "--margin 1",
        "--dimensions 0",
        "--correlation 2",
        "--from x",
    ],
)
def test_a_flag_out_of_bounds_is_bad_usage(wrong):
    assert call(*wrong.split()).exit_code == 2


def test_what_so_many_pairs_show_from_a_rate():
    found = answer("--from", 0.6, "--pairs", 30)
    assert [row["rate"] for row in found["table"]] == [0.6]
    assert 0.2 < found["effect"] < 0.4


PILOT = {
    "before.csv": "instance,right,grade\n"
    + "".join(f"i{k},{k % 2},{k % 3 / 4}\n" for k in range(9)),
    "after.csv": "instance,right,grade\n"
    + "".join(f"i{k},{int(k % 4 > 0)},{(k % 3 + k % 2) / 4}\n" for k in range(9)),
}


@pytest.fixture
def pilot(tmp_path, monkeypatch):
    for name, text in PILOT.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def pilot_rows(*words):
    found = json.loads(call(*words, "--json").stdout)
    return found["unit"], found["dimensions"]


@pytest.mark.usefixtures("pilot")
def test_a_pilot_of_both_sides_says_what_pairs_vary_by_and_how_alike_they_are():
    unit, (right, grade) = pilot_rows("--pilot", "before.csv", "--pilot", "after.csv")
    sides = np.array([[k % 2, int(k % 4 > 0)] for k in range(9)])
    gaps = sides[:, 1] - sides[:, 0]
    assert right["spread"] == pytest.approx(gaps.std(ddof=1))
    assert right["effect"] == pytest.approx(gaps.mean())
    assert right["correlation"] == pytest.approx(np.corrcoef(sides.T)[0, 1])
    assert grade["pairs"] == pairs_for(grade["effect"], grade["spread"], alpha=0.05, power=0.8)
    assert (unit, right["units"]) == ("pair", 9)


@pytest.mark.usefixtures("pilot")
def test_a_pilot_of_one_side_takes_an_effect_and_a_correlation():
    words = ("--pilot", "before.csv", "--effect", "0.2", "--correlation", "0.5")
    _, (right, grade) = pilot_rows(*words)
    assert right["candidate"] is None
    assert grade["spread"] == pytest.approx(np.std([k % 3 / 4 for k in range(9)], ddof=1))
    with pytest.raises(assay.SpecError) as raised:
        call("--pilot", "before.csv")
    assert "`effect=E`" in raised.value.hint


@pytest.mark.usefixtures("pilot")
@pytest.mark.parametrize(
    "words", [["--from", "0.5"], ["--pilot", "after.csv", "--pilot", "after.csv"]]
)
def test_a_pilot_takes_two_paths_and_no_other_plan(words):
    with pytest.raises(assay.SpecError, match="`pilot=` takes"):
        call("--pilot", "before.csv", *words)


def test_the_correlation_that_is_assumed_is_said():
    assert "uncorrelated" in call("--from", "0.6", "--to", "0.8").stdout
    words = ("--from", "0.6", "--to", "0.8", "--correlation", "0.3")
    assert "correlated by 0.3" in call(*words).stdout
    assert "correlated" not in call("--effect", "0.1", "--spread", "0.1").stdout
