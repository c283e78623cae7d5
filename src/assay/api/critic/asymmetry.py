"""Find out whether a model says the misconceptions that it rejects."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Unpack

from assay.api.arguments import words
from assay.api.columns import ColumnWords, columns_of
from assay.api.critic.critique import Progress, shown_answers, silent
from assay.api.critic.settings import ModelSettings
from assay.benchmark.benchmark import Benchmark
from assay.benchmark.load import load_benchmark
from assay.critic.asymmetry import judge
from assay.critic.asymmetry.collect import PROMPTS, asymmetry_each
from assay.critic.asymmetry.result import CRITIQUE, GENERATION, Asymmetry
from assay.critic.collect import ShownAnswer
from assay.critic.tokens import MIN_MASS
from assay.digests import listing_digest
from assay.errors import SpecError
from assay.models.budget import Budget
from assay.models.cassette import Cassette
from assay.models.model import Model
from assay.models.reference import KEY_VARIABLE


def asymmetry(
    data: object,
    *,
    model: str,
    encoder: str | None = "encoder",
    wording: str | Sequence[str] = (),
    jobs: int | None = None,
    cassette: str | Path | None = None,
    mode: str = "auto",
    generation_at_least: float = GENERATION,
    critique_at_least: float = CRITIQUE,
    min_mass: float = MIN_MASS,
    max_calls: int | None = None,
    max_tokens: int | None = None,
    max_cost: float | None = None,
    price: tuple[float, float] | None = None,
    key_env: str = KEY_VARIABLE,
    call_seconds: float | None = None,
    **columns: Unpack[ColumnWords],
) -> Asymmetry:
    """Find out whether a model says, on its own, the misconceptions that it rejects when shown.

    The positives of `data` are the misconceptions; the words are those of `critique`. The model
    answers each question freely, and its answer is held against the misconception in three ways:
    v1 by the similarity of `encoder` (None leaves it out), v2 and v3 by asking the model. The first
    published rate, by v1, was 91 %; by v3 it was 6 %: a text that refutes a statement is similar to
    it. All three are shown, with the items on which they say opposite things.

    Example:
        >>> import assay
        >>> found = assay.asymmetry("darkcore", model="local")  # doctest: +SKIP
        >>> [measure.name for measure in found.measures]  # doctest: +SKIP
        ['v1', 'v2', 'v3']
        >>> try:
        ...     assay.asymmetry("darkcore", model="http://127.0.0.1:9/v1#m", cassette="calls.jsonl",
        ...               mode="replay")
        ... except assay.AssayError as error:
        ...     print(type(error).__name__)
        NotRecorded
    """
    settings = ModelSettings(
        model=model,
        wording=words(wording),
        jobs=jobs,
        cassette=cassette,
        mode=mode,
        min_mass=min_mass,
        key_env=key_env,
        call_seconds=call_seconds,
        budget=Budget(calls=max_calls, tokens=max_tokens, money=max_cost, price=price),
    )
    benchmark = load_benchmark(data, columns=columns_of(columns))
    thresholds = generation_at_least, critique_at_least
    return asymmetries(benchmark, settings, encoder=encoder, thresholds=thresholds)


def asymmetries(
    benchmark: Benchmark,
    settings: ModelSettings,
    *,
    encoder: str | None,
    thresholds: tuple[float, float],
    progress: Progress = silent,
) -> Asymmetry:
    """The experiment, with progress shown."""
    for name, value in zip(("generation_at_least", "critique_at_least"), thresholds, strict=True):
        if not 0.0 <= value <= 1.0:
            raise SpecError(f"`{name}={value}`: expected 0 to 1")
    chosen, pairs = settings.wordings(), _misconceptions(benchmark)
    first, at_once = settings.first_tokens(), settings.at_once()
    with (
        settings.recording() as cassette,
        settings.open(cassette=cassette) as opened,
        _encoder(settings, encoder, cassette) as similar,
        progress("asking", len(pairs)) as step,
    ):
        items = list(
            asymmetry_each(
                opened,
                similar,
                pairs,
                chosen,
                jobs=at_once,
                top=first,
                min_mass=settings.min_mass,
                on_item=step,
            )
        )
        asked = judge.AsymmetrySetting(
            model=opened.name,
            encoder=None if similar is None else similar.name,
            prompt=listing_digest("asymmetry", (*PROMPTS, *(each.digest for each in chosen))),
            data=benchmark.name,
            digest=benchmark.digest,
            generation_at_least=thresholds[0],
            critique_at_least=thresholds[1],
            toy=settings.toy,
        )
    return judge.asymmetry(items, asked)


def _encoder(
    settings: ModelSettings, reference: str | None, cassette: Cassette | None
) -> AbstractContextManager[Model | None]:
    """The model of v1, recorded into the same file as the other."""
    return nullcontext(None) if reference is None else settings.open(reference, cassette=cassette)


def _misconceptions(benchmark: Benchmark) -> list[ShownAnswer]:
    """The positive records."""
    wrong = {item.id for item in benchmark.items if item.label}
    if not wrong:
        raise SpecError(
            f"{benchmark.name} has no positive records, which would be the misconceptions",
            hint="Say which records are positive: `label=COLUMN`, `positive='class = folklore'`.",
        )
    return [pair for pair in shown_answers(benchmark) if pair.id in wrong]
