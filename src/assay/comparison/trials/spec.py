"""The plan of paired trials: the system, the artifact, the instances.

docs/how-to/prove-a-skill.md shows every key. Dimensions and policies are as in
`assay.comparison.spec`; a crashed run counts as a failed one unless the policy says otherwise.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from assay.bounds import MAX_FILE_BYTES
from assay.comparison.spec import Dimensions, dimensions_table, parse_toml
from assay.digests import digest
from assay.errors import SpecError, storage
from assay.files import read_bounded, read_spec, stays_inside
from assay.sandbox.job import check_places
from assay.tables.rows import rows_of

Arm = Literal["baseline", "candidate"]
ARMS: tuple[Arm, Arm] = ("baseline", "candidate")
NAMES = ("instance", "trial", "seed", "out", "item", "artifact")
_HINT = "`assay trials --init` writes one to fill in, with a comment for each key."
_LONGEST = 7 * 24 * 3600.0
_MOST_RUNS = 1_000_000
_MOST_BUDGET = 1e15


class TrialSystem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The system: a command, run in a fresh copy of a folder."""

    command: tuple[str, ...] = ()
    folder: str | None = None
    environment: tuple[str, ...] = ()
    seconds: float = 600.0


class Artifact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The artifact, where the candidate finds it, and how to check that it was loaded."""

    path: str
    into: str | None = None
    probe: tuple[str, ...] = ()


class ArmPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The command or arguments of one arm."""

    command: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


class Score(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the scores are, and the command of a separate scorer."""

    command: tuple[str, ...] = ()
    file: str = "eval.json"


class Budget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits of the trials; no run starts beyond them."""

    runs: int | None = None
    minutes: float | None = None
    money: float | None = None
    cost: str = "cost_usd"


class Stop(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether to stop on a verdict."""

    sequential: bool = True


class _TrialsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    instances: str | tuple[str, ...]
    artifact: Artifact
    trials: int = 1
    seed: int = 0
    jobs: int = 1
    system: TrialSystem = TrialSystem()
    baseline: ArmPlan = ArmPlan()
    candidate: ArmPlan = ArmPlan()
    score: Score = Score()
    budget: Budget = Budget()
    stop: Stop = Stop()
    harness: dict[str, str] = {}
    dimensions: dict[str, Any] = {}
    policy: dict[str, Any] = {}


class TrialSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A spec with its files resolved; `items` are the instances' objects by name.

    Paths are relative to `home`. `digest` covers what determines the runs, but not the budget, so
    trials can resume with a larger one.
    """

    home: Path
    digest: str
    items: Mapping[str, Mapping[str, Any]]
    trials: int
    seed: int
    jobs: int
    system: TrialSystem
    artifact: Artifact
    arms: Mapping[Arm, ArmPlan]
    score: Score
    budget: Budget
    sequential: bool
    harness: Mapping[str, str]
    dimensions: Dimensions | None
    policies: Mapping[str, Any]

    def command(self, arm: Arm) -> tuple[str, ...]:
        """The words of an arm's command."""
        own = self.arms[arm]
        return (own.command or self.system.command) + own.arguments

    @property
    def folder(self) -> Path | None:
        """The system's folder."""
        return None if self.system.folder is None else self.home / self.system.folder

    @property
    def scorer(self) -> str | None:
        """One digest over the files of the scorer and the probe in the spec's folder."""
        lines = []
        for word in (*self.score.command, *self.artifact.probe):
            path = Path(word.replace("{home}", str(self.home)))
            with storage(path):
                if "{home}" in word and path.is_file():
                    lines.append(f"{digest(path.read_bytes())}  {word}\n")
        return digest("".join(lines).encode()) if lines else None

    @property
    def artifact_path(self) -> Path:
        """Where the artifact is."""
        return self.home / self.artifact.path


def load_trial_spec(spec: str | Path | Mapping[str, Any]) -> TrialSpec:
    """A spec file, or a dictionary of its keys, every part checked."""
    text = read_spec(spec, verb="trials")
    where, home = text.where, text.home
    written = parse_toml(text.data, _TrialsFile, where=where, hint=_HINT)
    _check(written, where)
    items, read = _instances(written.instances, home, where)
    policy = {"crashed": "fail", **written.policy}
    named = written.dimensions
    plan = TrialSpec(
        home=home,
        digest=_plan_digest(written, read),
        items=items,
        trials=written.trials,
        seed=written.seed,
        jobs=written.jobs,
        system=written.system,
        artifact=written.artifact,
        arms={"baseline": written.baseline, "candidate": written.candidate},
        score=written.score,
        budget=written.budget,
        sequential=written.stop.sequential,
        harness=written.harness,
        dimensions=dimensions_table(named, policy, where=where) if named else None,
        policies=_policies(policy, where),
    )
    _check_commands(plan, where)
    return plan


def _plan_digest(written: _TrialsFile, instances: bytes) -> str:
    """Digest the plan without parallelism and budget."""
    plan = msgspec.structs.replace(written, budget=Budget(), jobs=1)
    return digest(msgspec.json.encode(plan, order="deterministic") + instances)


def _policies(policy: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """The policies alone, for trials without declared dimensions."""
    policies = msgspec.structs.asdict(dimensions_table({"any": {}}, policy, where=where))
    del policies["dimensions"]
    return policies


def _check(written: _TrialsFile, where: str) -> None:
    for name in ("trials", "jobs"):
        if not 1 <= getattr(written, name) <= 10_000:
            raise SpecError(f"{where}: {name} = {getattr(written, name)}, expected 1 to 10,000")
    if not 0.0 < written.system.seconds <= _LONGEST:
        raise SpecError(f"{where}: system.seconds = {written.system.seconds:g}, expected over 0")
    budget = written.budget
    for name in ("runs", "minutes", "money"):
        value = getattr(budget, name)
        if value is not None and not 0 < value <= _MOST_BUDGET:
            raise SpecError(f"{where}: budget.{name} = {value!r:.40}, expected a number over 0")
    inside = {"artifact.into": written.artifact.into, "score.file": written.score.file}
    for name, inner in inside.items():
        if inner is not None and not stays_inside(inner):
            raise SpecError(f"{where}: {name} = {inner!r}, expected a path inside the folder")
    if written.artifact.into is not None and written.system.folder is None:
        raise SpecError(
            f"{where}: artifact.into needs system.folder: the artifact goes into its copy"
        )


def _is_plain(name: str) -> bool:
    """Whether a name is not empty, and can be a word of a command."""
    return name != "" and "\0" not in name


def _instances(
    written: str | Sequence[str], home: Path, where: str
) -> tuple[dict[str, Mapping[str, Any]], bytes]:
    if not isinstance(written, str):
        instances: dict[str, Mapping[str, Any]] = {name: {"instance": name} for name in written}
        if len(instances) < len(written) or not instances or not all(map(_is_plain, instances)):
            raise SpecError(f"{where}: instances: expected names, each once")
        return instances, b""
    path = home / written
    if not path.exists():
        raise SpecError(
            f"{where}: instances: there is no file {written!r:.200}",
            hint="The path is relative to the folder of the spec.",
        )
    data = read_bounded(path, MAX_FILE_BYTES)
    instances = {}
    for here, row in rows_of(path, data):
        name = row.get("instance", row.get("id"))
        if not isinstance(name, (str, int)) or isinstance(name, bool) or not _is_plain(str(name)):
            raise SpecError(f"{here}: no `instance` or `id` names it")
        if str(name) in instances:
            raise SpecError(f"{here}: instance {name!r:.60} is listed twice")
        instances[str(name)] = row
    if not instances:
        raise SpecError(f"{path}: no instances")
    return instances, data


def _check_commands(spec: TrialSpec, where: str) -> None:
    if 2 * len(spec.items) * spec.trials > _MOST_RUNS:
        raise SpecError(f"{where}: more than {_MOST_RUNS:,} runs")
    for arm in ARMS:
        words = spec.command(arm)
        if not words:
            raise SpecError(
                f"{where}: the {arm} has no command", hint="Add [system] command = [...]."
            )
        check_places(words, f"{where}: the {arm}'s command", allowed=NAMES)
        if arm == "baseline" and any("{artifact}" in word for word in words):
            raise SpecError(
                f"{where}: the baseline's command names {{artifact}}, which it must not have",
                hint='Give it to the candidate: [candidate] arguments = ["--skill", "{artifact}"].',
            )
    judging = {"score.command": spec.score.command, "artifact.probe": spec.artifact.probe}
    for name, words in judging.items():
        check_places(words, f"{where}: {name}", allowed=("out", "item", "instance", "home"))
    takes = any("{artifact}" in word for word in spec.command("candidate"))
    own = spec.command("candidate") != spec.command("baseline")
    if spec.artifact.into is None and not takes and not own:
        raise SpecError(
            f"{where}: the candidate does not get the artifact",
            hint='Name its place: artifact.into; or: [candidate] arguments = ["{artifact}"].',
        )
    if spec.artifact.into is None and not takes and not spec.artifact.probe:
        raise SpecError(
            f"{where}: nothing shows that the candidate loads the artifact",
            hint="Let Assay place it (artifact.into, {artifact}), or ask: artifact.probe = [...].",
        )
