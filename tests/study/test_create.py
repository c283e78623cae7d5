import pytest
from helpers.studies import opened

from assay.errors import SpecError
from assay.study.study import RECORDS


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_no_study_is_opened_over_what_would_be_a_record_of_it(tmp_path, name):
    (tmp_path / "study" / name).mkdir(parents=True)
    with pytest.raises(SpecError, match="is there already"):
        opened(tmp_path)
