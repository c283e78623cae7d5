"""The methods that ask a model, by name: what each needs, and what makes it.

What makes a method imports it, so that the table costs nothing to read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assay.benchmark.benchmark import Task
from assay.critic.spec import Mode
from assay.models.reference_facts import Ability

Models = Sequence[str]
_DETECT: tuple[Task, ...] = ("detection",)


@dataclass(frozen=True, kw_only=True)
class ModelMethod:
    """A method over models: its class and tasks, how many models it takes and what it asks of them.

    `compares` says that it compares texts by the packaged encoder, which it then needs as well.
    `prompts` are files of its prompts, `wordings` the mode of a critic's wordings that it asks in.
    """

    name: str
    method_class: str
    about: str
    make: Callable[[Models], object]
    asks: Ability
    tasks: tuple[Task, ...] = _DETECT
    least: int = 1
    most: int = 1
    compares: bool = False
    prompts: tuple[str, ...] = ()
    wordings: Mode | None = None

    @property
    def form(self) -> str:
        """How a reference to it looks."""
        word = "ENCODER" if self.asks == "embedding" else "MODEL"
        more = ",..." if self.most > self.least else ""
        return f"{self.name}:{','.join([word] * self.least)}{more}"


def _critique(models: Models) -> object:
    from assay.method.model_based.critique import CritiqueDetector

    return CritiqueDetector(models)


def _entailment(models: Models) -> object:
    from assay.method.model_based.critique import EntailmentDetector

    return EntailmentDetector(models)


def _likelihood(models: Models) -> object:
    from assay.method.model_based.likelihood import LikelihoodDetector

    return LikelihoodDetector(models)


def _likelihood_difference(models: Models) -> object:
    from assay.method.model_based.likelihood import LikelihoodDifference

    return LikelihoodDifference(models)


def _similarity(models: Models) -> object:
    from assay.method.model_based.similarity import SimilarityDetector

    return SimilarityDetector(models)


def _similarity_residual(models: Models) -> object:
    from assay.method.model_based.similarity import SimilarityResidual

    return SimilarityResidual(models)


def _embedding_classifier(models: Models) -> object:
    from assay.method.model_based.classifier import EmbeddingClassifier

    return EmbeddingClassifier(models)


def _rephrasing(models: Models) -> object:
    from assay.method.model_based.answers import Rephrasing

    return Rephrasing(models)


def _disagreement(models: Models) -> object:
    from assay.method.model_based.answers import Disagreement

    return Disagreement(models)


def _justification(models: Models) -> object:
    from assay.method.model_based.answers import Justification

    return Justification(models)


def _injection(prime: str) -> Callable[[Models], object]:
    def make(models: Models) -> object:
        from assay.method.model_based.answers import Injection

        return Injection(models, prime=prime)

    return make


def _injected(name: str, about: str) -> ModelMethod:
    return ModelMethod(
        name=name,
        method_class="perturbation",
        about=f"How far the model's answer moves when {about}.",
        make=_injection(name),
        asks="chat",
        compares=True,
        prompts=("answer", name),
    )


_TABLE = (
    ModelMethod(
        name="critique",
        method_class="critique",
        about="The probability that the model rejects the response, asked YES or NO.",
        make=_critique,
        asks="chat",
        wordings="knowledge",
    ),
    ModelMethod(
        name="likelihood",
        method_class="likelihood",
        about="Mean log-probability of a token of the response, after the question.",
        make=_likelihood,
        asks="likelihood",
        prompts=("likelihood",),
    ),
    ModelMethod(
        name="likelihood-difference",
        method_class="likelihood",
        about="Log-probability of the response under the second model less that under the first.",
        make=_likelihood_difference,
        asks="likelihood",
        least=2,
        most=2,
        prompts=("likelihood",),
    ),
    ModelMethod(
        name="similarity",
        method_class="embedding",
        about="Cosine of the vectors of question and response: nearness of topic.",
        make=_similarity,
        asks="embedding",
    ),
    ModelMethod(
        name="similarity-residual",
        method_class="embedding",
        about="The same less what the response's length predicts of it, out of fold.",
        make=_similarity_residual,
        asks="embedding",
    ),
    ModelMethod(
        name="embedding-classifier",
        method_class="embedding",
        about="Vectors and balanced logistic regression, out of fold.",
        make=_embedding_classifier,
        asks="embedding",
        tasks=("classification", "detection"),
    ),
    ModelMethod(
        name="entailment",
        method_class="entailment",
        about="The probability that the response entails what the question states, by the model.",
        make=_entailment,
        asks="chat",
        wordings="entailment",
    ),
    ModelMethod(
        name="rephrasing",
        method_class="perturbation",
        about="How far the model's answers to rephrasings of the question differ.",
        make=_rephrasing,
        asks="chat",
        compares=True,
        prompts=("rephrasing",),
    ),
    ModelMethod(
        name="disagreement",
        method_class="consensus",
        about="How far the answers of several models to the question differ.",
        make=_disagreement,
        asks="chat",
        least=2,
        most=16,
        compares=True,
        prompts=("answer",),
    ),
    ModelMethod(
        name="justification",
        method_class="perturbation",
        about="How far the model's reasons for the response differ.",
        make=_justification,
        asks="chat",
        compares=True,
        prompts=("justification",),
    ),
    _injected("injection", "it is told that this is not so"),
    _injected("injection-folklore", "it is told that common belief denies it"),
    _injected("injection-authoritative", "it is told that experts deny it"),
)
MODEL_METHODS: Mapping[str, ModelMethod] = {method.name: method for method in _TABLE}
