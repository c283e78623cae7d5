"""The caveats of a scorecard."""

from collections.abc import Sequence

from assay.benchmark.benchmark import CHANGES, Benchmark
from assay.caveats import Caveat, Caveats, Codes
from assay.gauntlet.metrics.metric import Part
from assay.gauntlet.metrics.table import metric_of
from assay.gauntlet.spec import BarSet
from assay.runs.given_scores import how_given
from assay.runs.result import PROBED, Run
from assay.sandbox.levels import Level

SMALL = 30

CODES: Codes = {
    "incomplete-run": "The run stopped before every item was asked.",
    "unscored": "Items without an output are left out of the estimates and block a verdict.",
    "constant-scores": "The method gave every record the same answer.",
    "reversed": "The method ranks the wrong way round; is its score, or the label, reversed?",
    "same-ranking": "The method ranks every record exactly as a surface control does.",
    "unfit": "The surface predicts so much of the label that these records cannot measure this"
    " method.",
    "words-not-ruled-out": "Words explain most of what this method reaches beyond the declared"
    ' features; a bar with `beyond = "lexical"` holds them equal too.',
    "idle-control": "A surface control is the same for every record, so beating it means nothing.",
    **CHANGES,
    "small-n": f"An estimate rests on fewer than {SMALL} records.",
    "grouped-by-question": "No group was named, so records with the same question form a group.",
    "repeated-questions": "Questions repeat, but no column groups them: name one with --group.",
    "empty-responses": "Some responses are empty.",
    "one-source": "The records have no sources, or only one, so the AUC within sources was not"
    " judged.",
    "surface-unchecked": "These bars do not hold all surface features equal, so the surface may"
    " explain this pass: judge by v4 too (without classes: `plain-2`).",
    "other-second-corpus": "The second corpus is not the one that the bars name.",
    "unsealed": "No prediction was sealed before this run, so it shows nothing about foresight.",
    "unwitnessed": "No commit held the seal before the run began, so their order is not shown.",
    "seed-by-author": "The outputs depend on the seed, which comes from the seal, and its author"
    " can seal again: judged on the mean over several seeds.",
    "seed-unprobed": "The run has one seed, which its author can choose by sealing again; too few"
    " items, or none, were probed for dependence on it.",
    "outside-seed": "The seed comes from an outside value that the seal names: compare it there.",
    "unsealed-code": "The method loaded code that its seal does not name.",
    "unsealed-files": "The method opened files, or reached other processes, that its seal does not"
    " name.",
    "unobserved": "The kernel did not report every file that the method opened, so it is not shown"
    " that only sealed code ran.",
    "resumed": "The run was interrupted and resumed; earlier outputs were kept.",
    "time-unproven": "When this was sealed rests on a clock that anyone can set; only the order"
    " of seal and run is shown.",
    "time-attested": "An authority that the study's author chose attests by when this was sealed;"
    " compare its fingerprint with the published one.",
    "not-isolated": "The method ran in a process of its own that could still read files.",
    "trusted-code": "The method ran in Assay's own process and could have read the labels.",
    "read-from-log": "The scores were read from a harness's log: it is unknown what the method"
    " could read when it made them.",
    "scores-given": "The scores were given: no run was observed, so it is unknown what made them,"
    " and from what.",
    "learner": "The method learnt from other folds' labels, and could have carried some over.",
    "batched": "The method was asked about several items at once, so an output may depend on the"
    " other items of its batch.",
    "environment-passed": "Environment variables were passed to the method.",
    "method-printed": "The method wrote to its standard output or error.",
}
OF_THE_RUN: Codes = {
    code: CODES[code]
    for code in (
        *("incomplete-run", "unscored", "unsealed", "unwitnessed", "seed-by-author"),
        *("seed-unprobed", "outside-seed", "unsealed-code", "unsealed-files", "unobserved"),
        *("resumed", "time-unproven", "time-attested", "not-isolated", "trusted-code", "learner"),
        *("batched", "read-from-log", "environment-passed", "method-printed"),
        "scores-given",
    )
}
"""The codes that depend only on the run and its seal, not on bars and data."""
_OTHERS: Codes = {code: text for code, text in CODES.items() if code not in OF_THE_RUN}
_ISOLATION = {
    Level.TRUSTED: "trusted-code",
    Level.L1: "not-isolated",
    Level.ELSEWHERE: "read-from-log",
}
NEWER = frozenset({"seed-unprobed"})
"""Codes that older scorecards of this version do not know."""
_EARLIER_WORDS = {
    "unwitnessed": "No commit held the seal before the run began: its order rests on our word.",
    "seed-by-author": "The outputs hang on the seed, which comes from the seal, and its author can"
    " seal again: judged on the mean over several seeds.",
    "unobserved": "What the method opened was not observed, or not all of it, so that it ran what"
    " was sealed rests on its word.",
    "resumed": "The run was cut off and taken up again; what had been made was kept.",
    "unfit": "Beside the surface the records leave too little to tell this method by.",
    "repeated-questions": "Questions repeat and nothing groups them; name what does: --group.",
    "one-source": "The records have no sources, or one, so nothing was asked within sources.",
    "surface-unchecked": "These bars do not hold all surface features equal, so the surface may"
    " have earned this: judge by v4 (`plain-2` for files without classes) too.",
    "seed-unprobed": "The run has one seed, which comes from the seal, and its author can seal"
    " again; whether the outputs depend on it was not probed, or on too few items.",
    "time-attested": "By when this was sealed rests on a time-stamping authority that the study's"
    " author chose; compare its fingerprint with the one that the authority publishes.",
    "outside-seed": "The seed comes from a value outside, which the seal names: compare it there.",
    "small-n": f"Some estimate rests on fewer than {SMALL} records.",
    "read-from-log": "The scores were read from a harness's log: what the method could read when it"
    " made them is not known.",
    "environment-passed": "Variables of the environment were passed to the method.",
}
"""The texts of codes in older scorecards of this version."""


def caveats_of(
    run: Run, benchmark: Benchmark, bars: BarSet, parts: Sequence[Part], unscored: int
) -> tuple[Caveat, ...]:
    """The caveats of a run judged by these bars, the most serious first."""
    of_the_run, others = Caveats(OF_THE_RUN), Caveats(_OTHERS)
    _note_the_seal(run, of_the_run)
    _note_the_run(run, unscored, of_the_run)
    _note_the_numbers(run, parts, others)
    _note_the_data(benchmark, bars, others)
    _note_the_bars(bars, parts, others)
    weight = list(CODES).index
    both = (*of_the_run.by_weight(), *others.by_weight())
    return tuple(sorted(both, key=lambda caveat: weight(caveat.code)))


def in_present_words(caveat: Caveat) -> Caveat:
    """A stored caveat in its present wording, if it has the wording of an older scorecard."""
    earlier = _EARLIER_WORDS.get(caveat.code)
    if earlier is None or not caveat.message.startswith(earlier):
        return caveat
    detail = caveat.message.removeprefix(earlier)
    return Caveat(code=caveat.code, message=CODES[caveat.code] + detail)


def _note_the_run(run: Run, unscored: int, caveats: Caveats) -> None:
    if not run.complete:
        caveats.add("incomplete-run")
    if unscored:
        caveats.add("unscored", f"{unscored} of them{_why_unscored(run, unscored)}.")
    read_as = how_given(run)
    if read_as is None:
        caveats.add(_ISOLATION[run.isolation])
    else:
        caveats.add("scores-given", "" if read_as == "given" else f"{read_as}.")
    if run.folds is not None:
        caveats.add("learner")
    if run.batch is not None and run.batch > 1:
        caveats.add("batched", f"{run.batch} at a time.")
    if run.environment:
        caveats.add("environment-passed", f"{', '.join(run.environment)}.")
    if run.printed:
        caveats.add("method-printed", f"{run.printed:,} bytes.")


def _why_unscored(run: Run, unscored: int) -> str:
    """The kinds of failures; of a run that stopped, apart from the items it never asked."""
    failed = [record for record in run.records if record.error is not None]
    kinds = ", ".join(sorted({record.error.kind for record in failed if record.error is not None}))
    said = f": {kinds}" if kinds else ""
    never_asked = unscored - len({record.item for record in failed})
    if run.complete or never_asked <= 0:
        return said
    first = f": {len(failed):,} failed ({kinds}), " if kinds else ": "
    return f"{first}{never_asked:,} {'was' if never_asked == 1 else 'were'} never asked"


def _note_the_seal(run: Run, caveats: Caveats) -> None:
    seal = run.provenance
    if seal is None:
        caveats.add("unsealed")
        return
    if seal.attested is None:
        caveats.add("time-unproven")
    else:
        name, authority = seal.attested.name, seal.attested.authority
        caveats.add("time-attested", f"{seal.attested.time}, {name}, SHA-256 {authority}.")
    if seal.witness is None:
        caveats.add("unwitnessed")
    if seal.outside is not None:
        caveats.add("outside-seed", f"It is {seal.outside}.")
    if run.seeds > 1:
        caveats.add("seed-by-author", f"{run.seeds} seeds.")
    if not is_probed(run):
        caveats.add("seed-unprobed", f"{run.probed} of {len(run.records)} items.")
    if seal.unsealed_code:
        caveats.add("unsealed-code", f"{', '.join(seal.unsealed_code)}.")
    if seal.unsealed_files:
        caveats.add("unsealed-files", f"{', '.join(seal.unsealed_files)}.")
    if seal.observed is False:
        caveats.add("unobserved")
    if seal.resumed:
        caveats.add("resumed", "" if seal.resumed == 1 else f"{seal.resumed} times.")


def is_probed(run: Run) -> bool:
    """Whether sealing again for another seed could bring a sealed run's author no hidden gain.

    True if the seed came from outside, or there were several, or another seed was tried on enough
    items.
    """
    outside = run.provenance is not None and run.provenance.outside is not None
    return outside or run.seeds > 1 or run.probed >= min(PROBED, len(run.records))


def _note_the_numbers(run: Run, parts: Sequence[Part], caveats: Caveats) -> None:
    answers = {repr(record.output) for record in run.records if record.error is None}
    if len(answers) == 1 and len(run.records) > 1:
        caveats.add("constant-scores")
    by_chance = [(part, metric_of(part.bar).chance) for part in parts]
    ranked = [part.estimate.high < chance for part, chance in by_chance if chance is not None]
    if ranked and all(ranked):
        caveats.add("reversed")
    constant = "constant-scores" in caveats
    for code, marked in (
        ("same-ranking", [part for part in parts if part.same_ranking and not constant]),
        ("unfit", [part for part in parts if part.unfit]),
        ("words-not-ruled-out", [part for part in parts if part.rests_on_words]),
        ("idle-control", [part for part in parts if part.idle_control]),
    ):
        if marked:
            caveats.add(code, f"See {', '.join(dict.fromkeys(part.bar.id for part in marked))}.")
    if any(part.estimate.n < SMALL for part in parts):
        caveats.add("small-n")


def _note_the_bars(bars: BarSet, parts: Sequence[Part], caveats: Caveats) -> None:
    judged = {part.bar.id for part in parts}
    if any(bar.within is not None and bar.id not in judged for bar in bars.bars):
        caveats.add("one-source")
    single = bars.task == "detection" and not any(bar.beyond for bar in bars.bars)
    if single and all(part.bounds.lower(0.05) >= part.bar.at_least for part in parts):
        caveats.add("surface-unchecked")


def _note_the_data(benchmark: Benchmark, bars: BarSet, caveats: Caveats) -> None:
    for code, detail in benchmark.changes.items():
        caveats.add(code, detail)
    if benchmark.grouping == "question":
        caveats.add("grouped-by-question")
    elif not benchmark.grouped and benchmark.repeated_questions:
        caveats.add("repeated-questions", f"{benchmark.repeated_questions} records do.")
    empty = sum(item.response is not None and not item.response.strip() for item in benchmark.items)
    if empty:
        caveats.add("empty-responses", f"{empty} of them.")
    if benchmark.second is not None and bars.second not in (None, benchmark.second.name):
        caveats.add("other-second-corpus", f"{benchmark.second.name} for {bars.second}.")
