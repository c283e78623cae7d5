"""The table of formats, and how a file is read as one of them."""

from collections.abc import Mapping, Sequence

from assay.benchmark.corpora import fever, fover, halueval, humaneval, mbpp, truthfulqa
from assay.benchmark.corpora.collected_items import Gathered, Gathering
from assay.benchmark.corpora.corpus_files import CorpusFile, CorpusRecord, listed
from assay.benchmark.corpora.format import Format, Wishes
from assay.benchmark.corpora.programming_tasks import Task
from assay.errors import SpecError

FORMATS: Mapping[str, Format] = {
    one.name: one
    for one in (
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
    found = FORMATS[name]
    _check_wishes(found, wishes)
    records = _checked(found, sources)
    if found.read is None:
        raise SpecError(
            f"{name} has tasks and no answers to them: whose were they?",
            hint="Name a file of samples, {task_id, completion} a line: `samples=FILE`.",
        )
    out = Gathering()
    found.read(records, wishes, out)
    gathered = out.finished()
    if not gathered.items:
        why = "; ".join(f"{count} x {what}" for what, count in gathered.left_out.items())
        raise SpecError(f"{sources[0].name}: nothing is left of it: {why}")
    return gathered


def read_tasks(name: str, sources: Sequence[CorpusFile], wishes: Wishes) -> dict[str, Task]:
    """The tasks of a corpus whose labels come from running samples."""
    found = FORMATS[name]
    _check_wishes(found, wishes)
    if found.tasks is None:
        takers = ", ".join(one.name for one in FORMATS.values() if one.tasks is not None)
        raise SpecError(f"{name} has its own labels, and no samples", hint=f"`samples=`: {takers}.")
    return found.tasks(_checked(found, sources))


def _check_wishes(found: Format, wishes: Wishes) -> None:
    for wish in wishes.named():
        if wish not in found.takes:
            takers = ", ".join(one.name for one in FORMATS.values() if wish in one.takes)
            flag = f"`{wish}=True`"
            raise SpecError(f"{flag} means nothing for {found.name}", hint=f"{flag}: {takers}.")


def _checked(found: Format, sources: Sequence[CorpusFile]) -> list[CorpusRecord]:
    """All records, each of this format; one of another is named as what it looks like."""
    records = [record for source in sources for record in source.records]
    for record in records:
        if not found.knows(record):
            expected = " or ".join(", ".join(sorted(one)) for one in found.told_by)
            raise SpecError(
                f"{record.where}: not {found.name}: expected the fields {expected},"
                f" got {listed(record.fields)}",
                hint=_guess(record),
            )
    return records


def _guess(record: CorpusRecord) -> str | None:
    other = next((one.name for one in FORMATS.values() if one.knows(record)), None)
    if other is not None:
        return f"This looks like {other}."
    if any(one <= set(record.fields) for one in _SAMPLES):
        return "This looks like a file of samples: `samples=FILE`."
    return None
