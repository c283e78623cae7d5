import json

import pytest
from helpers.inspect_logs import samples, write_eval
from helpers.studies import opened

from assay import load_benchmark
from assay.errors import SpecError
from assay.study.create import new_study
from assay.study.study import RECORDS


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_no_study_is_opened_over_what_would_be_a_record_of_it(tmp_path, name):
    (tmp_path / "study" / name).mkdir(parents=True)
    with pytest.raises(SpecError, match="is there already"):
        opened(tmp_path)


def test_a_study_may_keep_a_log_of_one_file_and_no_more(tmp_path):
    log = write_eval(tmp_path / "a.eval", samples(["C", "I"] * 20))
    study = new_study(tmp_path / "study", benchmark=load_benchmark(log))
    assert study.benchmark(second=False).labelled_by is not None
    rows = [
        {"doc_id": at, "doc": {"question": f"q{at}"}, "target": "x", "resps": [["x"]],
         "filtered_resps": ["x"], "acc": at % 2, "filter": "none", "metrics": ["acc"]}
        for at in range(40)
    ]  # fmt: skip
    path = tmp_path / "samples_facts_2026-01-01.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    results = {"results": {"facts": {"acc,none": 0.5}}, "configs": {}, "versions": {}}
    (tmp_path / "results_2026-01-01.json").write_text(json.dumps(results))
    with pytest.raises(SpecError, match="is a log in several files"):
        new_study(tmp_path / "other", benchmark=load_benchmark(path))
