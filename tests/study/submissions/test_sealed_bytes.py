import os
import shutil

import pytest
from helpers.scale import scale
from helpers.studies import a_study, kinds, raised

from assay.errors import DigestMismatch, IntegrityError
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.submissions.sealed import load_sealed
from assay.study.submissions.sealed_files import folder_contents

FOLDER = ("preregs/001/method.py", "preregs/001/prediction.toml", "preregs/001/prereg.toml")
PLAN = ("bars/detection-mine.toml", "study.toml")
SEALED = (*FOLDER, *PLAN)


def flipped(where):
    def harm(path):
        data = bytearray(path.read_bytes())
        data[where(len(data))] ^= 1
        path.write_bytes(data)

    return harm


def longer(path):
    path.write_bytes(path.read_bytes() + b"\n")


def linked(path):
    copy = path.parent.parent / f"copy-of-{path.name}"
    shutil.copy(path, copy)
    path.unlink()
    path.symlink_to(copy)


HARMS = {
    "first byte": flipped(lambda size: 0),
    "middle byte": flipped(lambda size: size // 2),
    "last byte": flipped(lambda size: size - 1),
    "a byte more": longer,
    "gone": os.unlink,
    "a link to the same bytes": linked,
    "renamed": lambda path: path.rename(path.with_name(f"other-{path.name}")),
}


def refusal(home):
    """Why the submission does not run; nothing may have begun."""
    error = raised(lambda: run_sealed(open_study(home / "study"), "001", unwitnessed=True))
    assert not (home / "study/runs").exists()
    assert error is not None
    return error


def test_the_list_of_sealed_things_is_the_manifest(tmp_path):
    assert tuple(sorted(load_sealed(a_study(tmp_path), "001").seal.files)) == tuple(sorted(SEALED))


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("name", [*FOLDER, "bars/detection-mine.toml", "preregs/001/seal.json"])
def test_whatever_happens_to_a_sealed_file_its_run_is_refused_by_name(tmp_path, name, harm):
    study = a_study(tmp_path)
    HARMS[harm](study.root / name)
    error = refusal(tmp_path)
    assert isinstance(error, IntegrityError)
    assert name in error.message
    assert kinds(study) == ["study", "seal"]


@pytest.mark.parametrize("harm", HARMS)
def test_whatever_happens_to_the_plan_its_runs_are_refused(tmp_path, harm):
    HARMS[harm](a_study(tmp_path).root / "study.toml")
    assert "study.toml" in refusal(tmp_path).message


@pytest.mark.parametrize("harm", [name for name in HARMS if name != "a link to the same bytes"])
@pytest.mark.parametrize("name", ["data.jsonl", "second.jsonl"])
def test_whatever_happens_to_the_data_runs_on_them_are_refused(tmp_path, name, harm):
    a_study(tmp_path, "second")
    HARMS[harm](tmp_path / name)
    assert name in refusal(tmp_path).message


def test_data_may_be_a_link_since_only_their_bytes_count(tmp_path):
    study = a_study(tmp_path)
    (tmp_path / "data.jsonl").rename(tmp_path / "elsewhere.jsonl")
    (tmp_path / "data.jsonl").symlink_to("elsewhere.jsonl")
    assert load_sealed(study, "001", distributions=False).id == "001"


@pytest.mark.parametrize("name", ["more.py", "method.pyc", ".hidden", "deep/er/words.txt"])
def test_a_file_put_beside_the_method_is_refused_by_name(tmp_path, name):
    path = a_study(tmp_path).root / "preregs/001" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    error = refusal(tmp_path)
    assert isinstance(error, IntegrityError)
    assert f"preregs/001/{name} was not there" in error.message


def test_what_python_leaves_behind_is_nothing_beside_the_method(tmp_path):
    study = a_study(tmp_path)
    cache = study.root / "preregs/001/__pycache__"
    cache.mkdir()
    (cache / "method.cpython-311.pyc").write_bytes(b"anything")
    found = load_sealed(study, "001", distributions=False)
    assert set(found.contents) == {"method.py", "prediction.toml", "prereg.toml"}


def test_no_byte_of_what_is_sealed_can_change(tmp_path):
    study = a_study(tmp_path)
    bits = scale((0,), range(8))
    tried = refused = 0
    for name in SEALED:
        path = study.root / name
        data = path.read_bytes()
        for position in range(len(data)):
            for bit in bits:
                changed = bytearray(data)
                changed[position] ^= 1 << bit
                path.write_bytes(changed)
                tried += 1
                refused += isinstance(
                    raised(load_sealed, study, "001", distributions=False), DigestMismatch
                )
        path.write_bytes(data)
    assert tried == refused > 800
    load_sealed(study, "001", distributions=False)


def test_no_byte_of_a_seal_and_of_its_entry_can_change(tmp_path):
    study = a_study(tmp_path, "git-sealed")
    every = scale(23, 1)
    seal, ledger = study.root / "preregs/001/seal.json", study.root / "ledger.jsonl"
    last = ledger.read_bytes().splitlines(keepends=True)[-1]
    tried = refused = 0
    for path, start in ((seal, 0), (ledger, ledger.stat().st_size - len(last))):
        data = path.read_bytes()
        for position in range(start, len(data), every):
            changed = bytearray(data)
            changed[position] ^= 1
            path.write_bytes(changed)
            tried += 1
            # The clock's time in the last entry decides nothing, and is held by the commit only.
            refused += raised(run_sealed, study, "001") is not None
        path.write_bytes(data)
    assert tried == refused > 50
    assert not (study.root / "runs").exists()


def test_without_the_guard_changed_bytes_would_run(tmp_path, monkeypatch):
    study = a_study(tmp_path)
    (study.root / "preregs/001/method.py").write_text("def detect(question):\n    return 1\n")
    assert isinstance(raised(run_sealed, study, "001", unwitnessed=True), DigestMismatch)
    monkeypatch.setattr(
        "assay.study.submissions.sealed._sealed_contents",
        lambda study, sealed: folder_contents(study.path("preregs/001")),
    )
    run_sealed(study, "001", unwitnessed=True)
    assert kinds(study)[-1] == "grade"
