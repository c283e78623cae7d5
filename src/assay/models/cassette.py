"""Recordings of calls: one line each, named by the digest of the model and the request.

A cassette is a file of JSON lines that only grows. It holds what was asked and what was replied,
and no key. A replay gives back the reply as it was stored, without key or network.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from threading import Lock

import msgspec

from assay.bounds import MAX_LINE_BYTES
from assay.digests import digest, short
from assay.errors import BadReply, IntegrityError, NotRecorded, SpecError, StorageError, storage
from assay.journal import append, cut_torn, read_lines
from assay.lock import locked
from assay.models.model import Model
from assay.models.replies import Reply
from assay.models.requests import Request, call_bytes


class Mode(StrEnum):
    """Where a reply may come from.

    `replay`: from the cassette alone. `record`: from the model, and stored. `auto`: from the
    cassette if the call is there, else from the model, and stored.
    """

    REPLAY = "replay"
    RECORD = "record"
    AUTO = "auto"


class _Call(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of a cassette. `call` is the text whose digest names it."""

    digest: str
    call: str
    reply: Reply


class Recorded(Model):
    """A model whose calls are recorded, or replayed; it counts both.

    Without a model there is nothing to ask, and only a replay is possible. One process records into
    a cassette at a time. Where a call was recorded twice, the later reply counts.
    """

    def __init__(self, path: Path, model: Model | None, *, name: str, mode: Mode) -> None:
        if model is None and mode is not Mode.REPLAY:
            raise SpecError(f"`mode={mode}` needs a model to ask")
        self.name = name
        self.path = path
        self.mode = mode
        self.replayed = 0
        self.asked = 0
        self._model = model
        self._lock = Lock()
        self._closing = ExitStack()
        if mode is not Mode.REPLAY:
            self._closing.enter_context(_recording(path))
        self._known = _read(path)
        if mode is Mode.REPLAY and not self._known:
            raise NotRecorded(f"{path}: no recorded calls", hint="Record some: `mode=auto`.")

    def ask(self, request: Request) -> Reply:  # type: ignore[override]
        """The reply as recorded, or from the model."""
        call = call_bytes(self.name, request)
        key = digest(call)
        known = None if self.mode is Mode.RECORD else self._known.get(key)
        if known is not None:
            with self._lock:
                self.replayed += 1
            return known
        if self._model is None or self.mode is Mode.REPLAY:
            raise NotRecorded(
                f"{self.path}: this call to {self.name} was not recorded ({short(key)})",
                hint="Record it: `mode=auto`. A changed prompt, model or limit is another call.",
            )
        reply = self._model.ask(request)
        line = msgspec.json.encode(_Call(digest=key, call=call.decode(), reply=reply))
        if len(line) > MAX_LINE_BYTES:
            raise BadReply(f"{self.name}: a reply of {len(line):,} bytes is too long to record")
        with self._lock:
            self.asked += 1
            with storage(self.path):
                append(self.path, line)
            self._known[key] = reply
        return reply

    def close(self) -> None:
        """Close the model, and let others record."""
        self._closing.close()
        if self._model is not None:
            self._model.close()


@contextmanager
def _recording(path: Path) -> Iterator[None]:
    """Keep other processes from recording into a cassette; a torn last line is cut off."""
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    busy = StorageError(f"{path}: another process is recording into it")
    with locked(path.with_name(f".{path.name}.lock"), busy=busy):
        with storage(path):
            cut_torn(path)
        yield


def _read(path: Path) -> dict[str, Reply]:
    """The recorded calls by digest; a line that was edited is refused."""
    with storage(path):
        data = read_lines(path)
    known: dict[str, Reply] = {}
    decoder = msgspec.json.Decoder(_Call)
    for number, line in enumerate(data.splitlines(), 1):
        where = f"{path}, line {number}"
        try:
            call = decoder.decode(line)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise SpecError(f"{where}: not a recorded call: {error}") from None
        if digest(call.call.encode("utf-8", "replace")) != call.digest:
            raise IntegrityError(f"{where}: the call does not have the digest that names it")
        known[call.digest] = call.reply
    return known
