"""Trying a method: what is kept, and who is told, where a run ends without a verdict."""

import pytest

import assay
from assay.cli.run_output import RunOutput
from assay.gauntlet.collect import try_method
from assay.runs.collect import Listener, collect
from assay.runs.result import Limits
from assay.runs.store import RunFolder
from assay.runs.worker import start_worker

DARK = assay.load_benchmark("darkcore")


class Heard(Listener):
    def __init__(self):
        self.kept = []

    def interrupted(self, made, folder):
        self.kept.append((made, folder))


@pytest.mark.parametrize("ending", [KeyboardInterrupt, assay.SpecError])
def test_a_run_that_cannot_be_judged_is_kept_and_said_to_be(tmp_path, monkeypatch, ending):
    def judge(*_):
        raise ending("planted")

    monkeypatch.setattr("assay.gauntlet.judge.score", judge)
    heard = Heard()
    with pytest.raises(ending):
        try_method("token-overlap", DARK, save=tmp_path / "kept", listener=heard)
    assert heard.kept == [(len(DARK.items), tmp_path / "kept")]
    assert assay.load_run(tmp_path / "kept").complete
    with pytest.raises(ending):
        try_method("token-overlap", DARK, listener=heard)
    assert assay.load_run(heard.kept[1][1]).complete


def test_without_a_listener_nothing_is_stored_that_nobody_hears_of(temporary, monkeypatch):
    def judge(*_):
        raise assay.SpecError("planted")

    monkeypatch.setattr("assay.gauntlet.judge.score", judge)
    with pytest.raises(assay.SpecError):
        try_method("token-overlap", DARK)
    assert not list(temporary.iterdir())


def failing(question, response, asked=[]):  # noqa: B006 - it counts
    asked.append(question)
    if len(asked) > 3:
        raise RuntimeError("planted")
    return 1.0


def test_a_folder_is_closed_even_if_no_listener_hears_of_it(tmp_path):
    with start_worker(failing) as worker, pytest.raises(assay.errors.MethodRaised) as caught:
        collect(
            worker,
            DARK,
            RunFolder(tmp_path / "run"),
            task="detection",
            seed=0,
            limits=Limits(),
        )
    kept = assay.load_run(tmp_path / "run")
    assert len(kept.records) == 4
    assert kept.records == caught.value.run.records


def test_the_bar_ends_with_the_last_item(monkeypatch):
    class Bar(RunOutput):
        def total(self, items, made):
            super().total(items, made)
            self._bar.callback(closed.append, True)

    closed = []

    def judge(*_):
        assert closed
        raise assay.SpecError("planted")

    monkeypatch.setattr("assay.gauntlet.judge.score", judge)
    with pytest.raises(assay.SpecError):
        try_method("token-overlap", DARK, listener=Bar())
    assert closed
