"""Scores that are there already are judged under bars; the scorecard says that nothing ran."""

import json

import pytest

import assay

ROWS = [
    {"id": f"r{n}", "question": f"Is {n} odd?", "response": "word " * (n % 5), "wrong": n % 2}
    for n in range(60)
]
GOOD = {row["id"]: row["wrong"] + n / 100 for n, row in enumerate(ROWS)}


def judged(scores, benchmark=ROWS, bars="plain", **words):
    return assay.score(scores, benchmark, bars, label="wrong", **words)


def codes(card):
    return [caveat.code for caveat in card.caveats]


FORMS = {
    "by id": GOOD,
    "in order": list(GOOD.values()),
    "rows": [{"id": name, "score": value} for name, value in GOOD.items()],
    "columns": {"id": list(GOOD), "score": list(GOOD.values())},
}


@pytest.mark.parametrize("form", FORMS)
def test_scores_of_every_form_give_the_same_scorecard(form):
    card = judged(FORMS[form])
    assert card.verdict == "pass" and card.items == 60 and card.isolation == "elsewhere"
    assert {"scores-given", "unsealed"} <= set(codes(card))
    assert not {"read-from-log", "trusted-code", "not-isolated"} & set(codes(card))
    assert [bar.value for bar in card.bars] == [bar.value for bar in judged(GOOD).bars]


def test_a_column_of_the_data_holds_the_scores():
    data = [{**row, "judge": GOOD[row["id"]]} for row in ROWS]
    card = judged(data, None, score="judge")
    assert card.method == "judge" and card.verdict == "pass"


def test_a_missing_score_is_unscored_and_blocks_the_verdict():
    card = judged({**GOOD, "r3": None})
    assert card.unscored == 1 and card.verdict == "unresolved"


def test_scores_that_rank_the_wrong_way_do_not_pass():
    card = judged({name: -score for name, score in GOOD.items()})
    assert card.verdict == "fail" and "reversed" in codes(card)


@pytest.mark.parametrize(
    ("given", "words", "said"),
    [
        (GOOD, {"benchmark": None}, "which records do they score"),
        (GOOD, {"second": ROWS}, "not of a second corpus"),
        ({"one": GOOD, "other": GOOD}, {}, "the scores of 2 methods, one, other"),
        ({**GOOD, "r99": 1.0}, {}, "r99"),
        (3.5, {}, r"score\(\) got float, expected a Run"),
    ],
)
def test_what_cannot_be_judged_is_refused(given, words, said):
    with pytest.raises(assay.SpecError, match=said):
        judged(given, **words)


def test_the_command_judges_a_file_of_scores(assay_cmd, tmp_path):
    def write(name, rows):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    write("answers.jsonl", ROWS)
    write("scores.jsonl", FORMS["rows"])
    asked = ("score", "scores.jsonl", "--label", "wrong", "--bars", "plain")
    done = assay_cmd(*asked, "--benchmark", "answers.jsonl")
    assert done.code == 0 and "scores-given: " in done.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.jsonl", "scores.jsonl"]
    refused = assay_cmd(*asked)
    assert refused.code == 2 and "which records do they score" in refused.err
    assert "--benchmark FILE" in refused.err and "--score COLUMN" in refused.err
