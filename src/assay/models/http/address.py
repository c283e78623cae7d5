"""The address of a server, and the proxy on the way to it.

No message here repeats an address: it may hold a password.
"""

from base64 import b64encode
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from assay.errors import SpecError

_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS = {"http": 80, "https": 443}
_EXAMPLE = "It looks like https://HOST/v1#MODEL."


class Address(NamedTuple):
    """Where a server is."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def is_here(self) -> bool:
        """Whether it names this machine."""
        return self.host in _THIS_MACHINE


class Proxy(NamedTuple):
    """A proxy, and what it is told beside the request."""

    host: str
    port: int
    headers: dict[str, str]


def read_address(url: str) -> Address:
    """The parts of an address."""
    if set("@?#") & set(url):
        raise SpecError(
            "the address of the model has a user name, a query or a second '#'",
            hint=f"A key comes from the environment, never from the address. {_EXAMPLE}",
        )
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
        host.encode("idna")  # what looking it up would refuse
    except ValueError:
        raise SpecError("the address of the model cannot be read", hint=_EXAMPLE) from None
    plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme not in _PORTS or not host or not plain:
        raise SpecError("this is not the address of a model", hint=_EXAMPLE)
    return Address(parts.scheme, host, port or _PORTS[parts.scheme], parts.path.rstrip("/"))


def proxy_for(address: Address) -> Proxy | None:
    """The proxy that the environment names for an address; never one for this machine."""
    named = getproxies().get(address.scheme)
    if not named or address.is_here or proxy_bypass(address.host):
        return None
    try:
        parts = urlsplit(named if "//" in named else f"http://{named}")
        port = parts.port or _PORTS["http"]
    except ValueError:
        parts, port = urlsplit(""), 0
    if parts.scheme != "http" or not parts.hostname:
        raise SpecError(
            f"the proxy in {address.scheme}_proxy is not one of the form http://HOST:PORT",
            hint=f"Change it, or put {address.host} into the variable no_proxy.",
        )
    headers = {}
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Proxy-Authorization"] = f"Basic {b64encode(user.encode()).decode()}"
    return Proxy(parts.hostname, port, headers)
