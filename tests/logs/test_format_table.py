"""The table of formats says what the readers do."""

from pathlib import Path

import pytest

from assay.logs.format_table import FORMATS, LogFormat, format_of
from assay.logs.log_file import LogFile


def says_so_of_means(known: LogFormat) -> bool:
    """Whether a format has a mean in the table exactly where its reader gives means."""
    source = Path(str(known.reader.__file__)).read_text(encoding="utf-8")
    return ("means=" in source) == (known.mean is not None)


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_a_format_recognises_reads_and_says_whether_it_has_means(known):
    assert callable(known.reader.recognise) and callable(known.reader.read)
    assert known.files and known.pairs_by
    assert says_so_of_means(known)


def test_a_format_that_says_otherwise_is_caught():
    by_name = {known.name: known for known in FORMATS}
    ragas = by_name["ragas"]
    assert not says_so_of_means(
        LogFormat(name="r", files="f", module=ragas.module, pairs_by="id", mean="rows")
    )
    assert not says_so_of_means(
        LogFormat(name="i", files="f", module="inspect_ai", pairs_by="id", mean=None)
    )


def test_every_harness_has_one_line_and_a_module_of_its_own():
    assert len({known.name for known in FORMATS}) == len(FORMATS) == 13
    assert len({known.module for known in FORMATS}) == len(FORMATS)


@pytest.mark.parametrize("text", ["", "{}", "[]", "a,b\n1,2\n", "null", "\x00", "{"])
def test_a_file_of_nothing_in_particular_is_no_log(tmp_path, text):
    path = tmp_path / "file.json"
    path.write_text(text)
    assert format_of(LogFile(path)) is None
