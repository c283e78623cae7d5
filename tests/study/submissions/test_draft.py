import pytest
from helpers.studies import METHOD, a_study, drafted, raised, remember_installed, tree

from assay.errors import AlreadySealed, AssayError, SpecError
from assay.study.submissions.draft import draft


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def method(tmp_path):
    (tmp_path / "mine.py").write_text(METHOD)
    return f"{tmp_path / 'mine.py'}:detect"


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../up", "a/b", "A", "-x", ".x", "a b", "é", "a\n", "x" * 65, "a\x00"]
)
def test_an_id_that_is_no_name_is_refused(tmp_path, method, name):
    study = a_study(tmp_path / "home", "opened")
    before = tree(tmp_path)
    with pytest.raises(SpecError, match="is not a valid submission name"):
        draft(study, name, method)
    assert tree(tmp_path) == before


def test_a_sealed_id_cannot_be_drafted_again(tmp_path, method):
    study = a_study(tmp_path / "home")
    before = tree(study.root)
    with pytest.raises(AlreadySealed):
        draft(study, "001", method)
    (study.root / "preregs/001").rename(tmp_path / "taken-away")
    with pytest.raises(AlreadySealed):
        draft(study, "001", method)
    (tmp_path / "taken-away").rename(study.root / "preregs/001")
    assert tree(study.root) == before


def test_a_draft_is_never_overwritten(tmp_path, method):
    study = a_study(tmp_path / "home", "opened")
    drafted(study)
    before = tree(study.root)
    with pytest.raises(SpecError, match="already exists"):
        draft(study, "001", method)
    assert tree(study.root) == before


WRONG = {
    "no such file": "gone.py:detect",
    "no function": "mine.py",
    "no such name": "no-such-method",
    "no Python": "broken.py:detect",
    "not text": "bytes.py:detect",
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_method_that_cannot_be_read_leaves_no_draft(tmp_path, monkeypatch, kind):
    study = a_study(tmp_path / "home", "opened")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(METHOD)
    (tmp_path / "broken.py").write_text("def detect(:\n")
    (tmp_path / "bytes.py").write_bytes(b"\x00\xff")
    with pytest.raises(AssayError):
        draft(study, "001", WRONG[kind])
    assert list((study.root / "preregs").glob("*")) == []


def test_a_draft_that_is_stopped_leaves_nothing(tmp_path, method, monkeypatch):
    study = a_study(tmp_path / "home", "opened")

    def stop(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.study.submissions.draft.predictable", stop)
    with pytest.raises(KeyboardInterrupt):
        draft(study, "001", method)
    assert list((study.root / "preregs").glob("*")) == []


def test_a_draft_as_it_is_made_commits_to_nothing_and_cannot_be_sealed(tmp_path, method):
    from assay.study.submissions.seal import seal

    study = a_study(tmp_path / "home", "opened")
    folder, copied = draft(study, "001", method)
    assert copied == ["mine.py"]
    assert sorted(tree(folder)) == ["mine.py", "prediction.toml", "prereg.toml"]
    assert "commits to nothing" in raised(seal, study, "001").message


def test_the_template_offers_the_range_that_each_metric_can_have(tmp_path):
    import assay

    study = assay.Study.create(tmp_path / "s", "darkcore", bars="v2", task="detection")
    text = (study.draft("001", "token-overlap") / "prediction.toml").read_text()
    ranges = [line for line in text.splitlines() if line.startswith(("# D", '# "D'))]
    assert [line.split(" = ")[1][:11].strip() for line in ranges] == [
        *["[0.0, 1.0]"] * 2,
        *["[-1.0, 1.0]"] * 3,
    ]
