"""Critique and entailment: scores from the first tokens of a model that is asked YES or NO."""

from collections.abc import Sequence

from assay.critic.collect import LOCAL_TOP, TOP, ShownAnswer, critique_each
from assay.critic.judge import JudgedAnswer
from assay.critic.spec import Mode
from assay.critic.tokens import MIN_MASS, pool
from assay.critic.wordings import wordings
from assay.errors import ModelError
from assay.method.model_based.opening import Answer, abstention, open_models
from assay.models.reference import is_local


class CritiqueDetector:
    """Scores answers by the probability that a model rejects them, over the bundled wordings.

    A model that says neither YES nor NO abstains, and such an item is unscored.
    """

    mode: Mode = "knowledge"

    def __init__(self, models: Sequence[str]) -> None:
        (self._opened,) = open_models(models)
        self._wordings = wordings(mode=self.mode)
        self._top = LOCAL_TOP if is_local(models[0]) else TOP

    def __call__(self, questions: Sequence[str], responses: Sequence[str]) -> list[Answer]:
        """A score for each answer, or the reason why there is none."""
        pairs = [
            ShownAnswer(id=str(number), question=question, response=response)
            for number, (question, response) in enumerate(zip(questions, responses, strict=True))
        ]
        judged = critique_each(
            self._opened.model,
            pairs,
            self._wordings,
            jobs=self._opened.jobs,
            top=self._top,
            min_mass=MIN_MASS,
        )
        return [self._answer(each) for each in judged]

    def _answer(self, judged: JudgedAnswer) -> Answer:
        if judged.error is not None:
            return ModelError(judged.error)
        pooled = pool(judged.judgements)
        if pooled.p_no is None:
            return abstention(f"YES and NO have a probability of {pooled.mass:.2f} together")
        return self.score(pooled.p_no)

    @staticmethod
    def score(p_no: float) -> float:
        """Higher means that the model rejects the answer."""
        return p_no


class EntailmentDetector(CritiqueDetector):
    """Scores answers by the probability that they entail what their question states.

    The response is the premise, as in the published submission, and the question read as a
    statement is the hypothesis.
    """

    mode = "entailment"

    @staticmethod
    def score(p_no: float) -> float:
        """Higher means that the response entails the statement of its question."""
        return 1.0 - p_no
