"""Parts of steps 4 and 5: what was sealed as files, and the results that graded it."""

from collections import Counter
from pathlib import Path

from assay.digests import digest, parse_object
from assay.errors import IntegrityError
from assay.files import read_as
from assay.study.graded_once.kinds import result_file, result_noun
from assay.study.graded_once.store import sealed_contents
from assay.study.records import StudyRecords
from assay.wording import counted


def check_sealed(root: Path, records: StudyRecords) -> list[str]:
    """How many files of each kind are as they were sealed."""
    counts: Counter[str] = Counter()
    for (kind, _), record in records.graded_once.items():
        counts[kind] += len(sealed_contents(root, record))
    return [f"{counted(number, 'file')} of {kind} as sealed" for kind, number in counts.items()]


def check_graded(root: Path, records: StudyRecords) -> list[str]:
    """How many results of each kind are as they were entered, and of what was sealed."""
    counts: Counter[str] = Counter()
    for (kind, own), record in records.graded_once.items():
        if record.grade is None:
            continue
        counts[kind] += 1
        name = result_file(kind, own)
        result = parse_object(read_as(root, name, record.grade.files[name]), where=name)
        sealed = digest(b"".join(sealed_contents(root, record)))
        if result.get("sealed") != sealed or result.get("name") != own:
            raise IntegrityError(f"{name}: entry {record.grade.n} grades other {kind} than sealed")
    return [
        f"{counted(number, result_noun(kind))} of {kind} as entered"
        for kind, number in counts.items()
    ]
