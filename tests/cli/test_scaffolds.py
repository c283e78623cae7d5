"""Spec files to fill in."""

import json
import re
import tomllib

import msgspec
import pytest

from assay.cli.scaffolds import DUAL, TRIALS
from assay.comparison.trials.spec import _TrialsFile
from assay.dual_condition.spec_tables import DualFile

SYSTEM = """\
import json, sys
from pathlib import Path
items, outputs, seed, state = sys.argv[1:]
memory = Path(state) / "memory.jsonl"
known = {json.loads(line)["item"] for line in memory.open()} if memory.exists() else set()
with open(outputs, "w") as out:
    for line in open(items):
        item = json.loads(line)
        score = len(item["response"]) + 5 * (item["id"] in known)
        out.write(json.dumps({"id": item["id"], "score": score}) + "\\n")
"""


def lay_out(folder):
    """A tiny system that remembers, with the names that the scaffold has."""
    (folder / "state").mkdir()
    (folder / "system.py").write_text(SYSTEM)
    items = [
        {"id": f"q{n}", "question": f"Is {n} odd?", "response": "x" * (n % 5), "label": n % 2}
        for n in range(40)
    ]
    (folder / "bench.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    memory = [json.dumps({"item": f"q{n}"}) + "\n" for n in range(1, 40, 2)]
    (folder / "state/memory.jsonl").write_text("".join([*memory, '{"item": "other"}\n']))


def test_the_dual_scaffold_runs_as_it_is_on_files_of_its_names(assay_cmd, tmp_path):
    lay_out(tmp_path)
    assert "assay dual dual.toml" in assay_cmd("dual", "--init").out
    done = assay_cmd("dual", "dual.toml", "--json")
    assert done.json["regime"] == "memorised", done.err


def test_a_spec_needs_a_command_and_a_benchmark_and_nothing_else(assay_cmd, tmp_path):
    lay_out(tmp_path)
    (tmp_path / "least.toml").write_text(
        '[system]\ncommand = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]\n'
        '[evaluation]\nbenchmark = "bench.jsonl"\n'
    )
    assay_cmd("dual", "--init")
    least, whole = (assay_cmd("dual", name, "--json") for name in ("least.toml", "dual.toml"))
    for key in ("seeds", "conditions", "row", "memorisation", "layers", "regime"):
        assert least.json[key] == whole.json[key]


@pytest.mark.parametrize("verb", ["dual", "trials"])
def test_a_scaffold_is_named_and_never_written_over(verb, assay_cmd, tmp_path):
    made = assay_cmd(verb, "--init", "mine.toml", "--json")
    assert made.json == {"wrote": "mine.toml"}
    before = (tmp_path / "mine.toml").read_bytes()
    again = assay_cmd(verb, "--init", "mine.toml")
    assert again.code == 2
    assert "mine.toml already exists" in again.err
    assert (tmp_path / "mine.toml").read_bytes() == before


@pytest.mark.parametrize("verb", ["dual", "trials"])
def test_a_verb_without_its_spec_offers_to_write_one(verb, assay_cmd):
    for words in ((verb,), (verb, "gone.toml")):
        done = assay_cmd(*words)
        assert done.code == 2
        assert f"assay {verb} --init" in done.err


@pytest.mark.parametrize(("text", "table"), [(DUAL, DualFile), (TRIALS, _TrialsFile)])
def test_every_key_of_a_scaffold_is_one_of_its_spec(text, table):
    uncommented = re.sub(r"^# (?=\[|\w+ = )", "", text, flags=re.MULTILINE)
    assert uncommented.count("# ") < text.count("# ")
    msgspec.convert(tomllib.loads(uncommented), table)
    planted = uncommented.replace("seconds = ", "secs = ")
    with pytest.raises(msgspec.ValidationError, match="secs"):
        msgspec.convert(tomllib.loads(planted), table)
