import json
import subprocess

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
    with pytest.raises(SpecError, match="already exists"):
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


def test_data_that_others_will_not_get_is_named_when_a_study_is_opened(assay_cmd, tmp_path):
    rows = [f'{{"question": "q{i}", "response": "a", "label": {i % 2}}}\n' for i in range(20)]
    (tmp_path / "answers.jsonl").write_text("".join(rows))
    new = ("new", "study", "--benchmark", "answers.jsonl")
    assert "is outside the study, which is not in a git repository" in assay_cmd(*new).err
    subprocess.run(["git", "init", "-q", "own"], cwd=tmp_path, check=True)
    own = assay_cmd("new", "own", "--benchmark", "answers.jsonl")
    assert own.code == 0
    assert "../answers.jsonl is outside the repository: others will not be able to" in own.err
    assert assay_cmd("new", "bundled").err == ""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    assert assay_cmd("new", "whole", "--benchmark", "answers.jsonl").err == ""
    (tmp_path / ".gitignore").write_text("*.jsonl\n")
    ignored = assay_cmd("new", "ignored", "--benchmark", "answers.jsonl")
    assert "git ignores answers.jsonl" in ignored.err
