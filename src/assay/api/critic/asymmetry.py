"""Find out whether a model says the misconceptions that it rejects."""

from contextlib import AbstractContextManager, nullcontext
from typing import Unpack

from assay.api.critic.critique import Progress, shown_answers, silent
from assay.api.critic.settings import CritiqueWords, ModelSettings, columns_in, settings_of
from assay.benchmark.benchmark import Benchmark
from assay.benchmark.load import load_benchmark
from assay.critic.asymmetry import judge
from assay.critic.asymmetry.collect import PROMPTS, asymmetry_each
from assay.critic.asymmetry.result import CRITIQUE, GENERATION, Asymmetry
from assay.critic.collect import ShownAnswer
from assay.digests import listing_digest
from assay.errors import SpecError
from assay.models.model import Model


def asymmetry(
    data: object,
    *,
    model: str,
    encoder: str | None = "encoder",
    generation_at_least: float = GENERATION,
    critique_at_least: float = CRITIQUE,
    **words: Unpack[CritiqueWords],
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
    settings, columns = settings_of(model, words), columns_in(words)
    benchmark = load_benchmark(data, columns=columns)
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
        settings.open() as opened,
        _encoder(settings, encoder) as similar,
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
    settings: ModelSettings, reference: str | None
) -> AbstractContextManager[Model | None]:
    """The model of v1, recorded beside the other: a recording has one writer."""
    return nullcontext(None) if reference is None else settings.open(reference, beside="encoder")


def _misconceptions(benchmark: Benchmark) -> list[ShownAnswer]:
    """The positive records."""
    wrong = {item.id for item in benchmark.items if item.label}
    if not wrong:
        raise SpecError(
            f"{benchmark.name} has no positive records, which would be the misconceptions",
            hint="Say which records are positive: `label=COLUMN`, `positive='class = folklore'`.",
        )
    return [pair for pair in shown_answers(benchmark) if pair.id in wrong]
