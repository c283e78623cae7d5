"""A wording in which a model is asked."""

from typing import Literal

import msgspec

from assay.models.prompts import filled

Mode = Literal["knowledge", "faithfulness", "entailment"]
"""Whether an answer is held against what the model knows, against a passage, or against what its
question states."""


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
        return filled(self.text, given)
