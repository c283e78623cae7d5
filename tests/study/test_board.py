import csv
import io
import random

import pytest
from helpers.graded import bar, judged, submission, unjudged, version

from assay.report.study.board import board_csv, board_markdown, draw_board
from assay.report.terminal import console
from assay.study.board import board
from assay.study.submissions.submission import Status

V1, V2 = version("v1"), version("v2", entry=20, supersedes="v1")


def made(submissions, versions=(V1,)):
    return board("mine", "darkcore", "sha256:" + "ab" * 32, submissions, versions)


def order(submissions, versions=(V1,)):
    return [row.id for row in made(submissions, versions).tables[0].rows]


def drawn(found):
    out = io.StringIO()
    draw_board(found, console(out))
    return out.getvalue()


def test_the_better_verdict_stands_first_then_bars_met_then_the_first_bar_then_the_seal():
    ranked = [
        submission("a", judged("pass", bar("D1", 0.7), bar("D2", 0.6)), sealed_by=90),
        submission("b", judged("unresolved", bar("D1", 0.6), bar("D2", 0.6)), sealed_by=80),
        submission("c", judged("unresolved", bar("D1", 0.9), bar("D2", 0.4)), sealed_by=70),
        submission("d", judged("unresolved", bar("D1", 0.8), bar("D2", 0.4)), sealed_by=50),
        submission("e", judged("unresolved", bar("D1", 0.8), bar("D2", 0.4)), sealed_by=60),
        submission("f", judged("fail", bar("D1", 0.99), bar("D2", 0.99)), sealed_by=40),
        submission("g", judged("fail", bar("D1", 0.1), bar("D2", 0.1)), sealed_by=30),
        submission("h", unjudged("the method raised"), sealed_by=10),
        submission("i", status=Status.STARTED, sealed_by=15),
        submission("j", status=Status.SEALED, sealed_by=20),
    ]
    for seed in range(20):
        shuffled = ranked.copy()
        random.Random(seed).shuffle(shuffled)  # noqa: S311 - an order, not a secret
        assert order(shuffled) == list("abcdefghij")


def test_the_newest_bars_decide_the_order():
    honest = submission(
        "honest", judged("fail", bar("D1", 0.6)), judged("pass", bar("D1", 0.6), version="v2")
    )
    cheat = submission(
        "cheat", judged("pass", bar("D1", 0.9)), judged("fail", bar("D1", 0.9), version="v2")
    )
    assert order([honest, cheat]) == ["cheat", "honest"]
    assert order([cheat, honest], (V1, V2)) == ["honest", "cheat"]


def test_what_the_newest_bars_have_not_judged_stands_behind_a_fail():
    old = submission("old", judged("pass", bar("D1", 0.9)))
    new = submission("new", judged("fail", bar("D1", 0.1), version="v2"), original="v2")
    assert order([old, new], (V1, V2)) == ["new", "old"]


def test_every_version_is_a_column_and_the_sealed_one_is_marked():
    one = submission(
        "one",
        judged("pass", bar("D1", 0.9)),
        judged("unresolved", bar("D1", 0.9), bar("D2", 0.4), version="v2"),
        original="v2",
    )
    found = made([one], (V1, V2))
    (table,) = found.tables
    assert table.versions == ("v1", "v2")
    first, second = table.rows[0].cells
    assert (first.version, first.original, first.verdict) == ("v1", False, "pass")
    assert (second.version, second.original, second.verdict) == ("v2", True, "unresolved")
    assert (first.passed, first.total, second.passed, second.total) == (1, 1, 1, 2)
    assert (first.why, second.why) == (None, None)
    assert second.values == {"D1": 0.9, "D2": 0.4}
    line = next(line for line in board_markdown(found).splitlines() if line.startswith("| one"))
    assert [cell.strip() for cell in line.split("|")[3:6]] == [
        "PASS (1/1)",
        r"UNRESOLVED (1/2)\*",
        "D1 0.900 D2 0.400",
    ]
    assert "UNRESOLVED (1/2)*" in drawn(found)


def test_exactly_one_cell_of_a_row_is_starred():
    rows = [
        submission(f"s{i}", *(judged("fail", bar("D1", 0.1), version=f"v{j}") for j in (1, 2)))
        for i in range(3)
    ]
    for row in made(rows, (V1, V2)).tables[0].rows:
        assert [cell.original for cell in row.cells] == [True, False]


@pytest.mark.parametrize(
    ("one", "why", "shown", "noted"),
    [
        (submission("x", unjudged("it raised")), "it raised", "no verdict*", ""),
        (submission("x"), "not judged", "no verdict*", ""),
        (submission("x", status=Status.SEALED, witness=None), "sealed", "-", "never run"),
        (submission("x", status=Status.STARTED), "started, no result", "-", "started, no result"),
        (
            submission("x", status=Status.STARTED, witness=None),
            "started, no result",
            "-",
            "started, no result, unwitnessed",
        ),
    ],
)
def test_without_a_verdict_it_says_why(one, why, shown, noted):
    found = made([one])
    (cell,) = found.tables[0].rows[0].cells
    assert (cell.verdict, cell.passed, cell.total, cell.values) == (None, None, None, {})
    assert cell.why == why
    line = next(line for line in board_markdown(found).splitlines() if line.startswith("| x"))
    cells = [part.strip().replace("\\", "") for part in line.split("|")]
    assert (cells[3], cells[-2]) == (shown, noted)
    (row,) = csv.DictReader(io.StringIO(board_csv(found)))
    assert (row["verdict"], row["met"], row["why"]) == ("", "", why)


def test_abandoned_runs_are_counted_and_shown():
    submissions = [
        submission("a", judged("fail", bar("D1", 0.1))),
        submission("b", status=Status.STARTED),
        submission("c", status=Status.STARTED),
        submission("d", status=Status.SEALED),
    ]
    found = made(submissions)
    assert (found.sealed, found.started, found.finished) == (4, 3, 1)
    assert len(found.tables[0].rows) == 4
    title = "mine on darkcore@abababababab: 4 sealed, 1 run, 2 started without a result"
    assert title in drawn(found)
    assert title in board_markdown(found)


def test_nothing_is_said_of_abandoned_runs_where_there_are_none():
    assert "without a result" not in drawn(made([submission("a", judged("fail", bar("D1", 0.1)))]))


def test_each_task_has_its_own_table_and_versions():
    found = made(
        [
            submission("d", judged("fail", bar("D1", 0.1))),
            submission("k", judged("pass", bar("K1", 0.9)), task="classification"),
        ],
        (V1, V2, version("v1", task="classification")),
    )
    assert {table.task: table.versions for table in found.tables} == {
        "detection": ("v1", "v2"),
        "classification": ("v1",),
    }
    assert {table.task: [row.id for row in table.rows] for table in found.tables} == {
        "detection": ["d"],
        "classification": ["k"],
    }


def test_an_empty_study_has_an_empty_table_and_says_so():
    found = made([])
    assert found.tables[0].rows == ()
    assert "detection: nothing sealed yet" in drawn(found)
    assert board_csv(found).count("\n") == 1
    assert made([], ()).tables == ()


def test_what_is_noted_comes_from_the_newest_judgement():
    one = submission(
        "one",
        judged("pass", bar("D1", 0.9), caveats=["unscored"]),
        judged("pass", bar("D1", 0.9), version="v2", caveats=["resumed", "not-isolated"]),
        witness=None,
    )
    found = made([one], (V1, V2))
    row = found.tables[0].rows[0]
    assert (row.caveats, row.witnessed) == (("resumed", "not-isolated"), False)
    assert "| unwitnessed, resumed |" in board_markdown(found)


@pytest.mark.parametrize("code", ["unobserved", "outside-seed", "seed-by-author", "seed-unprobed"])
def test_what_limits_a_run_is_noted_on_the_board(code):
    one = submission("one", judged("pass", bar("D1", 0.9), caveats=[code, "not-isolated"]))
    assert f"| {code} |" in board_markdown(made([one]))


def test_the_csv_has_a_line_a_submission_and_version_and_exact_figures():
    third = 1 / 3
    found = made(
        [
            submission("a", judged("fail", bar("D1", third), bar("D2", -0.25))),
            submission("b", judged("pass", bar("D1", 0.9), version="v2"), original="v2"),
        ],
        (V1, V2),
    )
    rows = {
        (row["submission"], row["bars"]): row
        for row in csv.DictReader(board_csv(found).splitlines())
    }
    assert set(rows) == {("a", "v1"), ("a", "v2"), ("b", "v1"), ("b", "v2")}
    assert float(rows["a", "v1"]["D1"]) == third
    assert float(rows["a", "v1"]["D2"]) == -0.25
    assert rows["b", "v2"]["D2"] == ""
    assert (rows["a", "v1"]["original"], rows["a", "v2"]["original"]) == ("yes", "no")
    assert rows["a", "v2"]["why"] == "not judged"


def test_other_peoples_words_cannot_break_the_board():
    one = submission("x", unjudged('=cmd|"x",\n| y |'), method="a|b`c`<b>.py:f")
    found = made([one])
    line = next(line for line in board_markdown(found).splitlines() if line.startswith("| x"))
    assert line.replace("\\|", "").count("|") == 6
    assert "<b>" not in line
    (row,) = csv.DictReader(io.StringIO(board_csv(found)))
    assert row["why"] == '\'=cmd|"x",\\x0a| y |'
