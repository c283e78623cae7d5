"""Whether what a method reaches beyond the declared features is words.

A bag of words is no declared feature, so a TF-IDF classifier may pass where vocabulary tells the
label. Here words are held equal too, by linear models of features and n-grams together: quick, and
enough for a warning. A figure of what is left beside words comes from the lexical surface.
"""

from collections.abc import Mapping

import numpy as np

from assay.surface.beyond import Beyond, value_of
from assay.surface.crossfit import design, fit_linear, normal_scores
from assay.surface.joint_model import LEXICAL, Surface
from assay.surface.lexical import lexical_columns

_KEPT = 0.5
"""Of what a method has over .5, so much must be left beside words."""


def rests_on_words(surface: Surface, scores: Mapping[str, float], beyond: Beyond) -> bool:
    """Whether words take more than half of what the method has over chance.

    Never where they are part of the surface.
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
