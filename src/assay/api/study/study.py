"""A study: predictions sealed before anything runs, one run each, and a ledger of all events."""

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self, Unpack

import msgspec

from assay.api.arguments import words
from assay.api.boundary import public
from assay.api.columns import ColumnWords, columns_of
from assay.api.study.publication import (
    UNSHARED,
    committable,
    publish,
    publish_result,
    seal_and_publish,
    unshared_data,
)
from assay.api.study.results import ScoredStudy, SealedSubmission, Withdrawal
from assay.api.study.sealed_once import SealedOnce
from assay.api.study.verification import shown_from
from assay.benchmark.benchmark import Benchmark, Task
from assay.benchmark.load import load_benchmark, load_second
from assay.errors import AssayError, MethodError, SpecError
from assay.gauntlet.load import DEFAULT_BARS, load_bars
from assay.gauntlet.result import Scorecard
from assay.models.recording import replayed
from assay.report.study.views import refresh_views, verify
from assay.result import Viewed
from assay.runs.collect import Listener
from assay.sandbox.environment import missing_variable
from assay.study.board import Board
from assay.study.create import new_study
from assay.study.frontier.result import Frontier
from assay.study.predictions.calibration import Calibration
from assay.study.predictions.falsified import AllFalsified
from assay.study.scorecards.rejudge import judge_in_study, judge_study
from assay.study.study import StudyFolder, find_study
from assay.study.submissions.draft import draft
from assay.study.submissions.rerun import Rerun, rerun
from assay.study.submissions.run import Finished, run_sealed
from assay.study.submissions.spec import Prereg
from assay.study.submissions.withdraw import withdraw
from assay.study.verify.procedure import Verification
from assay.study.views import board_of, calibration_of, falsified_of, frontier_of


class Study(SealedOnce, Viewed):
    """A folder in which predictions are sealed before anything runs, and every method runs once.

    Make one with `Study.create`, or open it with `Study.open`. Every method is a verb of the
    command, with the same parameters. The ledger gets a line for every event, and `verify` derives
    everything again.

    Example:
        >>> import assay
        >>> study = assay.Study.create("my-study", "darkcore", bars="v1", task="detection")
        >>> folder = study.draft("001", "token-overlap", prediction={"no_idea": True})
        >>> study.seal("001", probe=False).entry
        1
        >>> result = study.run("001", unwitnessed=True)
        >>> result.scorecard.verdict.value
        'pass'
        >>> print(study.board())  # doctest: +ELLIPSIS
        my-study on darkcore@...: 1 sealed, 1 run
        001 token-overlap: PASS (2/2) under v1
        >>> study.verify().intact
        True

    """

    def __init__(self, folder: object) -> None:
        if not isinstance(folder, StudyFolder):
            place = f"{folder}" if isinstance(folder, (str, Path)) else "DIR"
            raise SpecError(
                f"Study() got {type(folder).__name__}; a study is opened or created",
                hint=f'Open one: `assay.Study.open("{place}")`. Make one:'
                f' `assay.Study.create("{place}")`.',
            )
        self.folder = folder

    @classmethod
    @public
    def create(
        cls,
        folder: str | Path,
        benchmark: object = "darkcore",
        *,
        name: str | None = None,
        bars: str | Path | Mapping[str, Any] | None = None,
        task: Task | None = None,
        second: object = None,
        **columns: Unpack[ColumnWords],
    ) -> Self:
        """Open a study: one benchmark, its bars, and an empty record.

        Args:
            folder: a new or empty folder; one that holds only .git will do.
            benchmark: anything that `load_benchmark` takes, or its result. The study keeps rows
                and frames as `benchmark.jsonl`.
            name: the study's name. Default: the folder's.
            bars: a version, a TOML file, or a dictionary of its keys, to begin with.
            task: `detection` or `classification`. Default: every task that the data allow.
            second: the second corpus, if a bar needs one.
            **columns: the words of `load_benchmark` that name columns, such as `label="wrong"`.

        Warns of data that others will not get with the study.

        """
        if isinstance(benchmark, Benchmark):
            if columns:
                raise SpecError(
                    f"create(): {next(iter(columns))} is named, but the benchmark is loaded",
                    hint="Name columns where it is loaded, by `load_benchmark`.",
                )
            data = benchmark
        else:
            data = load_benchmark(benchmark, columns=columns_of(columns))
        beside = second
        if beside is None and task != "detection" and data.classes:
            beside = _named_second(bars or DEFAULT_BARS)
        if beside is not None:
            data = data.with_second(load_second(beside))
        chosen = str(bars) if isinstance(bars, Path) else bars
        made = new_study(folder, data, name=name, bars=chosen, task=task)
        for fact, mend in unshared_data(made).items():
            warnings.warn(f"{fact}: {UNSHARED}. {mend}", stacklevel=4)
        return cls(made)

    @classmethod
    @public
    def open(cls, folder: str | Path = ".") -> Self:
        """Open the study that a folder is, or lies in."""
        return cls(find_study(Path(folder), hint="Name the folder of one. Make one: assay new DIR"))

    @property
    def root(self) -> Path:
        """The study's folder."""
        return self.folder.root

    @property
    def name(self) -> str:
        """Its name in `study.toml`."""
        return self.folder.config.name

    @public
    def draft(
        self,
        id: str,  # noqa: A002 - as the command calls it
        method: str,
        *,
        task: Task | None = None,
        item_seconds: float = 30.0,
        load_seconds: float = 60.0,
        env: str | Sequence[str] = (),
        method_class: str | None = None,
        prediction: Mapping[str, Any] | None = None,
        cassette: str | Path | None = None,
    ) -> Path:
        """Begin a submission: a copy of the method, and a `prediction.toml` to fill in.

        Args:
            id: the submission's name, such as 019.
            method: FILE.py:FUNCTION, a module, or a registered name.
            task: `detection` or `classification`. Default: by the method's parameters.
            item_seconds: seconds for one item.
            load_seconds: seconds to import, or fit.
            env: the name of a variable to pass to the method, or several.
            method_class: the class of a method of your own, such as `likelihood`, for `frontier`.
            prediction: the keys of `prediction.toml`, which is then filled in, such as
                `{"ranges": {"D1": [0.7, 0.85]}, "outcomes": {"fail": 0.6, "pass": 0.4}}`.
            cassette: a recording of the calls of a method over models, which will be replayed.

        Returns the folder of the submission; everything in it is sealed.

        """
        prereg = Prereg(
            method=method,
            task=task or "detection",
            item_seconds=item_seconds,
            load_seconds=load_seconds,
            environment=words(env),
            method_class=method_class,
        )
        try:
            made, _ = draft(
                self.folder,
                id,
                method,
                task=task,
                prereg=prereg,
                prediction=prediction,
                recording=replayed(cassette),
            )
            return made
        except MethodError as error:
            error.hint = missing_variable(error.message, prereg.environment) or error.hint
            raise

    @public
    def seal(self, id: str, *, commit: bool = False, probe: bool = True) -> SealedSubmission:  # noqa: A002
        """Seal a submission: nothing of it can change any more, and it can run once.

        Args:
            id: the submission's name.
            commit: commit the seal to git at once.
            probe: first ask the method one made-up question, to see that it answers; a learner is
                fitted to a few made-up examples before.

        """
        sealed, published = seal_and_publish(self.folder, id, commit=commit, probe=probe)
        return SealedSubmission(
            submission=id,
            digest=sealed.digest,
            entry=sealed.entry,
            commit=published.commit,
            seal=sealed.seal,
        )

    @public
    def run(
        self,
        id: str,  # noqa: A002 - as the command calls it
        *,
        unwitnessed: bool = False,
        outside: str | None = None,
        commit: bool = False,
    ) -> Finished:
        """Run a sealed submission, once, judge it under every version of the bars, and grade it.

        Args:
            id: the submission's name.
            unwitnessed: run even if no commit holds the seal; the result says so.
            outside: the outside value that the seal names for its seed.
            commit: commit the start, and the result.

        """
        if commit:
            committable(self.folder)
        start = partial(publish, self.folder, f"Start {id}", commit=commit)
        finished = run_sealed(
            self.folder, id, unwitnessed=unwitnessed, outside=outside, listener=_Starting(start)
        )
        publish_result(self.folder, finished, commit=commit)
        return finished

    @public
    def audit(self, id: str) -> Rerun:  # noqa: A002 - as the command calls it
        """Run a submission again, only to compare with its stored result; nothing is stored."""
        return rerun(self.folder, id)

    @public
    def score(
        self, run: str | Path | None = None, *, bars: str | None = None
    ) -> Scorecard | ScoredStudy:
        """Judge every result under every version of the bars that it lacks.

        Args:
            run: judge only this run's folder; the scorecard is not stored.
            bars: for a single run, the version to judge it under.

        Returns all results judged again; for a single run, its Scorecard.

        """
        if run is not None:
            return judge_in_study(self.folder, Path(run), bars)
        if bars is not None:
            raise SpecError(
                "a study judges everything under every version of its bars",
                hint="Leave out `bars=`; `assay bars revise` makes another version.",
            )
        judged = judge_study(self.folder)
        refresh_views(self.folder)
        return ScoredStudy(runs=tuple(judged))

    @public
    def withdraw(self, id: str, because: str, *, commit: bool = False) -> Withdrawal:  # noqa: A002
        """Publicly withdraw a sealed submission that was never started.

        Args:
            id: the submission's name, which stays taken.
            because: the reason; it is published.
            commit: commit the withdrawal to git at once.

        """
        if commit:
            committable(self.folder)
        entry = withdraw(self.folder, id, because=because)
        published = publish(self.folder, f"Withdraw {id}", commit=commit)
        return Withdrawal(
            submission=id,
            because=str(entry.said["because"]),
            entry=entry.n,
            commit=published.commit,
        )

    def board(self) -> Board:
        """Every submission under every version of the bars, from records alone."""
        return board_of(self.folder)

    @public
    def frontier(self, *, bars: str | None = None) -> Frontier:
        """The best submission of each class of method, and the bar that stops it.

        Args:
            bars: the version of the bars. Default: the newest.

        """
        return frontier_of(self.folder, bars=bars)

    def calibration(self) -> Calibration:
        """How good the predictions of the study are."""
        return calibration_of(self.folder)

    def falsified(self) -> AllFalsified:
        """What was predicted and turned out otherwise."""
        return AllFalsified(entries=falsified_of(self.folder))

    @public
    def verify(
        self,
        *,
        checkpoint: str | Path | Sequence[str | Path] = (),
        key: str | Sequence[str] = (),
        authority: str | Path | Sequence[str | Path] = (),
        since: str | None = None,
        rerun: bool | str | Sequence[str] = False,
    ) -> Verification:
        """Verify the study, step by step: chain, seals, outputs, scorecards, views.

        Args:
            checkpoint: a checkpoint that you kept, or several; the ledger must continue them.
            key: a key that must have signed or cosigned each checkpoint.
            authority: the root certificate of the authority that every timestamp must come from.
            since: a revision whose ledger this one must continue.
            rerun: True runs every submission again and compares; an id runs only that one.

        """
        shown = shown_from(
            checkpoint=checkpoint, key=key, authority=authority, since=since, rerun=rerun
        )
        return verify(self.folder, shown)

    def to_dict(self) -> dict[str, Any]:
        """Its plan, as `study.toml` has it."""
        return {"study": str(self.root), **msgspec.to_builtins(self.folder.config)}

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each submission and version of the bars."""
        return self.board().to_rows()

    def lines(self) -> list[str]:
        """What the study is about."""
        config = self.folder.config
        bars = ", ".join(f"{task} {version}" for task, version in config.bars.items())
        return [f"{self.name}: a study on {config.benchmark.place:.80}, bars {bars}"]


class _Starting(Listener):
    """Publishes the start of a run."""

    def __init__(self, start: "partial[Any]") -> None:
        self._start = start

    def started(self) -> None:
        """Publish it."""
        self._start()


def _named_second(bars: str | Path | Mapping[str, Any]) -> str | None:
    """The second corpus that classification bars name, where they are used."""
    try:
        named_bars = load_bars(bars, task="classification")
    except AssayError:
        return None
    return named_bars.second if any(bar.corpus == "second" for bar in named_bars.bars) else None
