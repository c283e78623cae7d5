"""Every kind of side gives the same comparison, and what is no side is refused by name."""

import json

import pandas as pd
import polars as pl
import pytest

import assay

ROWS = {
    "before": [{"instance": f"q{n}", "correct": float(n % 3 == 0), "tokens": n} for n in range(60)],
    "after": [{"instance": f"q{n}", "correct": float(n % 3 != 1), "tokens": n} for n in range(60)],
}


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def columns(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


def trials(rows):
    return [
        assay.Trial(
            instance=row["instance"],
            dimensions={"correct": row["correct"], "tokens": row["tokens"]},
        )
        for row in rows
    ]


KINDS = {
    "rows": lambda rows, path: rows,
    "columns": lambda rows, path: columns(rows),
    "pandas": lambda rows, path: pd.DataFrame(rows),
    "polars": lambda rows, path: pl.DataFrame(rows),
    "path": lambda rows, path: written(path, rows),
    "text": lambda rows, path: str(written(path, rows)),
    "several paths": lambda rows, path: [
        written(path, rows[:30]),
        str(written(path.with_suffix(".more.jsonl"), rows[30:])),
    ],
    "trials": lambda rows, path: trials(rows),
    "loaded": lambda rows, path: assay.load_trials(rows),
    "loaded in parts": lambda rows, path: [
        assay.load_trials(rows[:30]),
        assay.load_trials(rows[30:]),
    ],
}


def figures(comparison):
    return comparison.verdict, comparison.dimensions, comparison.pairs, comparison.balance


@pytest.mark.parametrize("kind", KINDS)
def test_a_side_may_be_of_any_kind(kind, tmp_path):
    sides = [KINDS[kind](rows, tmp_path / f"{name}.jsonl") for name, rows in ROWS.items()]
    found = assay.compare(*sides)
    assert found.verdict == "ratify"
    assert figures(found) == figures(assay.compare(ROWS["before"], ROWS["after"]))


def test_rows_in_memory_are_the_file_of_them(tmp_path):
    paths = [written(tmp_path / f"{name}.jsonl", rows) for name, rows in ROWS.items()]
    assert assay.compare(*ROWS.values()) == assay.compare(*paths)


def test_one_frame_may_hold_all_sides():
    frame = pd.concat(pd.DataFrame(rows).assign(model=name) for name, rows in ROWS.items())
    found = assay.compare(frame, by="model")
    assert found.verdict == "ratify"
    assert [read.name for read in found.inputs] == ["before", "after"]
    assert assay.compare(frame, by="model", first="after").verdict == "reject"
    only = assay.compare(frame, by="model", where="instance != q0")
    assert only.pairs == 59


def test_more_sides_are_compared_with_the_first():
    found = assay.compare(*ROWS.values(), ROWS["before"][:40] + ROWS["after"][40:])
    assert found.sides == ("baseline", "candidate", "candidate 2")
    assert len(assay.compare(*ROWS.values(), ROWS["after"][:], all_pairs=True).pairs) == 3


def test_loaded_trials_remember_how_they_were_read(tmp_path):
    path = written(
        tmp_path / "a.jsonl",
        [{"qid": row["instance"], "correct": row["correct"]} for row in ROWS["before"]],
    )
    loaded = assay.load_trials(path, instance="qid")
    assert loaded[0].instance == "q0"
    found = assay.compare(loaded, ROWS["after"])
    assert found.inputs[0].columns == {"instance": "qid", "trial": "trial", "dimensions": ()}


def test_loaded_trials_are_a_sequence_with_views():
    loaded = assay.load_trials(ROWS["before"], dimension="correct")
    assert len(loaded) == 60
    assert [trial.instance for trial in loaded[:2]] == ["q0", "q1"]
    assert loaded.to_rows()[0] == {"instance": "q0", "trial": None, "correct": 1.0}
    assert str(loaded) == "60 trials of 60 instances\ndimensions: correct"
    assert repr(loaded) == "<TrialSet 60 trials of 60 instances>"
    assert "<table>" in loaded._repr_html_()


def test_the_same_rows_are_no_second_side():
    with pytest.raises(assay.errors.IncomparableRuns, match="the same list is given twice"):
        assay.compare(ROWS["before"], ROWS["before"])
    loaded = assay.load_trials(ROWS["before"])
    with pytest.raises(assay.errors.IncomparableRuns, match="given twice"):
        assay.compare(loaded, loaded)


@pytest.mark.parametrize("wrong", [3, object(), b"rows", [3], ["a.csv", 3], {"a": 1}])
def test_what_is_no_side_is_refused_by_its_name(wrong):
    for sides, name in (
        ((wrong, ROWS["after"]), "baseline"),
        ((ROWS["after"], wrong), "candidate"),
    ):
        with pytest.raises(assay.SpecError, match=name):
            assay.compare(*sides)
    with pytest.raises(assay.SpecError, match="sources"):
        assay.load_trials(wrong)
    with pytest.raises(assay.SpecError, match="score: 3; outside" if wrong == [3] else "pilot"):
        assay.power(pilot=wrong, effect=0.1)


def test_a_run_is_no_side_and_the_hint_says_what_is():
    run = assay.run("token-overlap", "darkcore")
    with pytest.raises(assay.SpecError, match="candidate is a Run") as refused:
        assay.compare(ROWS["before"], run)
    assert "assay try METHOD `save=DIR`" in refused.value.hint


def test_one_side_alone_is_refused():
    with pytest.raises(assay.SpecError, match="nothing to compare it with") as refused:
        assay.compare(ROWS["before"])
    assert "`by=COLUMN`" in refused.value.hint


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"unit": "task"}, "unit is 'task'"),
        ({"missing": "drop"}, "missing is 'drop'"),
        ({"rule": "best"}, "rule is 'best'"),
        ({"resamples": 3}, "resamples is 3"),
        ({"gate": 3}, "gate is int"),
        ({"config": 3}, "config is int"),
        ({"all_pairs": "yes"}, "all_pairs is 'yes'"),
    ],
)
def test_a_wrong_word_is_named(words, said):
    with pytest.raises(assay.SpecError, match=said):
        assay.compare(*ROWS.values(), **words)


def test_an_error_in_rows_names_the_side_and_the_row():
    with pytest.raises(assay.SpecError, match=r"the rows of candidate, row 3"):
        assay.compare(ROWS["before"], [*ROWS["after"][:2], {"instance": None, "correct": 1}])


def test_no_regression_is_asserted_of_frames():
    frames = [pd.DataFrame(rows) for rows in ROWS.values()]
    assert assay.assert_no_regression(*frames).verdict == "ratify"
    with pytest.raises(AssertionError, match="correct became worse"):
        assay.assert_no_regression(*reversed(frames))


def test_a_pilot_may_be_frames():
    frames = [pd.DataFrame(rows[:20]) for rows in ROWS.values()]
    both = assay.power(pilot=tuple(frames))
    alone = assay.power(pilot=frames[0], effect=0.2)
    assert [row["dimension"] for row in both.to_rows()] == ["correct"]
    assert alone.dimensions[0].candidate is None
    with pytest.raises(assay.SpecError, match="no third"):
        assay.power(pilot=(*frames, frames[0]))
    with pytest.raises(assay.SpecError, match="no `pairs=`"):
        assay.power(pilot=frames[0], effect=0.2, pairs=3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"from_": "often"}, "from_ is"),
        ({"power": 1.0}, "power is 1, expected a number between 0 and 1"),
        ({"pairs": 0}, "pairs is 0"),
        ({"correlation": 2.0}, "correlation is 2"),
        ({"margin": 0.0}, "margin is 0"),
        ({"spread": -1.0}, "spread is -1, expected a number over 0"),
        ({"effect": float("inf")}, "`effect=inf`"),
        ({}, "nothing is given to plan for"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(words, said):
    with pytest.raises(assay.SpecError, match=said):
        assay.power(**words)


def test_the_first_side_may_be_a_number():
    rows = [{"arm": arm, "instance": f"q{n}", "correct": n % (arm + 2) == 0}
            for arm in range(3) for n in range(40)]  # fmt: skip
    named = assay.compare(rows, by="arm", first="2")
    assert named.sides == ("2", "0", "1")
    for first in (2, 2.0, "2.0"):
        assert assay.compare(rows, by="arm", first=first) == named
    zero = assay.compare(rows, by="arm", first=0)
    assert zero.sides == ("0", "1", "2")
    with pytest.raises(assay.SpecError, match="no side is named '7'; there are 0, 1, 2"):
        assay.compare(rows, by="arm", first=7)


def test_several_comparisons_name_their_verdicts_and_each_input_once():
    sides = [[{"instance": f"q{n}", "ok": n % k > 0} for n in range(40)] for k in (2, 3, 4)]
    result = assay.compare(*sides)
    assert {name: verdict.value for name, verdict in result.verdicts.items()} == {
        "candidate against baseline": "inconclusive",
        "candidate 2 against baseline": "ratify",
    }
    said = r"pairs\[0\]\.comparison\.verdict is that of the first of 2, and `verdicts` has all"
    with pytest.raises(AttributeError, match=said):
        result.verdict  # noqa: B018 - raises
    with pytest.raises(AttributeError, match=r"no attribute 'colour'$"):
        result.colour  # noqa: B018 - raises
    last = str(result).splitlines()[-1]
    assert last == result.signature
    for read in (read for pair in result.pairs for read in pair.comparison.inputs):
        assert last.count(read.digest.removeprefix("sha256:")[:12]) == 1


def test_the_hint_about_a_run_gives_a_side(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(assay.SpecError, match="is a Run, which holds outputs") as refused:
        assay.compare(assay.run("constant"), "elsewhere")
    assert 'assay.try_method("METHOD", save="DIR")' in refused.value.__notes__[-1]
    for method in ("constant", "token-overlap"):
        assay.try_method(method, bars="v1", save=method)
    assert assay.compare("constant", "token-overlap").pairs == 1


def made_sides(*rates):
    return [[{"instance": f"q{n}", "ok": int(n % 10 < rate)} for n in range(80)] for rate in rates]


def test_a_dictionary_of_sides_names_them():
    base, new, other = made_sides(5, 9, 5)
    found = assay.compare({"base": base, "new": new, "c": other})
    assert found.sides == ("base", "new", "c")
    assert "new against base: RATIFY +0.400 [" in str(found)
    assert assay.compare({"base": base, "new": new}).favourable


def test_no_ratify_or_reject_is_hidden_among_many_comparisons():
    sides = dict(zip("abcdefghijklmno", made_sides(5, *[5] * 12, 9, 1), strict=True))
    lines = str(assay.compare(sides)).splitlines()
    assert lines[1].startswith("n against a: RATIFY +0.400 [")
    assert lines[2].startswith("o against a: REJECT -0.400 [")
    assert sum("inputs " in line for line in lines) == 1


def test_decided_comparisons_beyond_the_lines_are_still_named():
    sides = dict(zip("abcdefghijklmno", made_sides(1, *[9] * 14), strict=True))
    printed = str(assay.compare(sides))
    assert all(f"{name} against a" in printed for name in "bcdefghijklmno")
