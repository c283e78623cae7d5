"""A linter for labelled records: find faults of the data that spoil any measurement.

The codes are documented from this module. The checks are in the files beside this one.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.benchmark.benchmark import Item
from assay.confounding.lint.categories import question_form_predicts_label, source_predicts_label
from assay.confounding.lint.duplicates import conflicting_labels, duplicates, near_duplicates
from assay.confounding.lint.groups import one_class_groups
from assay.confounding.lint.label_leaks import label_leaks
from assay.confounding.lint.labelled_records import records_of
from assay.confounding.lint.sample_size import imbalance, too_few
from assay.confounding.lint.texts import empty_responses, truncation
from assay.confounding.result import Finding

CODES: Mapping[str, str] = {
    "conflicting-labels": "The same question and response have both labels.",
    "label-leak": "The id or another column gives the label away.",
    "source-predicts-label": "The source of a record predicts its label.",
    "question-form-predicts-label": "The first word of a question (is, does; what, who) predicts"
    " its label.",
    "truncation": "Responses were cut off at one length, perhaps in one source or label only.",
    "empty-response": "Responses are blank.",
    "too-few": "There are too few records for a good method to pass a bar of .70.",
    "imbalance": "One label is so rare that most records of the other add nothing.",
    "duplicate": "Records are exact copies of earlier ones.",
    "near-duplicate": "Records share nearly all their words with earlier ones of the same label.",
    "one-class-groups": "Some groups lack a label that most groups have.",
}
"""Every code and its meaning, the most serious first."""

_CHECKS = (
    conflicting_labels,
    source_predicts_label,
    question_form_predicts_label,
    truncation,
    empty_responses,
    too_few,
    imbalance,
    duplicates,
    near_duplicates,
    one_class_groups,
)


def lint(
    items: Sequence[Item],
    positive: NDArray[np.bool_],
    *,
    fields: Mapping[str, Sequence[object]] | None = None,
) -> tuple[Finding, ...]:
    """All findings about some records, in the order of the codes.

    `positive` has the label of each item, and `fields` one value per item of every other column
    of the file: those that are neither label, class, text, group nor source.
    """
    if not items:
        return ()
    records = records_of(items, positive)
    findings = label_leaks(records, fields or {})
    findings += [finding for check in _CHECKS if (finding := check(records)) is not None]
    weight = {code: i for i, code in enumerate(CODES)}
    return tuple(sorted(findings, key=lambda finding: weight[finding.code]))
