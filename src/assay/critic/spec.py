"""A wording in which a model is asked."""

import re
from typing import Literal

import msgspec

Mode = Literal["knowledge", "faithfulness"]
"""Whether an answer is held against what the model knows, or against a passage."""
_FIELDS = re.compile(r"\{(question|response|passage)\}")


class Wording(msgspec.Struct, frozen=True, kw_only=True):
    """A template, the word by which the model rejects the answer, and the digest of its file."""

    name: str
    digest: str
    mode: Mode
    wrong: Literal["yes", "no"]
    text: str

    def prompt(self, *, response: str, question: str = "", passage: str = "") -> str:
        """The template filled in; what is put in is not searched for further fields."""
        given = {"question": question, "response": response, "passage": passage}
        return _FIELDS.sub(lambda field: given[field[1]], self.text)
