"""Ask a model whether answers are right, and say how much that depends on how it was asked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Unpack

from assay.api.arguments import words as several
from assay.api.critic.settings import CritiqueWords, ModelSettings, columns_in, settings_of
from assay.benchmark.benchmark import Benchmark, Columns
from assay.benchmark.load import load_benchmark
from assay.critic import judge
from assay.critic.collect import ShownAnswer, critique_each
from assay.critic.result import Calls, Critique
from assay.errors import SpecError
from assay.models.cassette import Recorded

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
    top: int | None = None,
    author: str | Sequence[str] = (),
    **words: Unpack[CritiqueWords],
) -> Critique:
    """Ask a model of each answer whether it is right, by the probability of its first word.

    `data` is anything that `load_benchmark` takes, with a response, or one question and response as
    a dictionary. Labels are optional: with them, the AUC says how well the scores tell wrong
    answers from right ones. `model` is `local`, `local:PATH.gguf`, or the address of an
    OpenAI-compatible endpoint with the model's name, such as `http://127.0.0.1:8080/v1#qwen`. Each
    answer is judged in several equivalent wordings (or those that `wording` names, bundled ones or
    TOML files), and its score is the mean of them. A model that says neither YES nor NO (with a
    probability of at least `min_mass`, 0.2, for both together) abstains: such an answer has no
    score.

    `cassette` is a file that records every call: with the same file a critique that was interrupted
    goes on where it stopped, and `mode="replay"` repeats it without a model. `jobs` is how many
    calls are made at a time (8; 1 for a local model). `max_calls`, `max_tokens` and `max_cost` end
    it; a cost needs the `price` of a million tokens in and out. The key is read from the
    environment variable `key_env` (ASSAY_API_KEY) and stored nowhere. `author` names the models
    that wrote the answers, if the sources of the records do not: a judge among them is a caveat.

    Example:
        >>> import assay
        >>> made = assay.critique("darkcore", model="local")  # doctest: +SKIP
        >>> made.n, made.auc.value > 0.5  # doctest: +SKIP
        (108, True)
        >>> one = {"question": "Do cats purr?", "response": "yes"}
        >>> len(assay.critique(one, model="local").scores)  # doctest: +SKIP
        1
        >>> try:
        ...     assay.critique("darkcore", model="http://127.0.0.1:9/v1#m", cassette="calls.jsonl",
        ...               mode="replay")
        ... except assay.AssayError as error:
        ...     print(type(error).__name__)
        NotRecorded
    """
    settings = settings_of(model, words)
    benchmark = answers_in(data, columns_in(words))
    return critiqued(benchmark, settings, top=top, author=several(author))


def answers_in(data: object, columns: Columns) -> Benchmark:
    """The answers to judge: records that need no label, or a mapping of texts as one of them."""
    if isinstance(data, Mapping) and data and all(isinstance(v, str) for v in data.values()):
        data = [data]
    return load_benchmark(data, columns=columns, label_optional=True)


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
    sources = {item.source for item in benchmark.items if item.source}
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
            cassette=calls_of(opened),
            author=author_among(opened.name, [*author, *sorted(sources)]),
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


def _labelled(benchmark: Benchmark) -> judge.Labelled:
    """The labels that the answers have."""
    wrong = {item.id: item.label for item in benchmark.items if item.label is not None}
    units = {item.id: item.unit for item in benchmark.items} if benchmark.grouped else None
    return judge.Labelled(wrong=wrong, units=units)


def calls_of(opened: object) -> Calls | None:
    """Where the replies of a recorded model came from."""
    if not isinstance(opened, Recorded):
        return None
    return Calls(
        file=opened.path.name, mode=opened.mode, asked=opened.asked, replayed=opened.replayed
    )


def author_among(judge_name: str, authors: Iterable[str]) -> str | None:
    """The author that is the judge, if one of them is."""
    ours = _plain(judge_name.rpartition("#")[2] or judge_name)
    for name in authors:
        theirs = _plain(name)
        if len(theirs) >= _SHORTEST_NAME and (theirs in ours or ours in theirs):
            return name
    return None


def _plain(name: str) -> str:
    """A model's name without its spelling: GPT-4o mini and gpt_4o_mini are one."""
    return "".join(filter(str.isalnum, name.casefold()))
