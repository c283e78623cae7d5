import bz2
import gzip
import json
import lzma
import math
import subprocess
import sys

import pytest
from backports import zstd
from helpers.inspect_logs import archive, header, members, sample, samples, write_eval

from assay.errors import IntegrityError, SpecError
from assay.logs import lenient_json
from assay.logs.format_table import read_log
from assay.logs.means import mean_of

VALUES = ["C", "I", "P", "N", math.nan, None, 1, 0.25, "0.5"]


def read(path, **how):
    (run,) = read_log(path, **how)
    return run


@pytest.mark.parametrize("packing", ["zstandard", "deflate", "stored"])
@pytest.mark.parametrize("texts", [False, True])
def test_a_log_is_read_however_it_is_packed(tmp_path, packing, texts):
    run = read(write_eval(tmp_path / "a.eval", samples(VALUES), packing=packing), texts=texts)
    assert (run.harness, run.version, run.task, run.model) == (
        *("inspect_ai", "0.3.285"),
        *("facts", "m/one"),
    )
    scores = [one.scores.get("match") for one in run.samples]
    assert scores == [1.0, 0.0, 0.5, 0.0, None, None, 1.0, 0.25, 0.5]
    assert [one.failed for one in run.samples] == [value is None for value in VALUES]
    assert run.samples[0].costs == {"tokens": 5.0, "seconds": 0.25}
    assert (run.samples[0].question, run.samples[0].response) == (
        ("What is q0?", "x") if texts else (None, None)
    )
    assert run.means[0].value == pytest.approx(mean_of(run.samples, "match", "items"), abs=1e-12)


def test_members_may_be_several_frames(tmp_path):
    path = tmp_path / "a.eval"
    path.write_bytes(archive(members(samples(VALUES)), frames=5))
    assert len(read(path).samples) == len(VALUES)


def test_a_json_log_is_the_same_run(tmp_path):
    made = samples(VALUES, epochs=2)
    write_eval(tmp_path / "a.eval", made)
    for name, indent in (("b.json", 2), ("c.json", None)):
        (tmp_path / name).write_text(json.dumps(header(made) | {"samples": made}, indent=indent))
        one, other = read(tmp_path / "a.eval", texts=True), read(tmp_path / name, texts=True)
        assert one.samples == other.samples and one.means == other.means
        assert (one.settings, one.scorer) == (other.settings, other.scorer)


def test_epochs_are_averaged_first_and_failed_ones_dropped(tmp_path):
    made = [sample("a", 1, "C"), sample("a", 2, error="broken"), sample("b", 1, "I")]
    made += [sample("b", 2, "C")]
    run = read(write_eval(tmp_path / "a.eval", made))
    assert [(one.instance, one.trial) for one in run.samples] == [
        *(("a", "1"), ("a", "2")),
        *(("b", "1"), ("b", "2")),
    ]
    assert run.means[0].value == 0.75 and run.means[0].over == "items"
    assert run.planned == 4 and run.failed == 1


def test_a_score_with_keys_is_several_metrics(tmp_path):
    made = [sample("a", score={"exact": 1, "short": 0.5}), sample("b", score=math.nan)]
    top = header(made, mean=1.0)
    top["results"]["scores"][0] |= {"name": "exact", "scorer": "match"}
    path = tmp_path / "a.eval"
    path.write_bytes(archive(members(made, head=top)))
    run = read(path)
    assert run.metrics == ["match/exact", "match/short"]
    assert [mean.metric for mean in run.means] == ["match/exact"]


def test_an_unfinished_log_is_read_from_its_journal(tmp_path):
    made = samples(["C"] * 40)
    run = read(write_eval(tmp_path / "a.eval", made, finished=False))
    assert [one.instance for one in run.samples] == [one["id"] for one in made]
    assert not run.finished and run.means == ()


def test_a_log_that_ended_in_an_error_has_no_means(tmp_path):
    run = read(write_eval(tmp_path / "a.eval", samples(["C", "I"]), status="error"))
    assert not run.finished and run.means == () and len(run.samples) == 2


def test_a_log_whose_rows_do_not_give_its_mean_is_refused(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples(["C", "I", "C"]), mean=0.7)
    with pytest.raises(
        IntegrityError, match=r"reports match 0\.7, but its 3 scored rows give 0\.66"
    ):
        read_log(path)


@pytest.mark.parametrize(
    ("reducer", "mean"), [("mode", 0.5), ("median", 0.5), ("max", 1.0), ("at_least_2", 0.3)]
)
def test_other_reductions_of_epochs_are_computed_again_where_they_are_known(
    tmp_path, reducer, mean
):
    made = [sample("a", n, "C") for n in (1, 2, 3)]
    made += [sample("b", n, score) for n, score in ((1, "I"), (2, "I"), (3, "C"))]
    top = header(made, mean=mean)
    top["results"]["scores"][0]["reducer"] = reducer
    path = tmp_path / "a.eval"
    path.write_bytes(archive(members(made, head=top)))
    run = read(path)
    assert run.means == ()
    assert ("not computed again" in " ".join(run.notes)) is (reducer == "at_least_2")
    if reducer == "at_least_2":
        return
    top["results"]["scores"][0]["metrics"]["accuracy"]["value"] = mean - 0.01
    path.write_bytes(archive(members(made, head=top)))
    with pytest.raises(IntegrityError, match=reducer):
        read_log(path)


def test_a_word_that_is_no_grade_counts_where_the_harness_averaged_it(tmp_path):
    made = [sample("a", score="C"), sample("b", score="perhaps")]
    top = header(made, mean=0.5)
    path = tmp_path / "a.eval"
    path.write_bytes(archive(members(made, head=top)))
    assert [one.scores["match"] for one in read(path).samples] == [1.0, 0.0]
    top["results"]["scores"] = []
    path.write_bytes(archive(members(made, head=top)))
    assert [one.scores["match"] for one in read(path).samples] == [1.0, None]


def test_an_unknown_version_is_read_and_said_to_be_unknown(tmp_path):
    run = read(write_eval(tmp_path / "a.eval", samples(["C"]), version=9))
    assert "version 9 is unknown" in run.notes[0]


def test_what_differs_between_two_models_alone_is_the_model(tmp_path):
    one, other = (
        read(write_eval(tmp_path / f"{name}.eval", samples(["C"]), model=name)) for name in "ab"
    )
    assert (one.settings, one.scorer, one.task) == (other.settings, other.scorer, other.task)
    assert one.model != other.model


def test_a_chat_is_its_last_question(tmp_path):
    chat = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Why?"}]
    made = [sample("a", input=chat, output={"choices": [{"message": {"content": "So."}}]})]
    run = read(write_eval(tmp_path / "a.eval", made), texts=True)
    assert (run.samples[0].question, run.samples[0].response) == ("Why?", "So.")


@pytest.mark.parametrize("wrong", [{"id": None}, {"epoch": "x"}, {"scores": 5}, {"scores": [1]}])
def test_a_sample_of_another_form_is_a_typed_error(tmp_path, wrong):
    path = write_eval(tmp_path / "a.eval", [sample("a"), sample("b")])
    content = members([sample("a"), sample("b")])
    content["summaries.json"] = json.dumps([sample("a") | wrong]).encode()
    path.write_bytes(archive(content))
    with pytest.raises(SpecError, match=r"summaries\.json"):
        read_log(path)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd.compress])
def test_a_log_that_was_packed_again_is_read(tmp_path, pack):
    made = samples(["C", "I", "C"])
    log = {**header(made), "samples": made}
    (tmp_path / "log.json.packed").write_bytes(pack(json.dumps(log).encode()))
    assert len(read(tmp_path / "log.json.packed").samples) == 3
    (tmp_path / "cut.json.packed").write_bytes(pack(json.dumps(log).encode())[:-20])
    assert read_log(tmp_path / "cut.json.packed") == []


def test_a_limit_is_no_failure(tmp_path):
    made = samples(["C", "I"], epochs=2)
    head = header(made)
    head["eval"]["dataset"]["samples"] = 100
    write_eval(tmp_path / "a.eval", made, eval=head["eval"])
    assert (read(tmp_path / "a.eval").planned, read(tmp_path / "a.eval").failed) == (4, 0)
    write_eval(tmp_path / "b.eval", made, eval=head["eval"], results={"scores": []})
    assert read(tmp_path / "b.eval").planned == 4
    del head["eval"]["dataset"]["sample_ids"]
    write_eval(tmp_path / "c.eval", made, eval=head["eval"], results={"scores": []})
    assert read(tmp_path / "c.eval").failed == 196


def configured(path, **config):
    made = samples(["C", "I"])
    head = header(made)
    head["eval"]["model_generate_config"] = config
    head["plan"]["config"] = config
    return read(write_eval(path, made, eval=head["eval"], plan=head["plan"])).settings


def test_settings_that_decide_how_fast_it_runs_are_none(tmp_path):
    plain = configured(tmp_path / "a.eval", temperature=0.5)
    fast = {"max_connections": 20, "timeout": 3, "max_retries": None}
    assert configured(tmp_path / "b.eval", temperature=0.5, **fast) == plain
    assert plain["generate config temperature"] == "0.5"
    assert configured(tmp_path / "c.eval", temperature=0.7) != plain


def test_summaries_of_a_few_bytes_each_are_counted_before_they_are_made(tmp_path, monkeypatch):
    made = [sample("q")] * 40
    content = members(made)
    for few in (10, 1_000):
        monkeypatch.setattr(lenient_json, "_FEW_OBJECTS", few)
        monkeypatch.setattr(lenient_json, "MAX_SAMPLES", 40)
        (tmp_path / "log.eval").write_bytes(archive(content))
        assert len(read(tmp_path / "log.eval").samples) == 40
        monkeypatch.setattr(lenient_json, "MAX_SAMPLES", 39)
        with pytest.raises(SpecError, match="more than 39 samples"):
            read(tmp_path / "log.eval")


def test_a_small_archive_of_many_samples_takes_little_memory(tmp_path):
    """Four million samples in five kilobytes, in a process of its own."""
    content = members([sample("q")])
    content["summaries.json"] = b"[" + b'{"id":1},' * 4_000_000 + b'{"id":1}]'
    (tmp_path / "bomb.eval").write_bytes(archive(content, "deflate"))
    body = (
        "import sys\n"
        "from pathlib import Path\n"
        "from assay.errors import SpecError\n"
        "from assay.logs.format_table import read_log\n"
        "try: read_log(Path(sys.argv[1]))\n"
        "except SpecError as error: print(error)\n"
        "status = Path('/proc/self/status').read_text()\n"  # rusage keeps what the parent took
        "print(int(status.partition('VmHWM:')[2].split()[0]) // 1024)\n"
    )
    words = [sys.executable, "-c", body, str(tmp_path / "bomb.eval")]
    said, megabytes = subprocess.run(
        words, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "more than 500,000 samples" in said
    assert int(megabytes) < 700


def test_a_metric_of_its_own_for_every_sample_is_refused(tmp_path):
    made = [sample(f"q{at}", score={f"key{at}": 1.0}) for at in range(1_001)]
    with pytest.raises(SpecError, match="more than 1,000 metrics"):
        read(write_eval(tmp_path / "log.eval", made, mean=0.0, status="error"))


@pytest.mark.parametrize("broken", ["[1,", "[1 2]", "[1] 2", "[,1]", "[1,]"])
def test_a_broken_array_is_refused_however_it_is_read(monkeypatch, broken):
    for few in (-1, 1_000):
        monkeypatch.setattr(lenient_json, "_FEW_OBJECTS", few)
        with pytest.raises(SpecError, match="log, member: "):
            list(lenient_json.elements(broken.encode(), int, where="log, member"))


def test_a_header_of_many_values_is_refused(tmp_path):
    content = members([sample("q")])
    deep = b"[" + b"[]," * 1_000_000 + b"[]]"
    content["header.json"] = content["header.json"].replace(b'"config": {}', b'"config": ' + deep)
    (tmp_path / "log.eval").write_bytes(archive(content))
    with pytest.raises(SpecError, match="more than 1,000,000 values"):
        read(tmp_path / "log.eval")


def test_a_part_of_a_journal_has_a_number(tmp_path):
    content = members([sample("q")], finished=False)
    content["_journal/summaries/" + "9" * 5000 + ".json"] = b"[]"
    (tmp_path / "log.eval").write_bytes(archive(content))
    assert len(read(tmp_path / "log.eval").samples) == 1


def test_how_requests_are_sent_is_no_setting_and_what_is_asked_is(tmp_path):
    def settings(name, config, where="plan"):
        made = samples(["C", "I"])
        head = header(made)
        if where == "plan":
            head["plan"] = {**head["plan"], "config": config}
        else:
            head["eval"]["model_generate_config"] = config
        (tmp_path / name).write_bytes(archive(members(made, head=head)))
        return read_log(tmp_path / name)[0].settings

    plain = settings("a.eval", {})
    sent = {"max_connections": 1, "timeout": 30, "max_retries": 2}
    for where in ("plan", "model"):
        assert settings("b.eval", sent, where) == plain
        assert settings("c.eval", {**sent, "temperature": 0.5}, where) != plain
