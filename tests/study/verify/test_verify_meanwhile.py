"""A study can be verified while somebody works in it."""

import threading

from helpers.studies import a_study, breach, drafted, sealed, steps

from assay.study.submissions import seal as sealing
from assay.study.submissions.run import Listener, run_sealed


class Looking(Listener):
    """Verifies whenever something happens."""

    def __init__(self, study):
        self.study = study
        self.seen = []

    def started(self):
        self.seen.append(breach(self.study))

    def record(self, record):
        self.seen.append(breach(self.study))


def test_a_run_that_is_going_on_is_no_breach(tmp_path):
    study = a_study(tmp_path, "sealed")
    looking = Looking(study)
    run_sealed(study, "001", unwitnessed=True, listener=looking)
    assert len(looking.seen) > 2
    assert set(looking.seen) == {(None, "")}


def test_what_is_written_but_not_yet_entered_is_waited_for(tmp_path, monkeypatch):
    study = a_study(tmp_path, "opened")
    drafted(study)
    found = []
    write = sealing.write_whole

    def slowly(path, data):
        write(path, data)
        looker = threading.Thread(target=lambda: found.append(steps(study)[3]))
        looker.start()
        looker.join(timeout=0.5)
        waiting.append((looker, looker.is_alive()))

    waiting = []
    monkeypatch.setattr(sealing, "write_whole", slowly)
    sealing.seal(study, "001")
    ((looker, waited),) = waiting
    looker.join()
    assert waited, "the verification should wait for the entry"
    assert found[0][0] in ("ok", "noted")


def test_a_seal_that_no_entry_follows_is_still_a_breach(tmp_path):
    study = a_study(tmp_path, "opened")
    sealed(study)
    (study.root / "preregs/other").mkdir()
    (study.root / "preregs/other/seal.json").write_text("{}")
    assert breach(study)[0] == 3
