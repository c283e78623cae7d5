"""Which model is asked, and how: the words that all verbs have which ask a model."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from assay.api.arguments import words as several
from assay.api.columns import ColumnWords, columns_of
from assay.benchmark.benchmark import Columns
from assay.critic.collect import LOCAL_TOP, TOP
from assay.critic.spec import Mode as Against
from assay.critic.spec import Wording
from assay.critic.tokens import MIN_MASS
from assay.critic.wordings import wordings
from assay.errors import SpecError
from assay.models.budget import Budget
from assay.models.cassette import Cassette, Mode, mode_of
from assay.models.model import Model
from assay.models.reference import KEY_VARIABLE, is_local, open_model
from assay.models.reference_facts import usual_jobs

_MOST_JOBS = 256
_MOST_TOP = 1000
_TOY = "local"


class CallWords(TypedDict, total=False):
    """How calls are made, which changes no reply. A word that is None has its default."""

    jobs: int | None
    cassette: str | Path | None
    mode: str | None
    max_calls: int | None
    max_tokens: int | None
    max_cost: float | None
    price: tuple[float, float] | None
    key_env: str | None
    call_seconds: float | None


class AskedWords(TypedDict, total=False):
    """In which words a model is asked. A word that is None has its default."""

    wording: str | Sequence[str] | None
    min_mass: float | None


class ModelWords(CallWords, AskedWords, total=False):
    """In which words a model is asked, and how calls are made."""


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """The words of a verb that asks a model, checked when they are used."""

    model: str
    wording: Sequence[str] = ()
    jobs: int | None = None
    cassette: str | Path | None = None
    mode: str = Mode.AUTO
    min_mass: float = MIN_MASS
    key_env: str = KEY_VARIABLE
    call_seconds: float | None = None
    budget: Budget = field(default_factory=Budget)

    @property
    def toy(self) -> bool:
        """Whether this is the small model of the package."""
        return self.model == _TOY

    def wordings(self, against: Against = "knowledge") -> tuple[Wording, ...]:
        """The wordings to ask in."""
        return wordings(self.wording, mode=against)

    def at_once(self) -> int:
        """Calls at a time."""
        usual = usual_jobs(self.model)
        return _between("jobs", usual if self.jobs is None else self.jobs, _MOST_JOBS)

    def first_tokens(self, top: int | None = None) -> int:
        """First tokens to ask for."""
        usual = LOCAL_TOP if is_local(self.model) else TOP
        return _between("top", usual if top is None else top, _MOST_TOP)

    def recording(self) -> AbstractContextManager[Cassette | None]:
        """The recording, open for the calls of several models."""
        mode = mode_of(self.mode, recorded=self.cassette is not None)
        return nullcontext() if self.cassette is None else Cassette(Path(self.cassette), mode)

    def open(self, reference: str | None = None, *, cassette: Cassette | None = None) -> Model:
        """The model, or another by its reference, recorded into an open cassette or its own."""
        path = None if self.cassette is None else Path(self.cassette)
        return open_model(
            reference or self.model,
            cassette=cassette or path,
            mode=mode_of(self.mode, recorded=self.cassette is not None),
            key_env=self.key_env,
            seconds=self.call_seconds,
            budget=self.budget,
        )


class CritiqueWords(ColumnWords, ModelWords, total=False):
    """How a model is asked, and which column of the data holds what."""


class SealedWords(ColumnWords, AskedWords, total=False):
    """In which words a model will be asked, and which column of the data holds what."""


def settings_of(model: str, words: ModelWords | AskedWords) -> ModelSettings:
    """The settings that the words of a verb name, over the defaults; others are passed over."""
    given: Any = {name: value for name, value in words.items() if value is not None}
    budget = Budget(
        calls=given.get("max_calls"),
        tokens=given.get("max_tokens"),
        money=given.get("max_cost"),
        price=given.get("price"),
    )
    own = {name: value for name, value in given.items() if name in _OWN}
    wording = several(given.get("wording", ()))
    return ModelSettings(model=model, budget=budget, **own | {"wording": wording})


def columns_in(words: CritiqueWords | SealedWords) -> Columns:
    """The columns that are named among the words."""
    named: Any = {name: value for name, value in words.items() if name in _OF_COLUMNS}
    return columns_of(named)


_OWN = ModelSettings.__dataclass_fields__.keys() & ModelWords.__annotations__.keys()
_OF_COLUMNS = ColumnWords.__annotations__.keys()


def _between(name: str, number: int, most: int) -> int:
    if not 1 <= number <= most:
        raise SpecError(f"`{name}={number}`: expected 1 to {most}")
    return number
