"""A balanced subset: which records were kept, and the surface before and after."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from assay.caveats import Caveat, caveat_lines
from assay.confounding.result import Fitness
from assay.errors import SpecError
from assay.result import Result
from assay.surface.joint_model import FEWEST, Kind
from assay.wording import interval

if TYPE_CHECKING:
    from assay.benchmark.benchmark import Benchmark
    from assay.benchmark.subset import KeptRecords

HIGHEST = 0.55
"""The highest AUC of a single feature in a balanced subset."""
TELLING = ("ids-tell", "columns-tell")
"""The caveats on what still gives the label away."""


class Surfaces(msgspec.Struct, frozen=True, kw_only=True):
    """How well the surface predicts the label: all features together, and the worst alone."""

    joint: float
    low: float
    high: float
    worst: str
    worst_auc: float


class Balanced(Result, frozen=True, kw_only=True, dict=True):
    """The records kept, and the surface before and after.

    `achieved` says whether the aims are met. If so, `rows()` gives the rows kept, `positions` their
    places in the input, counted from 0 (`frame.iloc[balanced.positions]`), and `verdict` is what
    `confounds` says of the subset, `because` why, and `needed_records` how many records would
    decide an open one. If not, there are no positions, and `records` is the last subset tried.

    `records` are the ids of the records kept; without ids in the data, their numbers as texts,
    counted from 1. `surface` is the kind that was balanced. `lost` counts the dropped records of
    each class and source. `new_ids` are the random ids of the records kept, if asked for, in the
    order of the new file. `confounds`, `load_benchmark` and `try_method` take the result as their
    data: it is the subset.

    Example:
        >>> import assay
        >>> rows = [{"question": f"Is claim {n} true?", "label": n % 2} for n in range(60)]
        >>> for n, row in enumerate(rows):
        ...     row["response"] = "Yes." if n % 4 < 2 else "No."
        >>> balanced = assay.balance(rows)
        >>> balanced.achieved, balanced.kept, balanced.after.worst_auc
        (True, 60, 0.5)
        >>> balanced.rows() == [rows[place] for place in balanced.positions]
        True
    """

    achieved: bool
    surface: Kind
    records: list[str]  # a list, as `positions`
    n: int
    kept: int
    positives: int
    kept_positives: int
    before: Surfaces
    after: Surfaces
    lost: Mapping[str, Mapping[str, int]]
    caveats: tuple[Caveat, ...] = ()
    new_ids: Mapping[str, str] = {}
    _positions: list[int] = msgspec.field(name="positions", default_factory=list)
    verdict: Fitness | None = None
    because: str | None = None
    needed_records: int | None = None
    splits_groups: bool = False
    separated_by: str | None = None

    @property
    def outcome(self) -> str:
        """What was kept, or why nothing was."""
        least = f"balanced subset with at least {FEWEST} records of each class"
        if self.separated_by is not None:
            return (
                f"There is no {least}: in every one, {self.separated_by} alone has an AUC over"
                f" {HIGHEST:.2f}."
            )
        if not self.achieved:
            return (
                f"No {least} was found, which does not show that there is none. In the last one"
                f" tried, {self._telling}."
            )
        if self.kept == self.n:
            return f"Nothing had to be dropped: all {self.n:,} records are kept."
        return f"{self.kept:,} of {self.n:,} records are kept ({self.kept / self.n:.0%})."

    @property
    def _telling(self) -> str:
        """What still predicts the label where nothing was found."""
        worst = self.separated_by or self.after.worst
        if self.separated_by is not None or self.after.worst_auc > HIGHEST:
            return f"{worst} alone has an AUC over {HIGHEST:.2f}"
        return "all features together still predict the label"

    @property
    def remedy(self) -> str:
        """What to do if no balanced subset was found."""
        collect = "ollect records whose surface does not predict the label."
        if self.separated_by is not None:
            return f"C{collect}"
        return f"Another draw may find one, such as `seed=1`; or c{collect}"

    @property
    def balanced_for(self) -> str:
        """What a subset was balanced for, and what still gives the label away."""
        codes = {caveat.code for caveat in self.caveats}
        told = {"ids-tell": "its ids", "columns-tell": "other columns"}
        still = " or ".join(words for code, words in told.items() if code in codes)
        but = f", but not for {still}" if still else ""
        return f"Balanced for the {self.surface} surface{but}."

    @property
    def audited(self) -> str:
        """What `confounds` says of the subset, in a sentence; empty if there is none."""
        return "" if self.verdict is None else f"confounds on it: {self.verdict}, {self.because}."

    @property
    def positions(self) -> list[int]:
        """The places in the input of the rows kept, from 0; an error if no subset was found."""
        self._check_achieved("positions")
        return list(self._positions)  # pandas takes a tuple for a row and a column

    def rows(self) -> list[dict[str, Any]]:
        """The input rows that were kept, in the order of the input; `out` may have another."""
        return self._kept_records().rows()

    def as_benchmark(self) -> "Benchmark":
        """The records that were kept, under their ids, as a benchmark."""
        return self._kept_records().benchmark()

    def keeping(self, records: "KeptRecords") -> "Balanced":
        """The same result with access to the records that were kept."""
        self.__dict__["kept_records"] = records
        return self

    def _kept_records(self) -> "KeptRecords":
        self._check_achieved("rows")
        if "kept_records" not in self.__dict__:
            raise SpecError(
                "this result has its figures but not its rows",
                hint="Take them from the input by `positions`, or call `balance` again.",
            )
        records: KeptRecords = self.__dict__["kept_records"]
        return records

    def _check_achieved(self, what: str) -> None:
        """Refuse to give parts of a subset that was not found."""
        if not self.achieved:
            raise SpecError(f"there are no {what}. {self.outcome}", hint=self.remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return _restored, (fields, self.__dict__.get("kept_records"))

    def to_rows(self) -> list[dict[str, Any]]:
        """Two rows, before and after; the records themselves are `rows()`."""
        sides = (
            ("before", self.n, self.positives, self.before),
            ("after", self.kept, self.kept_positives, self.after),
        )
        return [
            {"when": when, "records": n, "positives": positives, **msgspec.to_builtins(surfaces)}
            for when, n, positives, surfaces in sides
        ]

    def lines(self) -> list[str]:
        """What was kept, the surface before and after, and what an audit says of the subset."""
        after = "after" if self.achieved else "last tried"
        said = [
            f"{when}: AUC of all features together {told.joint:.3f}"
            f" {interval(told.low, told.high)}, of the worst alone {told.worst_auc:.3f}"
            f" ({told.worst})"
            for when, told in (("before", self.before), (after, self.after))
        ]
        if not self.achieved:
            return [
                f"NOT BALANCED: {self._telling}",
                f"{self.outcome} {self.remedy}",
                *said,
                f"not balanced for the {self.surface} surface",
                *caveat_lines(self.caveats),
            ]
        where = "rows() gives the records kept, positions their places in the input, from 0"
        return [
            self.outcome,
            *said,
            self.balanced_for,
            *caveat_lines(self.caveats),
            self.audited,
            where,
        ]


def _restored(fields: Mapping[str, Any], records: "KeptRecords | None") -> Balanced:
    made = Balanced(**fields)
    return made if records is None else made.keeping(records)
