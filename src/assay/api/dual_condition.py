"""Is it capability, or memory? Evaluate a system, and read results."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

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
    spec: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    study: str | Path | None = None,
    metric: Metric | None = None,
    jobs: int | None = None,
) -> DualResult:
    r"""Find out whether it is capability or memory.

    Runs the system with all its state (A), with none (B), and without what came from this benchmark
    (C), each time on a copy, and watches which files it opens. A result is blocked if its
    preconditions do not hold. Finished runs are kept and not repeated. Inside a study, the result
    is entered in the ledger.

    Args:
        spec: a TOML file: a command, the folder with its state (what it learns), a benchmark,
            seeds; or a dictionary of its keys, whose paths start from the working directory.
        out: the folder of results. Default: `results`, next to the spec.
        study: the study whose ledger records the result. Default: the one around `out`.
        metric: `auroc`, `accuracy`, `f1` or `average-precision`; overrides the spec.
        jobs: runs at a time; overrides the spec.

    Example:
        >>> import assay, json, pathlib
        >>> asked = [{"id": f"q{n}", "question": f"Claim {n}?", "label": n % 2} for n in range(60)]
        >>> known = [{"item": item["id"], "answer": item["label"]} for item in asked]
        >>> pathlib.Path("state").mkdir()
        >>> for name, rows in (("questions.jsonl", asked), ("state/known.jsonl", known)):
        ...     _ = pathlib.Path(name).write_text("\n".join(map(json.dumps, rows)))
        >>> _ = pathlib.Path("system.py").write_text('''
        ... import json, pathlib, sys
        ... items, outputs, state = map(pathlib.Path, sys.argv[1:])
        ... memory = state / "known.jsonl"
        ... lines = memory.read_text().splitlines() if memory.exists() else []
        ... known = {row["item"]: row["answer"] for row in map(json.loads, lines)}
        ... with outputs.open("w") as out:
        ...     for item in map(json.loads, items.open()):
        ...         answer = {"id": item["id"], "score": known.get(item["id"], 0.5)}
        ...         print(json.dumps(answer), file=out)
        ... ''')
        >>> known = {"files": ["known.jsonl"], "provenance": "item"}
        >>> asked = {"benchmark": "questions.jsonl", "seeds": [1], "conditions": ["A", "B"]}
        >>> command = ["python", "system.py", "{items}", "{outputs}", "{state}"]
        >>> spec = {"system": {"command": command}, "evaluation": asked}
        >>> spec["state"] = {"root": "state", "layers": {"known": known}}
        >>> assay.dual(spec)
        <DualResult MEMORY-CARRIED: without its state it can hardly do the task>

    """
    beside = Path() if isinstance(spec, Mapping) else Path(spec).parent
    return evaluate(plan_dual(spec, metric=metric, jobs=jobs), beside, out, study).dual.result


def plan_dual(
    spec: str | Path | Mapping[str, Any], *, metric: Metric | None, jobs: int | None
) -> DualSpec:
    """The spec of an evaluation, with overrides."""
    one_of("metric", metric, (None, *METRICS))
    in_range("jobs", jobs, 1, 1_000)
    plan = load_dual_spec(spec, metric=metric)
    return plan if jobs is None else replace(plan, system=replace(plan.system, jobs=jobs))


def evaluate(
    plan: DualSpec,
    beside: Path,
    out: str | Path | None,
    study: str | Path | None,
    *,
    on_run: Callable[[DualRun], None] | None = None,
) -> EnteredDual:
    """Evaluate, and enter the result if a study is named or holds the results.

    `beside` is the spec's folder.
    """
    folder = Path(out) if out is not None else Path(study or beside) / "results"
    root = study_root(folder) if study is None else Path(study)
    if root is None:
        from assay.dual_condition.collect import run_dual  # with the sandbox; gates need none

        return EnteredDual(dual=run_dual(plan, folder, on_run=on_run))
    found = find_study(root)
    made, entry = run_dual_in_study(found, plan, folder, on_run=on_run)
    return EnteredDual(dual=made, study=found.config.name, entry=entry.n)


def matrix(*folders: object, out: str | Path | None = None, history: bool = False) -> Matrix:
    """Draw the cross-corpus matrix from results alone.

    The newest result on a corpus is its row: reported, blocked, pilot-only or one-sided. Rows that
    are entered in the ledger of a study are marked; the others are loose.

    Args:
        *folders: one or several folders with results of `dual`.
        out: also write it to a file: .md, .csv or .json. `gate` detects later edits.
        history: in that file, also list earlier values of B, for each corpus.

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
    paths = [_folder(folder) for folder in folders]
    made = matrix_in(*paths, standing=standing_in_ledgers())
    if out is not None:
        _write_matrix(made, paths, Path(out), history=history)
    return made


def _folder(given: object) -> Path:
    """A folder of results; anything else is told what it is for."""
    if isinstance(given, (str, Path)):
        return Path(given)
    raise SpecError(
        f"matrix() got {type(given).__name__}, expected the path of a folder with results of dual",
        hint="To compare scores of two or more versions: assay compare BASELINE CANDIDATE",
    )


def _write_matrix(made: Matrix, folders: list[Path], out: Path, *, history: bool) -> None:
    if out.suffix.lower() not in WRITERS:
        raise SpecError(f"{out}: expected a name that ends in {', '.join(WRITERS)}")
    if len(folders) > 1:
        raise SpecError("`out=` needs a single folder, which the file names")
    with storage(out):
        of = Path(os.path.relpath(folders[0].resolve(), out.resolve().parent)).as_posix()
    text = WRITERS[out.suffix.lower()](made, of=of, history=history)
    write_whole(out, text.encode())


def gate(*files: str | Path, skip_others: bool = False, staged: bool = False) -> GateReport:
    """Refuse a result with one condition, or one that was edited.

    Everything is recomputed from the scores in the file. A report without faults means that a
    result is consistent, not that it is good or that its scores were measured.

    Args:
        *files: results of `dual`, matrices that `matrix` wrote, or folders of them.
        skip_others: skip other files instead of refusing them.
        staged: check the staged files instead.

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
            raise SpecError("`staged=True` checks everything that is staged; leave out the files")
        checked = _staged()
    elif not files:
        raise SpecError("no files", hint="Name some, or check the staged ones: `staged=True`.")
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
                f"{path}: neither a dual-condition result nor a matrix",
                hint="To skip such files: `skip_others=True`.",
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
