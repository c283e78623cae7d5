"""The preconditions of a dual-condition result, each with its evidence.

One that does not hold blocks the row.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from assay.digests import manifest_digest, short
from assay.dual_condition.answered import AnsweredEvidence, shown_answers
from assay.dual_condition.evidence import DualEvidence, DualRun, LayerEvidence
from assay.dual_condition.result import Precondition
from assay.wording import counted, percent

Finding = tuple[bool, str]
_SHOWN = 3
_FORM_GAP = 0.05
"""How far conditions may differ in answers that only hold their targets: a gap of memory."""
_FEW_ITEMS = 3.0


def check_preconditions(evidence: DualEvidence) -> dict[str, Precondition]:
    """Every precondition, in the order in which they matter."""
    checked = {}
    for name, check in CHECKS.items():
        unchecked = name in OF_RUNS and not evidence.runs
        holds, shown = (False, NOT_CHECKED) if unchecked else check(evidence)
        checked[name] = Precondition(holds=holds, evidence=shown)
    return checked


def reasons_of(checked: Mapping[str, Precondition]) -> tuple[str, ...]:
    """Why a row is blocked: the failed preconditions, without mere consequences of others."""
    broken = {
        name: precondition.evidence
        for name, precondition in checked.items()
        if not precondition.holds and precondition.evidence != NOT_CHECKED
    }
    causes = {name: reason for name, reason in broken.items() if name not in _FOLLOWS}
    if not causes and "runs_completed" in broken:
        causes = {"runs_completed": broken["runs_completed"]}
    return tuple(f"{name}: {reason}" for name, reason in (causes or broken).items())


def shows_a_leak(run: DualRun, layers: Mapping[str, LayerEvidence]) -> bool:
    """Whether a single run already blocks the row, so that more runs would be wasted."""
    lost = run.condition == "A" and not all(
        set(run.opened) & set(layer.files) for layer in layers.values()
    )
    reached = run.undeclared or run.outside or run.production
    return bool(reached or lost or run.unscored or not run.all_noted)


def _isolation(at: DualEvidence) -> Finding:
    state = at.state
    routes = {
        "parameter": "each run was given a copy of the state by parameter",
        "environment": "each run was given a copy of the state by its environment",
        "namespace": "each run saw a copy of the state at production's own path",
        "in-place": "each run had a copy in the place of production, which was put back",
    }
    view = "in a private view, read-only but for its own folder" if state.private else "observed"
    if not all(run.all_noted for run in at.runs):
        return False, "not every file that the runs opened could be noted"
    reached = sorted({path for run in at.runs for path in run.production})
    if reached:
        return False, f"runs opened production past their copy: {_some(reached)}"
    return state.canary_caught, f"{routes[state.route]}, {view}; {state.canary}"


def _declared(at: DualEvidence) -> Finding:
    left = at.state.undeclared
    if left:
        message = f"{_some(left)} of the state belong to no layer, so B would lack or keep them"
        return False, f"{message} unsaid; name them in a layer, or in state.fixed"
    empty = [name for name, layer in at.state.layers.items() if not layer.files]
    if empty:
        return False, f"production has no file of layer {empty[0]}, so it has nothing to add"
    owned = {name for layer in at.state.layers.values() for name in layer.files}
    counts = f"{counted(len(owned), 'file')} in {counted(len(at.state.layers), 'layer')}"
    fixed = [entry.path for entry in at.state.manifests.get("A", ()) if entry.path not in owned]
    return True, counts + (f"; in every condition alike: {_some(fixed)}" if fixed else "")


def _begins(at: DualEvidence, condition: str, expected: str, what: str) -> Finding:
    runs = at.of(condition)
    listed = manifest_digest(tuple(at.state.manifests.get(condition, ())))
    other = [run.seed for run in runs if run.before != expected]
    if other or listed != expected:
        return False, f"{condition} began otherwise than {what} at seeds {_some(other)}"
    return True, f"{counted(len(runs), 'run')} began with {short(expected)}, {what}"


def _none_in_b(at: DualEvidence) -> Finding:
    """B has only bytes of production that the initial state has too."""
    before = {entry.path: entry.digest for entry in at.state.manifests.get("A", ())}
    owned = {name for layer in at.state.layers.values() for name in layer.files}
    if manifest_digest(tuple(at.state.manifests.get("B", ()))) != at.state.initial:
        return False, "B's manifest is not that of the declared initial state"
    shared = [
        entry.path
        for entry in at.state.manifests.get("B", ())
        if entry.path in owned and before.get(entry.path) == entry.digest
    ]
    if len(shared) == len(owned):
        return False, "production is what it was at the beginning: there is no state to leave out"
    kept = f"; {_some(shared)} never changed since the beginning" if shared else ""
    return True, f"{len(owned) - len(shared)} of {len(owned)} files of layers are not in B{kept}"


def _same_items(at: DualEvidence) -> Finding:
    for seed in at.seeds:
        seen = {run.items for run in at.runs if run.seed == seed}
        if seen and seen != {at.inputs.items[str(seed)]}:
            return False, f"conditions were given different items at seed {seed}"
    count = len(at.items.id)
    return True, f"the same {counted(count, 'item')} in all conditions, by digest, at each seed"


def _same_seeds(at: DualEvidence) -> Finding:
    for condition in at.conditions:
        seeds = sorted(run.seed for run in at.of(condition))
        if seeds != sorted(at.seeds):
            missing = sorted(set(at.seeds) - set(seeds))
            return False, f"{condition} was not run at seeds {_some(missing)}"
    return True, f"{counted(len(at.seeds), 'seed')} in each of {_some(at.conditions, most=99)}"


def _opened_in_a(at: DualEvidence) -> Finding:
    runs, hit_counts = at.of("A"), []
    if not runs:
        return False, NOT_CHECKED
    for name, layer in at.state.layers.items():
        hits = sum(bool(set(run.opened) & set(layer.files)) for run in runs)
        if hits < len(runs):
            where = "never opened" if not hits else f"opened in only {hits} of {len(runs)} runs"
            message = f"layer {name} was {where} in A, so leaving it out changes nothing"
            return False, f"{message}: does something else tell the conditions apart?"
        hit_counts.append(f"{name} in {hits} of {len(runs)}")
    return True, f"opened in A: {', '.join(hit_counts)}"


def _no_writes(at: DualEvidence) -> Finding:
    paths = sorted({path for run in at.runs for path in run.outside})
    if paths:
        where = next(run.condition for run in at.runs if run.outside)
        return False, f"{where} wrote, or tried to, outside its folder: {_some(paths)}"
    return True, f"none in {counted(len(at.runs), 'run')}"


def _no_reads(at: DualEvidence) -> Finding:
    paths = sorted({path for run in at.runs for path in run.undeclared})
    if paths:
        if any(path.endswith(f"/{at.inputs.benchmark}") for path in paths):
            message = f"the system read {at.inputs.benchmark}, the benchmark with its labels"
            return False, f"{message}; it gets what it needs in {{items}}"
        message = f"the system read {_some(paths)}, which is neither its state nor declared"
        return False, f"{message}; make it a layer, or name it in system.reads if it never changes"
    return True, f"none in {counted(len(at.runs), 'run')}"


def _production(at: DualEvidence) -> Finding:
    before, now = short(at.state.snapshot), short(at.state.after)
    if at.state.after != at.state.snapshot:
        return False, f"production was {before} before and is {now} now"
    return True, f"{now} before and after"


def _code(at: DualEvidence) -> Finding:
    if at.code.changed:
        return False, f"{_some(at.code.changed)} changed while the runs were made"
    return True, f"{counted(len(at.code.files), 'file')} of code, the same before and after"


def _scored(at: DualEvidence) -> Finding:
    for run in at.runs:
        if run.unscored:
            message = f"{run.unscored} of {len(at.items.id)} items have no score"
            return False, f"{run.condition}, seed {run.seed}: {message}"
    return True, f"{counted(len(at.items.id), 'item')} in each of {counted(len(at.runs), 'run')}"


def _comparable(at: DualEvidence) -> Finding:
    """Answers are right or wrong by what they say, not by how they are written."""
    if not isinstance(at, AnsweredEvidence):
        return True, "items are scored, not answered"
    right, holding, each = Counter[str](), Counter[str](), Counter[str]()
    for run in at.runs:
        scores = at.scores[run.condition][str(run.seed)]
        right[run.condition] += sum(score == 1.0 for score in scores)
        holding[run.condition] += at.answers[run.condition][str(run.seed)].holding
        each[run.condition] += len(scores)
    if not right.total():
        wrong = f"none of {counted(each.total(), 'answer')} equals its target: {_examples(at)}"
        return False, wrong
    for name in each:
        if holding[name] > right[name]:
            counts = f"{right[name]} of {each[name]} answers of {name} equal their targets and"
            return False, f"{counts} {holding[name]} others hold them: {_examples(at, name)}"
    shares = {name: holding[name] / each[name] for name in each}
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    gap = shares[most] - shares[least]
    if gap > _FORM_GAP and gap * len(at.items.id) >= _FEW_ITEMS:
        message = (
            f"{percent(shares[most])} of the answers of {most} hold their targets without equalling"
            f" them, and {percent(shares[least])} of {least}"
        )
        return (
            False,
            f"{message}, so what is compared is how they are written: {_examples(at, most)}",
        )
    return True, f"{right.total()} of {counted(each.total(), 'answer')} equal their targets"


def _examples(at: AnsweredEvidence, *conditions: str) -> str:
    """Some wrong answers beside their targets, and what to do about them."""
    names = conditions or tuple(at.answers)
    forms = [form for name in names for form in at.answers.get(name, {}).values()]
    listed = ", ".join(each.said for each in shown_answers(forms))
    return f"{listed}; let the system write the answer alone, in the form of the target"


def _completed(at: DualEvidence) -> Finding:
    if at.failed is not None:
        return False, at.failed
    planned = len(at.seeds) * len(at.conditions)
    return len(at.runs) == planned, f"{counted(len(at.runs), 'run')} of {planned}"


CHECKS: Mapping[str, Callable[[DualEvidence], Finding]] = {
    "state_declared": _declared,
    "runs_completed": _completed,
    "isolation": _isolation,
    "a_is_snapshot": lambda at: _begins(at, "A", at.state.snapshot, "the snapshot of production"),
    "b_is_initial": lambda at: _begins(at, "B", at.state.initial, "the declared initial state"),
    "no_layer_in_b": _none_in_b,
    "same_items": _same_items,
    "same_seeds": _same_seeds,
    "layers_opened_in_a": _opened_in_a,
    "no_writes_outside": _no_writes,
    "nothing_undeclared_read": _no_reads,
    "production_unchanged": _production,
    "code_unchanged": _code,
    "every_item_scored": _scored,
    "answers_comparable": _comparable,
}
"""Every precondition by name."""
NOT_CHECKED = "not checked: no run was made"
OF_RUNS = frozenset(CHECKS) - {"state_declared", "runs_completed", "production_unchanged"}
"""The preconditions that need runs."""
_FOLLOWS = frozenset({"runs_completed", "same_seeds"})
"""The preconditions that fail if runs are missing, which usually has its own reason."""


def _some(names: Sequence[object], *, most: int = _SHOWN) -> str:
    listed = ", ".join(str(name) for name in names[:most])
    return listed + (f" and {len(names) - most} more" if len(names) > most else "")
