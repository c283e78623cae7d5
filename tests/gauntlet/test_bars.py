import pytest
from helpers.fakes import detection_bars

from assay.benchmark.benchmark import TASKS
from assay.errors import SpecError
from assay.gauntlet.load import bundled_versions, load_bars
from assay.gauntlet.spec import parse_bars

DETECTION = detection_bars(at_least="0.7")


def test_the_bars_of_each_version_are_the_sources():
    wanted = {"v1": ["D1", "D2"], "v2": ["D1", "D2", "D3"], "v3": ["D1", "D2", "D3", "D4"]}
    for version, ids in wanted.items():
        bars = load_bars(version)
        assert [bar.id for bar in bars.bars] == ids
        assert [bar.at_least for bar in bars.bars] == [0.7, 0.7, 0.1, 0.1][: len(ids)]
        assert [bar.id for bar in load_bars(version, task="classification").bars] == [
            "K1",
            "K2",
            "K3",
        ]
    d3, d4 = load_bars("v3").bars[2:]
    assert (d3.minus.feature, d3.minus.direction) == ("word_length", "raw")
    assert (d4.minus.feature, d4.minus.direction) == ("capitalized_token_ratio", "better")
    thresholds = [bar.at_least for bar in load_bars("v1", task="classification").bars]
    assert thresholds == [0.70, 0.65, 0.60]


def test_every_bundled_file_reads_and_says_why_it_is_there():
    for task in TASKS:
        for version in bundled_versions(task):
            bars = load_bars(version, task=task)
            assert (bars.task, bars.version) == (task, version)
            assert bars.because


def test_every_control_bar_ships_its_regression_control():
    for version in bundled_versions("detection"):
        bars = load_bars(version)
        kept = {name for control in bars.regressions for name in control.fails}
        beyond = {bar.id for bar in bars.bars if bar.beyond is not None}
        # Once all features are held equal, the single controls need no cheat of their own.
        assert kept == (beyond or {bar.id for bar in bars.bars if bar.minus is not None})


WRONG = {
    "not TOML": ("= 1", "not TOML"),
    "no bars": (DETECTION.split("[[bar]]")[0], "missing required field `bar`"),
    "a bar twice": (DETECTION + DETECTION[DETECTION.index("[[bar]]") :], "bar B1 occurs twice"),
    "an unknown metric": (
        DETECTION.replace('"auc"', '"bleu"'),
        "no metric 'bleu'; the metrics are auc, f1, accuracy",
    ),
    "an unknown partition": (DETECTION.replace('["p"]', '["q"]'), "no partition 'q'"),
    "no partition": (DETECTION.replace('["p"]', "[]"), "AUC needs the key `partitions`"),
    "a text as threshold": (DETECTION.replace("0.7", '"high"'), "Expected `float`, got `str`"),
    "a misspelt key": (
        DETECTION + 'minsu = {feature = "x", direction = "raw"}',
        "unknown field `minsu` - at `$.bar[0]`",
    ),
    "a misspelt key above": ("becuase = 'x'" + DETECTION, "unknown field `becuase`"),
    "a misspelt key in a control": (
        DETECTION + 'minus = {feature = "x", direction = "raw", by = 1}',
        "unknown field `by` - at `$.bar[0].minus`",
    ),
    "an unreadable expression": (DETECTION.replace("!= truth", "~ truth"), "expected a comparison"),
    "an F1 of scores": (
        DETECTION.replace('"auc"', '"f1"'),
        "F1 needs classes, but detection gives scores",
    ),
    "a version that is no name": (DETECTION.replace('"mine"', '"../x"'), "is not a name"),
    "a threshold that is no number": (DETECTION.replace("0.7", "nan"), "from -1 to 1"),
    "a threshold out of reach": (DETECTION.replace("0.7", "70"), "from -1 to 1"),
    "a number of 5000 digits": (DETECTION.replace("0.7", "9" * 5000), "not TOML"),
    "deep nesting": ("x = " + "[" * 5000 + "]" * 5000, "nested deeper than 32 levels"),
    "a control of no bar": (
        DETECTION + '[[regression]]\nmethod = "m"\npasses = []\nfails = ["B9"]',
        "no bar B9",
    ),
    "a second corpus that is not named": (DETECTION + 'corpus = "second"', "the file names none"),
}


@pytest.mark.parametrize("name", WRONG)
def test_bars_that_make_no_sense_are_refused(name):
    text, words = WRONG[name]
    with pytest.raises(SpecError) as caught:
        parse_bars(text.encode(), where="bars.toml")
    assert words in caught.value.message


def test_bars_from_a_file_must_be_of_the_task(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(DETECTION)
    assert load_bars(path).version == "mine"
    assert load_bars(str(path), task="detection").version == "mine"
    with pytest.raises(SpecError, match="bars for detection, but the task is classification"):
        load_bars(path, task="classification")
    with pytest.raises(SpecError, match="expected a file or a bundled version"):
        load_bars("v99")
    with pytest.raises(SpecError) as caught:
        load_bars("plain", task="classification")
    assert caught.value.hint == "Another task has such bars: `task=detection`."
