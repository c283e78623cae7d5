"""Small systems to be tried out with and without a skill, and what harm they can do."""

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from assay.comparison.trials.collect import run_trials
from assay.comparison.trials.spec import load_trial_spec

READ = "if [ -f skills/skill.md ]; then cat skills/skill.md >/dev/null; s=1; else s=0; fi"
"""What a system does that has the skill, and uses it."""
SCORE = 'echo "{\\"score\\": $s, \\"cost_usd\\": 0.5}" > "$1/eval.json"'
HONEST = f"{READ}\n{SCORE}\n"
SPEC = """
instances = {instances}
trials = {trials}
jobs = {jobs}
{top}
[system]
folder = "agent"
command = ["sh", "agent.sh", "{{out}}", "{{instance}}", "{{trial}}"]
seconds = {seconds}
{system}
[artifact]
path = "skill.md"
into = "skills/skill.md"
{rest}
"""


def plan(home, body=HONEST, **parts):
    """A spec file in a folder, with a system whose program is a shell script."""
    defaults = {"instances": ["a"], "trials": 2, "jobs": 1, "seconds": 20}
    texts = {"top": "", "system": "", "rest": ""}
    values = {**defaults, **texts, **parts}
    values["instances"] = json.dumps(values["instances"])
    (home / "agent").mkdir(parents=True, exist_ok=True)
    (home / "agent" / "agent.sh").write_text(body.replace("HOME_OF_ALL", str(home)))
    if not (home / "skill.md").exists():
        (home / "skill.md").write_text("Think first.\n")
    (home / "trial.toml").write_text(SPEC.format(**values))
    return home / "trial.toml"


def tried(home, body=HONEST, **parts):
    """What came of the trials."""
    return run_trials(load_trial_spec(plan(home, body, **parts)), home / "results")


def journal(home):
    """The runs that were noted."""
    path = home / "results" / "runs.jsonl"
    data = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def wrongs(home):
    """Why runs do not count, by arm."""
    return {(row["arm"], row["treatment"]["wrong"]) for row in journal(home)}


def alive(mark):
    """The processes that have a text in their command line."""
    found = set()
    for one in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (one / "cmdline").read_bytes() and int(one.name) != os.getpid():
                found.add(int(one.name))
    return found


def eventually(condition, seconds=20.0):
    """Wait until something holds; whether it does."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())
