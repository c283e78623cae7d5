"""Find a subset of a benchmark whose surface no longer predicts the label.

Records are matched on the joint surface score: in each narrow range of the score as many positives
as negatives are kept. If groups hold both classes (a question with a right and a wrong answer),
whole groups are kept or dropped: a group in which the surface favours the right label is matched
with one in which it favours the wrong label by as much. Then records are trimmed until no single
feature predicts the label, the model is fitted again, and so on, until no feature alone has an AUC
over .55, the joint AUC is not over .60 and its interval includes .5, under two deals of the folds.
Gentler matches are tried first, so the subset is large, but not shown to be the largest possible.
No model is fitted to a subset in which a single feature still predicts the label, and the number of
fits is limited, so that a search without success ends in seconds.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.benchmark.benchmark import Benchmark, Item
from assay.caveats import Caveats
from assay.confounding.balanced import HIGHEST, Balanced, Surfaces
from assay.confounding.caveats import BALANCED
from assay.confounding.judge import labels_of
from assay.confounding.lint.duplicates import conflicting_labels
from assay.confounding.lint.label_leaks import id_leak, label_leaks
from assay.confounding.lint.labelled_records import records_of
from assay.confounding.questions_only import has_no_text, judges_questions_only
from assay.confounding.result import FeatureResult, Finding, Fitness, Joint
from assay.confounding.single_features import feature_results, source_result
from assay.confounding.verdict import CHANCE, CLEAN_UNDER, decide, explain, records_needed
from assay.errors import OneClassPartition
from assay.stats.arrays import Floats
from assay.stats.ranks import Levels, levels, placements
from assay.surface.crossfit import Step
from assay.surface.feature_table import Feature, feature_table
from assay.surface.joint_model import (
    FEWEST,
    Kind,
    Surface,
    check_fittable,
    group_codes,
    read_surface,
    source_columns,
)

_AIM = 0.54
_STRENGTHS = (0.0, 0.4, 0.6, 0.8, 0.9, 1.0)
_ROUNDS = 5
_MOST_FITS = 20
"""The search ends after fitting so many subsets without success."""
_RESTARTS = ((300, 12), (1_000, 4))
"""More tries with fewer records, where chance matters more."""
_TRIED = 8
MOST_STEPS = _ROUNDS * _TRIED
_BIN = 12
_OTHER_DEAL = 100
_IDS, _DIGITS = 1_000_000, 8
"""A stream of random numbers of its own for ids, and the length of an id."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Pool:
    """The remaining records, with the data needed to select among them."""

    items: list[Item]
    label: NDArray[np.bool_]
    table: tuple[Feature, ...]
    units: NDArray[np.intp]

    def take(self, kept: NDArray[np.bool_]) -> "_Pool":
        """Only some of the records."""
        places = np.flatnonzero(kept)
        items = [self.items[i] for i in places]
        return _Pool(
            items=items,
            label=self.label[places],
            table=feature_table(items),
            units=np.unique(self.units[places], return_inverse=True)[1],
        )

    def fittable(self) -> bool:
        """Whether enough records of both classes are left."""
        try:
            check_fittable(self.items, self.label)
        except OneClassPartition:
            return False
        return True


@dataclass(frozen=True, kw_only=True, eq=False)
class _Fitted:
    """The remaining records with the surface model fitted to them."""

    pool: _Pool
    model: Surface
    surfaces: Surfaces


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
    check_fittable(items, label)
    units = np.unique([item.unit for item in items], return_inverse=True)[1]
    whole = _Pool(items=items, label=label, table=feature_table(items), units=units)
    current = _fitted(whole, surface)
    before = current.surfaces
    achieved, fits = _met(current, surface), 1
    for turn in range(_ROUNDS):
        if achieved or fits >= _MOST_FITS:
            break
        tried = _candidates(current.pool, current.model.fit.ensemble, seed=[seed, turn])
        not_told_by_one = [pool for pool in tried if _worst_alone(pool).auc <= HIGHEST]
        for candidate in not_told_by_one[: _MOST_FITS - fits] or tried[-1:]:
            on_step()
            current, fits = _fitted(candidate, surface), fits + 1
            achieved = _met(current, surface)
            if achieved:
                break
        if not not_told_by_one:
            break
    pool, after = current.pool, current.surfaces
    records = tuple(item.id for item in pool.items)
    new_ids = _draw_ids(records, seed) if shuffle_ids and achieved else {}
    caveats = Caveats(BALANCED)
    audited = _Audited()
    if achieved:
        values = _kept_values(fields or {}, benchmark, records)
        findings = _leaks(pool, values, new_ids, caveats, is_written=is_written)
        audited = _audited(_in_new_order(current, new_ids, surface), findings)
    for code, detail in benchmark.changes.items():
        caveats.add(code, detail)
    if benchmark.grouping == "question":
        caveats.add("grouped-by-question", _single_records(benchmark, fields or {}))
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
        before=before,
        after=after,
        lost={
            "class": _counts([item.cls for item in dropped]),
            "source": _counts([item.source for item in dropped]),
        },
        caveats=caveats.in_order_noted(),
        new_ids=new_ids,
        positions=_positions(benchmark, records) if achieved else [],
        verdict=audited.verdict,
        because=audited.because,
        needed_records=audited.needed,
    )


def _single_records(benchmark: Benchmark, fields: Mapping[str, Sequence[object]]) -> str:
    """How unnamed groups limit the search, and how to balance single records instead."""
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


def _in_new_order(fitted: _Fitted, new_ids: Mapping[str, str], kind: Kind) -> _Fitted:
    """The subset as a file with random ids has it: the order of records decides their folds."""
    if not new_ids:
        return fitted
    pool = fitted.pool
    place = {item.id: number for number, item in enumerate(pool.items)}
    order = [place[identity] for identity in new_ids]
    items = [pool.items[number] for number in order]
    units = np.unique(pool.units[order], return_inverse=True)[1]
    table = feature_table(items)
    return _fitted(_Pool(items=items, label=pool.label[order], table=table, units=units), kind)


def _audited(fitted: _Fitted, findings: Sequence[Finding]) -> _Audited:
    """The verdict of a confound audit of the subset, without its other figures."""
    pool, surfaces = fitted.pool, fitted.surfaces
    joint = Joint(
        auc=surfaces.joint,
        low=surfaces.low,
        high=surfaces.high,
        left=1.0,
        importance=(),
        given_away=(),
    )
    features = _alone(pool)
    no_text = has_no_text(pool.items)
    noted = ["no-text"] if no_text else []
    noted += ["questions-only"] if judges_questions_only(pool.items) else []
    verdict = decide(fitted.model, joint, features, no_text=no_text)
    needed = records_needed(verdict, fitted.model, joint, no_text=no_text)
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
    pool: _Pool,
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


def _candidates(pool: _Pool, scores: Floats, *, seed: Sequence[int]) -> list[_Pool]:
    """Matched and trimmed subsets that can be fitted, of several sizes, largest first."""
    rng = np.random.default_rng(seed)
    restarts = next((many for size, many in _RESTARTS if pool.label.size < size), 1)
    subsets = []
    for strength in _STRENGTHS * restarts:
        kept = _match(pool, scores, strength, rng)
        if len(set(pool.label[kept].tolist())) == 2:
            subsets.append(_trim(pool.take(kept)))
    usable = [
        subset for subset in subsets if subset.fittable() and subset.label.size < pool.label.size
    ]
    ranked = sorted(usable, key=lambda subset: -subset.label.size)
    if len(ranked) <= _TRIED:
        return ranked
    return [ranked[i] for i in np.linspace(0, len(ranked) - 1, _TRIED).astype(int)]


def _fitted(pool: _Pool, kind: Kind) -> _Fitted:
    model = read_surface(pool.items, pool.label, features=pool.table, kind=kind)
    fit = model.auc_fit()
    low, high = fit.interval()
    worst = _worst_alone(pool)
    surfaces = Surfaces(
        joint=float(fit.values[0]),
        low=low,
        high=high,
        worst=f"{worst.name} ({worst.on})",
        worst_auc=worst.auc,
    )
    return _Fitted(pool=pool, model=model, surfaces=surfaces)


def _worst_alone(pool: _Pool) -> FeatureResult:
    return max(_alone(pool), key=lambda result: result.auc)


def _alone(pool: _Pool) -> tuple[FeatureResult, ...]:
    """Each feature alone, and the source."""
    groups = group_codes(pool.items)
    alone = feature_results(pool.table, pool.label, groups)
    return alone + source_result(pool.items, pool.label, groups, looked_at=len(pool.table) + 1)


def _met(fitted: _Fitted, kind: Kind) -> bool:
    """Whether the aims are met, also under a second deal of the folds."""
    pool, surfaces = fitted.pool, fitted.surfaces
    if surfaces.worst_auc > HIGHEST or surfaces.low > CHANCE or surfaces.joint > CLEAN_UNDER:
        return False
    again = read_surface(
        pool.items, pool.label, features=pool.table, kind=kind, first_deal=_OTHER_DEAL
    ).auc_fit()
    return again.interval()[0] <= CHANCE and float(again.values[0]) <= CLEAN_UNDER


def _match(
    pool: _Pool, scores: Floats, strength: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Which records to keep so that the surface score has the same distribution for both labels.

    Each unit has a side: a unit of one class its label, a unit of both classes whether the score
    favours its positives. In each narrow range of the score (or of the size of the favour) the
    larger side loses units; `strength` is the share of the excess that is dropped.
    """
    count = int(pool.units.max()) + 1
    ups = np.bincount(pool.units, pool.label, minlength=count)
    sizes = np.bincount(pool.units, minlength=count)
    up_mean = _mean_score(pool.units, scores, pool.label, count)
    down_mean = _mean_score(pool.units, scores, ~pool.label, count)
    mixed = (ups > 0) & (ups < sizes)
    favour = np.where(mixed, up_mean - down_mean, 0.0)
    lean = np.where(mixed, np.sign(favour), np.where(ups > 0, 1.0, -1.0))
    where = np.where(mixed, np.abs(favour), np.where(ups > 0, up_mean, down_mean))
    kept = np.ones(count, dtype=bool)
    for kind in (mixed, ~mixed):
        members = np.flatnonzero(kind)
        ordered = members[np.argsort(where[members], kind="stable")]
        for some in np.array_split(ordered, max(ordered.size // _BIN, 1)):
            plus, minus = some[lean[some] > 0], some[lean[some] < 0]
            more, fewer = (plus, minus) if plus.size > minus.size else (minus, plus)
            excess = round(strength * (more.size - fewer.size))
            kept[rng.permutation(more)[:excess]] = False
    return np.asarray(kept[pool.units])


def _mean_score(
    units: NDArray[np.intp], scores: Floats, chosen: NDArray[np.bool_], count: int
) -> Floats:
    sums = np.bincount(units[chosen], scores[chosen], minlength=count)
    sizes = np.bincount(units[chosen], minlength=count)
    return np.asarray(np.divide(sums, sizes, out=np.zeros(count), where=sizes > 0))


def _trim(pool: _Pool) -> _Pool:
    """Drop units, the most predictive first, until no single feature is over the aim.

    Units of positives, of negatives and of both are dropped in turn, so that each kind keeps its
    share: otherwise a shrinking class would be dropped more and more, and vanish.
    """
    values = [*(feature.values for feature in pool.table), *_source_values(pool)]
    columns = [column for column_values in values if not (column := levels(column_values)).constant]
    ups = np.bincount(pool.units, pool.label)
    kinds = np.where(ups == 0, 0, np.where(ups == np.bincount(pool.units), 1, 2))
    at_first = np.maximum(np.bincount(kinds, minlength=3), 1)
    alive = np.ones(kinds.size, dtype=bool)
    while True:
        kept = alive[pool.units]
        blame = _blame(columns, pool, kept)
        if blame is None:
            return pool.take(kept)
        left = np.bincount(kinds[alive], minlength=3)
        turn = int(np.argmax(left / at_first))
        members = np.flatnonzero(alive & (kinds == turn))
        if left[turn] <= FEWEST // 2:
            return pool.take(kept)
        share = max(members.size // 100, 1)
        alive[members[np.argsort(-blame[members], kind="stable")[:share]]] = False


def _source_values(pool: _Pool) -> list[Floats]:
    """An indicator of each source, and the share of positives in it."""
    own = source_columns(pool.items)
    shares = np.zeros(pool.label.size)
    for column in own:
        shares[column > 0.0] = pool.label[column > 0.0].mean()
    return [*own, shares]


def _blame(columns: Sequence[Levels], pool: _Pool, kept: NDArray[np.bool_]) -> Floats | None:
    """How much each unit adds to the features over the aim; None if no feature is over it."""
    label, units = pool.label[kept], pool.units[kept]
    sides = np.flatnonzero(label), np.flatnonzero(~label)
    blame = np.zeros(int(pool.units.max()) + 1)
    over = False
    for column in columns:
        part = levels(column.codes[kept].astype(np.float64))
        up, down, wins = placements(part, sides)
        value = wins / (up.size * down.size)
        excess = abs(value - 0.5) - (_AIM - 0.5)
        if excess > 0.0:
            over = True
            pull = np.empty(label.size)
            pull[sides[0]], pull[sides[1]] = up - value, down - value
            blame += np.bincount(units, np.sign(value - 0.5) * excess * pull, minlength=blame.size)
    return blame if over else None


def _counts(values: Sequence[str | None]) -> dict[str, int]:
    return dict(sorted(Counter(value for value in values if value is not None).items()))
