"""Responses that are not whole: blank ones, and ones that were cut off."""

import numpy as np

from assay.confounding.lint.labelled_records import Records
from assay.confounding.result import Finding
from assay.stats.arrays import coded
from assay.surface.feature_table import truncated


def empty_responses(records: Records) -> Finding | None:
    """Blank or missing responses, where there are responses to judge."""
    if not records.judges_responses:
        return None
    places = [i for i, item in enumerate(records.items) if not (item.response or "").strip()]
    if not places:
        return None
    return records.finding(
        "empty-response",
        places,
        message=f"Blank responses: {len(places)}{records.split(places)}.",
        remedy="Give these records a response, or drop them.",
    )


def truncation(records: Records) -> Finding | None:
    """Responses that stop at one length in the middle of a sentence."""
    texts = [item.response or "" for item in records.items]
    distinct = list(dict.fromkeys(texts))  # copies of a text share its length, cut or not
    places = np.flatnonzero(truncated(distinct)[coded(texts)]).tolist()
    if not places:
        return None
    return records.finding(
        "truncation",
        places,
        message=f"{len(places)} responses stop at {len(texts[places[0]])} characters without "
        f"ending a sentence{records.split(places)}.",
        remedy="Raise the generation limit and make these again, or drop them.",
    )
