"""The confound audit: whether scores on a benchmark show the task or the surface of its data.

It judges each feature alone, all of them together, each method beyond the surface, and lints the
data. The verdict is on the benchmark.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay._version import __version__
from assay.benchmark.benchmark import Benchmark
from assay.caveats import Caveats
from assay.confounding.caveats import CODES, note_records
from assay.confounding.joint_surface import joint_result, method_result
from assay.confounding.lint.linter import lint
from assay.confounding.questions_only import unread_response
from assay.confounding.result import ConfoundAudit
from assay.confounding.single_features import feature_results, source_result
from assay.confounding.verdict import decide, explain, records_needed
from assay.digests import short
from assay.errors import OneClassPartition, SpecError
from assay.surface.crossfit import Step
from assay.surface.feature_table import Feature, feature_table
from assay.surface.joint_model import (
    FEWEST,
    FOLDS,
    LEXICAL,
    SOURCE,
    Kind,
    check_fittable,
    deals_for,
    group_codes,
    read_surface,
)


def confounds(
    benchmark: Benchmark,
    *,
    scores: Mapping[str, Mapping[str, float]] | None = None,
    readings: Mapping[str, str] | None = None,
    features: Sequence[Feature] = (),
    fields: Mapping[str, Sequence[object]] | None = None,
    joint: bool = True,
    surface: Kind = "declared",
    on_step: Step = lambda: None,
) -> ConfoundAudit:
    """Audit a benchmark, and methods on it.

    `scores` are methods by name, each a score by record id; `readings` says of some how their texts
    were read as numbers. `features` are added to the declared
    ones; `fields` are other columns of the file, which the linter checks for label leaks. Without
    `joint` no model is fitted, and there is no verdict.
    """
    items, label = benchmark.items, labels_of(benchmark)
    table = _with_own(feature_table(items), features)
    groups = group_codes(items)
    caveats = Caveats(CODES)
    model, too_few = None, None
    if joint:
        try:
            check_fittable(items, label)
        except OneClassPartition as error:
            caveats.add("no-surface-model", f"{error.message[0].upper()}{error.message[1:]}.")
            too_few = _too_few(label)
        else:
            model = read_surface(items, label, features=table, kind=surface, on_step=on_step)
    methods = tuple(
        method_result(name, by_id, items, label, model, on_step)
        for name, by_id in (scores or {}).items()
    )
    together = None if model is None else joint_result(model, on_step)
    alone = feature_results(table, label, groups)
    alone += source_result(items, label, groups, looked_at=len(table) + 1)
    note_records(benchmark, fields or {}, methods, caveats)
    for name, said in (readings or {}).items():
        caveats.add("read-as", f"{name:.60}: {said}.")
    findings = lint(items, label, fields=fields)
    codes = [caveat.code for caveat in caveats.in_order_noted()]
    unread = unread_response(items, fields or {})
    no_text = "no-text" in codes or unread is not None
    verdict = decide(model, together, alone, no_text=no_text)
    needed = records_needed(verdict, model, together, no_text=no_text)
    return ConfoundAudit(
        verdict=verdict,
        because=explain(verdict, together, alone, findings, needed, codes, too_few, unread),
        needed_records=needed,
        n=len(items),
        positives=int(label.sum()),
        features=alone,
        joint=together,
        methods=methods,
        lint=findings,
        caveats=caveats.in_order_noted(),
        benchmark=benchmark.name,
        surface=surface,
        digests={"benchmark": benchmark.digest},
        signature=_signature(benchmark, surface),
        own_features=tuple(feature.name for feature in features),
        numbered=benchmark.numbered,
    )


def _too_few(label: NDArray[np.bool_]) -> str:
    """Why there are too few records for a verdict, and how many it takes at least."""
    positives = int(label.sum())
    return (
        f"too few records: {positives:,} positive and {label.size - positives:,} negative; a"
        f" verdict needs at least {FEWEST} of each, in {FOLDS} groups or more, and usually hundreds"
    )


def steps(size: int, *, methods: int) -> int:
    """The number of steps of an audit, for the progress display."""
    return (1 + methods) * deals_for(size) * FOLDS


def labels_of(benchmark: Benchmark) -> NDArray[np.bool_]:
    """Which records are positive; refuses a benchmark without labels or with one class."""
    for item in benchmark.items:
        if item.label is None:
            raise SpecError(
                f"{benchmark.name}: record {item.id} has a class but no label",
                hint="Which records are positive? Name them: `positive='class != truth'`.",
            )
    flags = np.array([item.label for item in benchmark.items], dtype=bool)
    if flags.all() or not flags.any():
        which = "positive" if flags.all() else "negative"
        raise OneClassPartition(
            f"{benchmark.name}: every record is {which}, expected both labels",
            hint="Which column tells right from wrong (`label=`), or which value is positive"
            " (`positive=`)? Name one.",
        )
    return flags


def _with_own(table: tuple[Feature, ...], own: Sequence[Feature]) -> tuple[Feature, ...]:
    """The declared features and the user's; a repeated name is refused."""
    taken = {*(feature.name for feature in table), SOURCE, LEXICAL}
    for feature in own:
        if feature.name in taken:
            raise SpecError(f"feature {feature.name!r} already exists", hint="Rename yours.")
        taken.add(feature.name)
    return (*table, *own)


def _signature(benchmark: Benchmark, surface: Kind) -> str:
    return (
        f"n {len(benchmark.items)} · {benchmark.name}@{short(benchmark.digest)}"
        f"{benchmark.named_columns}"
        f" · {surface} surface · assay {__version__}"
    )
