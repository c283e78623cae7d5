"""A planted key is in no file, log line, error, or text of an object."""

import logging
import traceback

import pytest
from helpers.model_server import KEY, Answer, refusal, said, serving

from assay.errors import ModelError
from assay.models.http import endpoint
from assay.models.reference import open_model
from assay.models.requests import Embedding, Likelihood, asked

ECHOES = {
    "chat": said(f"your key is {KEY}"),
    "escaped": Answer(said(KEY).data.replace(b"/", b"\\/")),
    "401": refusal(401, f"no such key: {KEY}"),
    "500": refusal(500, f"failed for {KEY}"),
    "429": refusal(429, KEY, "insufficient_quota"),
    "text": Answer(KEY.encode(), status=403),
    "not JSON": Answer(KEY.encode()),
    "form": Answer({"choices": KEY}),
    "token": said(logprobs={"content": [{"token": KEY, "logprob": 9.0}]}),
    "kept token": said(logprobs={"content": [{"token": KEY, "logprob": -0.1}]}),
    "wait": refusal(429, KEY, retry_after="9999"),
    "cut": said(KEY, way="cut"),
}


@pytest.mark.parametrize("answer", ECHOES.values(), ids=ECHOES)
def test_a_planted_key_is_found_nowhere(answer, tmp_path, caplog, capfd, monkeypatch):
    monkeypatch.setattr(endpoint, "MOST_TRIES", 1)
    caplog.set_level(logging.DEBUG)
    texts = []
    with serving(answer) as server:
        environment = {"ASSAY_API_KEY": KEY}
        model = open_model(
            f"{server.url}#m", cassette=tmp_path / "c.jsonl", environment=environment
        )
        with model:
            for request in (
                asked("a", top=3),
                Embedding(text="a"),
                Likelihood(context="a", text="b"),
            ):
                try:
                    texts.append(repr(model.ask(request)))
                except ModelError as error:
                    texts += [repr(error), str(error.hint), *traceback.format_exception(error)]
            texts += [
                repr(model),
                str(vars(model)),
                repr(model._model),
                repr(model._model._transport),
            ]
    assert any(KEY in (headers.get("Authorization") or "") for _, headers, _ in server.asked)
    texts += [*(record.getMessage() for record in caplog.records), *capfd.readouterr()]
    texts += [path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    assert [text for text in texts if KEY in text or KEY[:12] in text] == []
