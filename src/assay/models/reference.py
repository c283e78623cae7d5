"""References to models: `local`, `local:PATH.gguf`, or an address with a model's name."""

import os
from collections.abc import Mapping
from pathlib import Path

from assay.errors import SpecError
from assay.models.budget import Budget
from assay.models.cassette import Mode, Recorded
from assay.models.model import Model

KEY_VARIABLE = "ASSAY_API_KEY"
HTTP_SECONDS, LOCAL_SECONDS = 60.0, 600.0
"""How long a call may take. A local model waits its turn, and a busy machine makes it slow."""
_FORMS = "local, local:PATH.gguf, or https://HOST/v1#MODEL"


def open_model(
    reference: str,
    *,
    cassette: Path | None = None,
    mode: Mode = Mode.AUTO,
    key_env: str = KEY_VARIABLE,
    seconds: float | None = None,
    budget: Budget | None = None,
    environment: Mapping[str, str] | None = None,
) -> Model:
    """The model of a reference, recorded into a cassette or replayed from it where one is given.

    A key is read from the environment, from the variable `key_env`, and is kept nowhere else.
    """
    if cassette is None:
        return _open(reference, key_env, seconds, budget, environment)
    if mode is Mode.REPLAY:
        return Recorded(cassette, None, name=model_name(reference), mode=mode)
    model = _open(reference, key_env, seconds, budget, environment)
    return Recorded(cassette, model, name=model.name, mode=mode)


def model_name(reference: str) -> str:
    """The name that recordings and results show for a reference, without opening the model."""
    if reference == "local" or reference.startswith("local:"):
        from assay.models.local import local_name

        return local_name(_weights(reference))
    url, name = _address(reference)
    return f"{url}#{name}"


def _open(
    reference: str,
    key_env: str,
    seconds: float | None,
    budget: Budget | None,
    environment: Mapping[str, str] | None,
) -> Model:
    if reference == "local" or reference.startswith("local:"):
        from assay.models.local import Local

        return Local(_weights(reference), budget=budget, seconds=seconds or LOCAL_SECONDS)
    from assay.models.http.endpoint import Endpoint

    url, name = _address(reference)
    key = (os.environ if environment is None else environment).get(key_env)
    return Endpoint(url, name, key=key or None, budget=budget, seconds=seconds or HTTP_SECONDS)


def _weights(reference: str) -> Path:
    from assay.models.local import packaged_weights

    path = reference.removeprefix("local").removeprefix(":")
    return Path(path) if path else packaged_weights()


def _address(reference: str) -> tuple[str, str]:
    url, _, name = reference.partition("#")
    if not url.startswith(("http://", "https://")) or not name:
        raise SpecError(f"no model {reference!r:.200}; expected {_FORMS}")
    return url.rstrip("/"), name
