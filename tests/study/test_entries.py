"""Nothing is appended that the protocol does not allow where it would stand."""

import pytest
from helpers.studies import a_study, breach, kinds

from assay.errors import IntegrityError
from assay.runs.collect import Listener
from assay.study.entries import enter
from assay.study.submissions.run import run_sealed


class PutBack(Listener):
    """Puts the ledger back to what it was before the run, while the run goes on."""

    def __init__(self, study):
        self.path = study.root / "ledger.jsonl"
        self.before = self.path.read_bytes()

    def record(self, record):
        self.path.write_bytes(self.before)


def test_a_ledger_put_back_in_mid_run_gets_no_result_that_nothing_leads_up_to(tmp_path):
    study = a_study(tmp_path, "sealed")
    with pytest.raises(IntegrityError, match="was never started"):
        run_sealed(study, "001", unwitnessed=True, listener=PutBack(study))
    assert kinds(study) == ["study", "seal"]


@pytest.mark.parametrize("kind", ["run-started", "run-stopped", "grade", "study", "nonsense"])
def test_an_entry_about_nothing_is_not_written(tmp_path, kind):
    study = a_study(tmp_path, "opened")
    before = (study.root / "ledger.jsonl").read_bytes()
    with study.ledger as ledger, pytest.raises(IntegrityError):
        enter(ledger, kind, "unknown")
    assert (study.root / "ledger.jsonl").read_bytes() == before
    assert breach(study) == (None, "")
