"""A folder of results as a matrix."""

from pathlib import Path

from assay.digests import parse_object
from assay.dual_condition.commit_gate import is_result
from assay.dual_condition.matrix import Matrix, matrix_of
from assay.dual_condition.store import MOST_BYTES, claims_to_be_one, result_files
from assay.errors import SpecError
from assay.files import read_bounded


def matrix_in(folder: Path) -> Matrix:
    """The matrix of all results in a folder; other JSON files are passed over."""
    found = {}
    for path in result_files(folder):
        data = read_bounded(path, MOST_BYTES)
        try:
            record = parse_object(data, where=str(path))
        except SpecError:
            if claims_to_be_one(data):
                raise
            continue
        if is_result(record):
            found[path.name] = record
    if not found:
        raise SpecError(
            f"{folder}: no dual-condition results", hint="Make one: assay dual SPEC.toml"
        )
    return matrix_of(found)
