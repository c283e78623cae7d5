"""What a printed audit says: of methods, of own features, and of texts that were not read."""

import numpy as np

import assay

RNG = np.random.default_rng(8)
ROWS = [
    {"question": f"Why does case {n} behave so?", "label": n % 2,
     "completion": "word " * int(3 + RNG.integers(4) + 9 * (n % 2)),
     "judge": float(n % 2 + RNG.normal())}
    for n in range(240)
]  # fmt: skip


def codes(audit):
    return [caveat.code for caveat in audit.caveats]


def test_a_method_that_ranks_the_wrong_way_round_is_pointed_out():
    wrong = assay.confounds(ROWS, score="judge", positive=0, joint=False)
    assert wrong.methods[0].high < 0.5 and "reversed" in codes(wrong)
    said = str(wrong)
    assert "judge has an AUC of" in said and '`positive="VALUE"`' in said
    right = assay.confounds(ROWS, score="judge", joint=False)
    assert "reversed" not in codes(right)


def test_data_are_not_clean_while_the_probable_response_is_unread():
    unread = assay.confounds(ROWS)
    assert unread.verdict == "undecided"
    assert "the column 'completion' may hold it" in unread.because
    assert '`response="completion"`' in str(unread) and unread.needed_records is None
    read = assay.confounds(ROWS, response="completion")
    assert read.verdict in ("confounded", "unfit")
    rows = [{name: row[name] for name in ("question", "label", "judge")} for row in ROWS]
    assert "may hold it" not in assay.confounds(rows).because  # the control: nothing is unread


def test_every_feature_and_method_of_ones_own_is_printed():
    def words(response):
        return response.count("word")

    scores = {f"judge {n}": [row["judge"] + n for row in ROWS] for n in range(4)}
    given = {"response": "completion", "joint": False, "scores": scores}
    told = str(assay.confounds(ROWS, feature=words, **given))
    assert "words (yours) alone: AUC" in told
    assert all(f"{name}: AUC" in told for name in scores)
    told = str(assay.confounds(ROWS, feature=lambda response: len(response) % 2, **given))
    assert "lambda (yours) alone: AUC" in told and "<lambda>" not in told
