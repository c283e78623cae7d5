import json
from pathlib import Path

import msgspec
import pytest
from helpers.dual_cases import COMMAND, bench_rows, lay_out, spec_text, write_lines

from assay.dual_condition.spec import load_dual_spec
from assay.errors import AssayError, SpecError, StorageError

FULL = f"""
[system]
command = {COMMAND}
folder = "."
reads = ["model.bin"]
environment = ["PATH"]
seconds = 60

[state]
root = "state"
fixed = ["README.md"]
forget = ["python", "forget.py", "{{state}}", "{{items}}"]

[state.layers.memory]
files = ["memory.jsonl"]
provenance = "item"

[state.layers.cache]
sqlite = "cache.db"
match = ["id", "text"]

[state.layers.weights]
files = ["weights.json"]
initial = "weights.json"
in_c = "keep"

[placebo]
shuffle = ["verdict"]

[evaluation]
benchmark = "bench.jsonl"
positive = "label == 1"
corpus = "my-corpus"
seeds = [1, -2, 3]
conditions = ["A", "B", "C", "layers", "shapley", "placebo"]
metric = "f1"
threshold = 0.7
id = "id"
question = "question"
response = "response"
label = "label"

[thresholds]
polish = 0.01
memory_gap = 0.1
memory_floor = 0.6
dependent = 0.03
"""


def refusal(home, text=None, *, change=None, kind=SpecError):
    """What is said of a spec: the whole message, and the hint."""
    path = lay_out(home)
    if text is not None:
        path.write_text(text)
    if change is not None:
        change(home)
    with pytest.raises(kind) as refused:
        load_dual_spec(path)
    assert "Traceback" not in refused.value.message
    return f"{refused.value.message} | {refused.value.hint or ''}"


def test_a_spec_at_its_smallest_has_every_default(tmp_path):
    found = load_dual_spec(lay_out(tmp_path, conditions=""))
    assert found.asked == ("A", "B", "C")
    assert (found.metric, found.threshold, found.corpus) == ("auroc", 0.5, "bench")
    assert found.state.root == tmp_path / "state"
    assert (found.state.route, found.state.variable) == ("parameter", None)
    assert found.system.seconds == 600
    assert found.thresholds.polish == 0.02


def test_every_key_is_read(tmp_path):
    path = lay_out(tmp_path)
    path.write_text(FULL)
    for name in ("model.bin", "weights.json"):
        (tmp_path / name).write_text("{}")
    found = load_dual_spec(path)
    assert found.asked == ("A", "B", "C", "layers", "shapley", "placebo")
    assert (found.metric, found.threshold, found.corpus) == ("f1", 0.7, "my-corpus")
    assert found.seeds == (1, -2, 3)
    assert found.reads == (tmp_path / "model.bin",)
    assert list(found.state.layers) == ["memory", "cache", "weights"]
    assert found.thresholds.memory_floor == 0.6
    assert found.placebo.shuffle == ("verdict",)
    assert load_dual_spec(path, metric="accuracy").metric == "accuracy"


def test_how_it_is_judged_does_not_change_what_is_run(tmp_path):
    digests = {
        load_dual_spec(lay_out(tmp_path, evaluation=evaluation, more=more)).digest
        for evaluation, more in (
            ("", ""),
            ('metric = "accuracy"\nthreshold = 0.9', ""),
            ("", "[thresholds]\npolish = 0.1"),
        )
    }
    assert len(digests) == 1
    assert load_dual_spec(lay_out(tmp_path, seeds="[1, 2]")).digest not in digests


REFUSED = {
    "not TOML": ("[system", "not TOML"),
    "not UTF-8": (b"\xff\xfe", "is not UTF-8"),
    "nothing in it": ("", "missing required field `system`"),
    "an unknown table": (spec_text(more="[colour]"), "unknown field `colour`"),
    "an unknown key": (spec_text(system="colour = 1"), "unknown field `colour`"),
    "an unknown key of a layer": (spec_text(layer="colour = 1"), "unknown field `colour`"),
    "a command as a line": (
        spec_text(command='"python system.py"'),
        "system.command: Expected `array`, got `str`",
    ),
    "no command and no method": (spec_text(command=""), "needs either a command or a method"),
    "both": (spec_text(system='method = "surface"'), "needs either a"),
    "a place that nobody knows": (
        spec_text(command='["x", "{items}", "{outputs}", "{labels}"]'),
        "system.command: unknown {labels}, expected one of {items}, {outputs}, {seed}, {state}",
    ),
    "no items": (spec_text(command='["x", "{outputs}"]'), "system.command has no {items}"),
    "no outputs": (spec_text(command='["x", "{items}"]'), "system.command has no {outputs}"),
    "a NUL": (spec_text(command='["x\\u0000", "{items}", "{outputs}"]'), "holds a NUL"),
    "outputs for a command that forgets": (
        spec_text(state='forget = ["x", "{outputs}"]'),
        "state.forget: unknown {outputs}, expected one of {items}, {state}",
    ),
    "no time at all": (spec_text(system="seconds = 0"), "system.seconds = 0, expected over 0"),
    "endless time": (spec_text(system="seconds = inf"), "system.seconds = inf, expected over 0"),
    "no number of seconds": (spec_text(system="seconds = nan"), "system.seconds = nan"),
    "a folder that is not there": (spec_text(system='folder = "x"'), "system.folder: there is no"),
    "a read that is not there": (spec_text(system='reads = ["x"]'), "system.reads: there is no x"),
    "a read that is the state": (
        spec_text(system='reads = ["state"]'),
        "state and the state folder overlap",
    ),
    "a read above the state": (
        spec_text(system='reads = ["."]'),
        "system.reads: . and the state folder overlap",
    ),
    "a read with the labels": (
        spec_text(system='reads = ["bench.jsonl"]'),
        "system.reads: bench.jsonl holds the benchmark",
    ),
    "a variable that is none": (spec_text(state='variable = "A=B"'), "is not a variable name"),
    "a variable that is passed on": (
        spec_text(state='variable = "HOME"', system='environment = ["HOME"]'),
        "system.environment has HOME",
    ),
    "a route that is none": (
        spec_text(state='route = "sideways"'),
        "state.route: Invalid enum value 'sideways', expected in-place",
    ),
    "no state folder": (spec_text().replace('"state"', '"nowhere"', 1), "state.root: there is no"),
    "a file for a state": (
        spec_text().replace('"state"', '"dual.toml"', 1),
        "state.root: there is no folder",
    ),
    "fixed files and no layers": (
        spec_text(state='fixed = ["VERSION"]')
        .replace("[state.layers.memory]", "")
        .replace('files = ["memory.jsonl"]', "")
        .replace('provenance = "item"', ""),
        "[state] has no layers",
    ),
    "a layer without a name": (
        spec_text(more_layers='[state.layers."A b"]\nfiles = ["x"]'),
        "invalid layer name 'A b', expected a-z",
    ),
    "a layer without files": (spec_text(more_layers="[state.layers.x]"), "x has no files"),
    "a layer that leads out": (
        spec_text(more_layers='[state.layers.x]\nfiles = ["../x"]'),
        "state.layers.x: '../x' is not a path inside the state folder",
    ),
    "a layer from the root": (
        spec_text(more_layers='[state.layers.x]\nfiles = ["/etc/x"]'),
        "'/etc/x' is not a path inside",
    ),
    "a database that leads out": (
        spec_text(more_layers='[state.layers.x]\nsqlite = "../x.db"'),
        "'../x.db' is not a path inside",
    ),
    "a fixed file that leads out": (
        spec_text(state='fixed = ["../x"]'),
        "state.fixed: '../x' is not a path inside the state folder",
    ),
    "a beginning that is not there": (
        spec_text(layer='provenance = "item"\ninitial = "x"'),
        "state.layers.memory.initial: there is no x",
    ),
    "a beginning that is production": (
        spec_text(layer='provenance = "item"\ninitial = "state/memory.jsonl"'),
        "state.layers.memory.initial: state/memory.jsonl is part of production's state",
    ),
    "all production as a beginning": (
        spec_text(layer='provenance = "item"\ninitial = "state"'),
        "initial: state is part of production's state",
    ),
    "a provenance without a name": (spec_text(layer='provenance = ""'), "provenance is empty"),
    "a match that is none": (
        spec_text(layer='match = ["words"]'),
        "match[0]: Invalid enum value 'words', expected id, text",
    ),
    "two ways to make C": (
        spec_text(layer='provenance = "item"\nin_c = "keep"'),
        "in_c and provenance exclude each other",
    ),
    "C that nothing can make": (spec_text(layer=""), "C needs to know which parts of layer memory"),
    "no A": (spec_text(conditions='["B"]'), "evaluation.conditions lacks A"),
    "no B": (spec_text(conditions='["A", "C"]'), "evaluation.conditions lacks B"),
    "a condition that is none": (spec_text(conditions='["A", "B", "D"]'), "conditions"),
    "a placebo that is none": (
        spec_text(conditions='["A", "B", "placebo"]'),
        "needs a [placebo] table",
    ),
    "an empty placebo": (
        spec_text(conditions="", more="[placebo]"),
        "needs either a state or fields",
    ),
    "two placebos": (
        spec_text(conditions="", more='[placebo]\nstate = "x"\nshuffle = ["verdict"]'),
        "needs either a",
    ),
    "a placebo that is not there": (
        spec_text(conditions="", more='[placebo]\nstate = "x"'),
        "placebo.state: there is no folder 'x'",
    ),
    "production for a placebo": (
        spec_text(conditions="", more='[placebo]\nstate = "state"'),
        "placebo.state: state and the state folder overlap",
    ),
    "a placebo that nobody asks for": (
        spec_text(more='[placebo]\nshuffle = ["verdict"]'),
        "evaluation.conditions does not name it",
    ),
    "six layers for Shapley": (
        spec_text(
            conditions='["A", "B", "shapley"]',
            more_layers="".join(f'[state.layers.l{i}]\nfiles = ["{i}"]\n' for i in range(5)),
        ),
        "shapley is for up to 5 layers, got 6",
    ),
    "no seeds": (spec_text(seeds="[]"), "evaluation.seeds: got none, expected numbers"),
    "a seed twice": (spec_text(seeds="[1, 2, 1]"), "evaluation.seeds: got 1 twice"),
    "seeds that are no numbers": (spec_text(seeds='["a"]'), "evaluation.seeds[0]: Expected `int`"),
    "a seed that is a switch": (spec_text(seeds="[true]"), "evaluation.seeds[0]: Expected `int`"),
    "a seed past 64 bits": (spec_text(seeds="[9223372036854775808]"), "each within 64 bits"),
    "a metric that is none": (
        spec_text(evaluation='metric = "mcc"'),
        "'mcc', expected auroc, accuracy, f1",
    ),
    "a threshold that is none": (
        spec_text(evaluation="threshold = nan"),
        "evaluation.threshold = nan",
    ),
    "an endless threshold": (spec_text(evaluation="threshold = inf"), "threshold = inf, expected"),
    "a regime's threshold that is none": (
        spec_text(more="[thresholds]\npolish = nan"),
        "thresholds.polish = nan, expected 0 to 1",
    ),
    "a regime's threshold below 0": (
        spec_text(more="[thresholds]\nmemory_gap = -0.1"),
        "thresholds.memory_gap = -0.1",
    ),
    "a corpus with a bad name": (
        spec_text(evaluation='corpus = "My Corpus"'),
        "invalid corpus name 'My Corpus'",
    ),
    "no benchmark": (
        spec_text().replace("bench.jsonl", "gone.jsonl"),
        "no benchmark 'gone.jsonl'",
    ),
    "a benchmark in the state": (
        spec_text().replace("bench.jsonl", "state/bench.jsonl"),
        "state/bench.jsonl is in the state folder, with its labels",
    ),
    "positives that never occur": (spec_text().replace("== 1", "== 9"), "no record has the value"),
    "no column of questions": (spec_text(evaluation='question = "q"'), "q"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_makes_no_sense_is_refused_by_name(tmp_path, kind):
    text, said = REFUSED[kind]

    def change(home):
        write_lines(home / "state" / "bench.jsonl", bench_rows())
        if isinstance(text, bytes):
            (home / "dual.toml").write_bytes(text)

    found = refusal(tmp_path, None if isinstance(text, bytes) else text, change=change)
    assert said in found
    if "benchmark" not in kind and "positives" not in kind and "column" not in kind:
        assert "dual.toml" in found


def test_a_spec_that_is_not_there_or_is_a_folder(tmp_path):
    for path in (tmp_path / "gone.toml", tmp_path):
        with pytest.raises(AssayError) as refused:
            load_dual_spec(path)
        assert str(path) in refused.value.message
        assert refused.value.exit_code == 2


def one_class(home):
    write_lines(home / "bench.jsonl", [{**row, "label": 1} for row in bench_rows(20)])


def linked(home):
    (home / "state").rename(home / "real")
    (home / "state").symlink_to("real")


def bench_by_a_link(home):
    write_lines(home / "state" / "bench.jsonl", bench_rows())
    (home / "bench.jsonl").unlink()
    (home / "bench.jsonl").symlink_to("state/bench.jsonl")


def read_by_a_link(home):
    (home / "model.bin").symlink_to("bench.jsonl")
    (home / "dual.toml").write_text(spec_text(system='reads = ["model.bin"]'))


def twice(home):
    write_lines(home / "bench.jsonl", [*bench_rows(10), *bench_rows(1)])


def unlabelled(home):
    rows = [*bench_rows(10), {"id": "z", "question": "Well?", "class": "x", "response": "r"}]
    write_lines(home / "bench.jsonl", rows)


CHANGED = {
    "records of one class": (one_class, "20 of the 20 records of bench.jsonl are positive"),
    "a state behind a link": (linked, "state.root: there is no folder 'state'"),
    "labels in the state by a link": (bench_by_a_link, "is in the state folder"),
    "labels in a read by a link": (read_by_a_link, "holds the benchmark"),
    "an id twice": (twice, "q0"),
    "a record that is neither": (unlabelled, "z"),
}


@pytest.mark.parametrize("kind", CHANGED)
def test_files_that_make_no_sense_are_refused(tmp_path, kind):
    change, said = CHANGED[kind]
    assert said in refusal(tmp_path, change=change)


ODD = {
    "numbers": [7, 8, 9, 10],
    "unicode": ["größe", "問", "é", "🜁"],
    "white space": ["a\nb", "a\tb", "a b", " "],
    "of a row's own names": ["key", "value", "item", "null"],
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_ids_are_ids(tmp_path, kind):
    path = lay_out(tmp_path)
    rows = [{**row, "id": name} for row, name in zip(bench_rows(4), ODD[kind], strict=True)]
    write_lines(tmp_path / "bench.jsonl", rows)
    if kind == "white space":
        with pytest.raises(SpecError, match="id"):
            load_dual_spec(path)
        return
    items = load_dual_spec(path).benchmark.items
    assert [item.id for item in items] == [str(name) for name in ODD[kind]]


def test_a_benchmark_may_be_csv(tmp_path):
    path = lay_out(tmp_path)
    path.write_text(spec_text().replace("bench.jsonl", "bench.csv"))
    head = "id,question,response,label\n"
    (tmp_path / "bench.csv").write_text(head + 'a,"Is it, then?",yes,1\nb,Is it not?,no,0\n')
    found = load_dual_spec(path)
    assert [item.id for item in found.benchmark.items] == ["a", "b"]
    assert found.corpus == "bench"


def test_records_are_left_out_by_the_keys_of_the_evaluation(tmp_path):
    path = lay_out(tmp_path)
    text = spec_text().replace("bench.jsonl", "bench.csv").replace("label == 1", "yes")
    rows = ["a,Is it?,yes,yes", "a,Is it not?,no,no", "c,,no,no", "d,Or?,no,N/A"]
    (tmp_path / "bench.csv").write_text("\n".join(["id,question,response,label", *rows]))
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        load_dual_spec(path)
    assert 'evaluation.missing = "exclude"' in caught.value.hint
    assert 'evaluation.ids = "repair"' in caught.value.hint
    assert any('evaluation.positive = "yes"' in detail for detail in caught.value.details)
    keys = {"negative": "no", "unknown": "exclude", "missing": "exclude", "ids": "repair"}
    more = "".join(f'{name} = "{value}"\n' for name, value in keys.items())
    path.write_text(text.replace("[evaluation]\n", f"[evaluation]\n{more}"))
    found = load_dual_spec(path).benchmark
    assert [item.id for item in found.items] == ["a", "a~2"]
    assert set(found.changes) == {"left-out", "new-ids"}


def test_a_benchmark_may_be_bundled(tmp_path):
    path = lay_out(tmp_path)
    text = spec_text().replace("bench.jsonl", "truth-twins").replace('positive = "label == 1"', "")
    from assay.benchmark.benchmark import BUNDLED

    name = next(iter(BUNDLED))
    path.write_text(text.replace("truth-twins", name))
    found = load_dual_spec(path)
    assert found.benchmark.name == found.corpus == name


def test_the_way_to_the_state_follows_from_the_spec(tmp_path):
    plain = '["x", "{items}", "{outputs}"]'
    ways = {
        "parameter": lay_out(tmp_path / "a"),
        "environment": lay_out(tmp_path / "b", command=plain, state='variable = "AGENT_HOME"'),
        "namespace": lay_out(tmp_path / "c", command=plain),
        "in-place": lay_out(tmp_path / "d", command=plain, state='route = "in-place"'),
    }
    for way, path in ways.items():
        assert load_dual_spec(path).state.route == way
    method = load_dual_spec(lay_out(tmp_path / "e", command="", system='method = "m.py:f"'))
    assert (method.state.route, method.state.variable) == ("environment", "ASSAY_STATE")


def test_paths_are_seen_from_the_spec_and_not_from_where_one_stands(tmp_path, monkeypatch):
    lay_out(tmp_path / "there")
    monkeypatch.chdir(tmp_path)
    found = load_dual_spec(Path("there/dual.toml"))
    assert found.state.root == tmp_path / "there" / "state"
    assert found.folder == tmp_path / "there"


def test_a_state_may_lie_anywhere(tmp_path):
    lay_out(tmp_path / "production")
    path = lay_out(tmp_path / "here")
    root = json.dumps(str(tmp_path / "production" / "state"))
    path.write_text(spec_text().replace('"state"', root, 1))
    assert load_dual_spec(path).state.root == tmp_path / "production" / "state"


def test_a_spec_is_never_changed_in_place(tmp_path):
    found = load_dual_spec(lay_out(tmp_path))
    with pytest.raises(AttributeError):
        found.corpus = "other"
    assert msgspec.structs.replace(found, corpus="other").corpus == "other"


def test_a_spec_that_is_missing_is_an_error_that_says_how_to_write_one(tmp_path):
    with pytest.raises(StorageError, match="No such file") as refused:
        load_dual_spec(tmp_path / "nope.toml")
    assert refused.value.hint == "`assay dual --init` writes one to fill in."


def without_labels(home):
    rows = [{"id": f"q{n}", "question": f"Q {n}?", "target": str(n)} for n in range(40)]
    write_lines(home / "bench.jsonl", rows)


def test_a_missing_label_names_the_keys_of_a_spec(tmp_path):
    text = spec_text().replace('positive = "label == 1"\n', "")
    said = refusal(tmp_path, text, change=without_labels)
    assert 'evaluation.label = "COLUMN" or evaluation.class = "COLUMN"' in said
    assert 'evaluation.answer = "COLUMN"' in said


def test_a_key_that_is_nearly_right_is_named(tmp_path):
    said = refusal(tmp_path, spec_text().replace("benchmark =", "benchmrk ="))
    assert "| Did you mean benchmark? " in said
