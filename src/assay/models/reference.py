"""References: `local`, `local:PATH.gguf`, `encoder`, or an address with a model's name."""

import os
from collections.abc import Mapping
from pathlib import Path

from assay.errors import SpecError
from assay.models.budget import Budget
from assay.models.cassette import Cassette, Mode, Recorded
from assay.models.model import Model

KEY_VARIABLE = "ASSAY_API_KEY"
HTTP_SECONDS, LOCAL_SECONDS = 60.0, 600.0
"""How long a call may take. A local model waits its turn, and a busy machine makes it slow."""
_FORMS = "local, local:PATH.gguf, encoder, or https://HOST/v1#MODEL"
ENCODER = "encoder"


def open_model(
    reference: str,
    *,
    cassette: Path | Cassette | None = None,
    mode: Mode = Mode.AUTO,
    key_env: str = KEY_VARIABLE,
    seconds: float | None = None,
    budget: Budget | None = None,
    environment: Mapping[str, str] | None = None,
) -> Model:
    """The model of a reference, recorded into a cassette or replayed from it where one is given.

    A cassette that is open already has its own mode, and takes the calls of several models. A key
    is read from the environment, from the variable `key_env`, and is kept nowhere else.
    """
    own = isinstance(cassette, Path)
    if isinstance(cassette, Cassette):
        mode = cassette.mode
    if cassette is not None and mode is Mode.REPLAY:
        name = model_name(reference)
        file = Cassette(cassette, mode) if isinstance(cassette, Path) else cassette
        return Recorded(file, None, name=name, own=own)
    model = _open(reference, key_env, seconds, budget, environment)
    if cassette is None:
        return model
    try:
        file = Cassette(cassette, mode) if isinstance(cassette, Path) else cassette
        return Recorded(file, model, name=model.name, own=own)
    except BaseException:
        model.close()
        raise


def model_name(reference: str) -> str:
    """The name that recordings and results show for a reference, without opening the model."""
    if reference == ENCODER:
        from assay.models.encoder import encoder_name

        return encoder_name()
    if is_local(reference):
        from assay.models.local import local_name

        return local_name(_weights(reference))
    url, name = read_reference(reference)
    return f"{url}#{name}"


def _open(
    reference: str,
    key_env: str,
    seconds: float | None,
    budget: Budget | None,
    environment: Mapping[str, str] | None,
) -> Model:
    if reference == ENCODER:
        from assay.models.encoder import Encoder

        return Encoder(budget=budget)
    if is_local(reference):
        from assay.models.local import Local

        seconds = LOCAL_SECONDS if seconds is None else seconds
        return Local(_weights(reference), budget=budget, seconds=seconds)
    from assay.models.http.endpoint import Endpoint

    url, name = read_reference(reference)
    key = (os.environ if environment is None else environment).get(key_env)
    if not key and key_env != KEY_VARIABLE:
        raise SpecError(f"the variable {key_env}, which should hold the key, is not set")
    seconds = HTTP_SECONDS if seconds is None else seconds
    return Endpoint(url, name, key=key or None, budget=budget, seconds=seconds)


def is_local(reference: str) -> bool:
    """Whether a reference means a model that runs on this machine."""
    return reference == "local" or reference.startswith("local:")


def _weights(reference: str) -> Path:
    from assay.models.local import packaged_weights

    path = reference.removeprefix("local").removeprefix(":")
    return Path(path) if path else packaged_weights()


def read_reference(reference: str) -> tuple[str, str]:
    """An endpoint's address and its model's name; what may hold a password is not repeated."""
    url, _, name = reference.partition("#")
    if not url.startswith(("http://", "https://")) or not name:
        said = "this reference" if set("@?") & set(reference) else f"{reference!r:.200}"
        raise SpecError(f"{said} names no model; expected {_FORMS}")
    from assay.models.http.address import read_address

    read_address(url)
    return url.rstrip("/"), name
