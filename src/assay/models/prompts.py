"""Prompts with places for what is asked about."""

import re
from collections.abc import Mapping

_PLACE = re.compile(r"\{([a-z_]+)\}")


def filled(template: str, given: Mapping[str, str]) -> str:
    """The template with each `{name}` replaced by what is given under that name.

    What is put in is not searched for further places, and braces around other words stay.
    """
    return _PLACE.sub(lambda place: given.get(place[1], place[0]), template)
