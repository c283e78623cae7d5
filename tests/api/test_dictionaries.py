"""Where the command reads a TOML file, Python takes a dictionary: the same code checks both."""

import tomllib

import pytest
from helpers.dual_cases import lay_out
from helpers.studies import PREDICTION
from helpers.trial_systems import plan

import assay

BEFORE = [{"instance": f"q{n}", "correct": n % 3 == 0} for n in range(60)]
AFTER = [{"instance": f"q{n}", "correct": n % 3 != 1} for n in range(60)]
DIMENSIONS = {"dimensions": {"correct": {"gated": True, "margin": 0.02}}}
BARS = {
    "task": "detection",
    "version": "mine",
    "because": 'It must beat "chance".',
    "partition": {"all": {"positive": "class != truth", "negative": "class == truth"}},
    "bar": [{"id": "M1", "metric": "auc", "partitions": ["all"], "at_least": 0.5}],
}


def read(path):
    return tomllib.loads(path.read_text("utf-8"))


def test_the_dimensions_of_a_comparison(tmp_path):
    file = tmp_path / "dims.toml"
    file.write_text("[dimensions.correct]\ngated = true\nmargin = 0.02\n")
    found = assay.compare(BEFORE, AFTER, config=DIMENSIONS)
    assert found == assay.compare(BEFORE, AFTER, config=file)
    assert found.dimensions[0].margin == 0.02
    assert assay.assert_no_regression(BEFORE, AFTER, config=DIMENSIONS) == found


def test_a_dual_spec(tmp_path, monkeypatch):
    file = lay_out(tmp_path)
    made = assay.dual(file)
    monkeypatch.chdir(tmp_path)
    assert assay.dual(read(file)) == made, "the finished runs of the same plan are used again"


def test_a_spec_of_trials(tmp_path, monkeypatch):
    file = plan(tmp_path)
    made = assay.trials(file)
    monkeypatch.chdir(tmp_path)
    again = assay.trials(read(file), out=file.with_suffix(""))
    assert (again.comparison, again.runs) == (made.comparison, made.runs)
    with pytest.raises(assay.SpecError, match="no name for the folder") as refused:
        assay.trials(read(file))
    assert refused.value.__notes__ == ['Name the folder: `out="DIR"`.']


def test_bars_and_the_prediction_of_a_study(tmp_path):
    bars = assay.load_bars(BARS)
    assert assay.try_method("token-overlap", bars=bars).bars_version == "mine"
    study = assay.Study.create(tmp_path / "s", bars=BARS)
    written = study.root / "bars" / "detection-mine.toml"
    assert read(written) == BARS
    assert assay.load_bars(written) == bars
    prediction = {"ranges": {"M1": [0.7, 0.9]}, "outcomes": {"pass": 0.9, "fail": 0.1}}
    folder = study.draft("001", "token-overlap", prediction=prediction)
    assert read(folder / "prediction.toml") == prediction
    study.seal("001", probe=False)
    assert study.run("001", unwitnessed=True).scorecard.verdict == "pass"


def test_a_prediction_that_is_wrong_is_refused_and_leaves_no_draft(tmp_path):
    study = assay.Study.create(tmp_path / "s", bars=BARS)
    with pytest.raises(assay.SpecError, match="prediction, ranges: no metric 'B1'; the metrics"):
        study.draft("001", "token-overlap", prediction=tomllib.loads(PREDICTION))
    assert not (study.root / "preregs" / "001").exists()


@pytest.mark.parametrize(
    ("call", "said", "hint"),
    [
        (
            lambda: assay.compare(BEFORE, AFTER, config={"dimensions": {"correct": {"gatd": 1}}}),
            "config: dimension correct: unknown key `gatd`",
            "Did you mean gated?",
        ),
        (
            lambda: assay.compare(BEFORE, AFTER, config={"dimensions": {"correct": {"margin": 3}}}),
            "config: dimension correct: margin = 3, expected over 0",
            None,
        ),
        (
            lambda: assay.dual({"system": {"comand": []}, "evaluation": {"benchmark": "b"}}),
            "spec: system: Object contains unknown field `comand`",
            "The keys here: command, method, folder",
        ),
        (
            lambda: assay.trials({"instances": ["a"], "artifact": {}}, out="runs"),
            "spec: artifact: the key `path` is missing",
            "`assay trials --init` writes one",
        ),
        (
            lambda: assay.load_bars({**BARS, "bar": [{"id": "M1", "at_lest": 1}]}),
            r"bars: Object contains unknown field `at_lest` - at `\$.bar\[0\]`",
            "Did you mean at_least? The keys here: id, metric, at_least",
        ),
        (
            lambda: assay.load_bars(BARS, task="classification"),
            "bars: bars for detection, but the task is classification",
            "Choose the task",
        ),
        (
            lambda: assay.compare(BEFORE, AFTER, config=["dims.toml"]),
            "config is list, expected text or a path or a dictionary or None",
            None,
        ),
    ],
)
def test_a_fault_is_named_by_its_key(call, said, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(assay.SpecError, match=said) as refused:
        call()
    assert (hint or "") in (refused.value.hint or "")
    assert hint is not None or refused.value.hint is None
