"""Small systems that keep state, and specs that run each with it and without it."""

import json
import shutil
from pathlib import Path

from assay.dual_condition.collect import run_dual
from assay.dual_condition.spec import load_dual_spec
from assay.folders import state_digest
from assay.sandbox.warden_client import can_observe

OBSERVED = can_observe()
"""Whether this system can tell which files a command opens."""
READ = 'cat "$S/memory.jsonl" >/dev/null 2>&1'
LEARN = 'echo \'{"learned": "by the run"}\' >> "$S/memory.jsonl"'
SCORE = 'sed -n \'s/.*"id":"\\([^"]*\\)".*/{"id":"\\1","score":0.5}/p\' "$1" > "$2"'
HONEST = f"{READ}\n{LEARN}\n{SCORE}\n"
"""A system that reads its memory, adds to it, and scores every item."""
ROUTES = ("parameter", "environment", "namespace", "in-place")
_COMMAND = ["sh", "system.sh", "{items}", "{outputs}"]
_SPEC = """
[system]
command = {command}
seconds = {seconds}
{system}
[state]
root = "home/state"
{state}
[state.layers.memory]
files = ["memory.jsonl", "more"]
[evaluation]
benchmark = "bench.jsonl"
positive = "label == 1"
seeds = {seeds}
conditions = ["A", "B"]
"""


def planted(home, route="parameter", body=HONEST, *, seeds=(1,), seconds=60, system="", state=""):
    """A spec in a folder, with a system that has learned; its program is a shell script.

    In the script `$S` is where the system believes its state to be.
    """
    root = home / "home" / "state"
    (root / "more").mkdir(parents=True, exist_ok=True)
    (root / "memory.jsonl").write_text('{"learned": "before"}\n')
    (root / "more" / "notes.txt").write_text("something long\n" * 50)
    rows = [{"id": f"i{n}", "question": "?", "response": f"r{n}", "label": n % 2} for n in range(4)]
    (home / "bench.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    places = {"parameter": "$3", "environment": "$WHERE"}
    (home / "system.sh").write_text(f'S="{places.get(route, root)}"\n{body}')
    more = {"environment": 'variable = "WHERE"', "in-place": 'route = "in-place"'}
    (home / "dual.toml").write_text(
        _SPEC.format(
            command=json.dumps([*_COMMAND, "{state}"] if route == "parameter" else _COMMAND),
            seconds=seconds,
            system=system,
            state=f"{more.get(route, '')}\n{state}",
            seeds=list(seeds),
        )
    )
    return home / "dual.toml"


def production(home):
    """What production holds, as one digest."""
    return state_digest(home / "home" / "state")


def evaluated(home, route="parameter", **named):
    """Run what was planted, to its end; in place only where that was asked for."""
    spec = load_dual_spec(home / "dual.toml")
    return run_dual(spec, home / "results", private=route != "in-place", **named)


def beginning_again(home):
    """Forget all results, so that the next evaluation makes every run."""
    shutil.rmtree(home / "results", ignore_errors=True)


def beside(home) -> Path:
    """Where a run in place of production keeps what it needs to put it back."""
    return home / "home" / ".state.assay"
