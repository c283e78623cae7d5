"""What an asymmetry experiment asks of which model, how it is judged, and what is predicted."""

import msgspec

from assay.critic.asymmetry.result import CRITIQUE, GENERATION
from assay.critic.spec import Wording
from assay.errors import SpecError
from assay.predicted.ranges import Range

MEASURES = ("v1", "v2", "v3")
RATES = ("asymmetric", "unclear")


class AsymmetrySetting(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked of which model, over which data, with which thresholds and predictions."""

    model: str
    encoder: str | None
    prompt: str
    data: str
    digest: str
    generation_at_least: float = GENERATION
    critique_at_least: float = CRITIQUE
    toy: bool = False
    predicted: tuple[Range, ...] = ()

    def __post_init__(self) -> None:
        for name in ("generation_at_least", "critique_at_least"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise SpecError(f"`{name}={value}`: expected 0 to 1")

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that are made; v1 needs an encoder."""
        return MEASURES[1:] if self.encoder is None else MEASURES


class PlannedItem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A misconception, and the question that it answers."""

    id: str
    question: str
    response: str


class AsymmetryPlan(AsymmetrySetting, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that an experiment asks, and how it is judged: what a seal holds.

    `reference` and `encoder_reference` are how the models were named; `model` and `encoder` are the
    names that results and recordings show.
    """

    format: int
    reference: str
    encoder_reference: str | None
    wordings: tuple[Wording, ...]
    min_mass: float
    top: int
    items: tuple[PlannedItem, ...]
    notes: str = ""


def rate_name(measure: str, rate: str) -> str:
    """The name of a rate in a prediction: v3-asymmetric, v3-unclear."""
    return f"{measure}-{rate}"


def rate_names(*, encoder: bool) -> list[str]:
    """The names of all rates that are measured."""
    measures = MEASURES if encoder else MEASURES[1:]
    return [rate_name(measure, rate) for measure in measures for rate in RATES]
