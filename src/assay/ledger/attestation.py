"""Records of attested times: of a text, and of the first entries of a ledger."""

import msgspec


class Attested(msgspec.Struct, frozen=True, kw_only=True):
    """The time by which a text existed, and the authority that attests it.

    `authority` is the SHA-256 fingerprint of the authority's root certificate, `name` its subject.
    The time is in UTC, without fractions of a second. `token` is the digest of the signature's
    value, which only the authority can produce.
    """

    time: str
    authority: str
    name: str
    token: str


class Attestation(msgspec.Struct, frozen=True, kw_only=True):
    """The time by which the first entries of a ledger existed, and the authority that attests it.

    `entry` is the number of the entry that holds the timestamp, `checkpoint` how many entries it
    covers. `authority` is the SHA-256 fingerprint of the authority's root certificate, which the
    study's author pinned, and `name` its subject; `token` is the digest of its signature's value.
    """

    entry: int
    checkpoint: int
    time: str
    authority: str
    name: str
    token: str
