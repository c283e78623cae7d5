"""The joint surface model as a method: what reading no meaning achieves, put to the bars itself."""

from collections.abc import Callable, Mapping, Sequence

from assay.surface.features import ORACLES


class SurfaceModel:
    """Logistic regression and boosted trees on every surface feature, out of fold."""

    @staticmethod
    def fit(examples: Sequence[Mapping[str, object]]) -> Callable[[str, str], float]:
        """Learn the label from features of question and response."""
        import numpy as np
        from sklearn.preprocessing import StandardScaler

        from assay.surface.learners import ENSEMBLE, few_threads, label_models, predict

        def read(question: object, response: object) -> list[float]:
            return [oracle(str(question), str(response or "")) for oracle in ORACLES.values()]

        rows = np.array([read(example["question"], example["response"]) for example in examples])
        targets = np.array([example["target"] for example in examples])
        scale = StandardScaler().fit(rows)
        models = label_models(len(examples), 0)[:ENSEMBLE]
        with few_threads(len(examples)):
            for model in models:
                model.fit(scale.transform(rows), targets)

        def detect(question: str, response: str) -> float:
            row = scale.transform(np.array([read(question, response)]))
            with few_threads(1):
                return float(sum(predict(model, row)[0] for model in models)) / len(models)

        return detect
