"""What a faithfulness audit asks: paraphrases with their passages, and controls that are false."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from assay.critic.spec import Wording
from assay.digests import listing_digest
from assay.errors import SpecError
from assay.predicted.ranges import Range
from assay.wording import some

PARAPHRASE_AT_MOST, CONTROL_AT_LEAST = 0.5, 0.5
"""The published thresholds of both kill-gates, on the probability of rejection."""


class ControlKind(StrEnum):
    """In what a control is false. FABRICATION: the passage says nothing of the kind.

    Semi-fabrications keep something true, and are harder. WRONG_SIGN: the right number with the
    wrong sign or direction. WRONG_REFERENT: the right number and sign, said of something else.
    """

    FABRICATION = "fabrication"
    WRONG_SIGN = "wrong-sign"
    WRONG_REFERENT = "wrong-referent"


class SourcedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim and the passage that it is held against.

    `kind` is that of a control; a paraphrase, which is to be true, has none. `predicted` is the
    range that its probability of rejection was expected in.
    """

    id: str
    claim: str
    passage: str
    kind: ControlKind | None = None
    predicted: Range | None = None


class AuditThresholds(msgspec.Struct, frozen=True, kw_only=True):
    """The thresholds of both kill-gates, stated before anything is asked."""

    paraphrase_at_most: float = PARAPHRASE_AT_MOST
    control_at_least: float = CONTROL_AT_LEAST

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise SpecError(f"`{name}={getattr(self, name)}`: expected 0 to 1")
        if self.paraphrase_at_most > self.control_at_least:
            raise SpecError(
                f"`paraphrase_at_most={self.paraphrase_at_most:g}` is over"
                f" `control_at_least={self.control_at_least:g}`",
                hint="A judge that says the same of everything would pass both gates.",
            )


class AuditPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that an audit asks of which model, and how it is judged: what a seal holds.

    `reference` is how the model was named, and `model` the name that results and recordings show.
    """

    format: int
    reference: str
    model: str
    wordings: tuple[Wording, ...]
    min_mass: float
    top: int
    thresholds: AuditThresholds
    author: tuple[str, ...]
    claims: tuple[SourcedClaim, ...]


def checked_claims(
    paraphrases: Sequence[SourcedClaim], controls: Sequence[SourcedClaim]
) -> tuple[SourcedClaim, ...]:
    """All claims of an audit; one that could not fail, or that contradicts itself, is refused."""
    if not controls:
        raise SpecError(
            "no controls: an audit that cannot fail shows nothing",
            hint="Write claims that their passages do not bear out, each with its kind, and name"
            " them: `controls=FILE`.",
        )
    claims = (*paraphrases, *controls)
    ids: set[str] = set()
    said: dict[tuple[str, str], SourcedClaim] = {}
    for each in claims:
        if each.id in ids:
            raise SpecError(
                f"the id {each.id!r:.60} occurs twice", hint="Give every claim an id of its own."
            )
        ids.add(each.id)
        other = said.setdefault((each.claim, each.passage), each)
        if other is not each:
            raise SpecError(
                f"{each.id!r:.60} is the same claim on the same passage as {other.id!r:.60}",
                hint="A claim is a paraphrase or a control, once.",
            )
    if not paraphrases:
        raise SpecError("no paraphrases: nothing to judge beside the controls")
    return claims


def claims_digest(claims: Sequence[SourcedClaim]) -> str:
    """One digest over all that is asked and predicted."""
    return listing_digest("faithfulness", (msgspec.json.encode(each).decode() for each in claims))


def kinds_missing(tried: Sequence[ControlKind | None]) -> str:
    """The kinds of control that were not tried."""
    return some([kind.value for kind in ControlKind if kind not in tried])
