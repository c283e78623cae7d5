"""Judge the results of a study again, and find where a stored judgement or grade differs."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from assay.differences import differences
from assay.errors import AssayError, DigestMismatch, IntegrityError, SpecError, storage
from assay.gauntlet.caveats import NEWER, OF_THE_RUN, in_present_words
from assay.gauntlet.judge import score
from assay.gauntlet.load import load_bars
from assay.gauntlet.rejudge import Rejudged
from assay.gauntlet.result import Judgement, Scorecard
from assay.gauntlet.spec import BarSet
from assay.gauntlet.store import KeptScorecard
from assay.runs.result import Run
from assay.study.entries import records_of
from assay.study.records import BarsRecord, StudyRecords, SubmissionRecord
from assay.study.scorecards.store import judge_missing, load_result, load_version, read_judgement
from assay.study.study import StudyFolder


def judge_in_study(study: StudyFolder, folder: Path, bars: str | None) -> Scorecard:
    """A result of a study, under a version of its bars or under bars from outside the study.

    Without `bars`, under the newest version.
    """
    records = records_of(study)
    record = records.submissions.get(folder.resolve().name)
    if record is None or folder.resolve() != study.path(f"runs/{record.id}"):
        raise SpecError(f"{folder} is not a run of the study", hint="Its runs are under runs/.")
    run = load_result(study, record)
    versions = {version.version: version for version in _versions(records, run)}
    if bars is None or bars in versions:
        chosen = load_version(study, versions[bars or list(versions)[-1]])
    else:
        chosen = load_bars(bars, task=run.task)
        _check_own(study, Path(bars), records, chosen)
    return score(run, study.benchmark(second=run.second is not None), chosen)


def _versions(records: StudyRecords, run: Run) -> list[BarsRecord]:
    """The versions under which a run is judged: at least one, or it is not a run of the study."""
    versions = records.versions(run.task)
    if not versions:
        raise IntegrityError(f"a run for {run.task}, but the study has no bars for that task")
    return versions


def _check_own(study: StudyFolder, file: Path, records: StudyRecords, bars: BarSet) -> None:
    """Refuse a bars file of the study that does not match the ledger."""
    with storage(file):
        own = file.resolve().is_relative_to(study.root / "bars")
    if own and bars.digest not in {version.digest for version in records.bars}:
        raise DigestMismatch(
            f"{file} has changed: its digest {bars.digest} is not in the ledger",
            hint=(
                "Bars are never edited. Restore the file, and make the next version: assay"
                " bars revise"
            ),
        )


def judge_study(study: StudyFolder) -> list[Rejudged]:
    """Judge every result of a study under every version; missing judgements are made and entered.

    An unreadable result is named, and the others are judged.
    """
    before = {name: set(record.scores) for name, record in records_of(study).submissions.items()}
    unreadable = {each.submission: each.why for each in judge_missing(study).unreadable}
    records = records_of(study)
    rejudged = []
    for record in records.submissions.values():
        if record.run is None:
            continue
        try:
            judged = None if record.id in unreadable else _rejudged(study, records, record, before)
        except AssayError as error:
            judged, unreadable[record.id] = None, f"{type(error).__name__}: {error.message}"
        if record.id in unreadable:
            judged = _unreadable(record, unreadable[record.id])
        if judged is not None:
            rejudged.append(judged)
    return rejudged


def _unreadable(record: SubmissionRecord, why: str) -> Rejudged:
    return Rejudged(
        run=f"runs/{record.id}",
        method=None,
        earlier=(),
        scorecard=None,
        error=why,
        unreadable=True,
    )


def _rejudged(
    study: StudyFolder,
    records: StudyRecords,
    record: SubmissionRecord,
    before: Mapping[str, Collection[str]],
) -> Rejudged | None:
    """The judgements of a result; None where it is being judged by another process.

    `before` are the versions under which each submission was judged already.
    """
    run = load_result(study, record)
    versions = [version.version for version in _versions(records, run)]
    if not set(versions) <= set(record.scores):
        return None
    *older, newest = (record.scores[version] for version in versions)
    kept = [(entry, read_judgement(study, entry)) for entry in older]
    now = read_judgement(study, newest)
    return Rejudged(
        run=f"runs/{record.id}",
        method=run.method,
        earlier=tuple(
            KeptScorecard(judged=entry.time, scorecard=judgement.scorecard)
            for entry, judgement in kept
            if judgement.scorecard is not None
        ),
        scorecard=now.scorecard,
        error=now.error,
        judged_before=versions[-1] in before.get(record.id, ()),
    )


def record_difference(stored: msgspec.Struct, again: msgspec.Struct) -> str | None:
    """The first difference between two records, in words; None if they are equal."""
    return _difference(msgspec.to_builtins(stored), msgspec.to_builtins(again), "")


class CardDifference(NamedTuple):
    """The first difference between two judgements; `unverifiable` if versions may explain it.

    Another version of Assay may word a caveat differently or have one more. This looks the same as
    a caveat that someone removed or reworded, so it is shown.
    """

    text: str
    unverifiable: bool = False


def card_difference(stored: Judgement, again: Judgement) -> CardDifference | None:
    """The first difference between two judgements, in full.

    Whatever version a scorecard claims, everything except its caveats must agree, and also the
    caveats about the run itself. Otherwise a claimed version would excuse leaving some out.
    """
    if stored.scorecard is None or again.scorecard is None:
        text = record_difference(stored, again)
        kinds = [str(judgement.error).partition(":")[0] for judgement in (stored, again)]
        neither = stored.scorecard is None and again.scorecard is None
        if text is None:
            return None
        return CardDifference(text, unverifiable=neither and kinds[0] == kinds[1])
    text = record_difference(replace(stored, scorecard=None), replace(again, scorecard=None))
    if text is not None:
        return CardDifference(text)
    before, after = _in_present_words(stored.scorecard), again.scorecard
    if _version(before) == _version(after):
        return _difference_in_one_version(before, after)
    return _difference_between_versions(before, after)


def _difference_in_one_version(stored: Scorecard, again: Scorecard) -> CardDifference | None:
    """The first difference; a caveat that older scorecards lack may be missing."""
    had = {caveat.code for caveat in stored.caveats}
    unknown = [each for each in again.caveats if each.code in NEWER and each.code not in had]
    known = replace(again, caveats=tuple(each for each in again.caveats if each not in unknown))
    text = _difference(msgspec.to_builtins(stored), msgspec.to_builtins(known), "scorecard")
    if text is not None:
        return CardDifference(text)
    lacking = _caveats_apart(stored, again) if unknown else None
    return None if lacking is None else CardDifference(lacking, unverifiable=True)


def _difference_between_versions(stored: Scorecard, again: Scorecard) -> CardDifference | None:
    by = f" (it claims to be made by {_version(stored):.60})"
    before, after = _without_caveats(stored), _without_caveats(again)
    text = _difference(before, after, "scorecard")
    if text is not None:
        return CardDifference(text + by)
    old, new = _of_the_run(stored), _of_the_run(again)
    if old != new:
        return CardDifference(f"caveats are {old}, but recompute to {new}{by}")
    text = _caveats_apart(stored, again)
    return None if text is None else CardDifference(text + by, unverifiable=True)


def _in_present_words(card: Scorecard) -> Scorecard:
    return replace(card, caveats=tuple(map(in_present_words, card.caveats)))


def _without_caveats(card: Scorecard) -> object:
    """A scorecard as a record, without its caveats and the version in its signature."""
    head = card.signature.rpartition(" · ")[0]
    return msgspec.to_builtins(replace(card, caveats=(), signature=head))


def _caveats_apart(stored: Scorecard, again: Scorecard) -> str | None:
    """How the caveats of two scorecards differ, in words."""
    if stored.caveats == again.caveats:
        return None
    had, has = ({caveat.code for caveat in card.caveats} for card in (stored, again))
    parts = [f"it lacks {', '.join(sorted(has - had))}"] if has - had else []
    parts += [f"it has additional {', '.join(sorted(had - has))}"] if had - has else []
    return " and ".join(parts) or "its caveats are worded differently"


def _of_the_run(card: Scorecard) -> list[str]:
    """The caveats that depend on the run alone and exist in every version."""
    codes = (caveat.code for caveat in card.caveats)
    return [code for code in codes if code in OF_THE_RUN and code not in NEWER]


def _version(card: Scorecard) -> str:
    return card.signature.rpartition(" · ")[2]


def _difference(stored: object, again: object, where: str) -> str | None:
    """The first difference in words; a missing key equals a null."""
    first = next(differences(stored, again, where, absent=None), None)
    if first is None:
        return None
    before, after = first.left, first.right
    if isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        return f"{first.path} has {len(before)} parts, but recomputes to {len(after)}"
    return f"{first.path} is {before!r:.80}, but recomputes to {after!r:.80}"
