"""What a model is asked in a study is sealed first, asked once, and cannot be changed unseen."""

import json

import pytest

import assay
from assay.digests import digest
from assay.errors import (
    AlreadyRun,
    AlreadySealed,
    DigestMismatch,
    IntegrityError,
    NotSealed,
    SpecError,
)
from assay.study.entries import enter
from tests.cli.test_critique_command import FACTS, knows
from tests.critic.test_faithfulness import CONTROLS, PARAPHRASES, is_false, judge
from tests.helpers.command import command
from tests.helpers.model_server import serving

ROWS = [
    {"id": f"a{n}", "question": q, "response": response, "label": label}
    for n, (q, (response, label)) in enumerate(FACTS.items())
]
PREDICTION = {"ranges": {"v3-asymmetric": [0.0, 0.2], "v2-unclear": [0.5, 1.0]}, "notes": "why"}


def one_judge(path, body):
    """Knows the facts of both experiments."""
    about_rates = "91 %" in body["messages"][-1]["content"]
    return (judge(is_false) if about_rates else knows)(path, body)


@pytest.fixture
def server():
    with serving(one_judge) as made:
        yield made


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return assay.Study.create("s", "darkcore", bars="v1", task="detection")


def seal(study, kind, server, **words):
    model = f"{server.url}#m"
    if kind == "faithfulness":
        words = {"controls": CONTROLS, "name": "paper", "model": model, **words}
        return study.seal_faithfulness(PARAPHRASES, **words)
    words = {"name": "paper", "model": model, "prediction": PREDICTION, "encoder": None, **words}
    return study.seal_asymmetry(ROWS, **words)


def grade(study, kind, name="paper", **words):
    return getattr(study, f"grade_{kind}")(name, **words)


KINDS = {"faithfulness": "audit.json", "asymmetry": "result.json"}


@pytest.mark.parametrize("kind", KINDS)
def test_an_experiment_is_sealed_before_anything_is_asked_and_graded_once(study, kind, server):
    sealed = seal(study, kind, server)
    assert server.asked == []
    assert (sealed.kind, sealed.entry) == (kind, 1)
    assert sealed.predicted == {"faithfulness": 5, "asymmetry": 2}[kind]
    made = grade(study, kind)
    assert made.grades.total == sealed.predicted
    assert "unsealed" not in {caveat.code for caveat in made.caveats}
    stored = json.loads((study.root / kind / "paper" / KINDS[kind]).read_text())
    assert stored["format"] == f"assay-{kind}/1"
    assert stored[KINDS[kind].partition(".")[0]] == json.loads(json.dumps(made.to_dict()))
    asked = len(server.asked)
    with pytest.raises(AlreadyRun, match="graded by entry 2"):
        grade(study, kind)
    with pytest.raises(AlreadySealed, match="sealed by entry 1"):
        seal(study, kind, server)
    assert len(server.asked) == asked
    found = study.verify()
    assert found.intact
    assert f"1 file of {kind} as sealed" in found.steps[3].found
    assert f"1 {KINDS[kind].partition('.')[0]} of {kind} as entered" in found.steps[4].found


def test_the_seal_holds_thresholds_prompts_data_model_and_predictions(study, server):
    seal(study, "asymmetry", server, critique_at_least=0.7, generation_at_least=0.65)
    plan = json.loads((study.root / "asymmetry/paper/plan.json").read_text())
    assert (plan["critique_at_least"], plan["generation_at_least"]) == (0.7, 0.65)
    assert plan["model"] == f"{server.url}#m"
    assert plan["prompt"].startswith("sha256:") and plan["digest"].startswith("sha256:")
    assert [each["metric"] for each in plan["predicted"]] == ["v3-asymmetric", "v2-unclear"]
    assert [item["response"] for item in plan["items"]] == [
        response for response, label in FACTS.values() if label
    ]
    made = grade(study, "asymmetry")
    assert made.critique_at_least == 0.7
    inside, above = made.grades.ranges
    assert (inside.where, inside.value) == ("inside", 0.0)
    assert (above.where, above.value) == ("below", 0.0)
    assert "predicted ranges: 1 of 2 hold" in str(made)


def test_the_sealed_thresholds_of_an_audit_are_those_it_is_judged_by(study, server):
    seal(study, "faithfulness", server, paraphrase_at_most=0.01, control_at_least=0.9)
    assert grade(study, "faithfulness").verdict == "unfaithful"


@pytest.mark.parametrize("kind", KINDS)
def test_replies_that_were_recorded_before_are_said(study, kind, server, tmp_path):
    calls = tmp_path / "calls.jsonl"
    model = f"{server.url}#m"
    if kind == "faithfulness":
        assay.faithfulness(PARAPHRASES, controls=CONTROLS, model=model, cassette=calls)
    else:
        assay.asymmetry(ROWS, model=model, encoder=None, cassette=calls)
    seal(study, kind, server)
    made = grade(study, kind, cassette=calls)
    assert made.cassette.asked == 0
    assert "asked-before" in {caveat.code for caveat in made.caveats}


def test_what_predicts_nothing_is_not_sealed(study, server):
    bare = [{k: v for k, v in row.items() if k not in ("predicted", "confidence")}
            for row in (*PARAPHRASES, *CONTROLS)]  # fmt: skip
    with pytest.raises(SpecError, match="no claim says what is predicted"):
        study.seal_faithfulness(bare[:2], controls=bare[2:], name="paper", model=f"{server.url}#m")
    for prediction, what in (
        ({"no_idea": True}, "only ranges are predicted"),
        ({"outcomes": {"pass": 1.0}}, "only ranges are predicted"),
        ({"ranges": {"v1-asymmetric": [0.0, 0.1]}}, "no metric 'v1-asymmetric'"),
        ({"ranges": {"v3-asymmetric": [0.0, 1.1]}}, "only be from 0 to 1"),
        ({}, "commits to nothing"),
    ):
        with pytest.raises(SpecError, match=what):
            seal(study, "asymmetry", server, prediction=prediction)
    with pytest.raises(SpecError, match="not a valid name"):
        seal(study, "asymmetry", server, name="../x")
    assert not (study.root / "asymmetry").exists()
    assert not (study.root / "faithfulness").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_never_sealed_is_not_graded(study, kind, server):
    with pytest.raises(NotSealed, match=f"no {kind} 'paper' in the ledger") as refused:
        grade(study, kind)
    assert "Seal it first" in refused.value.hint
    assert server.asked == []


@pytest.mark.parametrize("kind", KINDS)
def test_another_model_than_was_sealed_is_not_asked(study, kind, server):
    seal(study, kind, server)
    with pytest.raises(DigestMismatch, match="#m was sealed"):
        grade(study, kind, model=f"{server.url}#better")
    assert server.asked == []


def edit_plan(root, kind):
    path = root / kind / "paper/plan.json"
    path.write_text(path.read_text().replace('"min_mass": 0.2', '"min_mass": 0.1'))
    return "closures"


def edit_result(root, kind):
    path = root / kind / "paper" / KINDS[kind]
    data = path.read_text()
    path.write_text(data.replace('"inside"', '"above"', 1))
    assert path.read_text() != data
    return "outputs"


def drop_plan(root, kind):
    (root / kind / "paper/plan.json").unlink()
    return "closures"


def drop_result(root, kind):
    (root / kind / "paper" / KINDS[kind]).unlink()
    return "outputs"


def add_stray(root, kind):
    (root / kind / "paper/second.json").write_text("{}")
    return "seals before runs"


def add_folder(root, kind):
    (root / kind / "other").mkdir()
    (root / kind / "other/plan.json").write_text("{}")
    return "seals before runs"


ATTACKS = (edit_plan, edit_result, drop_plan, drop_result, add_stray, add_folder)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_what_was_changed_afterwards_is_seen(study, kind, attack, server):
    seal(study, kind, server)
    grade(study, kind)
    step = attack(study.root, kind)
    found = study.verify()
    assert not found.intact
    assert found.steps[-1].name == step


@pytest.mark.parametrize("kind", KINDS)
def test_an_edited_plan_is_not_asked(study, kind, server):
    seal(study, kind, server)
    edit_plan(study.root, kind)
    with pytest.raises(IntegrityError, match=r"plan\.json"):
        grade(study, kind)
    assert server.asked == []


def test_other_prompts_than_were_sealed_are_not_asked(study, server, monkeypatch):
    seal(study, "asymmetry", server)
    monkeypatch.setattr("assay.api.critic.asymmetry.PROMPTS", ("another question",))
    with pytest.raises(DigestMismatch, match="sealed with other prompts"):
        grade(study, "asymmetry")
    assert server.asked == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_of_another_plan_is_seen(study, kind, server):
    """An author enters a result of something else by hand, with a right digest."""
    seal(study, kind, server)
    name = f"{kind}/paper/{KINDS[kind]}"
    (study.root / name).write_text(json.dumps({"name": "paper", "sealed": digest(b"others")}))
    with study.folder.ledger as ledger:
        enter(ledger, kind, "paper", files={name: digest((study.root / name).read_bytes())})
    found = study.verify()
    assert not found.intact and f"grades other {kind} than sealed" in found.steps[-1].found


@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_of_another_form_is_a_breach(study, kind, server):
    """An author seals a file of their own by hand."""
    name = f"{kind}/paper/plan.json"
    (study.root / kind / "paper").mkdir(parents=True)
    (study.root / name).write_text("{}")
    with study.folder.ledger as ledger:
        enter(ledger, f"{kind}-seal", "paper", files={name: digest(b"{}")})
    with pytest.raises(IntegrityError, match=r"plan\.json"):
        grade(study, kind)
    assert server.asked == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("suffix", "files", "what"),
    [
        ("", ["{kind}/p/{result}"], "never sealed"),
        ("-seal", [], "expected the names of files"),
        ("-seal", ["{kind}/q/plan.json"], "expected the names of files"),
        ("-seal", ["{kind}/p/{result}"], "expected the names of files"),
    ],
)
def test_entries_out_of_order_or_of_other_files_are_a_breach(study, kind, suffix, files, what):
    named = [each.format(kind=kind, result=KINDS[kind]) for each in files]
    with study.folder.ledger as ledger, pytest.raises(IntegrityError, match=what):
        enter(ledger, kind + suffix, "p", files=dict.fromkeys(named, f"sha256:{'0' * 64}"))


def test_the_commands(tmp_path, server):
    def call(*words):
        return command(tmp_path, *words)

    for name, rows in (("true", PARAPHRASES), ("false", CONTROLS), ("facts", ROWS)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    (tmp_path / "rates.toml").write_text("ranges.v3-asymmetric = [0.0, 0.2]\n")
    model = ("--model", f"{server.url}#m")
    assert call("new", "s", "--benchmark", "darkcore", "--task", "detection").returncode == 0
    claims = ("--passages", "true.jsonl", "--controls", "false.jsonl")
    done = call("critique", "seal", *claims, *model, "--name", "paper", "--study", "s")
    assert done.returncode == 0, done.stderr
    assert "assay critique grade paper" in done.stdout
    rates = ("facts.jsonl", "--prediction", "rates.toml", "--encoder", "none", "--name", "rates")
    done = call("asymmetry", "seal", *rates, *model, "--study", "s")
    assert done.returncode == 0, done.stderr
    assert "2 misconceptions, 1 predicted range" in done.stdout
    assert server.asked == []
    done = call("critique", "grade", "paper", "--study", "s")
    assert done.returncode == 0, done.stderr
    assert "predicted ranges: 5 of 5 hold" in done.stdout
    done = call("asymmetry", "grade", "rates", "--study", "s", "--json")
    assert json.loads(done.stdout)["grades"]["inside"] == 1
    again = call("critique", "grade", "paper", "--study", "s")
    assert again.returncode == 3 and "graded by entry 3" in again.stderr
    unknown = call("asymmetry", "grade", "paper", "--study", "s")
    assert unknown.returncode == 3
    assert "assay asymmetry seal DATA --model MODEL --prediction FILE --name NAME" in unknown.stderr
    assert call("verify", "s").returncode == 0
