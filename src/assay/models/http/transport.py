"""One POST of JSON, within a deadline and a size, over connections that are kept.

Redirects are not followed: they could carry the key to another host. The key is sent to the host
that was named, over TLS or to this machine. It is cut out of whatever comes back.
"""

import http.client
import io
import ssl
import threading
import time
from collections.abc import Mapping
from socket import socket
from typing import Any, NamedTuple

from assay.errors import BadReply, SpecError
from assay.models.http.address import proxy_for, read_address

MOST_BYTES = 64 << 20
"""Bytes of a reply's body."""
MOST_SECONDS = 86_400.0
_PART = 1 << 16
_SHORTEST_SECRET = 12
"""A shorter key is a placeholder, such as EMPTY, and may occur in any text."""


class Answered(NamedTuple):
    """What a server sent back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Posts to one server. Threads share the connections that are idle."""

    def __init__(self, url: str, *, key: str | None, seconds: float) -> None:
        self.address = address = read_address(url)
        if not 0.0 < seconds <= MOST_SECONDS:
            raise SpecError(f"`seconds={seconds:g}`: expected more than 0, up to {MOST_SECONDS:g}")
        if key and address.scheme == "http" and not address.is_here:
            raise SpecError(
                f"the key would be sent to {address.host} without encryption", hint="Use https://."
            )
        self._seconds = seconds
        self._tls = ssl.create_default_context() if address.scheme == "https" else None
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {_checked(key)}"
        self._secret = key if key and len(key) >= _SHORTEST_SECRET else None
        self._proxy = proxy_for(address)
        self._before_path = ""
        if self._proxy is not None and self._tls is None:  # asked by the whole address
            self._before_path = f"http://{address.host}:{address.port}"
            self._headers |= self._proxy.headers
        self._idle: list[http.client.HTTPConnection] = []
        self._closed = False
        self._lock = threading.Lock()

    def post(self, path: str, body: bytes, *, root: bool = False) -> Answered:
        """Post a body to a path under the address, or under the server's root.

        Raises OSError or http.client.HTTPException where there is no whole answer in time.
        """
        end = time.monotonic() + self._seconds
        target = f"{self._before_path}{'' if root else self.address.path}/{path}"
        with self._lock:
            kept = self._idle.pop() if self._idle else None
        if kept is not None:
            try:
                return self._exchange(kept, target, body, end)
            except ConnectionError:
                pass  # the server had closed a connection that was kept; a new one tells
        return self._exchange(self._connection(), target, body, end)

    def close(self) -> None:
        """Close the connections; those in use are closed once they are idle."""
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().close()

    def without_key(self, text: str) -> str:
        """A text that may repeat the key, without it."""
        return text if self._secret is None else text.replace(self._secret, "[key]")

    def _exchange(
        self, connection: http.client.HTTPConnection, target: str, body: bytes, end: float
    ) -> Answered:
        whole = False
        try:
            _set_deadline(connection, end)
            connection.request("POST", target, body=body, headers=self._headers)
            response = connection.getresponse()
            data = self._bytes_without_key(_body(response))
            headers = {name.lower(): value for name, value in response.getheaders()}
            whole = True
            return Answered(response.status, headers, data)
        finally:
            with self._lock:
                if whole and connection.sock is not None and not self._closed:
                    self._idle.append(connection)
                else:
                    connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        to = self._proxy or self.address
        host, port = to.host, to.port
        if self._tls is None:
            return http.client.HTTPConnection(host, port)
        made = http.client.HTTPSConnection(host, port, context=self._tls)
        if self._proxy is not None:
            made.set_tunnel(self.address.host, self.address.port, headers=self._proxy.headers)
        return made

    def _bytes_without_key(self, data: bytes) -> bytes:
        """A body without the key, also where JSON writes its slashes in the longer way."""
        if self._secret is not None:
            for form in (self._secret, self._secret.replace("/", "\\/")):
                data = data.replace(form.encode(), b"[key]")
        return data


def _body(response: http.client.HTTPResponse) -> bytes:
    """A whole body. The library returns a body that was cut off as if it were whole."""
    data = bytearray()
    while part := response.read(_PART):
        data += part
        if len(data) > MOST_BYTES:
            raise BadReply(f"the reply is longer than {MOST_BYTES:,} bytes")
    if response.length:
        raise http.client.IncompleteRead(bytes(data), response.length)
    return bytes(data)


def _set_deadline(connection: http.client.HTTPConnection, end: float) -> None:
    """Connect if needed, and set the deadline of everything that is read and written."""
    timed: Any = connection.sock
    if timed is None:
        connection.timeout = max(end - time.monotonic(), 0.001)
        connection.connect()
        timed = connection.sock = _Timed(connection.sock)
    timed.end = end


class _Timed:
    """A socket whose every read and write must end before one deadline.

    A socket's own timeout is for each read alone, so that a server could send a byte a minute for
    ever.
    """

    def __init__(self, real: socket) -> None:
        self._real = real
        self.end = 0.0

    def ready(self) -> socket:
        """The socket, with what is left of the time."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._real.settimeout(left)
        return self._real

    def sendall(self, data: bytes) -> None:
        self.ready().sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:  # noqa: ARG002 - always "rb"
        return io.BufferedReader(_Reading(self, self._real.makefile("rb", buffering=0)))

    def close(self) -> None:
        self._real.close()  # what was made of it can still be read


class _Reading(io.RawIOBase):
    def __init__(self, timed: _Timed, raw: io.RawIOBase) -> None:
        self._timed = timed
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int | None:  # type: ignore[override]
        self._timed.ready()
        return self._raw.readinto(into)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _checked(key: str) -> str:
    """The key, if a header can hold it; it is in no message."""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise SpecError(
            "the key holds characters that no header can hold",
            hint="Set the variable again, without spaces or line ends.",
        )
    return key
