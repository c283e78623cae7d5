"""Signed notes in the C2SP form (c2sp.org/signed-note): a text and its signatures.

    the text, ending in a newline
                                          (one empty line)
    — name base64(key id, signature)      (one line a signature)

A key has a name and an id of four bytes: the hash of its name, its algorithm and the key. Ed25519
signatures (algorithm 1) are made and verified here. Cosignatures (algorithm 4,
c2sp.org/tlog-cosignature) are verified: Ed25519 over the text and the time at which a witness saw
it. Lines of other keys are kept without verification. Signing needs the extra `sign`.
"""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from assay.clock import utc
from assay.errors import IntegrityError, NotHere, SpecError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ed25519

ED25519, COSIGNATURE = b"\x01", b"\x04"
_PRIVATE = "PRIVATE+KEY+"
_MAX_BYTES = 1 << 16
_MAX_SIGNATURES = 100
_TIME_BYTES = 8


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """A line below a note: the key's name and id, and the signature's bytes."""

    name: str
    key_id: bytes
    value: bytes

    def __str__(self) -> str:
        return f"— {self.name} {base64.b64encode(self.key_id + self.value).decode()}\n"


class VerifierKey(msgspec.Struct, frozen=True, kw_only=True):
    """A public key with its name, written `name+id+base64`."""

    name: str
    public: bytes
    algorithm: bytes = ED25519

    @property
    def key_id(self) -> bytes:
        """The first four bytes of the hash of name, algorithm and key."""
        hashed = self.name.encode() + b"\n" + self.algorithm + self.public
        return hashlib.sha256(hashed).digest()[:4]

    def __str__(self) -> str:
        key = base64.b64encode(self.algorithm + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{key}"

    def signed(self, text: str, signatures: Sequence[Signature]) -> bool:
        """Whether this key signed a text; a forged signature in its name raises an error."""
        return self._checked(text, signatures) is not None

    def attested(self, text: str, signatures: Sequence[Signature]) -> str | None:
        """The time of this key's cosignature of a text, if any; a forged one raises an error."""
        value = self._checked(text, signatures)
        if value is None or self.algorithm != COSIGNATURE:
            return None
        seconds = _seconds(value)
        try:
            return utc(seconds)
        except (ValueError, OverflowError, OSError):
            raise IntegrityError(
                f"the cosignature of {self.name}: {seconds} seconds after 1970 is not a valid time"
            ) from None

    def _checked(self, text: str, signatures: Sequence[Signature]) -> bytes | None:
        """The bytes of this key's valid signature of a text; None if it did not sign."""
        mine = [s for s in signatures if (s.name, s.key_id) == (self.name, self.key_id)]
        if not mine:
            return None
        if len(mine) > 1:
            raise IntegrityError(f"the note has two signatures of {self.name}, expected one")
        value, signature, message = mine[0].value, mine[0].value, text.encode()
        if self.algorithm == COSIGNATURE:
            signature = value[_TIME_BYTES:]
            message = f"cosignature/v1\ntime {_seconds(value)}\n".encode() + message
        key = _ed25519().Ed25519PublicKey.from_public_bytes(self.public)
        from cryptography.exceptions import InvalidSignature

        try:
            key.verify(signature, message)
        except InvalidSignature:
            raise IntegrityError(f"the signature of {self.name} does not match this text") from None
        return value


class SignerKey(msgspec.Struct, frozen=True, kw_only=True):
    """A private key with its name; never printed, and written only on request."""

    name: str
    seed: bytes

    def __repr__(self) -> str:
        return f"SignerKey({self.name!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:  # msgspec's own would show the secret
        return [("name", self.name)]

    @property
    def verifier(self) -> VerifierKey:
        """The public half."""
        public = self._key().public_key().public_bytes_raw()
        return VerifierKey(name=self.name, public=public)

    def sign(self, text: str) -> Signature:
        """The signature of a text."""
        value = self._key().sign(text.encode())
        return Signature(name=self.name, key_id=self.verifier.key_id, value=value)

    def text(self) -> str:
        """The key as text, for its file."""
        key = base64.b64encode(ED25519 + self.seed).decode()
        return f"{_PRIVATE}{self.name}+{self.verifier.key_id.hex()}+{key}"

    def _key(self) -> "ed25519.Ed25519PrivateKey":
        key: ed25519.Ed25519PrivateKey = _ed25519().Ed25519PrivateKey.from_private_bytes(self.seed)
        return key


def new_key(name: str) -> SignerKey:
    """A new random key."""
    _check_name(name)
    key = _ed25519().Ed25519PrivateKey.generate()
    return SignerKey(name=name, seed=key.private_bytes_raw())


def parse_signer(text: str) -> SignerKey:
    """Parse a private key; its errors never quote the text."""
    encoded = text.strip().removeprefix(_PRIVATE)
    name, key_id, secret, _ = _parse_key(encoded, "a private key", (ED25519,))
    if not text.startswith(_PRIVATE):
        raise SpecError(f"not a private key: it does not begin with {_PRIVATE}")
    key = SignerKey(name=name, seed=secret)
    if key.verifier.key_id != key_id:
        raise SpecError(f"the private key of {name} does not match its own id")
    return key


def parse_verifier(text: str) -> VerifierKey:
    """Parse a public key, `name+id+base64`; errors never quote it, as it may be a private one."""
    if _PRIVATE in text:
        raise SpecError(
            "got a private key, expected a public key",
            hint="Keep it secret. `assay key show FILE` prints the public half.",
        )
    known = (ED25519, COSIGNATURE)
    name, key_id, public, algorithm = _parse_key(text.strip(), "a public key", known)
    key = VerifierKey(name=name, public=public, algorithm=algorithm)
    if key.key_id != key_id:
        raise SpecError(f"the key of {name} does not match its own id {key_id.hex()}")
    return key


def parse_note(data: bytes, *, where: str) -> tuple[str, list[Signature]]:
    """The text of a note and its signatures."""
    if len(data) > _MAX_BYTES:
        raise SpecError(f"{where}: {len(data):,} bytes, at most {_MAX_BYTES:,} allowed")
    try:
        whole = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(f"{where}: byte {error.start} is not UTF-8") from None
    if any(char < " " and char != "\n" for char in whole):
        raise SpecError(f"{where}: holds a control character, which a note must not")
    head, separator, below = whole.rpartition("\n\n")
    if not separator:
        return whole, []
    lines = below.split("\n")
    if lines.pop() != "" or not lines or len(lines) > _MAX_SIGNATURES:
        raise SpecError(f"{where}: expected signature lines below the empty line")
    return head + "\n", [_parse_signature(line, where) for line in lines]


def _parse_signature(line: str, where: str) -> Signature:
    mark, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    data = _decoded(encoded)
    if mark != "—" or not _is_key_name(name) or data is None or len(data) < 5:
        raise SpecError(f"{where}: not a signature line: {line!r:.80}")
    return Signature(name=name, key_id=data[:4], value=data[4:])


def _parse_key(text: str, called: str, known: tuple[bytes, ...]) -> tuple[str, bytes, bytes, bytes]:
    """Name, id, key and algorithm of a key."""
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    data = _decoded(encoded)
    try:
        identity = bytes.fromhex(key_id)
    except ValueError:
        identity = b""
    exact = len(identity) == 4 and identity.hex() == key_id  # fromhex ignores spaces
    if not _is_key_name(name) or not exact or data is None or len(data) != 33:
        raise SpecError(
            f"{called}: expected a key of the form name+8 hex digits+base64",
            hint="`assay key show FILE` prints the public half of a private key.",
        )
    if data[:1] not in known:
        beside = " and cosignatures (4) are" if COSIGNATURE in known else " is"
        raise SpecError(f"{called}: unknown algorithm {data[0]}; only Ed25519 (1){beside} known")
    return name, identity, data[1:], data[:1]


def _seconds(value: bytes) -> int:
    """The time in a cosignature, in seconds since 1970."""
    return int.from_bytes(value[:_TIME_BYTES], "big")


def _decoded(text: str) -> bytes | None:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None


def _check_name(name: str) -> None:
    if not _is_key_name(name):
        raise SpecError(
            f"{name!r:.80} is not a valid key name",
            hint="A key name is not empty and holds no spaces and no plus sign.",
        )


def _is_key_name(name: str) -> bool:
    return name.isprintable() and "+" not in name and name.split() == [name]


def _ed25519() -> Any:  # noqa: ANN401 - a module, which may be missing
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise NotHere(
            "signatures need the extra `sign`", hint="Install it: pip install 'assay-eval[sign]'"
        ) from None
    return ed25519
