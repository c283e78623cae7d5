"""What a person sees, letter by letter."""

import io

import assay
from assay.caveats import Caveat
from assay.report.gauntlet import draw_scorecard
from assay.report.terminal import EVERY_CAVEAT, console, draw_caveats
from assay.wording import printable

EXPECTED = """\
oracle:word_length on darkcore, detection bars v2

                          value  95 % interval     lower bound
D1  AUC at least 0.70  pass
    class != truth        0.787  [0.687, 0.858]          0.705
D2  AUC at least 0.70  pass
    class == folklore     0.800  [0.687, 0.875]          0.708
D3  AUC - word_length at least 0.10  fail
    class != truth        0.000  [-0.029, 0.029]        -0.020
    class == folklore     0.000  [-0.038, 0.038]        -0.027
lower bound: one-sided, 95 %; to pass, it must reach the threshold

point verdict  FAIL  2/3 bars by the estimates alone, without intervals
verdict        FAIL  a bar is shown to be missed

same-ranking: The method ranks every record exactly as a surface control does. See D3.
unsealed: No prediction was sealed before this run, so it shows nothing about foresight.
not-isolated: The method ran in a process of its own that could still read files.
"""


def test_a_scorecard_reads_as_it_should():
    dark = assay.load_benchmark("darkcore")
    card = assay.score(assay.run("oracle:word_length", dark), dark, assay.load_bars("v2"))
    drawn = io.StringIO()
    draw_scorecard(card, console(drawn))
    text = "\n".join(line.rstrip() for line in drawn.getvalue().splitlines())
    assert text.startswith(EXPECTED)
    assert text.removeprefix(EXPECTED).startswith("n 108 · darkcore@")


def test_nothing_that_is_shown_can_drive_a_terminal():
    assert printable("a\x1b[31mb\nverdict PASS\x07é≥") == "a\\x1b[31mb\\x0averdict PASS\\x07é≥"


CAVEATS = [
    Caveat(code=code, message=f"About {code}.")
    for code in ("resumed", "small-n", "unsealed", "learner", "unfit")
]


def caveats_drawn(every):
    out = io.StringIO()
    draw_caveats(CAVEATS, console(out), every=every)
    return out.getvalue().splitlines()


def test_a_screen_writes_out_three_caveats_by_rank_and_says_how_to_see_the_others():
    assert caveats_drawn(EVERY_CAVEAT) == [
        "unfit: About unfit.",
        "small-n: About small-n.",
        "unsealed: About unsealed.",
        "also noted: learner, resumed (--caveats shows them)",
    ]


def test_every_caveat_is_written_out_when_asked_for():
    assert [line.partition(":")[0] for line in caveats_drawn(None)] == [
        *("unfit", "small-n", "unsealed", "learner", "resumed")
    ]
