"""One POST of JSON, within a deadline and a size, over connections that are kept.

Redirects are not followed: they could carry the key to another host. The key is sent to the host
that was named, over TLS or to this machine, and stands in no error.
"""

import http.client
import io
import ssl
import threading
import time
from base64 import b64encode
from collections.abc import Mapping
from socket import socket
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from assay.errors import SpecError

MOST_BYTES = 64 << 20
"""Bytes of a reply's body."""
_PART = 1 << 16
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class Answered(NamedTuple):
    """What a server sent back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Posts to one server; each thread keeps a connection."""

    def __init__(self, url: str, *, key: str | None, seconds: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SpecError(f"{url!r:.200} is not the address of a model", hint=_EXAMPLE)
        if parts.username is not None or parts.query or parts.fragment:
            raise SpecError(
                "the address of a model has a user name, a query or a second '#'",
                hint=f"A key comes from the environment, never from the address. {_EXAMPLE}",
            )
        self.host: str = parts.hostname
        if key and parts.scheme == "http" and self.host not in _LOCAL:
            raise SpecError(
                f"the key would be sent to {self.host} without encryption", hint="Use https://."
            )
        try:
            self._port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            raise SpecError(f"{url!r:.200}: the port is no number up to 65535") from None
        self._path = parts.path.rstrip("/")
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._seconds = seconds
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {_checked(key)}"
        self._proxy = _proxy(parts.scheme, self.host)
        self._of_thread = threading.local()
        self._open: set[http.client.HTTPConnection] = set()
        self._lock = threading.Lock()

    def post(self, path: str, body: bytes, *, root: bool = False) -> Answered:
        """Post a body to a path under the address, or under the server's root.

        Raises OSError or http.client.HTTPException where there is no whole answer in time.
        """
        end = time.monotonic() + self._seconds
        kept = getattr(self._of_thread, "connection", None)
        if kept is not None and kept.sock is not None:
            try:
                return self._exchange(kept, path, body, root, end)
            except (http.client.RemoteDisconnected, ConnectionError):
                pass  # the server had closed a connection that was kept; a new one tells
        self._drop(kept)
        return self._exchange(self._connect(), path, body, root, end)

    def close(self) -> None:
        """Close every thread's connection."""
        with self._lock:
            for connection in self._open:
                connection.close()
            self._open.clear()

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        body: bytes,
        root: bool,
        end: float,
    ) -> Answered:
        try:
            self._timed(connection, end)
            target = f"{'' if root else self._path}/{path}"
            connection.request("POST", target, body=body, headers=self._headers)
            response = connection.getresponse()
            data = bytearray()
            while part := response.read(_PART):
                data += part
                if len(data) > MOST_BYTES:
                    raise http.client.HTTPException(f"more than {MOST_BYTES:,} bytes")
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Answered(response.status, headers, bytes(data))
        except BaseException:
            self._drop(connection)
            raise

    def _timed(self, connection: http.client.HTTPConnection, end: float) -> None:
        """Connect if needed, and set the deadline of everything that is read and written."""
        timed: Any = connection.sock
        if timed is None:
            connection.timeout = max(end - time.monotonic(), 0.001)
            connection.connect()
            timed = connection.sock = _Timed(connection.sock)
        timed.end = end

    def _connect(self) -> http.client.HTTPConnection:
        host, port = (self.host, self._port) if self._proxy is None else self._proxy[:2]
        made = (
            http.client.HTTPConnection(host, port)
            if self._tls is None
            else http.client.HTTPSConnection(host, port, context=self._tls)
        )
        if self._proxy is not None:
            made.set_tunnel(self.host, self._port, headers=self._proxy[2])
        self._of_thread.connection = made
        with self._lock:
            self._open.add(made)
        return made

    def _drop(self, connection: http.client.HTTPConnection | None) -> None:
        if connection is not None:
            connection.close()
            with self._lock:
                self._open.discard(connection)
            self._of_thread.connection = None


_EXAMPLE = "It looks like https://HOST/v1#MODEL."


class _Timed:
    """A socket whose every read and write must end before one deadline.

    A socket's own timeout is for each read alone, so that a server could send a byte a minute for
    ever.
    """

    def __init__(self, real: socket) -> None:
        self._real = real
        self.end = 0.0

    def _ready(self) -> socket:
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._real.settimeout(left)
        return self._real

    def sendall(self, data: bytes) -> None:
        self._ready().sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:  # noqa: ARG002 - always "rb"
        return io.BufferedReader(_Reading(self))

    def receive(self, into: memoryview) -> int:
        return self._ready().recv_into(into)

    def close(self) -> None:
        self._real.close()


class _Reading(io.RawIOBase):
    def __init__(self, timed: _Timed) -> None:
        self._timed = timed

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        return self._timed.receive(into)


def _checked(key: str) -> str:
    """The key, if a header can hold it; it is in no message."""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise SpecError(
            "the key holds characters that no header can hold",
            hint="Set the variable again, without spaces or line ends.",
        )
    return key


def _proxy(scheme: str, host: str) -> tuple[str, int, dict[str, str]] | None:
    """The proxy that the environment names for a host: its host, port and headers."""
    address = getproxies().get(scheme)
    if not address or host in _LOCAL or proxy_bypass(host):
        return None
    parts = urlsplit(address if "//" in address else f"//{address}")
    if not parts.hostname:
        return None
    headers = {}
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Proxy-Authorization"] = f"Basic {b64encode(user.encode()).decode()}"
    return parts.hostname, parts.port or 8080, headers
