"""Verify a study: a numbered procedure that reports each step and ends at the first breach.

A step that lacks data or history is `unchecked`, and ends the procedure too.

 1. Chain. Every line of the ledger is exactly what Assay writes and carries the digest of the line
    before; the ledger continues that of the last commit (or of a named revision).
 2. Checkpoints. Every kept or given checkpoint matches the beginning of this ledger; every
    timestamp of one is by an authority that was pinned before, and every cosignature is valid.
 3. Seals before runs. Entries are in the order that the protocol allows; the commit that witnessed
    a seal holds it, does not yet hold its run, and is an ancestor of the present one; no seal, run,
    scorecard or grade lacks an entry; and there is no second study of the same origin, in the tree
    or in the history.
 4. Closures. Everything that a seal names has its sealed bytes, and nothing was added; ratified
    artifacts are in place, and their comparisons are unchanged; what is graded once (claims,
    faithfulness audits, asymmetry experiments) is as sealed.
 5. Outputs. Every stored run has the digests of its entry, belongs to its seal, and is complete;
    every entered dual-condition result is unchanged and agrees with itself; the result of what is
    graded once is of what was sealed.
 6. Scorecards. Judging the stored outputs again gives every stored scorecard and grade. A caveat
    that another version may word differently is noted as not verifiable.
 7. Versions. Every version of the bars supersedes the one before it, keeps or names every old bar,
    and its control, scored again, passes the old and fails the new version; every result is judged
    under every version of its task's bars. A control that is neither stored nor bundled is
    unchecked.
 8. Views. Every page is what the records give.
 9. Runs again, if requested: the named submissions, or all, give their stored outputs.

No code of a submission is executed before step 9. Step 7 runs a registered method, which is Assay's
own code, if an older revision without a stored control names it.
"""

import base64
import os
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from assay.errors import AssayError, NotHere, SpecError, StorageError
from assay.ledger.attestation import Attestation
from assay.result import Result
from assay.study.git import Repository, repository_of
from assay.study.git_modules import NamedCommit
from assay.study.study import StudyFolder
from assay.study.submissions.rerun import Rerun
from assay.study.verify.context import Shown, StepFinding, Verifying, View
from assay.study.verify.ledger_steps import check_chain, check_checkpoints, check_order
from assay.study.verify.recorded_version import recorded_version
from assay.study.verify.result_steps import (
    check_again,
    check_closures,
    check_outputs,
    check_scorecards,
    check_views,
)
from assay.study.verify.version_step import check_versions
from assay.wording import counted

PROCEDURE: Mapping[str, Callable[[Verifying], StepFinding]] = {
    "chain": check_chain,
    "checkpoints": check_checkpoints,
    "seals before runs": check_order,
    "closures": check_closures,
    "outputs": check_outputs,
    "scorecards": check_scorecards,
    "versions": check_versions,
    "views": check_views,
    "runs again": check_again,
}
"""The steps in order; the last runs on request."""


class StepOutcome(StrEnum):
    """How a step ended. UNCHECKED: required data or history is missing."""

    OK = "ok"
    NOTED = "noted"
    UNCHECKED = "unchecked"
    BREACH = "breach"


class VerificationStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step and its finding; `attested` are in step 2 alone, `reruns` in the last."""

    number: int
    name: str
    outcome: StepOutcome
    found: str
    attested: tuple[Attestation, ...] = ()
    reruns: tuple[Rerun, ...] = ()


class Verification(Result, frozen=True, kw_only=True):
    """The steps up to the first breach, and the ledger's length and root.

    Example:
        >>> import assay
        >>> found = assay.Study.create("checked", "darkcore", task="detection").verify()
        >>> found.intact, found.steps[0].name, found.exit_code
        (True, 'chain', 0)
    """

    study: str
    folder: str
    intact: bool
    steps: tuple[VerificationStep, ...]
    entries: int
    root: str | None

    @property
    def exit_code(self) -> int:
        """0 intact, 2 unchecked, 4 a breach."""
        codes = {StepOutcome.UNCHECKED: 2, StepOutcome.BREACH: 4}
        return codes.get(self.steps[-1].outcome, 0)

    @property
    def summary(self) -> str:
        """Whether the study is intact, or which step failed."""
        state = f"is NOT intact: see step {len(self.steps)}."
        if self.intact:
            state = f"is intact: {counted(self.entries, 'entry')}, root {self.root}"
        elif self.steps[-1].outcome is StepOutcome.UNCHECKED:
            state = f"cannot be verified here: see step {len(self.steps)}."
        return f"{self.study} {state}"

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each step."""
        return [
            {
                "number": step.number,
                "step": step.name,
                "outcome": step.outcome.value,
                "found": step.found,
            }
            for step in self.steps
        ]

    def lines(self) -> list[str]:
        """Whether it is intact, and each step with a remark or a fault."""
        return [
            self.summary,
            *(
                f"{step.number}. {step.name}: {step.outcome.value}: {step.found}"
                for step in self.steps
                if step.outcome is not StepOutcome.OK
            ),
        ]


def verify_with(
    study: StudyFolder,
    views: Mapping[str, View],
    shown: Shown | None = None,
    *,
    repository: Repository | None = None,
    named: Sequence[NamedCommit] = (),
) -> Verification:
    """Go through the procedure; a breach is the last step.

    The repository is the one around the study, unless another with its history is given. `named`
    are the commits of the revision, if it belongs to an outer repository.
    """
    shown = shown or Shown()
    repository = repository or repository_of(study.root)
    if shown.since is not None and repository is None:
        raise SpecError(f"no revision {shown.since!r:.80}: the study is not in a git repository")
    at = Verifying(study=study, views=views, shown=shown, repository=repository, named=tuple(named))
    steps: list[VerificationStep] = []
    for number, (name, check) in enumerate(PROCEDURE.items(), 1):
        if check is check_again and at.shown.rerun is None:
            continue
        outcome, finding = _outcome(check, at)
        steps.append(
            VerificationStep(
                number=number,
                name=name,
                outcome=outcome,
                found=finding,
                attested=tuple(at.attested.values()) if check is check_checkpoints else (),
                reruns=tuple(at.reruns) if check is check_again else (),
            )
        )
        if outcome in (StepOutcome.UNCHECKED, StepOutcome.BREACH):
            break
    return Verification(
        study=study.config.name,
        folder=os.path.relpath(study.root) if at.repository is None else at.repository.prefix,
        intact=steps[-1].outcome in (StepOutcome.OK, StepOutcome.NOTED),
        steps=tuple(steps),
        entries=len(at.chain.lines),
        root=base64.b64encode(at.chain.tree().root()).decode() if at.chain.lines else None,
    )


def _outcome(check: Callable[[Verifying], StepFinding], at: Verifying) -> tuple[StepOutcome, str]:
    """Run one step: its outcome, and the finding in words."""
    try:
        finding = check(at)
    except AssayError as error:
        hint = recorded_version(at.repository, error) or error.hint
        text = error.message if hint is None else f"{error.message}. {hint}"
        missing = isinstance(error, (NotHere, StorageError))
        return StepOutcome.UNCHECKED if missing else StepOutcome.BREACH, text
    return StepOutcome.NOTED if finding.noted else StepOutcome.OK, finding.text
