import http.client

import pytest
from helpers.model_server import KEY, Answer, said, serving

from assay.errors import BadReply
from assay.models.http import transport
from assay.models.http.address import Proxy
from assay.models.http.transport import Transport


@pytest.fixture
def posting():
    made = []

    def make(server, *, key=None, seconds=30.0):
        made.append(Transport(server.url, key=key, seconds=seconds))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_calls_share_one_connection_and_send_the_key_as_a_header(posting):
    with serving(said()) as server:
        post = posting(server, key=KEY)
        assert post.post("a", b"{}").status == 200
        post.post("b", b"{}", root=True)
    assert [path for path, _, _ in server.asked] == ["/v1/a", "/b"]
    assert {headers["Authorization"] for _, headers, _ in server.asked} == {f"Bearer {KEY}"}
    assert server.connections == 1


def test_a_kept_connection_that_was_closed_is_opened_again(posting):
    with serving(said(way="leave")) as server:
        post = posting(server)
        for _ in range(3):
            assert post.post("a", b"{}").body == said().data
    assert len(server.asked) == server.connections == 3


def test_a_server_that_closes_after_each_reply_is_read_to_the_end(posting):
    with serving(said("x" * 300_000, headers={"Connection": "close"})) as server:
        post = posting(server)
        for _ in range(2):
            assert len(post.post("a", b"{}").body) > 300_000


def test_a_new_connection_that_is_closed_is_no_reason_to_ask_again(posting):
    with serving(Answer(way="refuse")) as server:
        with pytest.raises(http.client.RemoteDisconnected):
            posting(server).post("a", b"{}")
        assert len(server.asked) == 1


@pytest.mark.parametrize("way", ["hang", "drip"])
def test_the_deadline_is_for_the_whole_call(posting, way):
    with serving(said("x" * 1000, way=way)) as server, pytest.raises(TimeoutError):
        posting(server, seconds=0.3).post("a", b"{}")


def test_a_body_that_was_cut_off_is_not_taken_for_whole(posting):
    with (
        serving(Answer(b"[1, 2]" + b" " * 20, way="cut")) as server,
        pytest.raises(http.client.IncompleteRead),
    ):
        posting(server).post("a", b"{}")


def test_a_body_over_the_limit_is_not_read_to_the_end(posting, monkeypatch):
    monkeypatch.setattr(transport, "MOST_BYTES", 1 << 17)
    with (
        serving(Answer(b"x" * (1 << 20))) as server,
        pytest.raises(BadReply, match="longer than 131,072 bytes"),
    ):
        posting(server).post("a", b"{}")


def test_a_redirect_is_handed_back_and_not_followed(posting):
    with serving(said()) as other:
        moved = Answer(status=307, headers={"Location": f"{other.url}/chat/completions"})
        with serving(moved) as server:
            assert posting(server, key=KEY).post("a", b"{}").status == 307
    assert other.asked == []


def test_an_idle_connection_is_closed_and_one_in_use_once_it_is_idle(posting):
    with serving(said()) as server:
        post = posting(server)
        post.post("a", b"{}")
        (idle,) = post._idle
        post.close()
        assert idle.sock is None and post._idle == []
        post.post("a", b"{}")
        assert post._idle == []


def test_a_key_is_cut_out_of_what_comes_back_and_a_placeholder_is_not(posting):
    body = {"a": KEY, "b": KEY.replace("/", "\\/")}
    with serving(Answer(body)) as server:
        assert KEY.encode() not in posting(server, key=KEY).post("a", b"{}").body
        escaped = Answer(b'{"a": "' + KEY.replace("/", "\\/").encode() + b'"}')
        server.answers = [escaped]
        assert posting(server, key=KEY).post("a", b"{}").body == b'{"a": "[key]"}'
        server.answers = [Answer(b"EMPTY")]
        assert posting(server, key="EMPTY").post("a", b"{}").body == b"EMPTY"


def test_a_proxy_is_asked_by_the_whole_address_or_for_a_tunnel(monkeypatch):
    with serving(said()) as proxy:
        there = Proxy("127.0.0.1", proxy.port, {"Proxy-Authorization": "Basic eDp5"})
        monkeypatch.setattr(transport, "proxy_for", lambda _: there)
        plain = Transport("http://far.example.org/v1", key=None, seconds=30.0)
        assert plain.post("a", b"{}").status == 200
        plain.close()
        secret = Transport("https://far.example.org/v1", key=KEY, seconds=30.0)
        with pytest.raises(OSError, match="403"):
            secret.post("a", b"{}")
    (asked, headers, _), (tunnel, before, _) = proxy.asked
    assert asked == "http://far.example.org:80/v1/a" and headers["Host"] == "far.example.org:80"
    assert tunnel == "far.example.org:443" and "Authorization" not in before
    assert {headers["Proxy-Authorization"], before["Proxy-Authorization"]} == {"Basic eDp5"}
