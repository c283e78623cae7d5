"""TruthfulQA: true and false answers to questions that people often answer wrongly.

Each answer is an item, and the answers to one question are a group. `TruthfulQA.csv` holds them
separated by semicolons; newer versions also name the best incorrect answer. `mc_task.json` (and its
copies in other formats) holds the multiple choices, of which the fullest set is taken.
"""

from collections.abc import Sequence

from assay.benchmark.benchmark import Item
from assay.benchmark.corpora.collected_items import Gathering, shuffled
from assay.benchmark.corpora.corpus_files import CorpusRecord
from assay.benchmark.corpora.format import Format, Wishes, fields
from assay.errors import SpecError

_CLASSES = {False: "correct", True: "incorrect"}
_CHOICES = ("mc2_targets", "mc1_targets", "mc0_targets")


def _read(records: Sequence[CorpusRecord], wishes: Wishes, out: Gathering) -> None:
    for record in records:
        if record.has("Question"):
            asked, category = record.text("Question"), "Category"
            answers = _of_table(record, wishes)
        else:
            asked, category = record.text("question"), "category"
            answers = (
                _of_choices(record, wishes) if _has_choices(record) else _of_lists(record, wishes)
            )
        asked = asked.strip()
        name = out.name(record.name)
        group = out.group(asked, name)
        for number, (answer, label) in enumerate(shuffled(answers), 1):
            out.add(
                Item(
                    id=f"{name}#{number}",
                    question=asked,
                    response=answer,
                    label=label,
                    cls=_CLASSES[label],
                    source=record.text(category).strip() or None if record.has(category) else None,
                    group=group,
                )
            )


def _of_table(record: CorpusRecord, wishes: Wishes) -> list[tuple[str, bool]]:
    if wishes.best:
        return _best(record, "Best Answer", "Best Incorrect Answer")
    given = [(record.text("Best Answer").strip(), False)]
    given += [(answer, False) for answer in _split(record, "Correct Answers")]
    if "Best Incorrect Answer" in record.fields:
        given.append((record.text("Best Incorrect Answer").strip(), True))
    given += [(answer, True) for answer in _split(record, "Incorrect Answers")]
    return list(dict.fromkeys(given))


def _split(record: CorpusRecord, field: str) -> list[str]:
    return [answer.strip() for answer in record.text(field).split(";") if answer.strip()]


def _of_lists(record: CorpusRecord, wishes: Wishes) -> list[tuple[str, bool]]:
    if wishes.best:
        return _best(record, "best_answer", "best_incorrect_answer")
    answers = [(answer.strip(), False) for answer in record.texts("correct_answers")]
    answers += [(answer.strip(), True) for answer in record.texts("incorrect_answers")]
    return list(dict.fromkeys(answers))


def _best(record: CorpusRecord, right: str, wrong: str) -> list[tuple[str, bool]]:
    if wrong not in record.fields:
        raise SpecError(
            f"{record.where}: no field {wrong!r}, which `best=True` needs",
            hint="Use a newer version of the file, or leave out `best=True`.",
        )
    return [(record.text(right).strip(), False), (record.text(wrong).strip(), True)]


def _has_choices(record: CorpusRecord) -> bool:
    return any(record.has(field) for field in _CHOICES)


def _of_choices(record: CorpusRecord, wishes: Wishes) -> list[tuple[str, bool]]:
    field = next(field for field in _CHOICES if record.has(field))
    if wishes.best:
        if not record.has("mc0_targets"):
            raise SpecError(
                f"{record.where}: no field 'mc0_targets', which `best=True` needs",
                hint="Use a newer version of the file, or leave out `best=True`.",
            )
        field = "mc0_targets"
    targets = record.required(field)
    if isinstance(targets, dict) and set(targets) == {"choices", "labels"}:
        choices, labels = targets["choices"], targets["labels"]
        fit = isinstance(choices, list) and isinstance(labels, list) and len(choices) == len(labels)
        if not fit:
            raise record.wrong(field, "as many labels as choices", labels)
        pairs = list(zip(choices, labels, strict=True))
    elif isinstance(targets, dict):
        pairs = list(targets.items())
    else:
        raise record.wrong(field, "answers with 0 or 1 each", targets)
    for answer, label in pairs:
        if not isinstance(answer, str) or isinstance(label, bool) or label not in (0, 1):
            raise record.wrong(field, "answers with 0 or 1 each", label)
    return list(dict.fromkeys((answer.strip(), label == 0) for answer, label in pairs))


FORMAT = Format(
    name="truthfulqa",
    about="true and false answers to questions that mislead",
    told_by=(
        fields("Question", "Correct Answers", "Incorrect Answers"),
        fields("question", "correct_answers", "incorrect_answers"),
        *(fields("question", field) for field in _CHOICES),
    ),
    takes=fields("best"),
    read=_read,
)
