"""Recordings of calls: one line each, named by the digest of the model and the request.

A cassette is a file of JSON lines that only grows. It holds what was asked and what was replied,
and no key. A replay gives back the reply as it was stored, without key or network. The calls of
several models stand in one file, since each line says which model was asked.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

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


def mode_of(word: str, *, recorded: bool) -> Mode:
    """A mode by its word; without a recording there is nothing to choose."""
    if word not in list(Mode):
        raise SpecError(f"`mode={word:.40}`: expected {', '.join(Mode)}")
    if not recorded and word != Mode.AUTO:
        raise SpecError(f"`mode={word}` needs the file of a recording: `cassette=calls.jsonl`")
    return Mode(word)


class _Call(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of a cassette. Both texts stand as they were digested; `digest` names the call."""

    digest: str
    call: str
    reply_digest: str
    reply: msgspec.Raw


class Cassette:
    """A file of recorded calls, open for the models whose calls it holds.

    One process records into it at a time. Where a call was recorded twice, the later reply counts.
    """

    def __init__(self, path: Path, mode: Mode = Mode.AUTO) -> None:
        self.path = path
        self.mode = mode
        self.lock = Lock()
        with ExitStack() as closing:
            if mode is not Mode.REPLAY:
                closing.enter_context(_recording(path))
            known = _read(path)
            if mode is Mode.REPLAY and not known:
                raise NotRecorded(f"{path}: no recorded calls", hint="Record some: `mode=auto`.")
            self.known = {} if mode is Mode.RECORD else known
            self._closing = closing.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def keep(self, key: str, line: bytes, reply: Reply) -> None:
        """Store a call; `lock` is held."""
        with storage(self.path):
            append(self.path, line)
        self.known[key] = reply

    def close(self) -> None:
        """Let others record; a second call does nothing."""
        self._closing.close()


class Recorded(Model):
    """A model whose calls are recorded, or replayed; it counts both.

    Equal requests are one call, also while it is under way: what a run was told, its replay is
    told. Without a model there is nothing to ask, and only a replay is possible. A cassette that
    is its `own` is closed with it.
    """

    def __init__(
        self, cassette: Cassette, model: Model | None, *, name: str, own: bool = False
    ) -> None:
        if model is None and cassette.mode is not Mode.REPLAY:
            raise SpecError(f"`mode={cassette.mode}` needs a model to ask")
        self.name = name
        self.path = cassette.path
        self.mode = cassette.mode
        self.replayed = 0
        self.asked = 0
        self._cassette = cassette
        self._own = own
        self._model = model
        self._under_way: dict[str, Lock] = {}

    def ask(self, request: Request) -> Reply:  # type: ignore[override]
        """The reply as recorded, or from the model."""
        call = call_bytes(self.name, request)
        key = digest(call)
        known = self._cassette.known.get(key)
        if known is None:
            with self._cassette.lock:
                alone = self._under_way.setdefault(key, Lock())
            with alone:
                known = self._cassette.known.get(key)
                if known is None:
                    return self._record(request, call, key)
        with self._cassette.lock:
            self.replayed += 1
        return known

    def close(self) -> None:
        """Close the model, and let others record."""
        if self._own:
            self._cassette.close()
        if self._model is not None:
            self._model.close()

    def _record(self, request: Request, call: bytes, key: str) -> Reply:
        """Ask the model, and store what it replies."""
        if self._model is None or self.mode is Mode.REPLAY:
            raise NotRecorded(
                f"{self.path}: this call to {self.name} was not recorded ({short(key)})",
                hint="Record it: `mode=auto`. A changed prompt, model or limit is another call.",
            )
        reply = self._model.ask(request)
        line = recorded_line(call, reply)
        if len(line) > MAX_LINE_BYTES:
            raise BadReply(
                f"{self.name}: a call of {len(line):,} bytes with its reply, at most"
                f" {MAX_LINE_BYTES:,} can be recorded"
            )
        with self._cassette.lock:
            self.asked += 1
            self._cassette.keep(key, line, reply)
        return reply


def recorded_line(call: bytes, reply: Reply) -> bytes:
    """A call and its reply as a line of a cassette."""
    data = msgspec.json.encode(reply)
    return msgspec.json.encode(
        _Call(
            digest=digest(call),
            call=call.decode(),
            reply_digest=digest(data),
            reply=msgspec.Raw(data),
        )
    )


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
    lines, replies = msgspec.json.Decoder(_Call), msgspec.json.Decoder(Reply)
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        where = f"{path}, line {number}"
        try:
            call = lines.decode(line)
            reply: Reply = replies.decode(call.reply)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise SpecError(f"{where}: not a recorded call: {error}") from None
        if digest(call.call.encode()) != call.digest or digest(call.reply) != call.reply_digest:
            raise IntegrityError(f"{where}: the call or its reply does not have its digest")
        known[call.digest] = reply
    return known
