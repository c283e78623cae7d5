import json

import pytest

from assay.comparison.collect import Request, compare_paths
from assay.errors import SpecError
from assay.logs.format_table import is_log, read_log


def record(asked, exact, *, ts=0, calls=True, output="4", version="one", **more):
    made = {
        "app_id": f"hash-{version}",
        "app_name": "sums",
        "app_version": version,
        "record_id": f"{asked}-{ts}",
        "input": asked,
        "output": output,
        "record_json": {"meta": {}},
        "ts": ts,
        "latency": 0.5,
        "total_tokens": 0,
        "exact": exact,
        "exact_calls": [{"ret": exact}] if calls else None,
        "exact direction": True if calls else None,
        "errors": 0.25,
        "errors_calls": [{"ret": 0.25}] if calls else None,
        "errors direction": False if calls else None,
    }
    return made | more


RECORDS = (
    record("b", 1.0, ts=3),
    record("a", 0.0, ts=2),
    record("a", 1.0, ts=1),
    record("c", None, ts=4),
    record("d", None, ts=5, calls=False, output="", errors=None),
)


def write(folder, records=RECORDS, *, lines=False):
    path = folder / "records.json"
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records, indent=1)
    path.write_text(text)
    return path


def test_one_repeated_input_leaves_the_pairs_of_the_others(tmp_path):
    once, again = [record(f"q{n}", float(n % 2), ts=n) for n in range(8)], tmp_path / "again"
    again.mkdir()
    first = write(tmp_path, once)
    second = write(again, [*once, record("q0", 1.0, ts=9)])
    found = compare_paths([first], [second], Request(plan=None, policies={}))
    assert (found.pairs, found.unit) == (8, "pair")


@pytest.mark.parametrize("lines", [False, True])
def test_repeats_failures_and_unscored_records(tmp_path, lines):
    [run] = read_log(write(tmp_path, lines=lines), texts=True)
    rows = [(it.instance, it.trial, it.scores["exact"], it.failed) for it in run.samples]
    assert rows == [
        ("a", "1", 1.0, False),
        ("a", "2", 0.0, False),
        ("b", "1", 1.0, False),
        ("c", "1", None, False),
        ("d", "1", None, True),
    ]
    assert (run.task, run.model, run.means) == ("sums", "one", ())
    assert run.lower == {"errors"}
    assert run.samples[0].costs == {"seconds": 0.5}
    assert (run.samples[0].question, run.samples[0].response) == ("a", "4")


def test_version_1_says_that_a_record_failed(tmp_path):
    broken = record("a", 1.0, record_json={"main_error": "down"})
    [run] = read_log(write(tmp_path, [broken]))
    assert run.samples[0].failed
    assert run.samples[0].scores["exact"] == 1.0


def test_each_version_of_an_app_is_a_run(tmp_path):
    runs = read_log(write(tmp_path, [*RECORDS, record("a", 0.5, ts=9, version="two")]))
    assert [(run.model, len(run.samples)) for run in runs] == [("one", 5), ("two", 1)]


def test_a_record_without_an_input_cannot_be_paired(tmp_path):
    with pytest.raises(SpecError, match="record 0: no input"):
        read_log(write(tmp_path, [record(None, 1.0)]))


def test_a_feedback_of_another_type_is_refused(tmp_path):
    with pytest.raises(SpecError, match="feedback is 'good', expected a number"):
        read_log(write(tmp_path, [record("a", "good")]))


def test_other_lists_of_records_are_no_log(tmp_path):
    bare = {"app_id": "a", "record_id": "r", "input": "i", "output": "o", "phone_calls": []}
    assert not is_log(write(tmp_path, [bare]))
    assert not is_log(write(tmp_path, []))
