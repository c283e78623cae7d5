"""Which records of a file are used, left out or refused, and that it is said."""

import json

import polars
import pytest

import assay
from assay.benchmark.benchmark import Columns
from assay.benchmark.load import load_benchmark, read_fields
from assay.benchmark.subset import subset_bytes
from assay.digests import digest
from assay.errors import DigestMismatch, SpecError
from assay.tables.faults import MOST_NAMED, Faults


@pytest.fixture
def written(tmp_path):
    def write(rows, name="file.jsonl"):
        path = tmp_path / name
        text = rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def rows(*labels, **more):
    """A record for each label, with an id, a question and a response."""
    return [
        {"id": f"r{i}", "question": f"Q{i}?", "response": f"a{i}", "label": label, **more}
        for i, label in enumerate(labels)
    ]


def read(path, **columns):
    return load_benchmark(path, columns=Columns(**columns))


def refusal(path, **columns):
    with pytest.raises(SpecError) as caught:
        read(path, **columns)
    return caught.value


def labels(benchmark):
    return {item.id: item.label for item in benchmark.items}


def test_two_values_of_which_one_is_positive_need_no_more(written):
    path = written(rows("yes", "N/A", "yes"))
    assert list(labels(read(path, positive="yes")).values()) == [True, False, True]


def test_a_label_that_is_true_or_false_is_called_so(written):
    path = written(rows(True, False, True))
    assert list(labels(read(path)).values()) == [True, False, True]
    found = read(path, positive="false", negative="true")
    assert list(labels(found).values()) == [False, True, False]


def test_a_negative_value_alone_asks_for_the_positive_one(written):
    error = refusal(written(rows("yes", "no", "yes")), negative="no")
    assert "2 records are neither positive nor negative: 'yes' (2)" in error.message
    assert error.hint.startswith("Which value is positive? Name it: `positive=VALUE`")


def test_three_values_of_which_one_is_positive_are_refused_with_their_counts(written):
    error = refusal(written(rows("yes", "no", "no", "N/A", "?", "no")), positive="yes")
    assert "the label has 4 values: 'no' (3), '?' (1), 'N/A' (1), 'yes' (1)" in error.message
    for parameter in ("`negative=VALUE`", "`unknown=exclude`", "`positive='label == yes'`"):
        assert parameter in error.hint


def test_the_same_holds_for_classes(written):
    path = written([{"question": f"Q{c}", "class": c} for c in ("truth", "myth", "joke")])
    error = refusal(path, positive="myth")
    assert "the class has 3 values" in error.message
    assert "`positive='class == myth'`" in error.hint
    assert labels(read(path, positive="class == myth")) == {"1": False, "2": True, "3": False}


def test_an_expression_makes_all_others_negative(written):
    path = written(rows("yes", "no", "N/A"))
    assert list(labels(read(path, positive="label == yes")).values()) == [True, False, False]


@pytest.mark.parametrize(
    "positive", ["label >= 7", "rating >= 7", "rating > 6.5 and rating != 9", "rating == 7"]
)
def test_a_rating_is_positive_from_a_bound_on_by_its_own_name_too(written, positive):
    path = written("".join(f'{{"question": "{n}?", "rating": {n}}}\n' for n in (3, 7, 6)))
    assert list(labels(read(path, label="rating", positive=positive)).values()) == [
        False,
        True,
        False,
    ]


def test_a_value_that_begins_with_a_sign_is_a_value(written):
    path = written(rows("<5", ">=5", "<5"))
    assert list(labels(read(path, positive="<5")).values()) == [True, False, True]
    error = refusal(path, positive="other >= 5")
    assert "no record has the value 'other >= 5'" in error.message


def test_what_is_neither_positive_nor_negative_is_refused_or_left_out(written):
    path = written(rows("yes", "no", "N/A", "?", "N/A"))
    error = refusal(path, positive="yes", negative="no")
    assert "3 records are neither positive nor negative: 'N/A' (2), '?' (1)" in error.message
    assert "line 3" in error.message and error.hint.endswith("`unknown=exclude`.")
    found = read(path, positive="yes", negative="no", unknown="exclude")
    assert labels(found) == {"r0": True, "r1": False}
    assert [(record.row, record.id, record.place) for record in found.left_out] == [
        (2, "r2", "line 3"),
        (3, "r3", "line 4"),
        (4, "r4", "line 5"),
    ]
    assert found.changes["left-out"] == (
        "3 of 5: 2 with the label 'N/A' (line 3, line 5), 1 with the label '?' (line 4)."
    )


def test_a_policy_does_not_say_which_values_are_negative(written):
    path = written(rows("yes", "no", "N/A"))
    assert "the label has 3 values" in refusal(path, positive="yes", unknown="exclude").message


def test_several_values_are_negative_by_an_expression(written):
    path = written(rows("yes", "no", "never", "?"))
    negative = "label == no or label == never"
    found = read(path, positive="yes", negative=negative, unknown="exclude")
    assert list(labels(found).values()) == [True, False, False]


def test_blank_labels_are_unknown_ones_too(written):
    path = written("id,question,label\na,Q,yes\nb,R,no\nc,S, \n", "file.csv")
    policy = {"positive": "yes", "negative": "no"}
    assert "line 4, field 'label': is empty" in refusal(path, **policy).message
    for name in ("unknown", "missing"):
        assert labels(read(path, **policy, **{name: "exclude"})) == {"a": True, "b": False}


def test_labels_of_0_and_1_know_unknown_ones_as_well(written):
    path = written(rows(1, 0, "N/A"))
    assert "expected 0, 1, true or false, got 'N/A'" in refusal(path).message
    assert labels(read(path, unknown="exclude")) == {"r0": True, "r1": False}


def test_a_misspelt_value_is_refused_with_those_that_there_are(written):
    path = written(rows("yes", "no"))
    assert "the values are 'no' (1), 'yes' (1)" in refusal(path, positive="Yes").message
    wrong = refusal(path, positive="yes", negative="No", unknown="exclude")
    assert "no record has the value 'No' of `negative=`" in wrong.message


def test_a_record_that_is_both_is_refused(written):
    path = written(rows("yes", "no"))
    error = refusal(path, positive="yes", negative="label != maybe")
    assert "line 1: both positive and negative" in error.message


def test_an_expression_that_cannot_be_read_is_no_missing_label(written):
    path = written(rows(1, 0))
    for wrong in ("colour == red", "label == "):
        error = refusal(path, positive=wrong, missing="exclude", unknown="exclude")
        assert error.message.startswith(f"expression {wrong!r}")


def test_records_without_a_needed_value_are_refused_together_or_left_out(written):
    whole = rows(1, 0, 1, 0, 1, 0)
    whole[1]["question"] = " "
    whole[2]["label"] = None
    whole[3]["response"] = ""
    del whole[4]["question"]
    path = written(whole)
    error = refusal(path)
    assert error.message.endswith("line 2, field 'question': is empty, and 2 more faults")
    assert error.details == (
        "line 3, field 'label': expected a label, got null",
        "line 5: no column 'question'; the columns are 'id', 'response', 'label'",
    )
    assert "`missing=exclude`" in error.hint
    assert str(error).count("\n") == 2
    found = read(path, missing="exclude")
    assert list(labels(found)) == ["r0", "r5"]
    assert [record.why for record in found.left_out] == [
        "no question",
        "no label",
        "no response",
        "no question",
    ]


def test_nan_in_a_table_of_numbers_is_a_missing_label(tmp_path):
    values = {"question": list("abc"), "label": [1.0, 0.0, float("nan")]}
    polars.DataFrame(values).write_parquet(tmp_path / "file.parquet")
    assert "row 3, field 'label'" in refusal(tmp_path / "file.parquet").message
    found = read(tmp_path / "file.parquet", missing="exclude")
    assert labels(found) == {"1": True, "2": False}
    kept = subset_bytes(found, ("2",), ".parquet")
    assert polars.read_parquet(kept)["question"].to_list() == ["b"]


def test_a_column_that_no_record_has_is_misnamed_and_not_missing(written):
    path = written(rows(1, 0))
    error = refusal(path, question="prompt", missing="exclude")
    assert "line 1: no column 'prompt'" in error.message
    assert "`question=COLUMN`" in error.hint
    unlabelled = written([{"question": "Q"}, {"question": "R"}])
    assert "neither a label nor a class" in refusal(unlabelled, missing="exclude").message


def test_responses_that_no_record_has_are_not_missing(written):
    path = written([{"question": f"Q{i}", "label": i % 2} for i in range(4)])
    assert len(read(path, missing="exclude").items) == 4


def test_a_file_of_which_nothing_is_left_is_refused(written):
    error = refusal(written(rows("yes", "no")), unknown="exclude")
    assert "every record is left out: the label 'no' (1), the label 'yes' (1)" in error.message


def test_equal_faults_are_one_line_with_their_number_and_first_places(written):
    path = written(rows(*["maybe"] * 30, *[0, 1] * 15))
    error = refusal(path)
    assert "got 'maybe'; 29 more like it: line 2, line 3, line 4, ..." in error.message
    assert error.details == ()


def test_the_first_twenty_faults_are_named_and_the_rest_is_counted():
    faults = Faults("f")
    for number in range(30):
        faults.add(SpecError(f"f, line {number}, field 'c{number}': is empty"))
    with pytest.raises(SpecError, match="and 29 more faults") as caught:
        faults.refuse()
    assert len(caught.value.details) == MOST_NAMED
    assert caught.value.details[-1] == "and 10 more"


def test_lines_that_cannot_be_read_are_named_with_the_others(written):
    path = written('{"question": "Q", "label": 7}\n{broken\n[]\n{"question": "R", "label": 1}\n')
    error = refusal(path)
    assert "line 2, column 2: not JSON" in error.message
    assert [detail[:6] for detail in error.details] == ["line 3", "line 1"]
    cells = refusal(written("question,label\nQ\nR,1,2\nS,1\n", "file.csv"))
    assert "line 2: 1 cell, " in cells.message and "line 3: 3 cells" in cells.details[0]


def test_other_peoples_words_are_bounded_and_escaped(written):
    long = "\x1b[2J" + "x" * 5000
    error = refusal(written(rows("yes", "no", long)), positive="yes", negative="no")
    assert "\x1b" not in str(error) and len(str(error)) < 1000
    many = rows("yes", "no", *(f"value {i}" for i in range(500)))
    assert len(refusal(written(many), positive="yes").message) < 1000
    twice = [{**row, "id": long} for row in rows(1, 0)]
    assert "\x1b" not in str(refusal(written(twice)))


def test_blank_and_repeated_ids_are_refused_together(written):
    path = written("id,question,label\na,Q,1\n,R,0\na,S,1\n ,T,0\n", "file.csv")
    error = refusal(path)
    assert "line 3, field 'id': is empty, and 2 more faults" in error.message
    assert error.details == (
        "line 4: id 'a' is also that of line 2",
        "line 5, field 'id': is empty",
    )
    assert "`ids=none`" in error.hint and "`ids=repair`" in error.hint


def test_repaired_ids_keep_good_ones_and_never_meet(written):
    ids = ["a", "", "a", "a~2", "2", "a", ""]
    path = written(
        [{**row, "id": name} for row, name in zip(rows(*[1, 0] * 3, 1), ids, strict=True)]
    )
    found = read(path, ids="repair")
    assert [item.id for item in found.items] == ["a", "2~2", "a~3", "a~2", "2", "a~4", "7"]
    assert found.renamed == 4
    assert found.changes == {"new-ids": "4 of 7 records."}


def test_without_ids_records_are_numbered_by_their_place_in_the_file(written):
    whole = rows(1, 0, 1, 0)
    whole[1]["question"] = ""
    found = read(written([{**row, "id": "same"} for row in whole]), ids="none", missing="exclude")
    assert [item.id for item in found.items] == ["1", "3", "4"]
    assert found.all_ids == ["1", "2", "3", "4"]
    assert found.renamed == 3


def test_an_id_column_that_is_ignored_is_still_looked_at_for_the_label(written):
    path = written(rows(1, 0))
    assert "id" not in read_fields(read(path))
    assert read_fields(read(path, ids="none"))["id"] == ["r0", "r1"]


def test_good_ids_are_not_counted_as_repaired_and_leave_the_digest_alone(written):
    path = written(rows(1, 0))
    found = read(path, ids="repair", missing="exclude", unknown="exclude")
    assert (found.renamed, found.changes, found.digest) == (0, {}, digest(path.read_bytes()))


def test_the_digest_covers_what_was_left_out_and_renamed(written):
    whole = rows(1, 0, 1, "N/A")
    whole[2]["response"] = " "
    path = written(whole)
    policies = [
        {"unknown": "exclude"},
        {"unknown": "exclude", "missing": "exclude"},
        {"unknown": "exclude", "ids": "none"},
    ]
    found = [read(path, **policy) for policy in policies]
    own = digest(path.read_bytes())
    assert len({own, *(one.digest for one in found)}) == 4
    assert {one.file_digest for one in found} == {own}
    assert "missing=exclude" in found[1].named_columns
    assert read(path, **policies[1]).digest == found[1].digest


def test_fields_and_subsets_are_of_the_rows_that_are_left(written):
    whole = [{**row, "note": f"n{i}"} for i, row in enumerate(rows(1, 0, 1, 0))]
    whole[1]["question"] = ""
    for name in ("file.jsonl", "file.csv"):
        text = whole
        if name.endswith("csv"):
            cells = [",".join(map(str, row.values())) for row in whole]
            text = "\n".join([",".join(whole[0]), *cells]) + "\n"
        path = written(text, name)
        found = read(path, missing="exclude")
        assert read_fields(found) == {"note": ["n0", "n2", "n3"]}
        kept = subset_bytes(found, ("r2", "r3"), path.suffix).decode()
        assert [word in kept for word in ("n0", "n1", "n2", "n3")] == [False, False, True, True]
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        with pytest.raises(DigestMismatch):
            read_fields(found)


def test_a_run_with_an_exclusion_is_not_judged_on_all_records(written, tmp_path):
    whole = rows(*[1, 0] * 10, "N/A")
    path = written(whole)
    run = assay.run("oracle:word_length", read(path, unknown="exclude"))
    other = written(whole[:-1], "other.jsonl")
    bars = assay.load_bars("plain", task="detection")
    with pytest.raises(DigestMismatch):
        assay.score(run, read(other), bars)
    card = assay.score(run, read(path, unknown="exclude"), bars)
    (said,) = (caveat.message for caveat in card.caveats if caveat.code == "left-out")
    assert "1 of 21: 1 with the label 'N/A' (line 21)." in said


@pytest.mark.parametrize("policy", ["unknown", "missing", "ids"])
def test_an_unknown_policy_is_refused(policy):
    with pytest.raises(SpecError, match=f"`{policy}=drop`: expected"):
        Columns(**{policy: "drop"})


def test_a_second_corpus_is_not_promised_the_flags_of_the_first(written):
    path = written(rows(1, "maybe"))
    with pytest.raises(SpecError) as caught:
        load_benchmark("darkcore", second=path)
    assert "got 'maybe'" in caught.value.message
    assert "mend the second" in caught.value.hint


def test_labels_that_are_words_are_listed_once_with_the_flag_that_names_the_positive_one(written):
    error = refusal(written(rows(*["richtig", "falsch"] * 20, "falsch")))
    assert "the label 'label' has 2 values: 'falsch' (21), 'richtig' (20)" in error.message
    assert not error.details
    assert error.hint == (
        "Which value is positive? Name it: `positive=falsch` or `positive=richtig`."
    )
    assert "`unknown=exclude`" in refusal(written(rows(*["yes", "no", "?"] * 5))).hint


def test_one_odd_label_among_plain_ones_is_to_be_left_out_first_of_all(written):
    error = refusal(written(rows(*[0, 1] * 50, "maybe")))
    assert "line 101, field 'label'" in error.message and "got 'maybe'" in error.message
    assert error.hint.index("`unknown=exclude`") < error.hint.index("`positive=VALUE`")


def test_all_missing_columns_are_asked_for_in_one_message(written):
    path = written([{"Frage": "Q?", "Antwort": "a", "Urteil": 1}])
    error = refusal(path, response="answer", ids="none")
    assert "neither a label nor a class" in error.message
    assert "no column 'question', no column 'answer'" in error.message
    assert "the columns are 'Frage', 'Antwort', 'Urteil'" in error.message
    pasted = "`label=COLUMN` `question=Frage` `response=Antwort`"
    assert error.hint == f"Which columns hold them? Name them: {pasted}"
    named = refusal(path, question="Frage", label="Urteil", group="set")
    assert named.message.endswith("no column 'set'; the columns are 'Frage', 'Antwort', 'Urteil'")


def test_a_response_that_is_easily_forgotten_is_named_with_the_columns_that_are_missing(written):
    error = refusal(written([{"prompt": "Q?", "answer": "a", "is_correct": 1}]))
    named = "`label=is_correct` `question=prompt` `response=answer`"
    assert error.hint == f"Which columns hold them? Name them: {named}"


@pytest.mark.parametrize(
    ("row", "pasted"),
    [
        (
            {"User Prompt (EN)": "Q?", "Model Output": "a", "Halluc?": "yes", "Output tokens": 9},
            "`label=COLUMN` `question=User Prompt (EN)` `response=Model Output`",
        ),
        (
            {"doc": {"q": "Q?", "a": [{"text": "a"}]}, "verdict": 1},
            "`label=COLUMN` `question=doc.q` `response=doc.a.0.text`",
        ),
        (
            {"Nr": 1, "Urteil": 1},
            "`label=COLUMN` `question=COLUMN` `response=COLUMN`; leave `response=` out if none"
            " does",
        ),
    ],
)
def test_the_response_is_in_the_list_of_columns_to_name(written, row, pasted):
    assert refusal(written([row])).hint == f"Which columns hold them? Name them: {pasted}"


def test_long_column_names_are_told_apart_by_their_ends(written):
    stem = "the response of the model under test, as it was returned by the "
    error = refusal(written([{f"{stem}first try": 1, f"{stem}second try": 0}]))
    _, _, listed = error.message.partition("the columns are ")
    first, second = listed.split("', '")
    assert first.startswith("'the response") and first.endswith("first try")
    assert second.startswith("the response") and second.endswith("second try'")
    assert len(listed) < 130


def test_labels_between_0_and_1_are_one_fault_that_says_what_a_label_is():
    rows = [{"question": f"q{n}", "p": n / 41} for n in range(40)]
    with pytest.raises(SpecError) as refused:
        load_benchmark(rows, columns=Columns(label="p"))
    error = refused.value
    assert error.message.endswith(
        "expected 0 or 1, got 0.024390243902439025; 38 more like it: row 3, row 4, row 5, ..."
    )
    assert not error.details
    assert "set a threshold, such as value >= 0.5" in error.hint
