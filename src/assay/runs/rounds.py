"""The order of items: one round, or for a learner one for each fold."""

import random
from collections.abc import Iterator

from assay.benchmark.benchmark import SECOND, Benchmark, Item, Task
from assay.benchmark.folds import assign_folds, fold_units
from assay.digests import derive

FOLDS = 5

Example = dict[str, object]
KeyedItem = tuple[str, Item]
Round = tuple[list[Example] | None, list[KeyedItem]]


def rounds(benchmark: Benchmark, *, task: Task, seed: int, learner: bool) -> Iterator[Round]:
    """The items to fit on (None for a method that does not learn), and those to ask then."""
    shuffled = list(benchmark.keyed_items())
    order = derive(seed, "order", benchmark.digest)
    random.Random(order).shuffle(shuffled)  # noqa: S311 - a seeded order, not a secret
    if not learner:
        yield None, shuffled
        return
    main = [entry for entry in shuffled if not entry[0].startswith(SECOND)]
    others = [entry for entry in shuffled if entry[0].startswith(SECOND)]
    folds = assign_folds(
        [_target(item, task) for _, item in main],
        fold_units([item for _, item in main]),
        folds=FOLDS,
        seed=derive(seed, "folds", benchmark.digest),
    )

    def examples(items: list[Item], fold: int) -> list[Example]:
        """Items as a learner sees them, in an order that reveals nothing about those left out."""
        mixed = list(items)
        order = derive(seed, f"examples {fold}", benchmark.digest)
        random.Random(order).shuffle(mixed)  # noqa: S311 - a seeded order, not a secret
        return [_example(item, task) for item in mixed]

    for fold in range(FOLDS):
        kept = [item for (_, item), f in zip(main, folds, strict=True) if f != fold]
        asked = [entry for entry, f in zip(main, folds, strict=True) if f == fold]
        if asked:
            yield examples(kept, fold), asked
    if others:
        yield examples([item for _, item in main], FOLDS), others


def _example(item: Item, task: Task) -> Example:
    """An item as a learner sees it."""
    return {"question": item.question, "response": item.response, "target": _target(item, task)}


def _target(item: Item, task: Task) -> int | str | None:
    """What a learner learns: the label as 0 or 1, or the class."""
    if task == "classification":
        return item.cls
    return None if item.label is None else int(item.label)
