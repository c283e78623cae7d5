"""The critique as an ordinary method: `critique:local`, `critique:https://HOST/v1#MODEL`.

It runs where methods run. A run has no flags for it, so what may change is read from the
environment, which a run passes by name and records: the key (ASSAY_API_KEY), a recording of the
calls (ASSAY_CASSETTE, the whole path of a file) and where replies come from
(ASSAY_CASSETTE_MODE).
"""

import os
from collections.abc import Sequence
from pathlib import Path

from assay.critic.collect import LOCAL_TOP, TOP, ShownAnswer, critique_each
from assay.critic.tokens import MIN_MASS, pool
from assay.critic.wordings import wordings
from assay.models.cassette import Mode
from assay.models.reference import is_local, open_model

CASSETTE, CASSETTE_MODE = "ASSAY_CASSETTE", "ASSAY_CASSETTE_MODE"
_JOBS = 8


class CritiqueDetector:
    """Scores answers by the probability that a model rejects them, over the bundled wordings.

    A model that says neither YES nor NO abstains, and such an item is unscored.
    """

    def __init__(
        self, model: str, *, wording: Sequence[str] = (), min_mass: float = MIN_MASS
    ) -> None:
        cassette = os.environ.get(CASSETTE)
        self._model = open_model(
            model,
            cassette=Path(cassette) if cassette else None,
            mode=Mode(os.environ.get(CASSETTE_MODE) or Mode.AUTO),
        )
        self._wordings = wordings(wording)
        self._min_mass = min_mass
        self._local = is_local(model)

    def __call__(self, questions: Sequence[str], responses: Sequence[str]) -> list[object]:
        """A score for each answer, or the reason why there is none."""
        pairs = [
            ShownAnswer(id=str(number), question=question, response=response)
            for number, (question, response) in enumerate(zip(questions, responses, strict=True))
        ]
        judged = critique_each(
            self._model,
            pairs,
            self._wordings,
            jobs=1 if self._local else _JOBS,
            top=LOCAL_TOP if self._local else TOP,
            min_mass=self._min_mass,
        )
        answers: list[object] = []
        for each in judged:
            if each.error is not None:
                raise RuntimeError(each.error)
            pooled = pool(each.judgements)
            answers.append(
                {"abstain": f"YES and NO have a probability of {pooled.mass:.2f} together"}
                if pooled.p_no is None
                else pooled.p_no
            )
        return answers
