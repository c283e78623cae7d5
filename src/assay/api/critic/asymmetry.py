"""Find out whether a model says the misconceptions that it rejects."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Unpack

import msgspec

from assay.api.critic.critique import Progress, calls_of, shown_answers, silent
from assay.api.critic.settings import CritiqueWords, ModelSettings, columns_in, settings_of
from assay.benchmark.benchmark import Benchmark
from assay.benchmark.load import load_benchmark
from assay.critic.asymmetry import judge
from assay.critic.asymmetry.collect import PROMPTS, asymmetry_each
from assay.critic.asymmetry.result import CRITIQUE, FORMAT, GENERATION, Asymmetry
from assay.critic.asymmetry.spec import AsymmetryPlan, PlannedItem
from assay.critic.collect import ShownAnswer
from assay.critic.spec import Wording
from assay.digests import listing_digest
from assay.errors import SpecError
from assay.models.cassette import Cassette
from assay.models.model import Model
from assay.models.reference import model_name


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
    plan = asymmetry_plan(
        load_benchmark(data, columns=columns),
        settings,
        encoder=encoder,
        thresholds=(generation_at_least, critique_at_least),
    )
    return measured(plan, settings)


def asymmetry_plan(
    benchmark: Benchmark,
    settings: ModelSettings,
    *,
    encoder: str | None,
    thresholds: tuple[float, float],
) -> AsymmetryPlan:
    """All that is asked and how it is judged; nothing is asked yet."""
    chosen = settings.wordings()
    return AsymmetryPlan(
        format=FORMAT,
        reference=settings.model,
        model=model_name(settings.model),
        encoder_reference=encoder,
        encoder=None if encoder is None else model_name(encoder),
        prompt=asymmetry_prompt(chosen),
        data=benchmark.name,
        digest=benchmark.digest,
        generation_at_least=thresholds[0],
        critique_at_least=thresholds[1],
        toy=settings.toy,
        wordings=chosen,
        min_mass=settings.min_mass,
        top=settings.first_tokens(),
        items=tuple(_misconceptions(benchmark)),
    )


def asymmetry_prompt(wordings: Sequence[Wording]) -> str:
    """One digest over all that the model is asked."""
    return listing_digest("asymmetry", (*PROMPTS, *(each.digest for each in wordings)))


def measured(
    plan: AsymmetryPlan,
    settings: ModelSettings,
    *,
    sealed: bool = False,
    progress: Progress = silent,
) -> Asymmetry:
    """The experiment of a plan, with progress shown."""
    pairs = [ShownAnswer(**msgspec.structs.asdict(each)) for each in plan.items]
    at_once = settings.at_once()
    with (
        settings.recording() as cassette,
        settings.open(cassette=cassette) as opened,
        _encoder(settings, plan.encoder_reference, cassette) as similar,
        progress("asking", len(pairs)) as step,
    ):
        items = list(
            asymmetry_each(
                opened,
                similar,
                pairs,
                plan.wordings,
                jobs=at_once,
                top=plan.top,
                min_mass=plan.min_mass,
                on_item=step,
            )
        )
        calls = calls_of(opened)
    return judge.asymmetry(items, plan, cassette=calls, sealed=sealed)


def _encoder(
    settings: ModelSettings, reference: str | None, cassette: Cassette | None
) -> AbstractContextManager[Model | None]:
    """The model of v1, recorded into the same file as the other."""
    return nullcontext(None) if reference is None else settings.open(reference, cassette=cassette)


def _misconceptions(benchmark: Benchmark) -> list[PlannedItem]:
    """The positive records."""
    wrong = {item.id for item in benchmark.items if item.label}
    if not wrong:
        raise SpecError(
            f"{benchmark.name} has no positive records, which would be the misconceptions",
            hint="Say which records are positive: `label=COLUMN`, `positive='class = folklore'`.",
        )
    return [
        PlannedItem(id=pair.id, question=pair.question, response=pair.response)
        for pair in shown_answers(benchmark)
        if pair.id in wrong
    ]
