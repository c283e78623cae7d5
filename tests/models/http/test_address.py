import pytest
from helpers.model_server import KEY

from assay.errors import SpecError
from assay.models.http.address import Address, proxy_for, read_address
from assay.models.http.transport import Transport


def test_an_address_is_read_into_its_parts():
    assert read_address("https://api.example.org/v1/") == ("https", "api.example.org", 443, "/v1")
    assert read_address("http://[::1]:8080/v1") == ("http", "::1", 8080, "/v1")
    assert read_address("http://localhost/v1").is_here
    assert not read_address("http://localhost.example.org/v1").is_here


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/v1", "https:///v1", "example.org/v1", "https://a b/v1",
        "https://example.org/v1\nX: y", "https://example.org/\u00fc", "https://example.org:99999/v1",
        "https://example.org:x/v1", "https://[::1/v1", "https://a..b/v1",
        f"https://{'a' * 64}.org/v1",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(url):
    with pytest.raises(SpecError, match="address of"):
        read_address(url)


@pytest.mark.parametrize(
    "url",
    [f"https://user:{KEY}@example.org/v1", f"https://{KEY}@example.org/v1", "https://@a.org/v1",
     f"https://example.org/v1?api_key={KEY}", f"https://example.org/v1#{KEY}"],
)  # fmt: skip
def test_an_address_with_a_user_or_a_query_is_refused_and_not_repeated(url):
    with pytest.raises(SpecError, match="user name, a query") as caught:
        read_address(url)
    assert KEY not in str(caught.value) and KEY not in caught.value.hint


def test_a_key_is_sent_without_encryption_to_this_machine_alone():
    with pytest.raises(SpecError, match=r"to example\.org without encryption") as caught:
        Transport("http://example.org/v1", key=KEY, seconds=1.0)
    assert KEY not in str(caught.value)
    for url in ("http://localhost:1/v1", "http://127.0.0.1:1/v1", "https://example.org/v1"):
        Transport(url, key=KEY, seconds=1.0).close()
    Transport("http://example.org/v1", key=None, seconds=1.0).close()


@pytest.mark.parametrize(
    "key", ["two words here", "line\nend-of-a-key", "sch\u00fcssel-sch\u00fcssel"]
)
def test_a_key_that_no_header_can_hold_is_refused_and_not_repeated(key):
    with pytest.raises(SpecError, match="no header can hold") as caught:
        Transport("https://example.org/v1", key=key, seconds=1.0)
    assert key not in str(caught.value)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf"), 1e18])
def test_a_time_that_no_socket_takes_is_refused(seconds):
    with pytest.raises(SpecError, match="seconds="):
        Transport("https://example.org/v1", key=None, seconds=seconds)


@pytest.fixture
def environment(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


FAR = Address("https", "far.example.org", 443, "/v1")


def test_the_environment_names_a_proxy(environment):
    assert proxy_for(FAR) is None
    environment.setenv("https_proxy", "http://us%40er:pa%20ss@proxy.example.org:3128")
    headers = {"Proxy-Authorization": "Basic dXNAZXI6cGEgc3M="}
    assert proxy_for(FAR) == ("proxy.example.org", 3128, headers)
    environment.setenv("https_proxy", "proxy.example.org")
    assert proxy_for(FAR) == ("proxy.example.org", 80, {})


def test_some_hosts_are_asked_without_a_proxy(environment):
    environment.setenv("https_proxy", "http://proxy.example.org:3128")
    environment.setenv("http_proxy", "http://proxy.example.org:3128")
    assert proxy_for(Address("http", "127.0.0.1", 1, "/v1")) is None
    environment.setenv("no_proxy", "example.org")
    assert proxy_for(FAR) is None


@pytest.mark.parametrize(
    "proxy", ["socks5://h:1", "https://h:1", "http://h:x", f"http://u:{KEY}@h:99999", "http://:1"]
)
def test_a_proxy_of_another_kind_is_refused(environment, proxy):
    environment.setenv("https_proxy", proxy)
    with pytest.raises(SpecError, match="https_proxy") as caught:
        proxy_for(FAR)
    assert KEY not in str(caught.value)
