"""Scores are paired with the record that they are of, or refused: never with another."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import assay
from assay.benchmark.subset import KeptRecords
from assay.confounding.collect import method_scores

SIZE = 8
WORDS = {"question": "text", "label": "wrong"}
INDEXES = {
    "plain": list(range(SIZE)),
    "from one": list(range(1, SIZE + 1)),
    "numbers": [40, 7, 300, 2, 11, 5, 90, 6],
    "texts": [f"r{place}" for place in range(SIZE)],
    "days": list(pd.date_range("2024-01-01", periods=SIZE)),
    "levels": pd.MultiIndex.from_product([["a", "b"], range(SIZE // 2)], names=["task", "run"]),
    "repeated": ["a", "b"] * (SIZE // 2),
}
IDS = {
    "no ids": None,
    "texts": [f"id{place}" for place in range(SIZE)],
    "from nought": list(range(SIZE)),
    "from one": list(range(1, SIZE + 1)),
}
orders = st.permutations(range(SIZE))


def frame_of(index="plain", ids="no ids"):
    """Records whose true score is the number in their text."""
    frame = pd.DataFrame(
        {
            "text": [f"Is it {place}?" for place in range(SIZE)],
            "wrong": [place % 2 for place in range(SIZE)],
            "judge": [float(place) for place in range(SIZE)],
        },
        index=INDEXES[index],
    )
    return frame if IDS[ids] is None else frame.assign(uid=IDS[ids])


def paired(data, scores):
    """The score that each question was given; None if the scores are refused."""
    has_ids = "uid" in (data[0] if isinstance(data, list) else data.columns)
    benchmark = assay.load_benchmark(data, **WORDS, **({"id": "uid"} if has_ids else {}))
    return paired_with(benchmark, scores)


def paired_with(benchmark, scores):
    try:
        [found] = method_scores(scores, benchmark).values()
    except assay.SpecError as error:
        assert error.hint, error
        return None
    return {item.question: found[item.id] for item in benchmark.items if item.id in found}


def true(pairs):
    return all(question == f"Is it {score:.0f}?" for question, score in pairs.items())


def is_plain(labels):
    return list(labels) == list(range(len(labels)))


LABELLED = {
    "series": lambda series: series,
    "frame of one column": lambda series: series.to_frame(),
    "dictionary": lambda series: dict(series) if series.index.is_unique else series,
}


@settings(max_examples=300)
@given(
    index=st.sampled_from(sorted(INDEXES)),
    ids=st.sampled_from(["no ids", "texts", "from nought"]),
    kind=st.sampled_from(sorted(LABELLED)),
    rows=orders,
    scored=orders,
    kept=st.tuples(st.integers(SIZE // 2, SIZE), st.integers(SIZE // 2, SIZE)),
    numbered_anew=st.tuples(st.booleans(), st.booleans()),
)
def test_rows_that_were_moved_or_filtered_pair_truly_or_not_at_all(
    index, ids, kind, rows, scored, kept, numbered_anew
):
    whole = frame_of(index, ids)
    frame, series = whole.iloc[rows[: kept[0]]], whole["judge"].iloc[scored[: kept[1]]]
    frame = frame.reset_index(drop=True) if numbered_anew[0] else frame
    series = series.reset_index(drop=True) if numbered_anew[1] else series
    by_count = is_plain(frame.index) and is_plain(series.index)  # nothing is left that could tell
    assume(not by_count)
    assume(ids != "from nought" or index not in ("numbers", "from one"))  # labels are other ids
    assume(ids != "from nought" or kind != "dictionary" or not numbered_anew[1])  # keys are ids
    found = paired(frame, LABELLED[kind](series))
    assert found is None or true(found)


@given(index=st.sampled_from(sorted(INDEXES)), order=orders, kept=st.integers(2, SIZE))
def test_what_has_no_index_is_in_the_order_of_the_rows(index, order, kept):
    frame = frame_of(index).iloc[order[:kept]]
    judge = frame["judge"]
    for scores in (judge.to_list(), judge.to_numpy(), pl.Series(judge.to_list()), tuple(judge)):
        for data in (frame, frame.to_dict(orient="records"), pl.DataFrame(frame.to_dict("list"))):
            assert true(paired(data, scores))


@pytest.mark.parametrize("index", sorted(set(INDEXES) - {"repeated"}))
@pytest.mark.parametrize("kind", LABELLED)
def test_the_column_of_a_frame_pairs_with_its_frame_however_both_are_sorted(index, kind):
    whole = frame_of(index)
    moved = whole.sample(frac=1, random_state=3)
    give = LABELLED[kind]
    assert len(paired(moved, give(moved["judge"]))) == SIZE, "as they are"
    assert len(paired(whole, give(whole["judge"]))) == SIZE
    again = moved["judge"].sample(frac=1, random_state=5)
    assert true(paired(moved, give(again)))
    if index != "plain":
        assert true(paired(whole, give(again)))
        assert true(paired(moved, give(whole["judge"])))


def refusal(data, scores, **named):
    with pytest.raises(assay.SpecError) as refused:
        method_scores(scores, assay.load_benchmark(data, **WORDS, **named))
    return refused.value


def follow(hint, part, **names):
    """What the code in backquotes behind some words gives."""
    code = hint.partition(part)[2].split("`")[1]
    return eval(code, {"pandas": pd}, names)  # noqa: S307 - our own hint


def test_numbers_in_another_order_are_refused_with_each_reading_to_be_pasted():
    flat = frame_of()
    moved = flat.sample(frac=1, random_state=7)
    for frame, series in ((moved, flat["judge"]), (flat, moved["judge"])):
        error = refusal(frame, series)
        assert "the same numbers in another order" in error.message
        by_label = follow(error.hint, "By the labels of the frame", series=series, frame=frame)
        assert true(paired(frame, by_label))
        in_order = follow(error.hint, "In the order of the rows", series=series, frame=frame)
        assert in_order == series.to_list()
        error = refusal(frame, dict(series))
        by_label = follow(
            error.hint, "By the labels of the frame", scores=dict(series), frame=frame
        )
        assert true(paired(frame, by_label))
    rows = flat.to_dict(orient="records")
    error = refusal(rows, moved["judge"])
    assert true(paired(rows, follow(error.hint, "By the place", series=moved["judge"])))


def test_a_filtered_frame_and_the_scores_of_the_whole_are_refused_with_a_way_out():
    flat = frame_of()
    kept = flat[flat["judge"] != 2]
    for frame, series in ((kept, flat["judge"]), (flat, kept["judge"])):
        error = refusal(frame, series)
        assert "7 of its" in error.message
        found = follow(error.hint, "equal labels are the same record", series=series, frame=frame)
        assert true(paired(frame, found))


def test_labels_that_are_repeated_pair_nothing():
    frame = frame_of("repeated")
    error = refusal(frame, frame["judge"])
    assert 'has the label "a" 4 times' in error.message
    assert true(paired(frame, follow(error.hint, "order of the records", series=frame["judge"])))
    error = refusal(frame, frame_of("texts")["judge"])
    assert "which has labels more than once" in error.message


def test_ids_that_contradict_the_index_are_refused_and_a_dictionary_is_by_id():
    frame = frame_of().assign(uid=[3, 1, 0, 2, 7, 6, 5, 4])
    error = refusal(frame, frame["judge"], id="uid")
    assert "may be ids of the records or places in their frame" in error.message
    by_index = follow(error.hint, "By the labels", series=frame["judge"], frame=frame)
    assert true(paired(frame, by_index))
    by_id = frame.set_index("uid")["judge"].sort_index()
    error = refusal(frame, by_id, id="uid")
    assert true(paired(frame, follow(error.hint, "By the ids", series=by_id)))
    partly = frame_of(ids="from one")["judge"].iloc[1:]
    refusal(frame_of(ids="from one"), partly, id="uid")


@pytest.mark.parametrize("ids", ["texts", "from one"])
def test_the_index_of_a_series_may_hold_the_ids(ids):
    frame = frame_of("texts", ids)
    by_id = frame.set_index("uid")["judge"].sample(frac=1, random_state=2)
    assert len(paired(frame, by_id)) == SIZE
    assert true(paired(frame.to_dict(orient="records"), by_id.iloc[:5]))
    assert true(paired(frame, dict(by_id.iloc[:5])))


def test_a_dictionary_is_by_id_by_number_from_one_as_text_or_by_index():
    frame = frame_of()
    judge = frame["judge"].to_list()
    rows = frame.to_dict(orient="records")
    for data in (frame, rows):
        assert true(paired(data, dict(enumerate(judge))))
        assert true(paired(data, {str(n): score for n, score in enumerate(judge, 1)}))
        assert paired(data, {"3": 2.0}) == {"Is it 2?": 2.0}
    assert true(paired(rows, dict(enumerate(judge, 1))))
    assert true(paired(rows, dict(reversed(list(enumerate(judge))))))
    error = refusal(frame, {1: 1.0, 2: 2.0})
    assert "keys" in error.message
    error = refusal(frame.assign(uid=IDS["texts"]), {"id0": 1.0, "id9": 2.0}, id="uid")
    assert '"id9"' in error.message


def test_a_balanced_subset_takes_the_scores_of_its_frame_or_of_its_rows():
    whole = frame_of("texts").sample(frac=1, random_state=4)
    loaded = assay.load_benchmark(whole, **WORDS)
    places = (1, 4, 6)
    kept = KeptRecords(whole=loaded, positions=places, what="subset").benchmark()
    part = whole["judge"].iloc[list(places)]
    for scores in (whole["judge"], part, part.to_list(), dict(part), whole["judge"].to_numpy()):
        pairs = paired_with(kept, scores)
        assert len(pairs) == 3
        assert true(pairs)


def test_a_frame_of_scores_pairs_by_its_ids_before_its_index():
    frame = frame_of("texts", "texts")
    scores = frame[["uid", "judge"]].rename(columns={"judge": "score"})
    moved = scores.sample(frac=1, random_state=1).reset_index(drop=True)
    assert true(paired(frame, moved))
    assert true(paired(frame, moved.rename(columns={"uid": "id"}))), "the name that is documented"
    with pytest.raises(
        assay.SpecError, match=r"^the scores, row 1 .*no column 'score'; the columns"
    ):
        method_scores(frame[["text", "judge"]], assay.load_benchmark(frame, **WORDS))


def test_the_auc_of_a_judge_does_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    flat = pd.DataFrame({"text": [f"q{n} {rng.integers(9)}" for n in range(80)]})
    flat["wrong"] = rng.permutation([0, 1] * 40)
    flat["judge"] = flat["wrong"] + rng.normal(0, 1, 80)
    named = pd.Index([f"r{n}" for n in range(80)])

    def auc(data, scores):
        return assay.confounds(data, scores=scores, joint=False, **WORDS).methods[0].auc

    expected = auc(flat, flat["judge"])
    for frame in (flat, flat.set_index(named)):
        moved = frame.sample(frac=1, random_state=7)
        assert auc(moved, moved["judge"]) == expected
        assert auc(moved, frame["judge"].reindex(moved.index).to_list()) == expected
    assert auc(moved, frame["judge"]) == auc(frame, moved["judge"]) == expected
    with pytest.raises(assay.SpecError, match="the same numbers in another order"):
        auc(flat.sort_values("text"), flat["judge"])
