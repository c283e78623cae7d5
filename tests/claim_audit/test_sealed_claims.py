import json

import pytest

import assay
from assay.errors import AlreadyRun, AlreadySealed, IntegrityError, NotSealed, SpecError

CLAIMS = """
[[claim]]
id = "auc"
text = "The AUC is 0.894."
checker = "json_path_equals"
args = {path = "r.json", key_path = "auc"}
expected = 0.894
predicted = "holds"
confidence = 0.8

[[claim]]
id = "runs"
text = "There are thirteen runs."
checker = "json_path_equals"
args = {path = "r.json", key_path = "n"}
expected = "thirteen"
predicted = "holds"
confidence = 0.9
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.json").write_text('{"auc": 0.8938, "n": 12}')
    (tmp_path / "claims.toml").write_text(CLAIMS)
    return assay.Study.create("s", "darkcore", bars="v1", task="detection")


def test_claims_are_sealed_and_graded_once(study, tmp_path):
    sealed = study.seal_claims("claims.toml", name="paper")
    assert (sealed.claims, sealed.predicted, sealed.entry) == (2, 2, 1)
    audit = study.grade_claims("paper", root=tmp_path)
    assert [str(one.verdict) for one in audit.claims] == ["holds", "fails"]
    assert (audit.grades.predicted, audit.grades.hits) == (2, 1)
    assert audit.grades.brier == pytest.approx((0.2**2 + 0.9**2) / 2)
    stored = json.loads((study.root / "claims/paper/audit.json").read_text())
    assert stored["audit"]["grades"]["hits"] == 1
    with pytest.raises(AlreadyRun, match="graded by entry 2"):
        study.grade_claims("paper", root=tmp_path)
    with pytest.raises(AlreadySealed, match="sealed by entry 1"):
        study.seal_claims("claims.toml", name="paper")
    found = study.verify()
    assert found.intact
    assert "1 file of claims as sealed" in found.steps[3].found
    assert "1 audit of claims as entered" in found.steps[4].found


def test_what_was_sealed_is_graded_and_not_what_the_file_says_now(study, tmp_path):
    study.seal_claims("claims.toml", name="paper")
    (tmp_path / "claims.toml").write_text(CLAIMS.replace("thirteen", "twelve"))
    assert study.grade_claims("paper", root=tmp_path).grades.hits == 1


def test_a_text_with_claims_in_place_can_be_sealed(study, tmp_path):
    comment = 'json_path_equals path="r.json" key_path="auc" predicted="holds" confidence=0.7'
    (tmp_path / "README.md").write_text(f"The AUC is 0.894 <!-- claim: {comment} -->.")
    assert study.seal_claims("README.md", name="readme").claims == 1
    assert study.grade_claims("readme", root=tmp_path).grades.brier == pytest.approx(0.09)


def test_claims_without_a_prediction_are_not_sealed(study, tmp_path):
    (tmp_path / "claims.toml").write_text(CLAIMS.replace("predicted", "# predicted")
                                          .replace("confidence", "# confidence"))  # fmt: skip
    with pytest.raises(SpecError, match="no claim says what is predicted"):
        study.seal_claims("claims.toml", name="paper")
    assert not (study.root / "claims").exists()


@pytest.mark.parametrize("name", ["../x", "A B", "", "a/b"])
def test_a_name_that_cannot_be_a_folder_is_refused(study, name):
    with pytest.raises(SpecError, match="not a valid name"):
        study.seal_claims("claims.toml", name=name)


def test_two_files_of_one_name_and_an_audit_as_claims_are_refused(study, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/claims.toml").write_text(CLAIMS)
    with pytest.raises(SpecError, match="two files have the same name"):
        study.seal_claims("claims.toml", "other/claims.toml", name="paper")
    (tmp_path / "audit.json").write_text("[]")
    with pytest.raises(SpecError, match=r"audit\.json' cannot be stored"):
        study.seal_claims("audit.json", name="paper")


def test_claims_that_were_never_sealed_are_not_graded(study):
    with pytest.raises(NotSealed, match="no claims 'paper' in the ledger"):
        study.grade_claims("paper")
    study.seal_claims("claims.toml", name="other")
    with pytest.raises(NotSealed, match="sealed are other"):
        study.grade_claims("paper")


def edit_sealed(root):
    path = root / "claims/paper/claims.toml"
    path.write_text(path.read_text().replace("0.9", "0.5"))
    return "closures"


def edit_audit(root):
    path = root / "claims/paper/audit.json"
    path.write_text(path.read_text().replace('"hits": 1', '"hits": 2'))
    return "outputs"


def drop_sealed(root):
    (root / "claims/paper/claims.toml").unlink()
    return "closures"


def add_stray(root):
    (root / "claims/paper/more.toml").write_text(CLAIMS)
    return "seals before runs"


@pytest.mark.parametrize("attack", [edit_sealed, edit_audit, drop_sealed, add_stray])
def test_what_was_changed_afterwards_is_seen(study, tmp_path, attack):
    study.seal_claims("claims.toml", name="paper")
    study.grade_claims("paper", root=tmp_path)
    step = attack(study.root)
    found = study.verify()
    assert not found.intact
    assert found.steps[-1].name == step


def test_sealed_claims_that_were_edited_are_not_graded(study, tmp_path):
    study.seal_claims("claims.toml", name="paper")
    edit_sealed(study.root)
    with pytest.raises(IntegrityError, match=r"claims/paper/claims\.toml"):
        study.grade_claims("paper", root=tmp_path)


def test_an_audit_of_other_claims_is_seen(study, tmp_path):
    """An author enters an audit of other claims by hand, with a right digest."""
    from assay.digests import digest
    from assay.study.entries import enter

    study.seal_claims("claims.toml", name="paper")
    path = study.root / "claims/paper/audit.json"
    path.write_text(json.dumps({"name": "paper", "sealed": digest(b"others"), "audit": {}}))
    with study.folder.ledger as ledger:
        files = {"claims/paper/audit.json": digest(path.read_bytes())}
        enter(ledger, "claims", "paper", files=files)
    found = study.verify()
    assert not found.intact and "other claims than sealed" in found.steps[-1].found


@pytest.mark.parametrize(
    ("kind", "files", "what"),
    [
        ("claims", ["claims/p/audit.json"], "never sealed"),
        ("claims-seal", [], "expected the names of files of claims"),
        ("claims-seal", ["claims/q/c.toml"], "expected the names of files of claims"),
        ("claims-seal", ["claims/p/a/c.toml"], "expected the names of files of claims"),
        ("claims-seal", ["claims/p/audit.json"], "expected the names of files of claims"),
    ],
)
def test_entries_out_of_order_or_of_other_files_are_a_breach(study, kind, files, what):
    from assay.study.entries import enter

    with study.folder.ledger as ledger, pytest.raises(IntegrityError, match=what):
        enter(ledger, kind, "p", files=dict.fromkeys(files, f"sha256:{'0' * 64}"))


def test_the_commands(assay_cmd, tmp_path):
    (tmp_path / "r.json").write_text('{"auc": 0.8938, "n": 12}')
    (tmp_path / "claims.toml").write_text(CLAIMS)
    assert assay_cmd("new", "s", "--benchmark", "darkcore", "--task", "detection").code == 0
    sealed = assay_cmd("claims", "seal", "claims.toml", "--name", "paper", "--study", "s")
    assert sealed.code == 0 and "assay claims grade paper" in sealed.out
    graded = assay_cmd("claims", "grade", "paper", "--study", "s", "--root", ".", "--json")
    assert graded.code == 1 and graded.json["grades"]["hits"] == 1
    again = assay_cmd("claims", "grade", "paper", "--study", "s", "--root", ".")
    assert again.code == 3 and "graded by entry 2" in again.err
