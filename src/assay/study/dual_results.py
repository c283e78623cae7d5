"""Dual-condition results of a study: entered in its ledger by the run that made them.

A result file can agree with itself and still be invented. The entry also shows that these bytes
existed when it was made, and lists every repeated result of the same name.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from assay.digests import digest, parse_object, short
from assay.dual_condition.commit_gate import check_result
from assay.dual_condition.evidence import DualRun
from assay.dual_condition.result import EnteredResult
from assay.dual_condition.result_file import result_bytes
from assay.dual_condition.spec import DualSpec
from assay.errors import DigestMismatch, IntegrityError, SpecError, storage
from assay.files import is_record_path, read_as
from assay.ledger.entry import Entry
from assay.study.entries import enter, read_records, records_of
from assay.study.locate import study_root
from assay.study.records import StudyRecords
from assay.study.study import RECORDS, StudyFolder, open_study

if TYPE_CHECKING:
    from assay.dual_condition.collect import Dual


def run_dual_in_study(
    study: StudyFolder,
    spec: DualSpec,
    out: Path,
    *,
    on_run: Callable[[DualRun], None] | None = None,
) -> tuple["Dual", Entry]:
    """Evaluate a system, and enter the result; the same result is entered once.

    The entered digest is of the bytes as they were made, not of the file afterwards.
    """
    from assay.dual_condition.collect import run_dual  # with the sandbox; verify needs none

    folder = _inner_folder(study, out)
    records_of(study)  # a broken ledger is seen before anything is run
    dual = run_dual(spec, out, on_run=on_run)
    name = f"{folder}/{dual.path.name}"
    made = digest(result_bytes(dual.record))
    with study.ledger as ledger:
        last = read_records(ledger.entries).newest_duals.get(name)
        if last is not None and last.files[name] == made:
            return dual, last
        return dual, enter(ledger, "dual", spec.corpus, files={name: made})


def _inner_folder(study: StudyFolder, out: Path) -> str:
    """The folder of results, relative to the study; folders of its own records are refused."""
    with storage(out):
        root, place = study.root.resolve(), out.resolve()
    if not place.is_relative_to(root):
        raise SpecError(
            f"{out} is outside the study {study.root}; its ledger only names files inside"
            " the study",
            hint="Name a folder in the study: `out=DIR`.",
        )
    inner = place.relative_to(root).as_posix()
    if inner == "." or inner.split("/")[0] in RECORDS or not is_record_path(inner):
        raise SpecError(
            f"{out} is reserved for the study's own records", hint="Name another: `out=DIR`."
        )
    return inner


def standing_in_ledgers() -> Callable[[Path, bytes], EnteredResult | None]:
    """Finds the ledger entry of a result file in the study around it.

    Each ledger is read once. A file that differs from its entry is a DigestMismatch.
    """
    known: dict[Path, tuple[str, StudyRecords]] = {}

    def standing(path: Path, data: bytes) -> EnteredResult | None:
        root = study_root(path.parent)
        if root is None:
            return None
        if root not in known:
            study = open_study(root)
            known[root] = study.config.name, records_of(study)
        name, records = known[root]
        with storage(path):
            inner = path.resolve().relative_to(root).as_posix()
        entry = records.newest_duals.get(inner)
        if entry is None:
            return None
        if digest(data) != entry.files[inner]:
            raise DigestMismatch(
                f"{path}: its digest is {short(digest(data))}, but entry {entry.n} of the study"
                f" {name} names {short(entry.files[inner])}",
                hint="It was changed after its run. Restore it, or run it again.",
            )
        return EnteredResult(study=name, entry=entry.n)

    return standing


def check_entered(study: StudyFolder, records: StudyRecords) -> tuple[int, list[str]]:
    """How many results match their entries and agree with themselves; which were repeated."""
    newest = records.newest_duals
    for name, entry in newest.items():
        record = parse_object(read_as(study.root, name, entry.files[name]), where=name)
        faults = check_result(record, where=name)
        if faults:
            raise IntegrityError(
                f"{name}, from entry {entry.n}: {faults[0].kind}: {faults[0].message}"
            )
    again = [name for entry in records.duals for name in entry.files if newest[name] != entry]
    return len(newest), sorted(set(again))
