"""What a model's server, a recording and a wording say."""

import json
from pathlib import Path

from assay.critic.faithfulness.read import read_claims
from assay.critic.tokens import judge
from assay.critic.wordings import BUNDLED, wordings
from assay.models.cassette import Cassette, Mode, Recorded, recorded_line
from assay.models.http import forms
from assay.models.http.address import read_address
from assay.models.replies import ChatReply, TokenOption, Usage
from assay.models.requests import asked, call_bytes
from fuzzing.campaign import Reader
from fuzzing.files import ScratchFile
from fuzzing.targets import target
from fuzzing.targets.texts import text_of

_OPTIONS = [
    {"token": "NO", "logprob": -0.5, "bytes": [78, 79]},
    {"token": "Y", "logprob": -1.5, "bytes": None},
]
_CHAT = {
    "choices": [
        {
            "message": {"role": "assistant", "content": "NO"},
            "finish_reason": "length",
            "logprobs": {"content": [{**_OPTIONS[0], "top_logprobs": _OPTIONS}]},
        }
    ],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1},
}
_OLDER = {
    "choices": [
        {
            "text": "a b",
            "logprobs": {
                "tokens": ["a", " b"],
                "token_logprobs": [None, -0.25],
                "top_logprobs": [None, {" b": -0.25}],
                "text_offset": [0, 1],
            },
        }
    ]
}


@target("models: chats", thousands=120)
def _chats(_: Path) -> Reader:
    def read(data: bytes) -> object:
        body = forms.read(data, forms.Body)
        first = forms.first_tokens(body.only())
        return forms.used(body.usage), first and judge(first, wrong="no")

    return Reader(read=read, seeds=[json.dumps(each).encode() for each in (_CHAT, _OLDER)])


@target("models: vectors and refusals", thousands=40)
def _others(_: Path) -> Reader:
    def read(data: bytes) -> object:
        said = forms.fault(data)
        return said, forms.read(data, forms.Vectors).only()

    vectors = {"data": [{"embedding": [0.5, -1e-3]}], "usage": {"prompt_tokens": 2}}
    refusal = {"error": {"message": "no", "code": 3}, "data": [{"embedding": [1.0]}]}
    return Reader(read=read, seeds=[json.dumps(each).encode() for each in (vectors, refusal)])


@target("models: addresses", thousands=60)
def _addresses(_: Path) -> Reader:
    places = ("https://host.example:8080/v1", "http://127.0.0.1/v1", "http://[::1]:9/a%20b")
    return Reader(
        read=lambda data: read_address(text_of(data)), seeds=[each.encode() for each in places]
    )


@target("models: recordings", thousands=60)
def _recordings(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "calls.jsonl")
    option = TokenOption(text="NO", logprob=-0.5, data=b"NO")
    reply = ChatReply(text="NO", finish=None, first=(option,), usage=Usage(prompt=3))
    request = asked("Is it?", top=20)
    made = recorded_line(call_bytes("m", request), reply)

    def read(data: bytes) -> object:
        path = file.put(data)
        with Recorded(Cassette(path, Mode.REPLAY), None, name="m", own=True) as recorded:
            return recorded.ask(request)

    return Reader(read=read, seeds=[made + b"\n"])


TABLES = b"""[[claim]]
id = "v3"
claim = "The rate is 5.88 %."
path = "source.txt"
predicted = [0.0, 0.2]
confidence = 0.9
"""
LINES = b"""{"id": "a", "claim": "It rose.", "passage": "It fell.", "kind": "wrong-sign"}
{"id": "b", "claim": "Yes.", "passage": "No.", "kind": "fabrication", "predicted": [0, 1e-3]}
"""


@target("models: claims in tables", thousands=40)
def _tables_of_claims(scratch: Path) -> Reader:
    (scratch / "source.txt").write_text("The rate is 5.88 %.")
    file = ScratchFile(scratch / "claims.toml")
    return Reader(read=lambda data: read_claims(file.put(data), "paraphrases"), seeds=[TABLES])


@target("models: claims in lines", thousands=40)
def _lines_of_claims(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "claims.jsonl")
    return Reader(read=lambda data: read_claims(file.put(data), "controls"), seeds=[LINES])


@target("models: wordings", thousands=40)
def _wordings(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "mine.toml")
    folder = Path(wordings.__code__.co_filename).parent / "prompts"
    seeds = [(folder / f"{name}.toml").read_bytes() for name in BUNDLED["knowledge"]]

    def read(data: bytes) -> object:
        (wording,) = wordings([str(file.put(data))])
        return wording.prompt(question="q", response="{question}")

    return Reader(read=read, seeds=seeds)
