"""Take a subset of a benchmark whose surface no longer predicts the label, and report on it.

The search (`matching/`) keeps or drops whole groups, and single records if that finds nothing,
until no feature alone has an AUC over .55, the joint AUC is not over .60 and its interval includes
.5, under two deals of the folds. Gentler matches are tried first, so the subset is large, but not
shown to be the largest possible.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.benchmark.benchmark import Benchmark
from assay.caveats import Caveats
from assay.confounding.balanced import Balanced
from assay.confounding.caveats import BALANCED
from assay.confounding.judge import labels_of
from assay.confounding.lint.duplicates import conflicting_labels
from assay.confounding.lint.label_leaks import id_leak, label_leaks
from assay.confounding.lint.labelled_records import records_of
from assay.confounding.matching.pool import Fitted, Pool, alone, fitted
from assay.confounding.matching.search import MatchedSubset, search
from assay.confounding.questions_only import has_no_text, judges_questions_only
from assay.confounding.result import Finding, Fitness, Joint
from assay.confounding.verdict import decide, explain, records_needed
from assay.errors import OneClassPartition
from assay.surface.crossfit import Step
from assay.surface.feature_table import feature_table
from assay.surface.joint_model import FEWEST, Kind, check_fittable

_IDS, _DIGITS = 1_000_000, 8
"""A stream of random numbers of its own for ids, and the length of an id."""


def balance(
    benchmark: Benchmark,
    *,
    surface: Kind = "declared",
    seed: int = 0,
    shuffle_ids: bool = False,
    is_written: bool = False,
    fields: Mapping[str, Sequence[object]] | None = None,
    on_step: Step = lambda: None,
) -> Balanced:
    """The largest subset found whose surface does not predict the label.

    `fields` are other columns of the file: they and the ids may still give the label away.
    `is_written` says that a file is made, which advice on other ids would replace.
    """
    items, label = list(benchmark.items), labels_of(benchmark)
    _check_enough(benchmark, label)
    units = np.unique([item.unit for item in items], return_inverse=True)[1]
    whole = Pool(items=items, label=label, table=feature_table(items), units=units)
    found = search(whole, surface, seed=seed, on_step=on_step)
    achieved, pool = found.achieved, found.last.pool
    records = tuple(item.id for item in pool.items)
    new_ids = _draw_ids(records, seed) if shuffle_ids and achieved else {}
    caveats = Caveats(BALANCED)
    audited = _Audited()
    if achieved:
        values = _kept_values(fields or {}, benchmark, records)
        findings = _leaks(pool, values, new_ids, caveats, is_written=is_written)
        audited = _audited(_in_new_order(found.last, new_ids, surface), findings)
    for code, detail in benchmark.changes.items():
        caveats.add(code, detail)
    if benchmark.grouping == "question":
        caveats.add("grouped-by-question", _single_records(benchmark, fields or {}, found))
    if found.splits_groups:
        caveats.add("split-groups")
    if new_ids:
        caveats.add("new-ids", f"{len(new_ids):,} random ids in random order, seed {seed}.")
    lost = {item.id for item in whole.items} - set(records)
    dropped = [item for item in benchmark.items if item.id in lost]
    return Balanced(
        achieved=achieved,
        surface=surface,
        records=list(records),
        n=len(whole.items),
        kept=len(records),
        positives=int(whole.label.sum()),
        kept_positives=int(pool.label.sum()),
        before=found.whole.surfaces,
        after=found.last.surfaces,
        lost={
            "class": _counts([item.cls for item in dropped]),
            "source": _counts([item.source for item in dropped]),
        },
        caveats=caveats.in_order_noted(),
        new_ids=new_ids,
        _positions=_positions(benchmark, records) if achieved else [],
        verdict=audited.verdict,
        because=audited.because,
        needed_records=audited.needed,
        splits_groups=found.splits_groups,
        separated_by=found.separated_by,
    )


def _check_enough(benchmark: Benchmark, label: NDArray[np.bool_]) -> None:
    """Refuse fewer records than a balanced subset has."""
    try:
        check_fittable(benchmark.items, label)
    except OneClassPartition as error:
        raise OneClassPartition(
            error.message,
            hint=f"A balanced subset has at least {FEWEST} records of each class: collect more.",
        ) from None


def _single_records(
    benchmark: Benchmark, fields: Mapping[str, Sequence[object]], found: MatchedSubset
) -> str:
    """How unnamed groups limited the search, and how to balance single records instead."""
    if not found.achieved or found.splits_groups:
        return ""  # single records were tried
    said = "Such a group is kept or dropped whole."
    column = _telling_apart(benchmark, fields)
    if column is None:
        return (
            f"{said} No column has another value in each record: to balance single records, add"
            " one, such as the record's number, and name it: `group=COLUMN`."
        )
    named = column if column else "''"  # an export of pandas has no name for the row's number
    return f"{said} To balance single records: `group={named}`."


def _telling_apart(benchmark: Benchmark, fields: Mapping[str, Sequence[object]]) -> str | None:
    """A column with another value in each record: that of the ids, unless they were replaced."""
    is_own = benchmark.origin is not None and "new-ids" not in benchmark.changes
    if benchmark.origin is not None and is_own and not benchmark.numbered:
        return benchmark.origin.columns.id or "id"
    apart = (
        name
        for name, values in fields.items()
        if None not in values and len(set(map(str, values))) == len(values)
    )
    return next(iter(sorted(apart, key=lambda name: not name.strip())), None)


def _positions(benchmark: Benchmark, records: Sequence[str]) -> list[int]:
    """The places of records among all rows of the input, from 0."""
    kept = set(records)
    placed = zip(benchmark.rows, benchmark.items, strict=True)
    return [row for row, item in placed if item.id in kept]


@dataclass(frozen=True, kw_only=True)
class _Audited:
    """What an audit says of the subset."""

    verdict: Fitness | None = None
    because: str | None = None
    needed: int | None = None


def _in_new_order(subset: Fitted, new_ids: Mapping[str, str], kind: Kind) -> Fitted:
    """The subset as a file with random ids has it: the order of records decides their folds."""
    if not new_ids:
        return subset
    pool = subset.pool
    place = {item.id: number for number, item in enumerate(pool.items)}
    order = [place[identity] for identity in new_ids]
    items = [pool.items[number] for number in order]
    units = np.unique(pool.units[order], return_inverse=True)[1]
    table = feature_table(items)
    return fitted(Pool(items=items, label=pool.label[order], table=table, units=units), kind)


def _audited(subset: Fitted, findings: Sequence[Finding]) -> _Audited:
    """The verdict of a confound audit of the subset, without its other figures."""
    pool, surfaces = subset.pool, subset.surfaces
    joint = Joint(
        auc=surfaces.joint,
        low=surfaces.low,
        high=surfaces.high,
        left=1.0,
        importance=(),
        given_away=(),
    )
    features = alone(pool)
    no_text = has_no_text(pool.items)
    noted = ["no-text"] if no_text else []
    noted += ["questions-only"] if judges_questions_only(pool.items) else []
    verdict = decide(subset.model, joint, features, no_text=no_text)
    needed = records_needed(verdict, subset.model, joint, no_text=no_text)
    because = explain(verdict, joint, features, findings, needed, noted)
    return _Audited(verdict=verdict, because=because, needed=needed)


def _draw_ids(records: Sequence[str], seed: int) -> dict[str, str]:
    """A random id for each record, in a random order."""
    rng = np.random.default_rng([seed, _IDS])
    drawn = rng.choice(10**_DIGITS, size=len(records), replace=False)
    order = rng.permutation(len(records))
    return {records[i]: f"{drawn[i]:0{_DIGITS}d}" for i in order}


def _kept_values(
    fields: Mapping[str, Sequence[object]], benchmark: Benchmark, records: Sequence[str]
) -> dict[str, list[object]]:
    """The values of other columns for the records that are kept."""
    kept = set(records)
    places = [place for place, item in enumerate(benchmark.items) if item.id in kept]
    return {name: [values[place] for place in places] for name, values in fields.items()}


def _leaks(
    pool: Pool,
    fields: Mapping[str, Sequence[object]],
    new_ids: Mapping[str, str],
    caveats: Caveats,
    *,
    is_written: bool,
) -> list[Finding]:
    """What gives the label away in a balanced subset; ids and other columns are noted."""
    records = records_of(pool.items, pool.label)
    own = id_leak(records)
    found = []
    if own is not None and not new_ids:
        again = " `overwrite=True`" if is_written else ""
        caveats.add("ids-tell", f"{own.message} Write random ids: `shuffle_ids=True`{again}.")
        found.append(own)
    for leak in label_leaks(records, fields):
        if leak != own:
            caveats.add("columns-tell", f"{leak.message} {leak.remedy}")
            found.append(leak)
    conflict = conflicting_labels(records)
    return found if conflict is None else [*found, conflict]


def _counts(values: Sequence[str | None]) -> dict[str, int]:
    return dict(sorted(Counter(value for value in values if value is not None).items()))
