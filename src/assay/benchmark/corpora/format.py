"""A published format: how it is recognised, and the options of its reader."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.benchmark.corpora.collected_items import Gathering
from assay.benchmark.corpora.corpus_files import CorpusRecord
from assay.benchmark.corpora.programming_tasks import Task


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """The options of readers; each applies only to corpora that support it."""

    keep_unverifiable: bool = False
    knowledge: bool = False
    best: bool = False

    def named(self) -> list[str]:
        """The options that were set."""
        return [name for name in self.__dataclass_fields__ if getattr(self, name)]


Read = Callable[[Sequence[CorpusRecord], Wishes, Gathering], None]
ReadTasks = Callable[[Sequence[CorpusRecord]], dict[str, Task]]


@dataclass(frozen=True, kw_only=True)
class Format:
    """A published format.

    `told_by` are the sets of fields that identify a record, one for each variant. A corpus with
    labels has `read`; one of programming tasks, whose labels come from running samples, has
    `tasks`.
    """

    name: str
    about: str
    told_by: tuple[frozenset[str], ...]
    takes: frozenset[str] = frozenset()
    read: Read | None = None
    tasks: ReadTasks | None = None

    def knows(self, record: CorpusRecord) -> bool:
        """Whether a record is of this format, by its fields."""
        return any(fields <= set(record.fields) for fields in self.told_by)


def fields(*names: str) -> frozenset[str]:
    """A set of field names."""
    return frozenset(names)
