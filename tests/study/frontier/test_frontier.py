"""The best of each class, what stops it, and that nothing is dropped in silence."""

import csv
import io
import json
import random

import pytest
from helpers.graded import bar, judged, submission, unjudged, version
from msgspec.structs import replace
from rich.console import Console

from assay.errors import SpecError
from assay.method.classes import METHOD_CLASSES
from assay.report.study.frontier import draw_frontier, frontier_csv, frontier_markdown
from assay.study.frontier.best import frontier
from assay.study.records import Unreadable
from assay.study.submissions.submission import Status

V1, V2 = version("v1"), version("v2", entry=20, supersedes="v1")


def made(submissions, versions=(V1,), **more):
    return frontier("mine", "darkcore", "sha256:" + "ab" * 32, submissions, versions, **more)


def one(name, *judgements, of="likelihood", **more):
    return submission(name, *judgements, method_class=of, **more)


def only(found):
    (table,) = found.tables
    return table


def drawn(found, width=80):
    out = io.StringIO()
    draw_frontier(found, Console(file=out, width=width, highlight=False))
    return out.getvalue()


RANKED = [
    one("i", judged("pass", bar("D1", 0.8), bar("D2", 0.8))),
    one("h", judged("pass", bar("D1", 0.7), bar("D2", 0.9))),
    one("g", judged("unresolved", bar("D1", 0.9), bar("D2", 0.4, bound=0.3))),
    one("f", judged("unresolved", bar("D1", 0.9, bound=0.4), bar("D2", 0.9, bound=0.4))),
    one("e", judged("unresolved", bar("D1", 0.9, bound=0.4), bar("D2", 0.49, bound=0.1))),
    one("c", judged("unresolved", bar("D1", 0.9, bound=0.4), bar("D2", 0.45, bound=0.4))),
    one("d", judged("unresolved", bar("D1", 0.9, bound=0.4), bar("D2", 0.45, bound=0.3))),
    one("b", judged("fail", bar("D1", 0.9), bar("D2", 0.4))),
    one("a", judged("fail", bar("D1", 0.49), bar("D2", 0.49))),
]
"""Best first: by verdict, bars shown to be met, bars met at the point, shortfall, and id."""


@pytest.mark.parametrize("first", range(len(RANKED)))
def test_the_best_goes_by_verdict_then_bars_shown_then_bars_met_then_shortfall_then_id(first):
    for seed in range(10):
        rest = RANKED[first:]
        random.Random(seed).shuffle(rest)  # noqa: S311 - an order, not a secret
        (row,) = only(made(rest)).rows
        assert (row.submission, row.scored) == (RANKED[first].id, len(rest))


def test_the_bar_that_stops_it_is_the_one_furthest_short_of_those_not_shown_to_be_met():
    card = judged(
        "unresolved",
        bar("D1", 0.71, threshold=0.70),
        bar("D2", 0.90, bound=0.10, threshold=0.70),
        bar("D3", 0.07, bound=-0.02, threshold=0.10),
        bar("D4", 0.08, bound=-0.50, threshold=0.10),
    )
    (row,) = only(made([one("x", card)])).rows
    stop = row.stopped_by
    assert (row.verdict, row.resolved, row.passed, row.total) == ("unresolved", 1, 2, 4)
    assert (stop.bar, stop.value, stop.low, stop.high) == ("D3", 0.07, -0.02, 0.07)
    assert stop.shortfall == pytest.approx(0.03)
    assert stop.shortfall_at_bound == pytest.approx(0.12)
    assert row.obstacle == (
        "D3 0.070 [-0.020, 0.070], needs 0.100: short by 0.030, at the bound 0.120"
    )


def test_bars_met_at_the_point_stop_it_by_the_bound():
    card = judged("unresolved", bar("D1", 0.8, bound=0.45), bar("D2", 0.9, bound=0.4))
    (row,) = only(made([one("x", card)])).rows
    assert row.obstacle == (
        "D1 0.800 [0.450, 0.800], needs 0.500: met, at the bound short by 0.050"
    )


def test_a_bar_that_the_records_cannot_measure_is_not_called_short():
    """Such a bar is unresolved though estimate and bound reach the threshold."""
    unfit = replace(bar("D5", 0.8), outcome="unresolved")
    (row,) = only(made([one("x", judged("unresolved", unfit))])).rows
    assert row.obstacle.endswith("met, at the bound met, but these records cannot show it")


def test_a_class_whose_best_passes_says_so():
    found = made([one("x", judged("pass", bar("D1", 0.9)))])
    (row,) = only(found).rows
    assert (row.verdict, row.stopped_by, row.shown) == ("pass", None, "PASS (1/1)")
    assert row.obstacle == "nothing: it meets every bar"
    assert "nothing: it meets every bar" in drawn(found)


def test_the_newest_bars_decide_unless_others_are_named():
    both = [
        one("old", judged("pass", bar("D1", 0.9)), judged("fail", bar("D1", 0.2), version="v2")),
        one("new", judged("fail", bar("D1", 0.4)), judged("pass", bar("D1", 0.9), version="v2")),
    ]
    for bars, best in ((None, "new"), ("v2", "new"), ("v1", "old")):
        table = only(made(both, (V1, V2), bars=bars))
        assert (table.bars, table.rows[0].submission) == (bars or "v2", best)


def test_bars_that_the_study_lacks_are_refused_with_those_it_has():
    with pytest.raises(SpecError, match="no bars 'newest'") as refused:
        made([], (V1, version("mine")), bars="newest")
    assert refused.value.hint == "It has: v1, mine."
    with pytest.raises(SpecError) as refused:
        made([], (version("plain"),), bars="plian")
    assert refused.value.hint == "Did you mean plain?"


def test_each_task_has_its_own_table_and_a_task_without_the_bars_is_named():
    versions = (V1, V2, version("v1", task="classification"))
    mixed = [
        one("d", judged("fail", bar("D1", 0.1), version="v2")),
        one("k", judged("pass", bar("K1", 0.9)), task="classification", of="lexical"),
    ]
    found = made(mixed, versions)
    assert {
        (each.task, each.bars): [row.submission for row in each.rows] for each in found.tables
    } == {
        ("classification", "v1"): ["k"],
        ("detection", "v2"): ["d"],
    }
    assert found.without == ()
    found = made(mixed, versions, bars="v2")
    assert ([each.task for each in found.tables], found.without) == (
        ["detection"],
        ("classification",),
    )
    for said in (drawn(found), str(found), frontier_markdown(found)):
        assert "not shown: classification, which has no bars of that version" in said


def test_classes_stand_in_their_order_and_the_unclassified_last():
    card = judged("fail", bar("D1", 0.1))
    named = [one(name, card, of=name) for name in reversed(METHOD_CLASSES)]
    found = made([one("none", card, of=None), *named])
    names = [row.method_class for row in only(found).rows]
    assert names == [*METHOD_CLASSES, "unclassified"]
    assert only(found).not_tried == ()
    assert "not tried" not in drawn(found)
    assert len(found.lines()) <= 18


LEFT_OUT = [
    one("w", status=Status.WITHDRAWN, because="the wrong file", of="embedding"),
    one("l", status=Status.STARTED, of="consensus"),
    one("s", status=Status.SEALED, of="entailment"),
    one("e", unjudged("BadOutput: it said nothing"), of="critique"),
    one("n", of="perturbation"),
    one("u", judged("unresolved", bar("D1", 0.99), unscored=2), of="lexical"),
]


def test_what_has_no_row_is_counted_and_named_with_its_class_and_reason():
    found = made([one("x", judged("fail", bar("D1", 0.1))), *LEFT_OUT])
    table = only(found)
    assert [row.submission for row in table.rows] == ["x"]
    assert {each.submission: each.status for each in table.unranked} == {
        "w": "withdrawn", "l": "started, no result", "s": "sealed",
        "e": "finished", "n": "finished", "u": "finished",
    }  # fmt: skip
    wide = drawn(found, 200)
    for line in (
        "1 withdrawn: w (embedding: the wrong file)",
        "1 started without a result: l (consensus)",
        "1 never run: s (entailment)",
        "3 without a verdict: e (critique: BadOutput: it said nothing); n (perturbation: not judged"
        " under v1); u (lexical: 2 of 100 items are unscored, so there is no verdict)",
    ):
        assert f"{line}\n" in wide
        assert line in str(found)


def test_unscored_items_cannot_make_the_best_of_a_class():
    """A method that fails on its hard items would otherwise meet every bar."""
    honest = one("honest", judged("unresolved", bar("D1", 0.6, bound=0.4)))
    skips = one("skips", judged("unresolved", bar("D1", 0.99), unscored=1))
    (row,) = only(made([honest, skips])).rows
    assert (row.submission, row.scored) == ("honest", 1)


def test_only_a_class_that_was_never_started_is_called_not_tried():
    table = only(made([one("x", judged("fail", bar("D1", 0.1)), of=None), *LEFT_OUT]))
    started = {"consensus", "critique", "perturbation", "lexical"}
    assert table.not_tried == tuple(name for name in METHOD_CLASSES if name not in started)
    assert {"embedding", "entailment"} <= set(table.not_tried)  # withdrawn, and never run
    assert table.untried == [f"not tried: {', '.join(table.not_tried)}"]


def test_unreadable_submissions_are_named():
    found = made([], unreadable=[Unreadable(submission="013", why="its seal has changed")])
    assert "nothing scored yet" in drawn(found)
    for said in (drawn(found), frontier_markdown(found)):
        assert "Not shown, unreadable: 013. its seal has changed" in said
    assert "not shown, unreadable: 013" in str(found)


def test_what_limits_the_best_is_noted_as_on_the_board():
    card = judged("pass", bar("D1", 0.9), caveats=["learner", "not-isolated"])
    found = made([one("x", card, witness=None)])
    assert "noted of x: unwitnessed, learner\n" in drawn(found)
    assert "noted of" not in drawn(made([one("x", judged("pass", bar("D1", 0.9)))]))


def test_the_screen_says_what_the_board_says_about_being_verified():
    assert drawn(made([])).endswith("Not verified here. Check every record: assay verify\n")


FULL = [
    one(
        f"baseline-{number:03}",
        judged("unresolved", bar("D3", 0.07, bound=-0.02, threshold=0.1)),
        of=name,
        method=f"{name}_of_some_length.py:detect",
    )
    for number, name in enumerate((*METHOD_CLASSES, None))
]


@pytest.mark.parametrize("width", [60, 80, 110, 160])
def test_the_table_fits_and_keeps_names_and_figures_whole(width):
    text = drawn(made(FULL), width)
    assert max(map(len, text.splitlines())) <= width
    for word in ("perturbation", "baseline-009", "UNRESOLVED (0/1)", "[-0.020,", "0.120"):
        assert word in text
    assert ("perturbation_of_some_length.py:detect" in text) is (width != 80)


def test_rows_and_csv_hold_the_exact_figures():
    third = 1 / 3
    found = made([one("x", judged("fail", bar("D1", third))), FULL[-1], LEFT_OUT[0]])
    rows = found.to_rows()
    read = list(csv.DictReader(io.StringIO(frontier_csv(found))))
    assert [row["submission"] for row in rows] == [row["submission"] for row in read]
    assert (rows[0]["stopped_by"], rows[0]["value"]) == ("D1", third)
    assert float(read[0]["shortfall"]) == 0.5 - third
    assert (read[0]["witnessed"], read[0]["scored"], read[0]["of"]) == ("yes", "1", "1")
    assert list(read[0]) == list(rows[0])
    passed = made([one("x", judged("pass", bar("D1", 0.9)))])
    assert passed.to_rows()[0]["stopped_by"] is None
    assert frontier_csv(passed).splitlines()[1].endswith(",1,1,1" + "," * 10)
    assert frontier_csv(made([])).splitlines() == [",".join(rows[0])]


def test_a_dictionary_has_the_keys_that_the_reference_promises():
    found = made([RANKED[2], LEFT_OUT[0]]).to_dict()
    assert set(found) == {"study", "benchmark", "digest", "tables", "without", "unreadable"}
    (table,) = found["tables"]
    assert set(table) == {"task", "bars", "rows", "unranked", "not_tried"}
    assert set(table["rows"][0]) == {
        "method_class", "scored", "submission", "method", "witnessed", "verdict", "resolved",
        "passed", "total", "stopped_by", "caveats",
    }  # fmt: skip
    assert set(table["rows"][0]["stopped_by"]) == {
        "bar", "metric", "partition", "value", "low", "high", "lower_bound", "threshold",
        "shortfall", "shortfall_at_bound",
    }  # fmt: skip
    assert set(table["unranked"][0]) == {"submission", "method_class", "status", "why"}
    json.dumps(found, allow_nan=False)


def test_two_full_tables_print_in_the_lines_that_a_result_may_have():
    mirrored = [
        one(f"k{each.id}", *each.judgements, of=each.method_class, task="classification")
        for each in FULL
    ]
    found = made([*FULL, *mirrored, *LEFT_OUT], (V1, version("v1", task="classification")))
    assert len(found.lines()) <= 18
    assert "and 6 more in classification" in str(found)


UGLY = '=a\x1b[2J\r\n|`*<b>[x](http://e)\u202e,"'


def test_hostile_names_and_reasons_are_harmless_wherever_they_are_shown():
    card = judged("fail", bar(UGLY, 0.1))
    found = made([
        one("x", card, method=UGLY),
        one("y", unjudged(UGLY)),
        one("z", status=Status.WITHDRAWN, because=UGLY),
    ])  # fmt: skip
    page = frontier_markdown(found)
    shown = [drawn(found, 80), drawn(found, 160), page, frontier_csv(found), str(found)]
    for text in (*shown, repr(found)):
        assert not any(char in text for char in "\x1b\r\u202e")
    assert "<b>" not in page + found._repr_html_()
    assert "[x](http" not in page
    (line,) = (line for line in page.splitlines() if line.startswith("| likelihood"))
    assert line.replace("\\|", "").count("|") == 7
    (row,) = csv.DictReader(io.StringIO(frontier_csv(found)))
    assert row["method"].startswith("'=")
