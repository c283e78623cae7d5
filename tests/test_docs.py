"""The documentation says what is so: its commands run, its links lead somewhere."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import click
import msgspec
import pytest
from generate import PAGES
from helpers.command import command
from helpers.scale import scale
from msgspec.inspect import is_struct_type as is_struct

from assay.benchmark.benchmark import BUNDLED
from assay.benchmark.load import load_benchmark
from assay.cli.group import assay
from assay.cli.verbs import HELP, VERBS
from assay.comparison.result import Change, Gate, NetVerdict
from assay.comparison.spec import _PolicyTable, _Written
from assay.comparison.trials.spec import _TrialsFile
from assay.confounding.result import Fitness
from assay.critic.faithfulness.result import FaithfulnessVerdict
from assay.critic.faithfulness.spec import ControlKind
from assay.dual_condition.result import Regime, RowState
from assay.dual_condition.spec_tables import DualFile
from assay.gauntlet.load import load_bars
from assay.gauntlet.result import Verdict
from assay.sandbox.levels import Level

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDES = (
    "README.md",
    "docs/tutorial/first-steps.md",
    "docs/how-to/try-your-own-method.md",
    "docs/how-to/audit-a-benchmark.md",
    "docs/how-to/revise-bars.md",
    "docs/how-to/write-bars.md",
    "docs/how-to/compare-two-versions.md",
    "docs/how-to/prove-a-skill.md",
    "docs/how-to/tell-capability-from-memory.md",
    "docs/how-to/import-a-corpus.md",
    "examples/audit-a-benchmark/README.md",
    "examples/compare-two-versions/README.md",
    "examples/prove-a-skill/README.md",
    "examples/try-a-method/README.md",
)
LONG_EVALUATIONS = ("seen.toml", "entailment.toml", "unseen.toml")
EVALUATED = {"conversions", "programs", "programs-pilot"}
VERB_FILES = sorted(
    p.stem[:-1].replace("_", "-")
    for p in (ROOT / "src/assay/cli").glob("*_.py")
    if p.stem != "__init__"
)


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", PAGES)
def test_the_reference_is_what_the_code_gives(name):
    """If this fails: make docs."""
    assert (ROOT / "docs/reference" / name).read_text(encoding="utf-8") == PAGES[name]()


PARSED_LATER = {"dimensions": _Written, "policy": _PolicyTable}
NAMED_BY_USERS = {"layers": "memory", "dimensions": "correct"}


def keys_of(table: type, path: str = "") -> set[str]:
    """Every key that a spec file may have, a table's name before it; free tables as one key."""
    keys = set()
    for field in msgspec.structs.fields(table):
        inner = [kind for kind in (field.type, *get_args(field.type)) if is_struct(kind)]
        inner = inner or [PARSED_LATER[name] for name in (field.name,) if name in PARSED_LATER]
        name = f"{path}{field.encode_name}"
        keys |= keys_of(inner[0], f"{name}.") if inner else {name}
    return keys


def keys_in(written: dict, known: set[str], path: str = "") -> set[str]:
    """The keys of a parsed spec file in the same form; names that users choose are left out."""
    keys = set()
    for name, value in written.items():
        here = f"{path}{name}"
        if isinstance(value, dict) and here not in known:
            inner = value[NAMED_BY_USERS[name]] if name in NAMED_BY_USERS else value
            keys |= keys_in(inner, known, f"{here}.")
        else:
            keys.add(here)
    return keys


@pytest.mark.parametrize(
    ("guide", "table"),
    [("prove-a-skill", _TrialsFile), ("tell-capability-from-memory", DualFile)],
)
def test_a_guide_shows_every_key_of_its_spec_file(guide, table):
    text = (ROOT / f"docs/how-to/{guide}.md").read_text(encoding="utf-8")
    known = keys_of(table)
    written = blocks(text.partition("## Every key")[2], "toml")[0]
    assert keys_in(tomllib.loads(written), known) == known
    planted = re.sub(r"^seconds = .*\n", "typo = 1\n", written, flags=re.MULTILINE)
    assert known ^ keys_in(tomllib.loads(planted), known) == {"system.seconds", "system.typo"}


def test_every_verb_has_a_file_and_a_line_in_the_help():
    assert sorted(VERBS) == VERB_FILES
    for verb, about in VERBS.items():
        assert f"  {verb:<13}{about}\n" in HELP


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example_and_json(verb):
    described = assay.get_command(click.Context(assay), verb)
    assert described.help.splitlines()[0] == VERBS[verb]
    commands = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    assert f"## assay {verb}\n" in commands
    for part in described.commands.values() if isinstance(described, click.Group) else [described]:
        assert re.search(r"Examples?:\n\s+assay ", part.help)
        flags = {name for option in part.params for name in option.opts}
        assert "--json" in flags
        for option in part.params:
            if isinstance(option, click.Option):
                assert option.help, option.name


def test_help_is_the_same_with_and_without_click(assay_cmd):
    assert assay_cmd("--help").out == HELP
    assert assay.get_help(click.Context(assay)) + "\n" == HELP


@pytest.fixture
def workplace(tmp_path):
    """A folder with the files that the guides speak of."""
    (tmp_path / "my_method.py").write_text(
        next(block for block in blocks(README, "python") if "# my_method.py" in block)
    )
    learner = (ROOT / "docs/how-to/try-your-own-method.md").read_text(encoding="utf-8")
    (tmp_path / "prior.py").write_text(blocks(learner, "python")[0])
    bars = (ROOT / "docs/how-to/write-bars.md").read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(blocks(bars, "toml")[0])
    rows = [f"q{i},a{i},{i % 2},{'wrong' if i % 2 else 'right'}" for i in range(20)]
    (tmp_path / "answers.csv").write_text("prompt,answer,wrong,verdict\n" + "\n".join(rows))
    lines = [f'{{"question": "q{i}", "response": "a", "label": {i % 2}}}' for i in range(20)]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines))
    nested = [
        {"doc": {"question": f"q{i}", "answer": "a"}, "scores": [{"value": i % 2}]}
        for i in range(20)
    ]
    (tmp_path / "results.json").write_text(json.dumps(nested))
    table = "question;response;label\n" + "".join(f"q{i};é;{i % 2}\n" for i in range(20))
    (tmp_path / "export.csv").write_bytes(table.encode("cp1252"))
    (tmp_path / "my-dataset").mkdir()
    for split in ("train", "test"):
        (tmp_path / "my-dataset" / f"{split}.jsonl").write_text("\n".join(lines))
    for example in ROOT.glob("examples/*/*.py"):
        (tmp_path / example.name).write_text(example.read_text(encoding="utf-8"))
    for example in ("compare-two-versions", "prove-a-skill"):
        shutil.copytree(ROOT / "examples" / example, tmp_path, dirs_exist_ok=True)
    for example in ("audit-a-benchmark", "compare-two-versions"):
        shutil.copytree(ROOT / "examples" / example, tmp_path / "examples" / example)
    plans = {"dims.toml": "compare-two-versions", "units.toml": "prove-a-skill"}
    for name, guide in plans.items():
        text = (ROOT / f"docs/how-to/{guide}.md").read_text(encoding="utf-8")
        (tmp_path / name).write_text(blocks(text, "toml")[0])
    text = (ROOT / "docs/how-to/tell-capability-from-memory.md").read_text(encoding="utf-8")
    for name, block in zip(("make.py", "system.py"), blocks(text, "python"), strict=True):
        (tmp_path / name).write_text(block)
    (tmp_path / "dual.toml").write_text(blocks(text, "toml")[0])
    subprocess.run([sys.executable, "make.py"], cwd=tmp_path, check=True)
    return tmp_path


def run_line(folder, words, **environment):
    """A line of a page, run in this folder: the command, python, or another program."""
    if words[0] == "assay":
        return command(folder, *words[1:], **environment)
    return subprocess.run(
        [sys.executable if words[0] == "python" else words[0], *words[1:]],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("guide", GUIDES)
def test_the_commands_of_a_guide_run(guide, workplace):
    text = (ROOT / guide).read_text(encoding="utf-8")
    found = [
        shlex.split(line.removeprefix("$ "))
        for block in blocks(text, "console")
        for line in block.splitlines()
        if line.startswith("$ assay ")
    ]
    assert found
    for name, body in re.findall(r"\$ cat > (\S+) <<'END'\n(.*?\n)END\n", text, flags=re.DOTALL):
        (workplace / name).write_text(body, encoding="utf-8")
    for words in found:
        done = command(workplace, *words[1:], MY_TOKEN="x")  # noqa: S106 - no secret
        assert done.returncode in (0, 1), (words, done.stderr)
        assert done.stderr == "", words
        assert done.stdout, words


def test_the_learning_verifier_gives_the_matrix_that_its_page_shows(tmp_path):
    """Every command of its page, in order; what is shown of a matrix is what came out.

    Three of the evaluations in every suite, all of them in a stress test.
    """
    place = tmp_path / "verifier"
    shutil.copytree(ROOT / "examples/self-learning-verifier", place)
    text = (place / "README.md").read_text(encoding="utf-8")
    printed, left_out = "", set(scale(LONG_EVALUATIONS, ()))
    for line in [line for block in blocks(text, "console") for line in block.splitlines()]:
        words = shlex.split(line.removeprefix("$ "))
        if words[-1] in left_out:
            continue
        done = run_line(place, words)
        blocked = 3 if words[-1] == "blocked.toml" else 0
        assert done.returncode in (blocked, 0 if blocked else 1), (words, done.stderr)
        assert done.stderr == "", words
        printed += done.stdout
    rows = [line.split() for block in blocks(text, "text") for line in block.splitlines()]
    out = [line.split() for line in printed.splitlines()]
    shown = [row for row in rows if not left_out or row[0] in EVALUATED]
    assert {row[0] for row in shown} >= EVALUATED
    for row in shown:
        assert row in out, row
    for name in ("arithmetic", "conversions", "entailment", "fractions", "programs-pilot"):
        assert f"{name} " in README


def test_the_commands_of_the_worked_study_run_in_a_copy_of_it(tmp_path):
    shutil.copytree(ROOT / "examples/gauntlet", tmp_path / "gauntlet")
    text = (ROOT / "examples/gauntlet/README.md").read_text(encoding="utf-8")
    lines = [line for block in blocks(text, "console") for line in block.splitlines()]
    assert len(lines) >= 5
    for line in lines:
        done = run_line(tmp_path / "gauntlet", shlex.split(line.removeprefix("$ ")))
        assert (done.returncode, done.stderr) == (0, ""), line


def test_the_guide_of_a_study_works_as_it_stands(workplace):
    text = (ROOT / "docs/how-to/keep-a-study.md").read_text(encoding="utf-8")
    environment = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{
            f"GIT_{who}_{what}": "a@b.c"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    here, done = workplace, []
    for language, body in re.findall(r"```(console|toml)\n(.*?)```", text, flags=re.DOTALL):
        if language == "toml":
            (here / body.splitlines()[0].removeprefix("# ")).write_text(body)
            continue
        for line in body.splitlines():
            words = shlex.split(line.removeprefix("$ "))
            if words[0] == "cd":
                here = here / words[1]
                continue
            ended = run_line(here, words, **environment)
            assert ended.returncode in (0, 1), (line, ended.stdout, ended.stderr)
            done.append(words[0])
    assert done.count("assay") >= 14
    assert "is intact" in ended.stdout


def test_the_library_example_of_the_readme_says_what_it_prints():
    code = next(block for block in blocks(README, "python") if "import assay" in block)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    printed = re.findall(r"^print\(.*# (.*)$", code, flags=re.MULTILINE)
    assert printed and done.stdout.splitlines() == printed


SHOWN = {
    "word_length           0.738": "confounds examples/audit-a-benchmark/answers.csv",
    "oracle:word_length   0.787": "demo",
    "correct       0.569": "compare examples/compare-two-versions/before.csv",
}


@pytest.mark.parametrize(("line", "started"), SHOWN.items())
def test_an_output_in_the_readme_is_the_commands(line, started, workplace):
    text = README.replace("$ make demo", "$ assay demo")
    lines = re.findall(
        rf"^\$ assay ({re.escape(started)}.*?)(?:  +#.*)?$", text, flags=re.MULTILINE
    )
    out = command(workplace, *shlex.split(lines[0])).stdout
    shown = {printed.rstrip() for printed in out.splitlines()}
    (block,) = (block for block in blocks(README, "text") if line in block)
    assert {printed.rstrip() for printed in block.splitlines()} <= shown


def test_links_lead_somewhere():
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


ON_SCREEN = (Change, Fitness, Gate, Level, NetVerdict, Regime, RowState, Verdict)
ON_SCREEN += (ControlKind, FaithfulnessVerdict)


def test_the_glossary_explains_every_verdict_regime_and_bundled_bar():
    glossary = (ROOT / "docs/reference/glossary.md").read_text(encoding="utf-8")
    words = {value.value for kind in ON_SCREEN for value in kind}
    bars = {bar.id for version in ("v4", "plain-2") for bar in load_bars(version).bars}
    explained = set(re.findall(r"[\w-]+", glossary.partition("## A to Z")[2]))
    assert words | bars <= explained


def test_every_decision_is_listed():
    listed = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs/decisions").glob("0*.md"):
        assert f"({page.name})" in listed


def test_every_bundled_fact_says_what_it_was_checked_against():
    listed = (ROOT / "docs/reference/bundled-facts.md").read_text(encoding="utf-8")
    for name in BUNDLED:
        for item in load_benchmark(name).items:
            assert f"\n| {item.group or item.id} | " in listed


def test_the_error_rate_tables_are_filled_and_hold_what_they_promise():
    text = (ROOT / "docs/explanation/error-rates.md").read_text(encoding="utf-8")
    single = text.split("<!-- single")[1].split("<!-- end of single")[0]
    rows = [line.split("|") for line in single.splitlines() if line.startswith("| 0.")]
    coverage = [float(row[5]) for row in rows]
    assert len(coverage) == 48
    assert min(coverage) >= 0.935
    assert 0.945 <= sum(coverage) / 48 <= 0.97
    for name in ("paired", "clustered", "shares", "verdicts"):
        assert "| --- |" in text.split(f"<!-- {name}")[1].split(f"<!-- end of {name}")[0]
