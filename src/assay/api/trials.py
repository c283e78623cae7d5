"""Make paired runs of a system with and without an artifact; and export logs."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from assay.api.arguments import in_range
from assay.comparison.trials.arm_run import ArmRun
from assay.comparison.trials.collect import Trials, run_trials
from assay.comparison.trials.spec import TrialSpec, load_trial_spec
from assay.errors import SpecError
from assay.logs.format_table import FORMATS, read_log
from assay.logs.harnesses.every_eval_ever.files import Exported, export_runs
from assay.wording import some


def trials(
    spec: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    jobs: int | None = None,
) -> Trials:
    """Run a system with and without an artifact, and compare.

    Each run gets a fresh copy of the system; the arms run in random order. A pair counts only if
    the candidate was seen to open the artifact and the baseline was not; else it is void. Stops on
    a verdict. Finished runs are kept, so the same call resumes interrupted trials.

    Args:
        spec: a TOML file: a command, an artifact that only the candidate has, instances, trials, a
            budget; or a dictionary of its keys, whose paths start from the working directory.
        out: the folder for runs. Default: the spec's name without its extension.
        jobs: runs at a time; overrides the spec.

    Example:
        >>> import assay, pathlib
        >>> pathlib.Path("agent").mkdir()
        >>> _ = pathlib.Path("agent/solve.sh").write_text('''
        ... right=0
        ... if [ -f skill.md ]; then cat skill.md; right=1; fi
        ... echo '{"score": '$right'}' > "$1/eval.json"
        ... ''')
        >>> _ = pathlib.Path("skill.md").write_text("Check the units.")
        >>> spec = {"instances": ["speed", "mass"], "trials": 10}
        >>> spec["artifact"] = {"path": "skill.md", "into": "skill.md"}
        >>> command = ["sh", "solve.sh", "{out}", "{instance}"]
        >>> spec["system"] = {"folder": "agent", "command": command}
        >>> assay.trials(spec, out="runs")
        <Trials RATIFY: a gain is shown in score, and nothing is shown worse>

    """
    if isinstance(spec, Mapping) and out is None:
        raise SpecError(
            "trials(): a dictionary has no name for the folder of its runs",
            hint="Name the folder: `out=DIR`.",
        )
    plan = plan_trials(spec, jobs=jobs)
    return make_trials(plan, Path() if isinstance(spec, Mapping) else Path(spec), out)


def plan_trials(spec: str | Path | Mapping[str, Any], *, jobs: int | None) -> TrialSpec:
    """The spec of trials, with overrides."""
    in_range("jobs", jobs, 1, 10_000)
    plan = load_trial_spec(spec)
    return plan if jobs is None else replace(plan, jobs=jobs)


def make_trials(
    plan: TrialSpec,
    spec: Path,
    out: str | Path | None,
    *,
    on_run: Callable[[ArmRun], None] | None = None,
) -> Trials:
    """Make the missing runs, in the named folder or in one next to the spec."""
    folder = spec.with_suffix("") if out is None else Path(out)
    return run_trials(plan, folder, on_run=on_run)


def export(
    *logs: str | Path, out: str | Path, task: str | None = None, texts: bool = True
) -> Exported:
    r"""Write logs in the form of Every Eval Ever.

    Each run becomes two files: `OUT/data/TASK/DEVELOPER/MODEL/UUID.json` describes it, and
    `UUID_samples.jsonl` has a line for each sample and metric. `compare` reads them like the log.
    A run has the same UUID each time, and nothing is overwritten.

    Args:
        *logs: logs of an evaluation harness, or folders of logs.
        out: the folder of the datastore.
        task: write only runs of this task.
        texts: False leaves out questions, responses and targets.

    Example:
        >>> import assay, json, pathlib
        >>> log = [{"spec": {"eval_name": "facts", "run_config": {}, "completion_fns": ["m"]}}]
        >>> for n in range(4):  # a log of OpenAI evals
        ...     right = {"correct": n > 0}
        ...     log.append({"sample_id": f"facts.dev.{n}", "type": "match", "data": right})
        >>> log.append({"final_report": {"accuracy": 0.75}})
        >>> _ = pathlib.Path("facts.jsonl").write_text("\n".join(map(json.dumps, log)))
        >>> print(assay.export("facts.jsonl", out="datastore"))
        Wrote 1 run.
        OpenAI evals, facts, m: 4 samples

    """
    if not logs:
        raise SpecError("no logs: export() takes one or several")
    runs = []
    for path in map(Path, logs):
        found = read_log(path, texts=texts)
        if not found:
            raise SpecError(
                f"{path}: not a harness's log, or none inside",
                hint=f"Known formats: {', '.join(known.name for known in FORMATS)}.",
            )
        runs += found
    chosen = [run for run in runs if task in (None, run.task)]
    if not chosen:
        known = some(list(dict.fromkeys(run.task for run in runs)))
        raise SpecError(f"no run of a task {task!r:.60}; there are {known}")
    return Exported(runs=tuple(export_runs(chosen, Path(out))))
