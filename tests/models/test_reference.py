import pytest
from helpers.model_server import KEY, Spoken, said, serving

from assay.errors import ModelError, SpecError, StorageError
from assay.models import reference
from assay.models.cassette import Mode
from assay.models.reference import model_name, open_model
from assay.models.requests import asked


def test_an_address_with_a_name_is_a_model_with_the_key_of_the_environment(tmp_path):
    with serving(said("YES")) as server:
        named = f"{server.url}/#org/a-model#2"
        with open_model(named, environment={"ASSAY_API_KEY": KEY}) as model:
            assert model.ask(asked("a")).text == "YES"
            assert model.name == model_name(named) == f"{server.url}#org/a-model#2"
        with open_model(named, environment={"MY_KEY": KEY}, key_env="MY_KEY") as model:
            model.ask(asked("a"))
        with open_model(named, environment={}) as model:
            model.ask(asked("a"))
    keys = [headers.get("Authorization") for _, headers, _ in server.asked]
    assert keys == [f"Bearer {KEY}", f"Bearer {KEY}", None]
    assert server.asked[0][2]["model"] == "org/a-model#2"


def test_the_key_of_this_process_is_used_if_no_other_environment_is_given(monkeypatch):
    monkeypatch.setenv("ASSAY_API_KEY", KEY)
    with serving(said()) as server, open_model(f"{server.url}#m") as model:
        model.ask(asked("a"))
    assert server.asked[0][1]["Authorization"] == f"Bearer {KEY}"


def test_a_variable_that_is_named_must_be_set():
    for environment in ({}, {"MY_KEY": ""}):
        with pytest.raises(SpecError, match="the variable MY_KEY"):
            open_model("https://example.org/v1#m", key_env="MY_KEY", environment=environment)


@pytest.mark.parametrize(
    "named",
    ["", "gpt", "https://example.org/v1", "https://example.org/v1#", "ftp://a.org#m", "Local"],
)
def test_what_is_no_reference_is_refused_with_the_forms(named):
    for call in (model_name, open_model):
        with pytest.raises(SpecError, match=r"names no model; expected local, local:PATH\.gguf"):
            call(named)


@pytest.mark.parametrize(
    "named", [f"https://u:{KEY}@a.org/v1", f"https://u:{KEY}@a.org/v1#m", f"https://a.org/?k={KEY}#m",
              f"https://a.org/?k={KEY}"]
)  # fmt: skip
def test_a_secret_in_a_reference_is_refused_and_not_repeated(named, tmp_path):
    calls = (
        lambda: model_name(named), lambda: open_model(named),
        lambda: open_model(named, cassette=tmp_path / "c", mode=Mode.REPLAY),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(SpecError) as caught:
            call()
        assert KEY not in str(caught.value) and KEY not in (caught.value.hint or "")


def test_a_recording_is_replayed_without_key_or_network(tmp_path):
    path = tmp_path / "c.jsonl"
    with serving(said("YES")) as server:
        named = f"{server.url}#m"
        with open_model(named, cassette=path, environment={"ASSAY_API_KEY": KEY}) as model:
            model.ask(asked("a"))
    with open_model(named, cassette=path, mode=Mode.REPLAY, environment={}) as model:
        assert model.ask(asked("a")).text == "YES"


def test_no_time_is_a_fault_and_not_the_default():
    with pytest.raises(SpecError, match="seconds="):
        open_model("https://example.org/v1#m", seconds=0.0, environment={})


def test_a_model_is_closed_if_its_cassette_is_taken(tmp_path, monkeypatch):
    spoken = Spoken()
    monkeypatch.setattr(reference, "_open", lambda *_: spoken)
    path = tmp_path / "c.jsonl"
    with open_model("local", cassette=path):
        second = Spoken()
        monkeypatch.setattr(reference, "_open", lambda *_: second)
        with pytest.raises(StorageError):
            open_model("local", cassette=path)
    assert second.closed


def test_weights_that_are_not_there_and_a_package_that_is_not_installed(tmp_path, monkeypatch):
    with pytest.raises(StorageError, match=r"none\.gguf"):
        model_name(f"local:{tmp_path}/none.gguf")
    monkeypatch.setattr("assay.models.local._PACKAGE", "no-such-package")
    for call in (model_name, open_model):
        with pytest.raises(ModelError, match="the local model is not installed") as caught:
            call("local")
        assert "pip install" in caught.value.hint
