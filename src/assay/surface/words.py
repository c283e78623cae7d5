"""Check whether words explain what a method achieves beyond the declared features.

A bag of words is not a declared feature, so a TF-IDF classifier may pass if vocabulary predicts the
label. Here words are held equal too, by linear models of features and n-grams together: fast, and
enough for a warning. The lexical surface gives a figure for the AUC beyond words.
"""

from collections.abc import Mapping

import numpy as np

from assay.surface.beyond import Beyond, value_of
from assay.surface.crossfit import design, fit_linear, normal_scores
from assay.surface.joint_model import LEXICAL, Surface
from assay.surface.lexical import lexical_columns

_KEPT = 0.5
"""The share of a method's AUC over .5 that must remain beyond words."""


def rests_on_words(surface: Surface, scores: Mapping[str, float], beyond: Beyond) -> bool:
    """Whether words explain more than half of the method's AUC over chance.

    Always False if words are part of the surface.
    """
    if beyond.value <= 0.5 or any(block.name == LEXICAL for block in surface.blocks):
        return False
    chosen = np.array([i for i in surface.order.tolist() if surface.items[i].id in scores])
    words = lexical_columns([surface.items[i] for i in chosen])
    if not words:
        return False
    columns = np.column_stack([surface.matrix[chosen], design(words)])
    label = surface.label[chosen].astype(np.float64)
    z = normal_scores([scores[surface.items[i].id] for i in chosen])
    deals = [folds[chosen] for folds in surface.deals]
    u, v = (target - fit_linear(columns, target, deals) for target in (label, z))
    return value_of(u, v, z, label) - 0.5 < _KEPT * (beyond.value - 0.5)
