import io

from helpers.graded import direction_grade, graded, outcome_grade, range_grade, submission, version

from assay.report.study.predictions import draw_falsified, falsified_markdown
from assay.report.terminal import console
from assay.study.predictions.falsified import falsified

MISSED = graded(
    "a",
    range_grade("above"),
    range_grade("inside", metric="D2"),
    range_grade("below", metric="D3", level=0.95),
    range_grade(None, metric="D4"),
    outcome=outcome_grade("pass", fail=0.7, **{"pass": 0.3}, expected="fail"),
    directions=[
        direction_grade("D1 > D2", False),
        direction_grade("D1 < D2", True),
        direction_grade("D1 > D9", None, right=None),
    ],
)


def test_each_missed_commitment_stands_once_in_order():
    found = falsified([submission("a", grade=MISSED, sealed_by=3)], [version("v1")])
    assert [(one.number, one.kind, one.predicted, one.came) for one in found] == [
        (1, "range", "D1 from 0.400 to 0.600 (80 %)", "0.750, above"),
        (2, "range", "D3 from 0.400 to 0.600 (95 %)", "0.250, below"),
        (3, "outcome", "fail likeliest (70 %)", "pass, given 30 %"),
        (4, "direction", "D1 > D2", "0.500 and 0.600"),
    ]
    assert {(one.submission, one.graded_by, one.revised) for one in found} == {("a", 7, ())}


def test_as_many_are_listed_as_did_not_hold():
    listed = falsified([submission("a", grade=MISSED)], [])
    assert len(listed) == MISSED.commitments - MISSED.held


def test_submissions_stand_in_the_order_of_their_seals():
    one, two, three = (
        submission(name, grade=graded(name, range_grade("above")), sealed_by=seal)
        for name, seal in (("x", 9), ("y", 2), ("z", 5))
    )
    found = falsified([one, two, three], [])
    assert [(each.number, each.submission) for each in found] == [(1, "y"), (2, "z"), (3, "x")]


def test_what_held_or_was_not_graded_or_had_no_idea_is_no_falsification():
    third = dict.fromkeys(("fail", "unresolved", "pass"), 1 / 3)
    tie = outcome_grade("pass", fail=0.5, **{"pass": 0.5})
    right = outcome_grade("pass", fail=0.4, **{"pass": 0.6}, expected="pass")
    submissions = [
        submission("no grade"),
        submission("held", grade=graded("held", range_grade("inside"), outcome=right)),
        submission("open", grade=graded("open", range_grade(None))),
        submission("tie", grade=graded("tie", outcome=tie)),
        submission("no", grade=graded("no", outcome=outcome_grade("pass", **third), no_idea=True)),
    ]
    assert falsified(submissions, [version("v1")]) == ()


def test_what_was_revised_after_a_submission_stands_beside_each_of_its_misses():
    versions = [
        version("v1"),
        version("v2", entry=11, after="a", supersedes="v1"),
        version("v3", entry=21, after="b", supersedes="v2"),
        version("v2", task="classification", entry=31, after="a", supersedes="v1"),
    ]
    found = falsified([submission("a", grade=MISSED)], versions)
    assert len(found) == 4
    for one in found:
        assert [(each.version, each.because, each.entry) for each in one.revised] == [
            ("v2", "v2 because", 11)
        ]


def test_bars_that_a_cheat_met_are_falsified_too():
    versions = [
        version("v1"),
        version("v2", entry=5, after="a", supersedes="v1", cheat="oracle:word_length"),
        version("v3", entry=9, supersedes="v2", cheat="oracle:other"),
        version("v4", entry=12, supersedes="v3"),
    ]
    found = falsified([submission("a", grade=graded("a", range_grade("above")))], versions)
    assert [(one.number, one.kind, one.submission) for one in found] == [
        (1, "range", "a"),
        (2, "bars", "a"),
        (3, "bars", "-"),
    ]
    assert found[1].predicted == "detection bars v1 are enough"
    assert found[1].came == "oracle:word_length meets them all"
    assert [each.version for each in found[1].revised] == ["v2"]
    assert [each.version for each in found[2].revised] == ["v3"]
    assert found[1].graded_by is None


def drawn(found):
    out = io.StringIO()
    draw_falsified(found, console(out))
    return out.getvalue()


def test_the_list_reads_as_it_should():
    versions = [version("v1"), version("v2", entry=11, after="a")]
    found = falsified([submission("a", grade=MISSED)], versions)
    page = falsified_markdown("mine", found)
    assert page.startswith("# What turned out otherwise in mine\n\n| no. | submission |")
    assert page.count("\n| ") == 2 + len(found)
    assert "| 4 | a | D1 > D2 | 0.500 and 0.600 | v2 (entry 11) |" in page
    assert "D1 from 0.400 to 0.600 (80 %)" in drawn(found)


def test_a_study_in_which_nothing_missed_says_so():
    said = "Nothing that was predicted has turned out otherwise yet."
    assert falsified([], []) == ()
    assert said in drawn(())
    assert said in falsified_markdown("mine", ())
