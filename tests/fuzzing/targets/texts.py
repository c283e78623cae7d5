"""Any text: features, near-duplicates, traces of items, baselines, and what is shown of it."""

from pathlib import Path

from assay.benchmark.benchmark import Item
from assay.benchmark.programs.plain_values import NotPlain, decode, encode, from_line, to_line
from assay.dual_condition.state.item_traces import ItemTraces, looks_like_digest
from assay.dual_condition.system.answer_forms import plain_answer
from assay.errors import SpecError
from assay.logs.columns.metric_names import is_cost, is_fault
from assay.method.baselines import auxiliary_copy, hash_random, question_length, token_overlap
from assay.report.escaping import csv_line, markdown
from assay.surface.features import ORACLES
from assay.surface.near_duplicates import families, normalised
from assay.wording import as_flags, printable
from fuzzing.campaign import Reader
from fuzzing.targets import target

TEXTS = (
    "Is it commonly said that bulls hate red? Yes, it's widely believed (see 1).\nNo! They don't.",
    "What's the height of the Eiffel Tower: 300 m, or 330 m?\n330 m, it is said; «more or less».",
    "E\u0301tudes e\u0300 \u202ebidi \u0000 null \U0001f600\nİstanbul ẞ ﬁne ١٢٣ ½ ² \u2028 end",
)
SEEDS = [text.encode() for text in TEXTS]


def text_of(data: bytes) -> str:
    """Any text, half surrogate pairs included: three bytes that encode one are one."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("latin-1")


@target("texts: features", thousands=120)
def _features(_: Path) -> Reader:
    oracles = tuple(ORACLES.values())

    def read(data: bytes) -> object:
        question, _, response = text_of(data).partition("\n")
        return [oracle(question, response) for oracle in oracles]

    return Reader(read=read, seeds=SEEDS, language="text")


@target("texts: baselines", thousands=100)
def _baselines(_: Path) -> Reader:
    def read(data: bytes) -> object:
        question, _, response = text_of(data).partition("\n")
        return (
            auxiliary_copy(question, response),
            token_overlap(question, response),
            question_length(question),
            hash_random(question),
        )

    return Reader(read=read, seeds=SEEDS, language="text")


@target("texts: near-duplicates", thousands=30)
def _duplicates(_: Path) -> Reader:
    def read(data: bytes) -> object:
        return families(normalised([*text_of(data).split("\n"), *TEXTS]))

    return Reader(read=read, seeds=SEEDS, language="text")


@target("texts: traces of items", thousands=20)
def _traces(_: Path) -> Reader:
    items = [
        Item(
            id=f"q{n}",
            question=text.partition("\n")[0],
            response=text.partition("\n")[2],
            label=True,
        )
        for n, text in enumerate(TEXTS)
    ]

    def read(data: bytes) -> object:
        text = text_of(data)
        traces = ItemTraces(items)
        return traces.of_texts([text]), traces.in_passage(text), looks_like_digest(text)

    more = [b"0123456789abcdef0123456789abcdef", b"QUJDREVGR0hJSktMTU5PUFFSU1RVVg==", SEEDS[0]]
    return Reader(read=read, seeds=more, language="text")


@target("texts: shown", thousands=150)
def _shown(_: Path) -> Reader:
    def read(data: bytes) -> object:
        text = text_of(data)
        whole = (printable(as_flags(text)), markdown(text), csv_line([text, text]))
        return "".join(whole).encode(), plain_answer(text), is_cost(text), is_fault(text)

    return Reader(read=read, seeds=[*SEEDS, b"`task=detection` `out=`"], language="text")


@target("texts: values between processes", thousands=200)
def _values(_: Path) -> Reader:
    def read(data: bytes) -> object:
        try:
            return decode(from_line(data), {1: "one"}.__getitem__)
        except NotPlain as error:
            raise SpecError(str(error)) from None

    values = [[1, 2.5, None, True, "x"], {"a": (1, {2})}, [10**30, b"x", 1j, range(3)]]
    seeds = [to_line(encode(value, lambda _: {"object": 1})) for value in values]
    return Reader(read=read, seeds=seeds, language="json")
