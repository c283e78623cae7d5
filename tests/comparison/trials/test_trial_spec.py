import json

import pytest
from helpers.trial_systems import plan

from assay.comparison.trials.spec import load_trial_spec
from assay.errors import AssayError, SpecError
from assay.sandbox.job import fill_in


def refusal(path):
    with pytest.raises(AssayError) as caught:
        load_trial_spec(path)
    assert caught.value.exit_code == 2
    return caught.value.message


def test_a_spec_is_read_with_its_defaults(tmp_path):
    spec = load_trial_spec(plan(tmp_path))
    assert (spec.seed, spec.sequential, list(spec.items)) == (0, True, ["a"])
    assert spec.command("baseline") == spec.command("candidate")
    assert spec.policies["crashed"] == "fail"
    assert spec.artifact_path == tmp_path / "skill.md"


BAD = {
    "no trials": ("trials = 2", "trials = 0", "trials = 0"),
    "too many trials": ("trials = 2", "trials = 10001", "10,000"),
    "jobs of none": ("jobs = 1", "jobs = 0", "jobs = 0"),
    "no time": ("seconds = 20", "seconds = 0", "system.seconds"),
    "time that is no number": ("seconds = 20", "seconds = nan", "system.seconds"),
    "endless time": ("seconds = 20", "seconds = inf", "system.seconds"),
    "an unknown key": ("jobs = 1", "job = 1", "job"),
    "an unknown place": ('"{trial}"', '"{arm}"', "unknown {arm}, expected one of"),
    "no command": ("command =", "environment =", "no command"),
    "not TOML": ("jobs = 1", "jobs = ", "not TOML"),
    "an artifact that leads out": ('"skills/skill.md"', '"../skill.md"', "artifact.into"),
    "an artifact at the root": ('"skills/skill.md"', '"/skill.md"', "artifact.into"),
    "an artifact with a NUL": ('"skills/skill.md"', '"a\\u0000b"', "artifact.into"),
    "instances twice": ('["a"]', '["a", "a"]', "each once"),
    "no instances": ('["a"]', "[]", "each once"),
    "an instance without a name": ('["a"]', '[""]', "each once"),
    "an instance with a NUL": ('["a"]', '["a\\u0000b"]', "each once"),
    "no folder to put it in": ('folder = "agent"', "", "artifact.into needs"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_makes_no_sense_is_refused_and_said(tmp_path, kind):
    path = plan(tmp_path)
    before, after, said = BAD[kind]
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    assert said in refusal(path)


REST = {
    "a budget of no runs": ("[budget]\nruns = 0", "budget.runs"),
    "a negative budget": ("[budget]\nmoney = -1.0", "budget.money"),
    "a budget that is no number": ("[budget]\nminutes = nan", "budget.minutes"),
    "an endless budget": ("[budget]\nmoney = inf", "budget.money"),
    "scores outside": ('[score]\nfile = "../eval.json"', "score.file"),
    "a baseline with the artifact": ('[baseline]\narguments = ["{artifact}"]', "must not have"),
    "a scorer that is told the artifact": (
        '[score]\ncommand = ["x", "{artifact}"]',
        "expected one of",
    ),
    "a scorer that is told the seed": ('[score]\ncommand = ["x", "{seed}"]', "expected one of"),
}


@pytest.mark.parametrize("kind", REST)
def test_parts_that_make_no_sense_are_refused(tmp_path, kind):
    rest, said = REST[kind]
    assert said in refusal(plan(tmp_path, rest=rest))


def test_a_candidate_that_never_gets_the_artifact_is_refused(tmp_path):
    path = plan(tmp_path)
    path.write_text(path.read_text().replace('into = "skills/skill.md"', ""))
    assert "does not get the artifact" in refusal(path)


def test_a_command_of_its_own_needs_a_probe_to_show_what_it_loads(tmp_path):
    path = plan(tmp_path, rest='[candidate]\narguments = ["--skill"]')
    without = path.read_text().replace('into = "skills/skill.md"', "")
    path.write_text(without)
    assert "nothing shows" in refusal(path)
    path.write_text(without.replace('path = "skill.md"', 'path = "skill.md"\nprobe = ["true"]'))
    assert load_trial_spec(path).artifact.probe == ("true",)


ROWS = {
    "a row without a name": ({"text": "x"}, "names it"),
    "a name that is true": ({"id": True}, "names it"),
    "a name that is a list": ({"id": ["a"]}, "names it"),
    "a name with a NUL": ({"id": "a\0b"}, "names it"),
    "a name that stands twice": ({"instance": "a"}, "twice"),
}


@pytest.mark.parametrize("kind", ROWS)
def test_instances_of_a_file_need_a_name_each(tmp_path, kind):
    row, said = ROWS[kind]
    rows = [{"instance": "a"}, row]
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    path = plan(tmp_path)
    path.write_text(path.read_text().replace('["a"]', '"tasks.jsonl"'))
    assert said in refusal(path)


def test_the_digest_is_of_the_spec_and_of_the_instances(tmp_path):
    path = plan(tmp_path)
    path.write_text(path.read_text().replace('["a"]', '"tasks.jsonl"'))
    found = set()
    for names in (("a",), ("a", "b")):
        (tmp_path / "tasks.jsonl").write_text("".join(f'{{"id": "{name}"}}\n' for name in names))
        found.add(load_trial_spec(path).digest)
    path.write_text(path.read_text() + "\n# more\n[budget]\nruns = 7\n")
    found.add(load_trial_spec(path).digest)
    assert len(found) == 2, "a larger budget is no other plan"
    path.write_text(path.read_text() + "[harness]\nmodel = 'another'\n")
    found.add(load_trial_spec(path).digest)
    assert len(found) == 3


def test_numbers_of_any_size_are_a_refusal_and_no_fault(tmp_path):
    for rest in (f"[budget]\nruns = {10**400}", f"[budget]\nmoney = {10**400}"):
        said = refusal(plan(tmp_path, rest=rest))
        assert "budget" in said or "digits" in said


def test_more_than_a_million_runs_are_refused(tmp_path):
    assert "1,000,000" in refusal(
        plan(tmp_path, instances=[str(n) for n in range(51)], trials=9_999)
    )


def test_places_are_filled_in_once_and_never_by_a_shell():
    values = {"instance": "{out}; rm -rf /", "out": "/o"}
    assert fill_in(["{instance}", "x{out}y"], values) == ["{out}; rm -rf /", "x/oy"]


def test_a_spec_that_is_no_text_or_not_there_is_refused(tmp_path):
    path = tmp_path / "trial.toml"
    refusal(path)
    path.write_bytes(b"\xff\xfe")
    assert "UTF-8" in refusal(path)
    refusal(tmp_path)
    assert issubclass(SpecError, AssayError)
