"""The table of formats, and how a file is read as one of them."""

from collections.abc import Mapping, Sequence

from assay.benchmark.corpora import fever, fover, halueval, humaneval, mbpp, truthfulqa
from assay.benchmark.corpora.collected_items import Gathered, Gathering
from assay.benchmark.corpora.corpus_files import CorpusFile, CorpusRecord, listed
from assay.benchmark.corpora.format import Format, Wishes
from assay.benchmark.corpora.programming_tasks import Task
from assay.errors import SpecError

FORMATS: Mapping[str, Format] = {
    form.name: form
    for form in (
        fover.FORMAT,
        *halueval.FORMATS,
        fever.FORMAT,
        truthfulqa.FORMAT,
        mbpp.FORMAT,
        humaneval.FORMAT,
    )
}
"""Every format, by name."""

_SAMPLES = ({"task_id", "completion"}, {"task_id", "solution"})


def read_items(name: str, sources: Sequence[CorpusFile], wishes: Wishes) -> Gathered:
    """The items of a corpus that comes with its labels."""
    form = FORMATS[name]
    _check_wishes(form, wishes)
    records = _checked(form, sources)
    if form.read is None:
        raise SpecError(
            f"{name} has tasks but no answers",
            hint="Name a file of samples with {task_id, completion} a line: `samples=FILE`.",
        )
    out = Gathering()
    form.read(records, wishes, out)
    gathered = out.finished()
    if not gathered.items:
        why = "; ".join(f"{count} x {what}" for what, count in gathered.left_out.items())
        raise SpecError(f"{sources[0].name}: no items are left: {why}")
    return gathered


def read_tasks(name: str, sources: Sequence[CorpusFile], wishes: Wishes) -> dict[str, Task]:
    """The tasks of a corpus whose labels come from running samples."""
    form = FORMATS[name]
    _check_wishes(form, wishes)
    if form.tasks is None:
        takers = ", ".join(other.name for other in FORMATS.values() if other.tasks is not None)
        raise SpecError(
            f"{name} has its own labels and takes no samples", hint=f"`samples=`: {takers}."
        )
    return form.tasks(_checked(form, sources))


def _check_wishes(form: Format, wishes: Wishes) -> None:
    for wish in wishes.named():
        if wish not in form.takes:
            takers = ", ".join(other.name for other in FORMATS.values() if wish in other.takes)
            flag = f"`{wish}=True`"
            raise SpecError(f"{flag} has no effect on {form.name}", hint=f"{flag}: {takers}.")


def _checked(form: Format, sources: Sequence[CorpusFile]) -> list[CorpusRecord]:
    """All records, each checked to be of this format; the error names the format it looks like."""
    records = [record for source in sources for record in source.records]
    for record in records:
        if not form.knows(record):
            expected = " or ".join(", ".join(sorted(fields)) for fields in form.told_by)
            raise SpecError(
                f"{record.where}: not {form.name}: expected the fields {expected},"
                f" got {listed(record.fields)}",
                hint=_guess(record),
            )
    return records


def _guess(record: CorpusRecord) -> str | None:
    other = next((form.name for form in FORMATS.values() if form.knows(record)), None)
    if other is not None:
        return f"This looks like {other}."
    if any(fields <= set(record.fields) for fields in _SAMPLES):
        return "This looks like a file of samples: `samples=FILE`."
    return None
