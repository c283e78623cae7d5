"""Each control bar condemns the cheat that it was made against, on the bundled benchmark."""

import pytest
from helpers.scale import scale

import assay
from assay.gauntlet.load import bundled_versions
from assay.gauntlet.result import Verdict
from assay.surface.features import ORACLES
from assay.surface.joint_model import known_surface

DARK = assay.load_benchmark("darkcore")
LABELS = tuple(item.label for item in DARK.items)
CONTROLS = [
    (version, control)
    for version in bundled_versions("detection")
    for control in assay.load_bars(version).regressions
]
STRONGEST = ("question_overlap", "word_length", "char_length", "capitalized_token_ratio")


@pytest.mark.parametrize("method", sorted({control.method for _, control in CONTROLS}))
def test_the_cheat_passes_the_old_bars_and_fails_the_new_one(method):
    run = assay.run(method, DARK)
    for version, control in CONTROLS:
        if control.method != method:
            continue
        card = assay.score(run, DARK, assay.load_bars(version))
        by_id = {bar.id: bar for bar in card.bars}
        for name in control.passes:
            assert by_id[name].point, version
        assert control.fails, version
        for name in control.fails:
            assert not by_id[name].point, version
            assert by_id[name].outcome is Verdict.FAIL, version
            if by_id[name].metric.startswith("auc - "):
                assert by_id[name].value == 0.0, version
        assert card.verdict is Verdict.FAIL, version


def test_there_are_controls_to_run():
    assert {control.method for _, control in CONTROLS} == {
        "auxiliary-copy",
        "oracle:capitalized_token_ratio:inverse",
        "oracle:question_overlap",
        "oracle:word_length",
        "surface-model",
    }


def test_no_single_oracle_in_either_direction_passes_v4():
    for name in scale(STRONGEST, ORACLES):
        oracle = ORACLES[name]
        scores = {item.id: oracle(item.question, item.response) for item in DARK.items}
        low, high = known_surface(DARK.items, LABELS, "declared").beyond(scores).interval(0.90)
        assert low < 0.65, name
        assert 1.0 - high < 0.65, f"{name} the other way round"
    beyond = [bar for bar in assay.load_bars("v4").bars if bar.beyond == "surface"]
    assert [bar.at_least for bar in beyond] == [0.65]


def test_a_method_that_knows_the_answer_passes_so_the_bars_can_be_met():
    answers = {item.question: float(item.label) for item in DARK.items}
    run = assay.run(lambda question, response: answers[question], DARK, task="detection")
    for version, bars in (("v3", 4), ("v4", 6)):
        card = assay.score(run, DARK, assay.load_bars(version))
        assert card.verdict is Verdict.PASS
        assert card.point.passed == bars


def test_a_method_that_knows_it_backwards_fails_everything():
    answers = {item.question: -float(item.label) for item in DARK.items}
    run = assay.run(lambda question, response: answers[question], DARK, task="detection")
    card = assay.score(run, DARK, assay.load_bars("v3"))
    assert [bar.outcome for bar in card.bars] == [Verdict.FAIL] * 4


def test_on_minimal_pairs_no_surface_oracle_comes_near_a_bar():
    pairs = assay.load_benchmark("minimal-pairs")
    for method in ("oracle:word_length", "token-overlap", "oracle:mean_word_length"):
        card = assay.score(assay.run(method, pairs), pairs, assay.load_bars("v1"))
        assert card.verdict is Verdict.FAIL
        assert all(abs(bar.value - 0.5) < 0.06 for bar in card.bars)
