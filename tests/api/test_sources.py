"""The same rows give the same verdict, whatever holds them."""

import json

import pandas
import polars
import pytest

import assay
from assay.benchmark.bundled import FOLDER
from assay.benchmark.load import read_fields

ROWS = [json.loads(line) for line in (FOLDER / "darkcore.jsonl").read_text().splitlines()]
for number, row in enumerate(ROWS):
    row["wrong"] = row["class"] != "truth"
    row["note"] = None if number % 3 else {"tags": ["a", str(number)]}
WORDS = {"response": "response", "label": "wrong"}


@pytest.fixture(scope="module")
def of_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS))
    return path


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame, list])
def test_a_frame_and_a_file_of_the_same_rows_give_the_same_audit(frame, of_file):
    of_rows = assay.confounds(frame(ROWS), joint=False, **WORDS)
    expected = assay.confounds(of_file, joint=False, **WORDS)
    assert of_rows.features == expected.features
    assert of_rows.lint == expected.lint
    assert of_rows.positives == 53


def test_a_frame_and_a_file_of_the_same_rows_have_the_same_digest_and_other_columns(of_file):
    memory, file = (assay.load_benchmark(data, **WORDS) for data in (ROWS, of_file))
    assert (memory.digest, memory.items) == (file.digest, file.items)
    assert read_fields(memory) == read_fields(file)
    assert set(read_fields(memory)) == {"note.tags"}
    assert memory.named_columns == " (response=response, label=wrong)"


def test_a_leak_of_the_label_in_another_column_of_a_frame_is_found():
    frame = pandas.DataFrame(ROWS).assign(answer_key=[int(row["wrong"]) for row in ROWS])
    audit = assay.confounds(frame, joint=False, **WORDS)
    assert "label-leak" in [finding.code for finding in audit.lint]


def test_a_frame_gives_the_scorecard_of_its_file(of_file):
    cards = [
        assay.try_method("oracle:word_length", data, bars="v3", **WORDS)
        for data in (pandas.DataFrame(ROWS), of_file)
    ]
    assert cards[0].bars == cards[1].bars
    assert cards[0].verdict == "fail"


def test_messages_name_the_row_of_a_frame():
    frame = pandas.DataFrame(ROWS)
    frame.loc[2, "question"] = float("nan")
    with pytest.raises(assay.SpecError, match=r"^the frame, row 3 \(index 2\), field 'quest"):
        assay.load_benchmark(frame, **WORDS)
    left = assay.load_benchmark(frame, missing="exclude", **WORDS)
    assert left.left_out[0].place == "row 3 (index 2)"
    twice = pandas.DataFrame([ROWS[0], ROWS[1], ROWS[0]])
    with pytest.raises(assay.SpecError, match=r"row 3 \(index 2\): id .* of row 1 \(index 0"):
        assay.load_benchmark(twice, **WORDS)
    with pytest.raises(assay.SpecError, match="no column 'wrnog'") as refused:
        assay.load_benchmark(frame, label="wrnog")
    assert "Did you mean 'wrong'?" in refused.value.hint


def test_a_class_is_named_by_a_word_that_python_allows():
    rows = [{"question": row["question"], "kind": row["class"]} for row in ROWS]
    found = assay.load_benchmark(rows, class_="kind", positive="class != truth")
    assert sum(bool(item.label) for item in found.items) == 53
    with pytest.raises(assay.SpecError) as refused:
        assay.load_benchmark(rows)
    assert "`class_=COLUMN`" in refused.value.hint


def test_a_benchmark_that_is_loaded_keeps_its_columns():
    loaded = assay.load_benchmark(ROWS, **WORDS)
    assert assay.load_benchmark(loaded) is loaded
    with pytest.raises(assay.SpecError, match="rows is loaded already"):
        assay.confounds(loaded, label="wrong")


def test_a_second_corpus_may_be_in_memory():
    second = [{**row, "id": f"other {row['id']}"} for row in ROWS[:60]]
    found = assay.load_benchmark("darkcore", second=second)
    assert found.second is not None
    assert found.second.name == "rows"
    with pytest.raises(assay.SpecError) as refused:
        assay.load_benchmark("darkcore", second=[{"question": "Why?"}])
    assert "mend the second" in refused.value.hint


def test_a_study_asks_for_a_file_of_what_was_never_rows(tmp_path):
    from msgspec.structs import replace

    loaded = assay.load_benchmark(ROWS, **WORDS)
    with pytest.raises(assay.SpecError, match="is in memory, but a study needs a file") as refused:
        assay.Study.create(tmp_path / "study", replace(loaded, origin=None, memory=None))
    assert "Write the records to a file" in refused.value.hint


@pytest.mark.parametrize(
    ("values", "positive"),
    [((True, False), True), (("True", "False"), True), ((2, 5), 2), (("2", "5"), 2.0),
     ((1.0, 3.0), 1), (("1.0", "3.0"), "1")],
)  # fmt: skip
def test_the_positive_value_is_compared_by_what_it_is(values, positive):
    rows = [{"question": f"q{n}", "mark": values[n % 2]} for n in range(4)]
    benchmark = assay.load_benchmark(rows, label="mark", positive=positive)
    assert [item.label for item in benchmark.items] == [True, False, True, False]


def test_the_exact_value_goes_before_one_of_the_same_size():
    rows = [{"question": "a", "mark": "1"}, {"question": "b", "mark": "1.0"}]
    benchmark = assay.load_benchmark(rows, label="mark", positive="1")
    assert [item.label for item in benchmark.items] == [True, False]


def test_a_blank_id_is_a_fault_of_a_frame_as_of_its_file(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,question,label\na,Why?,0\n,How?,1\nc,When?,0\n")
    faults = []
    for data in (path, pandas.read_csv(path), polars.read_csv(path)):
        with pytest.raises(assay.SpecError, match="field 'id': is empty") as refused:
            assay.load_benchmark(data)
        faults.append(refused.value.hint)
        repaired = assay.load_benchmark(data, ids="repair")
        assert ([item.id for item in repaired.items], repaired.renamed) == (["a", "2", "c"], 1)
    assert len(set(faults)) == 1
    without = [{"id": None, "question": f"q{n}", "label": n % 2} for n in range(4)]
    assert [item.id for item in assay.load_benchmark(without).items] == ["1", "2", "3", "4"]


def leaks(rows):
    audit = assay.confounds(rows, joint=False, **WORDS)
    return [finding.message for finding in audit.lint if finding.code == "label-leak"]


def test_an_id_that_gives_the_label_away_is_found_in_a_nested_column_too():
    keys = [f"{'xy'[row['wrong']]}{n}" for n, row in enumerate(ROWS)]
    flat = leaks([{**row, "key": key} for row, key in zip(ROWS, keys, strict=True)])
    nested = leaks([{**row, "meta": {"by": "us", "key": key}}
                    for row, key in zip(ROWS, keys, strict=True)])  # fmt: skip
    assert flat != []
    assert nested == [message.replace("'key'", "'meta.key'") for message in flat]
    named = [{"meta": {"label": row["wrong"], "key": key}, "question": row["question"]}
             for row, key in zip(ROWS, keys, strict=True)]  # fmt: skip
    assert set(read_fields(assay.load_benchmark(named, label="meta.label"))) == {"meta.key"}
