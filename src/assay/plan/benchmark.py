"""A benchmark: items with what is known about them, under a digest of exact bytes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from assay.errors import SpecError
from assay.plan.expression import Expression

SECOND = "second/"
"""What stands before the ids of a second corpus's items in a run."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One question, perhaps with a response to judge, and what is known about it.

    `label` is True for a positive (a misconception, an error); `cls` is the class by name. Either
    may be unknown, not both. Items of one `group` are not independent of each other.
    """

    id: str
    question: str
    response: str | None = None
    label: bool | None = None
    cls: str | None = None
    source: str | None = None
    group: str | None = None

    def fields(self) -> dict[str, str | None]:
        """What an expression may ask about."""
        return {
            "id": self.id,
            "label": None if self.label is None else str(int(self.label)),
            "class": self.cls,
            "source": self.source,
            "group": self.group,
        }


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """Items under one name and one digest; never changed in place.

    `second` is another corpus on which a bar may ask for the same skill, so that a method which
    only fits the first one is seen.
    """

    name: str
    digest: str
    items: tuple[Item, ...]
    second: "Benchmark | None" = None

    @property
    def classes(self) -> Mapping[str, int]:
        """How many items each class has."""
        return Counter(item.cls for item in self.items if item.cls is not None)

    @property
    def grouped(self) -> bool:
        """Whether some items share a group."""
        named = [item.group for item in self.items if item.group is not None]
        return len(set(named)) < len(named)

    def with_second(self, second: "Benchmark | None") -> "Benchmark":
        """The same benchmark beside another second corpus."""
        return replace(self, second=second)

    def where(self, expression: Expression) -> tuple[Item, ...]:
        """The items for which an expression holds, in order."""
        return tuple(item for item in self.items if expression.holds(item.fields()))

    def keyed_items(self) -> Iterator[tuple[str, Item]]:
        """Every item with its key in a run: its id, marked where it is of the second corpus."""
        for item in self.items:
            yield item.id, item
        if self.second is not None:
            for item in self.second.items:
                yield SECOND + item.id, item


def check_items(items: tuple[Item, ...], *, where: str) -> None:
    """Refuse an empty benchmark and ids that stand twice or imitate a second corpus's."""
    if not items:
        raise SpecError(f"{where}: no records", hint="One record a line is expected.")
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise SpecError(
                f"{where}: id {item.id!r} stands twice", hint="Every record needs an id of its own."
            )
        if item.id.startswith(SECOND):
            raise SpecError(f"{where}: id {item.id!r} may not begin with {SECOND!r}")
        seen.add(item.id)
