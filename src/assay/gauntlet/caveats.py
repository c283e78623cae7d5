"""What a reader of a scorecard must know, as coded data.

The codes are documented in docs/reference/caveats.md, which is made from this module.
"""

from collections.abc import Mapping, Sequence

from assay.benchmark.benchmark import Benchmark
from assay.gauntlet.part import Part
from assay.gauntlet.result import Caveat
from assay.gauntlet.spec import BarSet
from assay.runs.result import Run
from assay.sandbox.levels import Level

SMALL = 30

CODES: Mapping[str, str] = {
    "incomplete-run": "The run stopped before every item was asked.",
    "unscored": "Items without an output are left out of the estimates and block a verdict.",
    "constant-scores": "The method gave every record the same answer.",
    "reversed": "The method ranks the wrong way round; is its score, or the label, reversed?",
    "same-ranking": "The method ranks every record exactly as a surface control does.",
    "unfit": "Beside the surface the records leave too little to tell this method by.",
    "idle-control": "A surface control is the same for every record, so beating it means nothing.",
    "small-n": f"Some estimate rests on fewer than {SMALL} records.",
    "grouped-by-question": "No group was named, so records with the same question form a group.",
    "repeated-questions": "Questions repeat and nothing groups them; name what does: --group.",
    "empty-responses": "Some responses are empty.",
    "wide-interval": "Clean here means that nothing was shown: more records might show something.",
    "one-source": "The records have no sources, or one, so nothing was asked within sources.",
    "surface-unchecked": "These bars do not hold all surface features equal, so the surface may"
    " have earned this: judge by v4 (`plain-2` for files without classes) too.",
    "too-few": "There are too few records for a surface model.",
    "other-second-corpus": "The second corpus is not the one that the bars name.",
    "unsealed": "No prediction was sealed before this run, so it shows nothing about foresight.",
    "unwitnessed": "No commit held the seal before the run began: its order rests on our word.",
    "unsealed-code": "The method loaded code that its seal does not name.",
    "resumed": "The run was cut off and taken up again; what had been made was kept.",
    "time-unproven": "When this was sealed rests on a clock that anyone can set; only the order"
    " of seal and run is shown.",
    "not-isolated": "The method ran in a process of its own that could still read files.",
    "trusted-code": "The method ran in Assay's own process and could have read the labels.",
    "learner": "The method learnt from other folds' labels, and could have carried some over.",
    "environment-passed": "Variables of the environment were passed to the method.",
    "method-printed": "The method wrote to its standard output or error.",
}
"""Every code, and what it warns of; the weightiest first."""


def caveats_of(
    run: Run, benchmark: Benchmark, bars: BarSet, parts: Sequence[Part], unscored: int
) -> tuple[Caveat, ...]:
    """Everything to be said about a run judged this way, in the order of the codes."""
    told = {
        **_about_the_run(run, unscored),
        **_about_the_numbers(run, parts),
        **_about_the_data(benchmark, bars),
        **_about_the_bars(bars, parts),
    }
    return tuple(
        Caveat(code=code, message=f"{about} {told[code]}".rstrip())
        for code, about in CODES.items()
        if code in told
    )


def _about_the_run(run: Run, unscored: int) -> dict[str, str]:
    told = _about_the_seal(run)
    if not run.complete:
        told["incomplete-run"] = ""
    if unscored:
        kinds = sorted({record.error.kind for record in run.records if record.error is not None})
        told["unscored"] = f"{unscored} of them" + (f": {', '.join(kinds)}." if kinds else ".")
    told["trusted-code" if run.isolation is Level.TRUSTED else "not-isolated"] = ""
    if run.folds is not None:
        told["learner"] = ""
    if run.environment:
        told["environment-passed"] = f"{', '.join(run.environment)}."
    if run.printed:
        told["method-printed"] = f"{run.printed:,} bytes."
    return told


def _about_the_seal(run: Run) -> dict[str, str]:
    seal = run.provenance
    if seal is None:
        return {"unsealed": ""}
    told = {"time-unproven": ""}
    if seal.witness is None:
        told["unwitnessed"] = ""
    if seal.unsealed_code:
        told["unsealed-code"] = f"{', '.join(seal.unsealed_code)}."
    if seal.resumed:
        told["resumed"] = "" if seal.resumed == 1 else f"{seal.resumed} times."
    return told


def _about_the_numbers(run: Run, parts: Sequence[Part]) -> dict[str, str]:
    told: dict[str, str] = {}
    answers = {repr(record.output) for record in run.records if record.error is None}
    if len(answers) == 1 and len(run.records) > 1:
        told["constant-scores"] = ""
    plain = [part for part in parts if part.bar.metric == "auc" and part.bar.minus is None]
    if plain and all(part.estimate.high < 0.5 for part in plain):
        told["reversed"] = ""
    same = dict.fromkeys(part.bar.id for part in parts if part.same_ranking)
    if same and "constant-scores" not in told:
        told["same-ranking"] = f"See {', '.join(same)}."
    unfit = dict.fromkeys(part.bar.id for part in parts if part.unfit)
    if unfit:
        told["unfit"] = f"See {', '.join(unfit)}."
    idle = dict.fromkeys(part.bar.id for part in parts if part.idle_control)
    if idle:
        told["idle-control"] = f"See {', '.join(idle)}."
    if any(part.estimate.n < SMALL for part in parts):
        told["small-n"] = ""
    return told


def _about_the_bars(bars: BarSet, parts: Sequence[Part]) -> dict[str, str]:
    told: dict[str, str] = {}
    judged = {part.bar.id for part in parts}
    if any(bar.within is not None and bar.id not in judged for bar in bars.bars):
        told["one-source"] = ""
    single = bars.task == "detection" and not any(bar.beyond for bar in bars.bars)
    if single and all(part.bounds.lower(0.05) >= part.bar.at_least for part in parts):
        told["surface-unchecked"] = ""
    return told


def _about_the_data(benchmark: Benchmark, bars: BarSet) -> dict[str, str]:
    told: dict[str, str] = {}
    if benchmark.grouping == "question":
        told["grouped-by-question"] = ""
    elif not benchmark.grouped and benchmark.repeated_questions:
        told["repeated-questions"] = f"{benchmark.repeated_questions} records do."
    empty = sum(item.response is not None and not item.response.strip() for item in benchmark.items)
    if empty:
        told["empty-responses"] = f"{empty} of them."
    if benchmark.second is not None and bars.second not in (None, benchmark.second.name):
        told["other-second-corpus"] = f"{benchmark.second.name} for {bars.second}."
    return told
