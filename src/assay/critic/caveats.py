"""The caveats of a critique."""

from assay.caveats import Codes

CODES: Codes = {
    "wording-sensitive": "The result depends on the wording of the prompt.",
    "same-author-model": "The judge helped to write the data.",
    "toy-model": "The model inside the package is too small to judge facts.",
    "abstained": "The model did not answer YES or NO to some items, which have no score.",
    "failed-calls": "Some calls failed, and their items have no score.",
    "unlisted-tokens": "The server lists too few tokens: some scores are only known within bounds.",
    "saturated": "Nearly all scores are at the ends of the scale, where they rank little.",
    "one-wording": "One wording was asked, so nothing shows how much it decides.",
    "replayed": "The replies come from a recording; the model was not asked.",
    "small-n": "The AUC rests on fewer than 30 answers.",
}
