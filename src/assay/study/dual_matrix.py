"""A folder of results as a matrix."""

from pathlib import Path

from assay.errors import SpecError
from assay.judges.dual.gate import is_result
from assay.judges.dual.matrix import Matrix, matrix_of
from assay.study.dual_results import read_result, result_files


def matrix_in(folder: Path) -> Matrix:
    """The matrix of all results in a folder; other JSON files are passed over."""
    found = {}
    for path in result_files(folder):
        record = read_result(path)
        if is_result(record):
            found[path.name] = record
    if not found:
        raise SpecError(
            f"{folder}: no dual-condition results", hint="Make one: assay dual SPEC.toml"
        )
    return matrix_of(found)
