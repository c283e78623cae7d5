"""Ask a model whether answers are right, and say how much that depends on how it was asked."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Unpack

from assay.api.arguments import words
from assay.api.columns import ColumnWords, columns_of
from assay.api.critic.settings import ModelSettings
from assay.benchmark.benchmark import Benchmark
from assay.benchmark.load import load_benchmark
from assay.critic import judge
from assay.critic.collect import ShownAnswer, critique_each
from assay.critic.result import Calls, Critique
from assay.critic.tokens import MIN_MASS
from assay.errors import SpecError
from assay.models.budget import CallBudget
from assay.models.cassette import Recorded
from assay.models.reference import KEY_VARIABLE

Progress = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
_SHORTEST_NAME = 4
"""Letters of a model's name that is looked for in another."""


def silent(what: str, total: int) -> AbstractContextManager[Callable[[], None]]:  # noqa: ARG001
    """No progress is shown."""
    return nullcontext(lambda: None)


def critique(
    data: object,
    *,
    model: str,
    wording: str | Sequence[str] = (),
    jobs: int | None = None,
    cassette: str | Path | None = None,
    mode: str = "auto",
    top: int | None = None,
    min_mass: float = MIN_MASS,
    author: str | Sequence[str] = (),
    max_calls: int | None = None,
    max_tokens: int | None = None,
    max_cost: float | None = None,
    price: tuple[float, float] | None = None,
    key_env: str = KEY_VARIABLE,
    call_seconds: float | None = None,
    **columns: Unpack[ColumnWords],
) -> Critique:
    """Ask a model of each answer whether it is right, by the probability of its first word.

    `data` is anything that `load_benchmark` takes, with a response, and `model` is `local`,
    `local:PATH.gguf`, or the address of an OpenAI-compatible endpoint with the model's name, such
    as `http://127.0.0.1:8080/v1#qwen`. Each answer is judged in several equivalent wordings (or
    those that `wording` names, bundled ones or TOML files), and its score is the mean of them. A
    model that says neither YES nor NO abstains: such an answer has no score.

    `cassette` is a file that records every call: with the same file a critique that was interrupted
    goes on where it stopped, and `mode="replay"` repeats it without a model. `jobs` is how many
    calls are made at a time. `max_calls`, `max_tokens` and `max_cost` end it; a cost needs the
    `price` of a million tokens in and out. The key is read from the environment variable `key_env`
    and stored nowhere. `author` names the models that wrote the answers, if the sources of the
    records do not: a judge among them is a caveat.

    Example:
        >>> import assay
        >>> made = assay.critique("darkcore", model="local")  # doctest: +SKIP
        >>> made.n, made.auc.value > 0.5  # doctest: +SKIP
        (108, True)
        >>> try:
        ...     assay.critique("darkcore", model="http://127.0.0.1:9/v1#m", cassette="calls.jsonl",
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
        budget=CallBudget(calls=max_calls, tokens=max_tokens, money=max_cost, price=price),
    )
    benchmark = load_benchmark(data, columns=columns_of(columns))
    return critiqued(benchmark, settings, top=top, author=words(author))


def critiqued(
    benchmark: Benchmark,
    settings: ModelSettings,
    *,
    top: int | None,
    author: Sequence[str],
    progress: Progress = silent,
) -> Critique:
    """The critique, with progress shown."""
    chosen, pairs = settings.wordings(), shown_answers(benchmark)
    first, at_once = settings.first_tokens(top), settings.at_once()
    with settings.open() as opened, progress("asking", len(pairs)) as step:
        judged = list(
            critique_each(
                opened,
                pairs,
                chosen,
                jobs=at_once,
                top=first,
                min_mass=settings.min_mass,
                on_item=step,
            )
        )
        asked = judge.CritiqueSetting(
            model=opened.name,
            wordings=chosen,
            data=benchmark.name,
            digest=benchmark.digest,
            min_mass=settings.min_mass,
            top=first,
            cassette=_calls(opened),
            author=_author(opened.name, benchmark, author),
            toy=settings.toy,
        )
    return judge.critique(judged, asked, _labelled(benchmark))


def shown_answers(benchmark: Benchmark) -> list[ShownAnswer]:
    """The answers to judge."""
    pairs = []
    for item in benchmark.items:
        if item.response is None:
            raise SpecError(
                f"{benchmark.name}: record {item.id} has no response, which the model is to judge",
                hint="Name the column that holds it: `response=COLUMN`.",
            )
        pairs.append(ShownAnswer(id=item.id, question=item.question, response=item.response))
    return pairs


def _labelled(benchmark: Benchmark) -> judge.Labelled | None:
    """The labels, if every answer has one."""
    wrong = {item.id: item.label for item in benchmark.items if item.label is not None}
    if len(wrong) < len(benchmark.items):
        return None
    units = {item.id: item.unit for item in benchmark.items} if benchmark.grouped else None
    return judge.Labelled(wrong=wrong, units=units)


def _calls(opened: object) -> Calls | None:
    if not isinstance(opened, Recorded):
        return None
    return Calls(
        file=opened.path.name, mode=opened.mode, asked=opened.asked, replayed=opened.replayed
    )


def _author(judge_name: str, benchmark: Benchmark, authors: Sequence[str]) -> str | None:
    """The model that the data name as an author and that is the judge, if there is one."""
    sources = {item.source for item in benchmark.items if item.source}
    ours = _plain(judge_name.rpartition("#")[2] or judge_name)
    for name in (*authors, *sorted(sources)):
        theirs = _plain(name)
        if len(theirs) >= _SHORTEST_NAME and (theirs in ours or ours in theirs):
            return name
    return None


def _plain(name: str) -> str:
    """A model's name without its spelling: GPT-4o mini and gpt_4o_mini are one."""
    return "".join(filter(str.isalnum, name.casefold()))
