import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.model_server import Spoken

from assay.errors import (
    BadReply,
    IntegrityError,
    ModelRefused,
    NotRecorded,
    SpecError,
    StorageError,
)
from assay.models import cassette
from assay.models.cassette import Cassette, Mode, Recorded
from assay.models.replies import (
    ChatReply,
    EmbeddingReply,
    LikelihoodReply,
    TokenOption,
    Usage,
)
from assay.models.requests import Chat, Embedding, Likelihood, Message, asked

CHAT = ChatReply(
    text="\u00e9\n\u2028 \ufffd", finish=None, usage=Usage(prompt=3),
    first=(TokenOption(text="\ufffd", logprob=-0.1234567890123456, data=b"\xc3"),
           TokenOption(text="", logprob=-1e-300)),
)  # fmt: skip
REPLIES = {
    asked("a", top=2): CHAT,
    Likelihood(context="a", text="b"): LikelihoodReply(
        tokens=("b",), logprobs=(-0.1,), usage=Usage()
    ),
    Embedding(text="a"): EmbeddingReply(vector=(0.1, -0.0, 5e-324), usage=Usage(completion=0)),
}


class Told(Spoken):
    """A model with replies of every kind."""

    def ask(self, request):
        self.calls += 1
        return REPLIES[request]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "calls.jsonl"


def recorder(path, model, mode=Mode.AUTO, name="m"):
    return Recorded(Cassette(path, mode), model, name=name, own=True)


def record(path, *prompts, say="YES", name="m", mode=Mode.AUTO):
    with recorder(path, Spoken(lambda _: say), mode, name) as model:
        for prompt in prompts:
            model.ask(asked(prompt))


def replay(path, name="m"):
    return recorder(path, None, Mode.REPLAY, name)


def test_a_replay_gives_back_what_was_replied_to_the_last_bit(path):
    with recorder(path, Told()) as model:
        told = [model.ask(request) for request in REPLIES]
    before = path.read_bytes()
    with replay(path) as again:
        assert [repr(again.ask(request)) for request in REPLIES] == [repr(each) for each in told]
        assert (again.asked, again.replayed) == (0, 3)
    assert path.read_bytes() == before
    assert told == list(REPLIES.values())


def test_a_call_that_was_not_recorded_is_refused(path):
    record(path, "a")
    with replay(path) as model:
        for other in (asked("b"), asked("a", top=1), asked("a", max_tokens=2)):
            with pytest.raises(NotRecorded, match="this call to m was not recorded"):
                model.ask(other)


def test_a_replay_of_nothing_is_refused(path):
    with pytest.raises(NotRecorded, match="no recorded calls"):
        replay(path)
    assert not path.exists() and not list(path.parent.iterdir())


def test_what_is_there_is_replayed_and_the_rest_is_asked(path):
    record(path, "a")
    other = Spoken(lambda _: "NO")
    with recorder(path, other) as model:
        assert [model.ask(asked(prompt)).text for prompt in "aba"] == ["YES", "NO", "YES"]
        assert (model.asked, model.replayed, other.calls) == (1, 2, 1)
    with replay(path) as model:
        assert [model.ask(asked(prompt)).text for prompt in "ab"] == ["YES", "NO"]


def test_a_recording_asks_anew_and_the_later_reply_counts(path):
    record(path, "a", "b")
    record(path, "a", say="NO", mode=Mode.RECORD)
    with replay(path) as model:
        assert [model.ask(asked(prompt)).text for prompt in "ab"] == ["NO", "YES"]
    assert len(path.read_bytes().splitlines()) == 3


def test_equal_requests_of_a_recording_are_one_call(path):
    """Else what the run was told first would not be what its replay is told."""
    said = iter("12")
    with recorder(path, Spoken(lambda _: next(said)), Mode.RECORD) as model:
        assert [model.ask(asked("a")).text for _ in range(2)] == ["1", "1"]
        other = Chat(messages=(Message(role="user", content="a"),), max_tokens=1, repeat=1)
        assert model.ask(other).text == "2"


def test_another_model_or_other_weights_have_calls_of_their_own(path):
    record(path, "a", name="local:m.gguf@sha256:1")
    record(path, "a", say="NO", name="local:m.gguf@sha256:2")
    for name, text in (("local:m.gguf@sha256:1", "YES"), ("local:m.gguf@sha256:2", "NO")):
        with replay(path, name) as model:
            assert model.ask(asked("a")).text == text
    with replay(path, "local:m.gguf@sha256:3") as model, pytest.raises(NotRecorded):
        model.ask(asked("a"))


def edited(line, key, new):
    return json.dumps({**json.loads(line), key: new}, separators=(",", ":")).encode()


def test_an_edited_line_is_refused(path):
    record(path, "a", "b")
    first, second = path.read_bytes().splitlines()
    call = json.loads(second)["call"].replace('"b"', '"c"')
    reply = {**json.loads(second)["reply"], "text": "NO"}
    for key, new in (("call", call), ("reply", reply), ("digest", json.loads(first)["digest"])):
        path.write_bytes(first + b"\n" + edited(second, key, new) + b"\n")
        for mode, model in ((Mode.REPLAY, None), (Mode.AUTO, Spoken()), (Mode.RECORD, Spoken())):
            with pytest.raises(IntegrityError, match=r"calls\.jsonl, line 2: the call or its"):
                recorder(path, model, mode)
    record_again = first + b"\n" + second + b"\n"
    path.write_bytes(record_again)
    replay(path).close()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 10_000,
        b'{"digest":"x","call":"","reply_digest":"","reply":{"kind":"x"}}',
    ],
)
def test_a_line_that_is_no_call_is_refused(path, line):
    record(path, "a")
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(SpecError, match=r"calls\.jsonl, line 2: not a recorded call"):
        replay(path)


def test_a_torn_last_line_is_passed_over_and_cut_by_the_next_recording(path):
    record(path, "a", "b")
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    with replay(path) as model:
        assert model.ask(asked("a")).text == "YES"
        with pytest.raises(NotRecorded):
            model.ask(asked("b"))
    assert path.read_bytes() == whole[:-5]
    record(path, "b")
    assert path.read_bytes() == whole


def test_a_second_recorder_is_refused_and_a_replay_is_not(path):
    with recorder(path, Spoken()) as model:
        model.ask(asked("a"))
        for mode in (Mode.AUTO, Mode.RECORD):
            with pytest.raises(StorageError, match="another process is recording"):
                recorder(path, Spoken(), mode)
        with replay(path) as other:
            assert other.ask(asked("a")).text == "YES"
    record(path, "b")


def test_a_cassette_that_cannot_be_read_stays_free_for_others(path):
    record(path, "a")
    whole = path.read_bytes()
    path.write_bytes(b"no call\n")
    error = None
    try:
        recorder(path, Spoken())
    except SpecError as caught:
        error = caught  # its traceback keeps the frames alive
    path.write_bytes(whole)
    record(path, "b")
    assert error is not None


def test_threads_that_ask_the_same_at_once_are_one_call(path):
    arrived = threading.Event()

    def wait_for_another(request):
        arrived.wait(0.2)  # time for the other threads to ask as well
        return threading.current_thread().name

    spoken = Spoken(wait_for_another)
    with recorder(path, spoken) as model, ThreadPoolExecutor(6) as pool:
        texts = {reply.text for reply in pool.map(model.ask, [asked("a")] * 6)}
    assert len(texts) == spoken.calls == 1
    assert (model.asked, model.replayed) == (1, 5)


def test_threads_at_once_leave_whole_lines(path):
    with recorder(path, Spoken()) as model, ThreadPoolExecutor(8) as pool:
        list(pool.map(model.ask, [asked(str(number)) for number in range(60)]))
    with replay(path) as again:
        for number in range(60):
            again.ask(asked(str(number)))
    assert len(path.read_bytes().splitlines()) == 60


def test_a_failure_is_not_recorded(path):
    def fail_once(request):
        if spoken.calls == 1:
            raise ModelRefused("no")
        return "YES"

    spoken = Spoken(fail_once)
    with recorder(path, spoken) as model:
        with pytest.raises(ModelRefused):
            model.ask(asked("a"))
        assert model.ask(asked("a")).text == "YES"
        assert model.asked == 1


def test_a_call_that_no_line_can_hold_is_refused(path, monkeypatch):
    monkeypatch.setattr(cassette, "MAX_LINE_BYTES", 1000)
    with (
        recorder(path, Spoken(lambda _: "x" * 1000)) as model,
        pytest.raises(BadReply, match="at most 1,000 can be recorded"),
    ):
        model.ask(asked("a"))
    assert not path.exists()


def test_a_reply_that_cannot_be_stored_is_an_error_of_storage(tmp_path):
    with recorder(tmp_path / "calls", Spoken()) as model:
        (tmp_path / "calls").mkdir()
        with pytest.raises(StorageError):
            model.ask(asked("a"))


def test_recording_takes_a_model(path):
    with pytest.raises(SpecError, match="mode=record"):
        recorder(path, None, Mode.RECORD)


def test_closing_a_recording_closes_its_model(path):
    spoken = Spoken()
    recorder(path, spoken).close()
    assert spoken.closed
