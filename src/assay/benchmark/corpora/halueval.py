"""HaluEval: right and hallucinated answers, replies and summaries; and answers judged by people.

Three of the corpora hold a right and a hallucinated text for each question, so each record gives
two items of one group. As in HaluEval's own evaluation, the knowledge that comes with a question or
a dialogue is left out by default; a summary's question is its document.
"""

from collections.abc import Sequence

from assay.benchmark.benchmark import Item
from assay.benchmark.corpora.collected_items import Gathering, shuffled
from assay.benchmark.corpora.corpus_files import CorpusRecord
from assay.benchmark.corpora.format import Format, Read, Wishes, fields

_CLASSES = {False: "right", True: "hallucinated"}
_VERDICTS = {"yes": True, "no": False}


def _pairs(question: str, right: str, hallucinated: str) -> Read:
    def read(records: Sequence[CorpusRecord], wishes: Wishes, out: Gathering) -> None:
        for record in records:
            asked = record.text(question)
            name = out.name(record.name)
            group = out.group(asked, name)
            if wishes.knowledge:
                asked = f"{record.text('knowledge').strip()}\n\n{asked}"
            both = ((record.text(right), False), (record.text(hallucinated), True))
            for number, (response, label) in enumerate(shuffled(both), 1):
                out.add(
                    Item(
                        id=f"{name}#{number}",
                        question=asked,
                        response=response,
                        label=label,
                        cls=_CLASSES[label],
                        group=group,
                    )
                )

    return read


def _general(records: Sequence[CorpusRecord], wishes: Wishes, out: Gathering) -> None:  # noqa: ARG001 - a reader's signature
    for record in records:
        field = "hallucination" if "hallucination" in record.fields else "hallucination_label"
        judgement = record.text(field).strip().lower()
        asked = record.text("user_query")
        name = out.name(record.key("ID") if record.has("ID") else record.name)
        if judgement not in _VERDICTS:
            raise record.wrong(field, "yes or no", record.fields[field])
        out.add(
            Item(
                id=name,
                question=asked,
                response=record.text("chatgpt_response"),
                label=_VERDICTS[judgement],
                cls=_CLASSES[_VERDICTS[judgement]],
                group=out.group(asked, name),
            )
        )


_KNOWLEDGE = fields("knowledge")
FORMATS = (
    Format(
        name="halueval-qa",
        about="a right and a hallucinated answer to each question",
        told_by=(fields("question", "right_answer", "hallucinated_answer"),),
        takes=_KNOWLEDGE,
        read=_pairs("question", "right_answer", "hallucinated_answer"),
    ),
    Format(
        name="halueval-dialogue",
        about="a right and a hallucinated reply in each dialogue",
        told_by=(fields("dialogue_history", "right_response", "hallucinated_response"),),
        takes=_KNOWLEDGE,
        read=_pairs("dialogue_history", "right_response", "hallucinated_response"),
    ),
    Format(
        name="halueval-summarization",
        about="a right and a hallucinated summary of each document",
        told_by=(fields("document", "right_summary", "hallucinated_summary"),),
        read=_pairs("document", "right_summary", "hallucinated_summary"),
    ),
    Format(
        name="halueval-general",
        about="ChatGPT's responses to user queries, judged by people",
        told_by=(fields("user_query", "chatgpt_response"),),
        read=_general,
    ),
)
