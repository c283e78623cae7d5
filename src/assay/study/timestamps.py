"""Outside time in a study: pinned authorities, and timestamps of its checkpoints.

authorities/FINGERPRINT.pem   the root certificate of an authority that the author chose
checkpoints/NAME.txt          a checkpoint that was kept
checkpoints/NAME.tsq          the request for a timestamp of it; the user sends it, Assay never does
checkpoints/NAME.tsr          the authority's response

Pins and timestamps are entries of the ledger. A timestamp entered between a seal and the start of
its run shows two things: the seal existed by the attested time, and the run was entered after it,
since a response cannot be known in advance.
"""

import math
from pathlib import Path

from assay.digests import digest, is_name
from assay.errors import IntegrityError, SpecError, storage
from assay.files import inside, read_as, read_bounded, read_inside, write_new, write_whole
from assay.ledger.attestation import Attestation, Attested
from assay.ledger.certificate import MAX_BYTES, AuthorityCertificate, read_certificate
from assay.ledger.chain import Chain
from assay.ledger.checkpoint import Checkpoint, check_extends, parse_checkpoint
from assay.ledger.entry import Entry
from assay.ledger.timestamp import make_request, verify_response
from assay.study.entries import enter, read_records
from assay.study.records import SubmissionRecord
from assay.study.study import StudyFolder

CHECKPOINT, REQUEST, RESPONSE = ".txt", ".tsq", ".tsr"


def pin(study: StudyFolder, data: bytes, *, where: str) -> tuple[AuthorityCertificate, Entry]:
    """Enter the root certificate of an authority whose timestamps the study accepts."""
    authority = read_certificate(data, where=where)
    name = _authority_file(authority.fingerprint)
    with study.ledger as ledger:
        for entry in read_records(ledger.entries).authorities:
            if entry.subject == authority.fingerprint:
                raise SpecError(f"{authority.name} is already pinned (entry {entry.n})")
        path = study.path(name)
        with storage(path):
            path.parent.mkdir(exist_ok=True)
        write_whole(path, authority.pem)  # what lies there in no entry was cut off
        files = {name: digest(authority.pem)}
        return authority, enter(ledger, "authority", authority.fingerprint, files=files)


def request_timestamp(study: StudyFolder, file: Path) -> Path:
    """Write the request for a timestamp of a kept checkpoint beside it."""
    checkpoint = _kept_checkpoint(study, _stem(study, file))
    request = study.path(f"checkpoints/{_stem(study, file)}{REQUEST}")
    write_new(request, make_request(checkpoint.text.encode()))
    return request


def add_timestamp(study: StudyFolder, file: Path, response: Path | None = None) -> Attestation:
    """Verify the response for a kept checkpoint, store it beside it, and enter it.

    Without `response`, the file beside the checkpoint is used.
    """
    stem = _stem(study, file)
    names = [f"checkpoints/{stem}{suffix}" for suffix in (REQUEST, RESPONSE)]
    asking, stored = (study.path(name) for name in names)
    if not asking.exists():
        raise SpecError(
            f"the timestamp request {names[0]} is missing",
            hint=f"Make it: assay ledger request {file}",
        )
    request = read_bounded(asking, MAX_BYTES)
    data = read_bounded(stored if response is None else response, MAX_BYTES)
    with study.ledger as ledger:
        records = read_records(ledger.entries)
        for entry in records.timestamps:
            if entry.subject == stem:
                raise SpecError(f"{file} already has a timestamp (entry {entry.n})")
        checkpoint = _kept_checkpoint(study, stem)
        check_extends(study.chain(), [checkpoint], origin=study.config.origin)
        attested = verify_response(
            data,
            request=request,
            text=checkpoint.text.encode(),
            authorities=[_pinned(study, entry) for entry in records.authorities],
        )
        if response is not None and not _holds(stored, data):
            write_new(stored, data)
        entry = enter(
            ledger,
            "timestamp",
            stem,
            files=dict(zip(names, (digest(request), digest(data)), strict=True)),
            said={"time": attested.time, "authority": attested.authority},
        )
    return _attestation(entry, checkpoint, attested)


def attestations(study: StudyFolder, chain: Chain, *, after: int = 0) -> dict[int, Attestation]:
    """The timestamps that a ledger names, by entry number, each verified from stored bytes.

    `after` leaves out older entries. An authority counts only for timestamps entered after its pin.
    """
    timestamps = [each for each in chain.entries if each.kind == "timestamp" and each.n > after]
    pins = [each for each in chain.entries if each.kind == "authority"] if timestamps else []
    authorities = {each.n: _pinned(study, each) for each in pins}
    return {
        entry.n: _verified(
            study, chain, entry, [pinned for n, pinned in authorities.items() if n < entry.n]
        )
        for entry in timestamps
    }


def check_pins(study: StudyFolder, chain: Chain) -> None:
    """Refuse an authority whose stored certificate differs from the pinned one."""
    for entry in chain.entries:
        if entry.kind == "authority":
            _pinned(study, entry)


def attestation_of(study: StudyFolder, record: SubmissionRecord) -> Attestation | None:
    """The attested time of a seal: the one that its run started with, or would start with now.

    The earliest of several counts: the seal existed by then.
    """
    made = attestations(study, study.chain(), after=record.seal.n)
    if record.started is not None:
        return stated_attestation(made, record)
    return _earliest(made, record)


def _earliest(made: dict[int, Attestation], record: SubmissionRecord) -> Attestation | None:
    """The earliest time that covers a seal, of those entered before the run started."""
    start = math.inf if record.started is None else record.started.n
    covering = [
        each for each in made.values() if record.seal.n < each.checkpoint <= each.entry < start
    ]
    return min(covering, key=lambda each: (each.time, each.entry), default=None)


def stated_attestation(
    made: dict[int, Attestation], record: SubmissionRecord
) -> Attestation | None:
    """The attested time that the start of a run names; if it does not cover the seal, a breach."""
    assert record.started is not None  # noqa: S101 - only such are asked about
    stated = record.started.said.get("attested")
    if stated is None:
        return None
    number = record.started.stated_number("attested")
    known = None if number is None else made.get(number)
    if known is None or not record.seal.n < known.checkpoint <= known.entry < record.started.n:
        raise IntegrityError(
            f"{record.id} started with the attested time of entry {stated!r:.40}, which is not a"
            " timestamp between its seal and its start"
        )
    earliest = _earliest(made, record)
    if known != earliest:  # else the author could choose, and with the time the seed
        assert earliest is not None  # noqa: S101 - the one stated covers the seal
        raise IntegrityError(
            f"{record.id} started with the attested time of entry {known.entry}, but entry"
            f" {earliest.entry} attests an earlier one"
        )
    return known


def _verified(
    study: StudyFolder, chain: Chain, entry: Entry, authorities: list[AuthorityCertificate]
) -> Attestation:
    """What one entry attests; its statements must match its files."""
    where = f"entry {entry.n} (timestamp {entry.subject:.64})"
    names = [f"checkpoints/{entry.subject}{suffix}" for suffix in (REQUEST, RESPONSE)]
    if sorted(entry.files) != names:
        raise IntegrityError(f"{where}: it does not name {' and '.join(names)}")
    request, response = (_stored(study, name, entry.files[name]) for name in names)
    checkpoint = _kept_checkpoint(study, entry.subject)
    check_extends(chain, [checkpoint], origin=study.config.origin)
    if checkpoint.size > entry.n:
        raise IntegrityError(f"{where}: its checkpoint is later: it has {checkpoint.size} entries")
    try:
        attested = verify_response(
            response, request=request, text=checkpoint.text.encode(), authorities=authorities
        )
    except IntegrityError as error:
        raise IntegrityError(f"{names[1]}: {error.message}") from None
    for what, got in (("time", attested.time), ("authority", attested.authority)):
        if entry.said.get(what) != got:
            said = entry.said.get(what)
            raise IntegrityError(
                f"{where}: it says {what} {said!r:.80}, but the response says {got}"
            )
    return _attestation(entry, checkpoint, attested)


def _attestation(entry: Entry, checkpoint: Checkpoint, attested: Attested) -> Attestation:
    return Attestation(
        entry=entry.n,
        checkpoint=checkpoint.size,
        time=entry.said["time"],
        authority=entry.said["authority"],
        name=attested.name,
        token=attested.token,
    )


def _pinned(study: StudyFolder, entry: Entry) -> AuthorityCertificate:
    """The authority that an entry pins."""
    name = _authority_file(entry.subject)
    if list(entry.files) != [name]:
        raise IntegrityError(f"entry {entry.n} (authority): it does not name {name:.200}")
    authority = read_certificate(_stored(study, name, entry.files[name]), where=name)
    if authority.fingerprint != entry.subject:
        raise IntegrityError(f"{name} is the certificate {authority.fingerprint}")
    return authority


def _authority_file(fingerprint: str) -> str:
    return f"authorities/{fingerprint}.pem"


def _stem(study: StudyFolder, file: Path) -> str:
    """The name of a kept checkpoint, by its file."""
    with storage(file):
        folder = file.resolve().parent
    stem = file.name.removesuffix(CHECKPOINT)
    if folder != (study.root / "checkpoints").resolve() or file.name != f"{stem}{CHECKPOINT}":
        raise SpecError(
            f"{file} is not a checkpoint of the study",
            hint="Keep one first: assay ledger checkpoint `keep=True`",
        )
    if not is_name(stem):
        raise SpecError(f"{stem!r:.80} is not a valid timestamp name", hint="Call it 000007.txt.")
    return stem


def _kept_checkpoint(study: StudyFolder, stem: str) -> Checkpoint:
    name = f"checkpoints/{stem}{CHECKPOINT}"
    return parse_checkpoint(read_inside(study.root, name), where=name)


def _stored(study: StudyFolder, name: str, expected: str) -> bytes:
    """The bytes of a small file that an entry names."""
    path = inside(study.root, name)
    with storage(path):
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise IntegrityError(f"{name}: more than {MAX_BYTES:,} bytes")
    return read_as(study.root, name, expected)


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and read_bounded(path, MAX_BYTES) == data
