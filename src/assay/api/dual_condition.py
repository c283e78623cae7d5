"""Is it capability, or memory: evaluate a system, and look at results."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from msgspec.structs import replace

from assay.api.arguments import in_range, one_of
from assay.dual_condition.committed_file import ENDINGS, CheckedFile, GateReport
from assay.dual_condition.evidence import DualRun, Metric
from assay.dual_condition.matrix import Matrix
from assay.dual_condition.result import DualResult
from assay.dual_condition.spec import DualSpec, load_dual_spec
from assay.dual_condition.store import candidate_files, check_file, matrix_in
from assay.errors import SpecError, storage
from assay.files import write_whole
from assay.report.matrix import WRITERS
from assay.study.discover import staged as staged_tree
from assay.study.dual_results import run_dual_in_study, standing_in_ledgers
from assay.study.locate import FILE, study_root
from assay.study.study import find_study

if TYPE_CHECKING:
    from assay.dual_condition.collect import Dual

METRICS = get_args(Metric)


@dataclass(frozen=True, kw_only=True)
class EnteredDual:
    """A dual-condition evaluation, and the entry of the ledger that names its result."""

    dual: "Dual"
    study: str | None = None
    entry: int | None = None


def dual(
    spec: str | Path,
    *,
    out: str | Path | None = None,
    study: str | Path | None = None,
    metric: Metric | None = None,
    jobs: int | None = None,
) -> DualResult:
    """Find out whether it is capability or memory.

    Runs the system with all its state (A), with none (B), and without what came from this benchmark
    (C), each time on a copy, and watches which files it opens. A result whose preconditions do not
    hold is blocked. Runs that were made are kept, and made once. Inside a study the result is
    entered in the ledger.

    Args:
        spec: a TOML file: a command, the folder in which it keeps what it learns, a benchmark,
            seeds.
        out: the folder of results. Default: `results`, beside the spec.
        study: the study in whose ledger the result is entered. Default: the one that `out` lies in.
        metric: `auroc`, `accuracy`, `f1` or `average-precision`, instead of what the spec says.
        jobs: runs at a time, instead of what the spec says.

    Example:
        >>> import assay
        >>> assay.dual("dual.toml")  # doctest: +SKIP
        <DualResult LEARNING: its state helps; most of the gain was learnt elsewhere>
        >>> try:
        ...     assay.dual("nowhere.toml")
        ... except assay.AssayError as error:
        ...     print(type(error).__name__)
        StorageError

    """
    return evaluate(plan_dual(spec, metric=metric, jobs=jobs), Path(spec), out, study).dual.result


def plan_dual(spec: str | Path, *, metric: Metric | None, jobs: int | None) -> DualSpec:
    """The spec of an evaluation, with what is asked for instead."""
    one_of("metric", metric, (None, *METRICS))
    in_range("jobs", jobs, 1, 1_000)
    plan = load_dual_spec(spec, metric=metric)
    return plan if jobs is None else replace(plan, system=replace(plan.system, jobs=jobs))


def evaluate(
    plan: DualSpec,
    spec: Path,
    out: str | Path | None,
    study: str | Path | None,
    *,
    on_run: Callable[[DualRun], None] | None = None,
) -> EnteredDual:
    """Evaluate, and enter the result where a study is named or holds the results."""
    folder = Path(out) if out is not None else Path(study or spec.parent) / "results"
    root = study_root(folder) if study is None else Path(study)
    if root is None:
        from assay.dual_condition.collect import run_dual  # with the sandbox; gates need none

        return EnteredDual(dual=run_dual(plan, folder, on_run=on_run))
    found = find_study(root)
    made, entry = run_dual_in_study(found, plan, folder, on_run=on_run)
    return EnteredDual(dual=made, study=found.config.name, entry=entry.n)


def matrix(*folders: str | Path, out: str | Path | None = None, history: bool = False) -> Matrix:
    """Draw the cross-corpus matrix from results alone.

    The newest result on a corpus is its row: reported, blocked, pilot-only or one-sided. Rows that
    a run entered in the ledger of a study are told from loose ones.

    Args:
        *folders: one or several folders that hold what `dual` wrote.
        out: also write it to a file: .md, .csv or .json. `gate` can tell if it was edited.
        history: in that file, also what B was before, corpus by corpus.

    Example:
        >>> import assay, pathlib
        >>> pathlib.Path("results").mkdir()
        >>> try:
        ...     assay.matrix("results")
        ... except assay.SpecError as error:
        ...     print(error)
        results: no dual-condition results

    """
    if not folders:
        raise SpecError("no folder: matrix() takes one or several")
    paths = [Path(folder) for folder in folders]
    made = matrix_in(*paths, standing=standing_in_ledgers())
    if out is not None:
        _write_matrix(made, paths, Path(out), history=history)
    return made


def _write_matrix(made: Matrix, folders: list[Path], out: Path, *, history: bool) -> None:
    if out.suffix.lower() not in WRITERS:
        raise SpecError(f"{out}: expected a name that ends in {', '.join(WRITERS)}")
    if len(folders) > 1:
        raise SpecError("`out=` is for the matrix of one folder: the file says of which")
    with storage(out):
        of = Path(os.path.relpath(folders[0].resolve(), out.resolve().parent)).as_posix()
    text = WRITERS[out.suffix.lower()](made, of=of, history=history)
    write_whole(out, text.encode())


def gate(*files: str | Path, skip_others: bool = False, staged: bool = False) -> GateReport:
    """Refuse a result with one condition, or one that was edited.

    Everything is computed again from the scores in the file. A report without faults says that a
    result agrees with itself, not that it is a good one, nor that its scores were measured.

    Args:
        *files: results of `dual`, matrices that `matrix` wrote, or folders of them.
        skip_others: pass over files that are neither, instead of refusing them.
        staged: all that is about to be committed, instead of files.

    Example:
        >>> import assay, pathlib
        >>> made_up = '{"corpus": "x", "condition_a_production_auroc": 0.9}'
        >>> _ = pathlib.Path("lone.json").write_text(made_up)
        >>> report = assay.gate("lone.json")
        >>> report.exit_code, report.files[0].faults[0].kind
        (3, 'one-sided')

    """
    if staged:
        if files:
            raise SpecError("`staged=True` looks at all that is staged; leave out the files")
        checked = _staged()
    elif not files:
        raise SpecError("no files", hint="Name some, or look at what is staged: `staged=True`.")
    else:
        checked = _look([Path(file) for file in files], skip_others=skip_others)
    return GateReport(files=tuple(file for file in checked if file.kind is not None))


def _look(files: list[Path], *, skip_others: bool) -> list[CheckedFile]:
    standing = standing_in_ledgers()
    checked_files = []
    for path in files:
        with storage(path):
            if not path.exists():
                raise SpecError(f"there is no {str(path)!r}")
            is_folder = path.is_dir()
        if is_folder:
            checked_files += [
                check_file(file, writers=WRITERS, standing=standing)
                for file in candidate_files(path)
            ]
            continue
        checked = check_file(path, writers=WRITERS, standing=standing)
        if checked.kind is None and not skip_others:
            raise SpecError(
                f"{path}: neither a dual-condition result nor a matrix of some",
                hint="To pass over such files: `skip_others=True`.",
            )
        checked_files.append(checked)
    return checked_files


def _staged() -> list[CheckedFile]:
    """All results and matrices that the next commit would hold."""
    with staged_tree(Path(), endings=(*ENDINGS, FILE)) as tree:
        # From wherever in the repository it is called: a commit is one of all of it.
        prefix = "." if tree.repository is None else tree.repository.prefix
        top = tree.folder.joinpath(*[".."] * len(Path(prefix).parts)).resolve()
        standing = standing_in_ledgers()
        return [
            check_file(
                path,
                writers=WRITERS,
                shown=path.relative_to(top).as_posix(),
                within=top,
                standing=standing,
            )
            for path in candidate_files(top, everywhere=True)
        ]
