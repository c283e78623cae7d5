"""The verbs of a study that seal files before anything is looked at, and grade them once."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from assay.api.arguments import words
from assay.api.boundary import public
from assay.api.critic.asymmetry import asymmetry_plan
from assay.api.critic.faithfulness import audit_plan, claims_from
from assay.api.critic.sealed import grade_asymmetry, grade_audit, seal_asymmetry, seal_audit
from assay.api.critic.settings import AskedWords, CallWords, SealedWords, columns_in, settings_of
from assay.benchmark.load import load_benchmark
from assay.claim_audit.result import ClaimAudit
from assay.claim_audit.sealed_claims import SealedClaims, grade_claims, seal_claims
from assay.critic.asymmetry.result import CRITIQUE, GENERATION, Asymmetry
from assay.critic.faithfulness.result import FaithfulnessAudit
from assay.critic.faithfulness.spec import CONTROL_AT_LEAST, PARAPHRASE_AT_MOST, AuditThresholds
from assay.study.graded_once.result import SealedExperiment
from assay.study.study import StudyFolder


class SealedOnce:
    """Claims, faithfulness audits and asymmetry experiments: sealed first, and graded once."""

    folder: StudyFolder

    @public
    def seal_claims(self, *sources: str | Path, name: str) -> SealedClaims:
        """Seal files of claims with what is predicted of each; nothing is checked yet.

        Args:
            sources: claim files, and texts with claims in place; copies are kept in the study.
            name: what the claims are called in the study.

        """
        return seal_claims(self.folder, [Path(source) for source in sources], name)

    @public
    def grade_claims(
        self, name: str, *, root: str | Path | None = None, allow_commands: bool = False
    ) -> ClaimAudit:
        """Check sealed claims, once, and grade what was predicted; the audit is kept.

        Args:
            name: what the claims are called in the study.
            root: the folder that paths in claims start from. Default: the repository.
            allow_commands: run the commands of `command_output_equals`, confined.

        """
        top = None if root is None else Path(root)
        return grade_claims(self.folder, name, root=top, allow_commands=allow_commands)

    @public
    def seal_faithfulness(
        self,
        passages: str | Path | Sequence[Mapping[str, Any]],
        *,
        controls: str | Path | Sequence[Mapping[str, Any]],
        name: str,
        model: str,
        paraphrase_at_most: float = PARAPHRASE_AT_MOST,
        control_at_least: float = CONTROL_AT_LEAST,
        top: int | None = None,
        author: str | Sequence[str] = (),
        **asked: Unpack[AskedWords],
    ) -> SealedExperiment:
        """Seal a faithfulness audit with what is predicted of its claims; nothing is asked yet.

        The words are those of `assay.faithfulness`. Claims, passages, wordings, thresholds and the
        model's name are copied into the study.

        Args:
            passages: true paraphrases; at least one claim must be `predicted`.
            controls: false controls.
            name: what the audit is called in the study.
            model: the model that will be asked.
            paraphrase_at_most: the threshold of the paper gate.
            control_at_least: the threshold of the instrument gate.
            top: first tokens to ask for.
            author: the models that wrote the claims.
            asked: wordings and the least mass, as in `assay.faithfulness`.

        """
        plan = audit_plan(
            claims_from(passages, controls),
            settings_of(model, asked),
            thresholds=AuditThresholds(
                paraphrase_at_most=paraphrase_at_most, control_at_least=control_at_least
            ),
            top=top,
            author=words(author),
        )
        return seal_audit(self.folder, plan, name)

    @public
    def grade_faithfulness(
        self, name: str, *, model: str | None = None, **calls: Unpack[CallWords]
    ) -> FaithfulnessAudit:
        """Ask a sealed faithfulness audit, once, and grade its predictions; the audit is kept.

        Args:
            name: what the audit is called in the study.
            model: where the sealed model lies now. Default: where it was named.
            calls: how calls are made, as in `assay.critique`: `cassette`, `jobs`, `max_cost`.

        """
        return grade_audit(self.folder, name, calls, model=model)

    @public
    def seal_asymmetry(
        self,
        data: object,
        *,
        name: str,
        model: str,
        prediction: str | Path | Mapping[str, Any],
        encoder: str | None = "encoder",
        generation_at_least: float = GENERATION,
        critique_at_least: float = CRITIQUE,
        **asked: Unpack[SealedWords],
    ) -> SealedExperiment:
        """Seal an asymmetry experiment with the predicted ranges of its rates; nothing is asked.

        The words are those of `assay.asymmetry`. The misconceptions, wordings, thresholds, digests
        of data and prompts, and the models' names are copied into the study.

        Args:
            data: the misconceptions.
            name: what the experiment is called in the study.
            prediction: a TOML file or a dictionary of its keys: `ranges`, perhaps `level`. The
                rates are `v1-asymmetric`, `v1-unclear`, and the same of v2 and v3.
            model: the model that will be asked.
            encoder: the model of v1; None leaves v1 out.
            generation_at_least: the similarity from which an answer affirms, in v1.
            critique_at_least: the probability of NO from which the model rejects.
            asked: wordings, the least mass, and the columns of the data.

        """
        plan = asymmetry_plan(
            load_benchmark(data, columns=columns_in(asked)),
            settings_of(model, asked),
            encoder=encoder,
            thresholds=(generation_at_least, critique_at_least),
        )
        return seal_asymmetry(self.folder, plan, name, prediction)

    @public
    def grade_asymmetry(
        self, name: str, *, model: str | None = None, **calls: Unpack[CallWords]
    ) -> Asymmetry:
        """Ask a sealed asymmetry experiment, once, and grade its predictions; the result is kept.

        Args:
            name: what the experiment is called in the study.
            model: where the sealed model lies now. Default: where it was named.
            calls: how calls are made, as in `assay.critique`: `cassette`, `jobs`, `max_cost`.

        """
        return grade_asymmetry(self.folder, name, calls, model=model)
