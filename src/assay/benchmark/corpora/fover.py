"""FoVer: steps of proofs, each labelled by a formal verifier; and ProcessBench, which is similar.

One item a step. The question is the problem with the steps before, the response is the step.
In FoVer's `error_labels` **true means that the step is correct**, despite the name; null means
unknown. If a record also holds the conversation with its labels, both must agree. ProcessBench has
`steps` and the number of the first wrong one (-1: none); later steps were not judged.
"""

from collections.abc import Sequence

from assay.benchmark.benchmark import Item
from assay.benchmark.corpora.collected_items import Gathering
from assay.benchmark.corpora.corpus_files import CorpusRecord
from assay.benchmark.corpora.format import Format, Wishes, fields
from assay.errors import SpecError

NO_LABEL = "step without a label"
_ANSWERS = {"correct": True, "incorrect": False}


def _read(records: Sequence[CorpusRecord], wishes: Wishes, out: Gathering) -> None:  # noqa: ARG001 - a reader's signature
    for record in records:
        problem = record.text("problem")
        if record.has("solution_steps"):
            steps, source = record.texts("solution_steps"), "base_dataset"
            correct = _labels(record, len(steps))
        else:
            steps, source = record.texts("steps"), "generator"
            correct = _until_the_first_error(record, len(steps))
        name = out.name(record.key("id") if record.has("id") else record.name)
        group = out.group(problem, name)
        for number, (step, is_correct) in enumerate(zip(steps, correct, strict=True), 1):
            if is_correct is None:
                out.leave_out(NO_LABEL)
                continue
            out.add(
                Item(
                    id=f"{name}#{number}",
                    question="\n\n".join([problem, *steps[: number - 1]]),
                    response=step,
                    label=not is_correct,
                    cls="correct" if is_correct else "incorrect",
                    source=record.text(source) if record.has(source) else None,
                    group=group,
                )
            )


def _labels(record: CorpusRecord, count: int) -> list[bool | None]:
    labels = record.required("error_labels")
    if not isinstance(labels, list):
        raise record.wrong("error_labels", "a list of true, false and null", labels)
    for label in labels:
        if label is not None and not isinstance(label, bool):
            raise record.wrong("error_labels", "true, false or null", label)
    if len(labels) != count:
        raise SpecError(
            f"{record.where}, field 'error_labels': {len(labels)} labels for {count} steps"
        )
    stated = _told(record.fields.get("messages"))
    if len(stated) == count and any(
        statement is not None and statement != label
        for statement, label in zip(stated, labels, strict=True)
    ):
        raise SpecError(
            f"{record.where}, field 'error_labels': contradicts 'messages'",
            hint="In FoVer's files `true` means that a step is correct.",
        )
    return labels


def _told(messages: object) -> list[bool | None]:
    """The labels of the steps, from the verifier's turns of a conversation."""
    turns = messages if isinstance(messages, list) else []
    return [
        _ANSWERS.get(str(turn.get("content")).strip().lower())
        for turn in turns
        if isinstance(turn, dict) and turn.get("role") in ("assistant", "model")
    ]


def _until_the_first_error(record: CorpusRecord, count: int) -> list[bool | None]:
    first = record.required("label")
    if isinstance(first, bool) or not isinstance(first, int) or not -1 <= first < count:
        raise record.wrong("label", f"the number of a step, or -1, with {count} steps", first)
    if first == -1:
        return [True] * count
    return [True] * first + [False] + [None] * (count - first - 1)


FORMAT = Format(
    name="fover",
    about="steps of proofs with the verifier's labels (FoVer; ProcessBench too)",
    told_by=(
        fields("problem", "solution_steps", "error_labels"),
        fields("problem", "steps", "label"),
    ),
    read=_read,
)
