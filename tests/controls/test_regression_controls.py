"""Each control bar condemns the cheat that it was made against, on the bundled benchmark."""

import pytest

import assay
from assay.plan.bars import bundled_versions

DARK = assay.load_benchmark("darkcore")
CONTROLS = [
    (version, control)
    for version in bundled_versions("detection")
    for control in assay.load_bars(version).regressions
]


@pytest.mark.parametrize(("version", "control"), CONTROLS, ids=lambda x: getattr(x, "method", x))
def test_the_cheat_passes_the_old_bars_and_fails_the_new_one(version, control):
    card = assay.score(assay.run(control.method, DARK), DARK, assay.load_bars(version))
    by_id = {bar.id: bar for bar in card.bars}
    for name in control.passes:
        assert by_id[name].point
    for name in control.fails:
        assert not by_id[name].point
        assert by_id[name].outcome is assay.Verdict.FAIL
        assert by_id[name].value == 0.0


def test_there_are_controls_to_run():
    assert {control.method for _, control in CONTROLS} == {
        "oracle:word_length",
        "oracle:capitalized_token_ratio:inverse",
    }


def test_a_method_that_knows_the_answer_passes_so_the_bars_can_be_met():
    answers = {item.question: float(item.label) for item in DARK.items}
    run = assay.run(lambda question, response: answers[question], DARK, task="detection")
    card = assay.score(run, DARK, assay.load_bars("v3"))
    assert card.verdict is assay.Verdict.PASS
    assert card.point.passed == 4


def test_a_method_that_knows_it_backwards_fails_everything():
    answers = {item.question: -float(item.label) for item in DARK.items}
    run = assay.run(lambda question, response: answers[question], DARK, task="detection")
    card = assay.score(run, DARK, assay.load_bars("v3"))
    assert [bar.outcome for bar in card.bars] == [assay.Verdict.FAIL] * 4


def test_on_minimal_pairs_no_surface_oracle_comes_near_a_bar():
    pairs = assay.load_benchmark("minimal-pairs")
    for method in ("oracle:word_length", "token-overlap", "oracle:mean_word_length"):
        card = assay.score(assay.run(method, pairs), pairs, assay.load_bars("v1"))
        assert card.verdict is assay.Verdict.FAIL
        assert all(abs(bar.value - 0.5) < 0.06 for bar in card.bars)
