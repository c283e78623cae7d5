"""Spec files to fill in: `assay dual --init`, `assay trials --init`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from assay.cli.output import print_json
from assay.errors import SpecError

DUAL = """\
# Capability, or memory? Look at the lines marked <--, then: assay dual FILE
# Commented keys show defaults or alternatives. Paths are relative to this file's folder.

[system]
# One string per word, no shell. {items} is a file of JSON lines (id, question, response);
# it writes {outputs}, a line an item: {"id": ..., "score": ...}, higher meaning positive.
command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]   # <--
# method = "file.py:function"     # instead of a command; it finds its state in $ASSAY_STATE
# environment = []                # variables that it may see, by name: ["API_KEY"]
# reads = []                      # files that it reads beside its code and its state
# seconds = 600                   # for one run

[state]
root = "state"                    # <-- the folder in which it keeps what it learns; only copied
# variable = "AGENT_HOME"         # the variable that names it, where {state} is no argument

[state.layers.memory]
files = ["**"]                    # which files of that folder: all
match = ["id", "text"]            # C leaves out rows that hold an item's id, or nearly its words
# provenance = "item"             # surer: the field of its rows that names their item
# initial = "defaults"            # what B begins with; default: nothing

[evaluation]
benchmark = "bench.jsonl"         # <-- a file with id, question, response, label (0 or 1)
# answer = "target"               # instead of labels: right answers, for a system that answers
# seeds = [1, 2, 3, 4, 5]         # one run of each condition a seed
# conditions = ["A", "B", "C"]    # all it learnt; nothing; all but what came from this benchmark
"""
TRIALS = """\
# Does the artifact help? Look at the lines marked <--, then: assay trials FILE
# Commented keys show defaults or alternatives. Paths are relative to this file's folder.

instances = "tasks.jsonl"         # <-- a JSON object a line, named by `instance` or `id`
# trials = 1                      # runs of each instance in each arm
# seed = 0                        # order of the runs, and each run's own seed
# jobs = 1                        # runs at a time

[system]
folder = "agent"                  # <-- your system, copied afresh for every run
# One string per word, no shell. {item} is a JSON file with the instance; the scores go to
# {out}/eval.json: {"correct": 1.0}
command = ["python", "agent.py", "{item}", "{seed}", "{out}"]   # <--
# environment = []                # variables that it may see, by name: ["API_KEY"]
# seconds = 600                   # for one run

[artifact]
path = "skill.md"                 # <-- what the candidate has and the baseline has not
into = "skills/skill.md"          # where the candidate finds it, in its copy of the folder

# [score]                         # where the system does not score itself
# command = ["python", "{home}/score.py", "{item}", "{out}"]

# [budget]                        # no run begins once one is used up; default: no limit
# runs = 200                      # also: minutes, money

# [dimensions.correct]            # default: every score, none of them gated
# gated = true                    # it must not lose
"""
_TEXTS = {"dual": DUAL, "trials": TRIALS}
init_flag = click.option(
    "--init",
    is_flag=True,
    help="Write a spec file to fill in, with a comment for each key; then stop.",
)


def spec_or_scaffold(run: Callable[..., None]) -> Callable[..., None]:
    """A verb that takes SPEC; with --init it writes that file instead."""

    @click.pass_context
    def command(context: click.Context, /, spec: Path | None, init: bool, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
        verb = context.info_name or ""
        if init:
            _write(verb, spec or Path(f"{verb}.toml"), as_json=flags["as_json"])
            return
        hint = f"`assay {verb} --init` writes one to fill in."
        if spec is None:
            raise SpecError("no spec file is named", hint=hint)
        if not spec.exists():
            raise SpecError(f"{spec}: No such file", hint=hint)
        run(spec=spec, **flags)

    command.__doc__ = run.__doc__
    return command


def _write(verb: str, path: Path, *, as_json: bool) -> None:
    from assay.files import write_new

    write_new(path, _TEXTS[verb].replace("FILE", str(path), 1).encode())
    if as_json:
        print_json({"wrote": str(path)})
    else:
        click.echo(f"Wrote {path}. Look at the lines marked <--, then: assay {verb} {path}")
