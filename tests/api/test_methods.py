import json

import pandas
import pytest
from helpers.studies import a_study

import assay
from assay.benchmark.bundled import FOLDER

ROWS = [json.loads(line) for line in (FOLDER / "darkcore.jsonl").read_text().splitlines()]
FRAME = pandas.DataFrame(ROWS)
WORDS = {"positive": "class != truth"}


def letters(question, response):
    return len(response)


def test_a_function_runs_here_and_the_scorecard_says_so():
    card = assay.try_method(letters)
    assert card.isolation == "trusted"
    assert "trusted-code" in [caveat.code for caveat in card.caveats]
    assert card.bars == assay.try_method("oracle:char_length").bars


def test_a_learner_may_be_handed_over():
    class Mean:
        def fit(self, examples):
            positives = sum(example["target"] for example in examples)
            return lambda question, response: positives / len(examples)

    assert assay.run(Mean(), "darkcore", task="detection").folds is not None


def test_the_run_and_its_scorecard_are_saved(tmp_path):
    card = assay.try_method("constant", bars="v1", save=str(tmp_path / "kept"))
    assert assay.score(tmp_path / "kept", bars="v1") == card
    assert len(list((tmp_path / "kept/scorecards").iterdir())) == 1
    again = assay.run("constant", save=tmp_path / "again")
    assert assay.load_run(tmp_path / "again").records == again.records


def test_a_run_knows_its_data_also_those_in_memory(tmp_path):
    of_name, of_frame = assay.run(letters), assay.run(letters, FRAME, **WORDS)
    expected = assay.score(of_name, bars="v3")
    assert assay.score(of_name, "darkcore", "v3") == expected
    assert assay.score(of_name, bars=assay.load_bars("v3")) == expected
    assert assay.score(of_frame, bars="v3").bars == expected.bars
    benchmark = assay.load_benchmark(FRAME, **WORDS)
    assert assay.score(of_frame, FRAME, "v3").bars == expected.bars
    assert assay.score(of_frame, benchmark, "v3").bars == expected.bars
    assay.save_run(of_frame, tmp_path / "kept")
    assert assay.score(tmp_path / "kept", FRAME, "v3").bars == expected.bars
    with pytest.raises(assay.errors.DigestMismatch):
        assay.score(of_frame, FRAME.iloc[1:], "v3")


def test_a_second_corpus_is_read_again_or_given():
    run = assay.run(letters, second="folklore-two")
    assert assay.score(run, bars="v1") == assay.score(run, second="folklore-two", bars="v1")
    with pytest.raises(assay.SpecError, match="the run has no second corpus"):
        assay.score(assay.run(letters), second="folklore-two")


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"item_seconds": 0}, "`item_seconds=0`: expected seconds over 0"),
        ({"load_seconds": float("nan")}, "`load_seconds=nan`"),
        ({"item_seconds": 10**9}, "at most a week"),
        ({"limit": {"memory": 1}}, "`limit=memory`: no such limit; there are memory_bytes"),
        ({"limit": {"processes": -1}}, "processes = -1, expected a whole number over 0"),
        ({"bars": "v99"}, "no detection bars 'v99'"),
        ({"task": "sorting"}, "task is 'sorting', expected 'detection' or 'classification'"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(named, said):
    with pytest.raises(assay.SpecError, match=said):
        assay.try_method("constant", **named)


def test_a_function_has_no_limits_to_be_given():
    for named in ({"item_seconds": 5}, {"limit": {"processes": 3}}, {"env": ["HOME"]}):
        with pytest.raises(assay.SpecError, match="limits and an environment"):
            assay.try_method(letters, **named)


def test_bars_of_another_task_are_refused():
    bars = assay.load_bars("v3", task="classification")
    with pytest.raises(assay.SpecError, match="bars for classification, but the task is detection"):
        assay.try_method(letters, bars=bars)


def test_a_run_that_says_it_was_sealed_is_judged_in_its_study():
    from msgspec.structs import replace

    from assay.runs.result import Provenance

    claimed = replace(assay.run(letters), provenance=Provenance(seal="sha256:0", witness=None))
    with pytest.raises(assay.IntegrityError, match="the run claims to be sealed"):
        assay.score(claimed)


def test_a_run_has_its_own_scores():
    with pytest.raises(assay.SpecError, match="the run: a run has its own scores"):
        assay.score(assay.run(letters), score="judge")


def test_a_run_is_judged_again_with_a_column_that_was_not_named_before():
    rows = [{"q": f"What is {n}?", "wrong": n % 2, "kind": "ab"[n % 2]} for n in range(40)]
    run = assay.run(lambda question: len(question), rows, question="q", label="wrong")
    named = {"id": "K", "metric": "auc", "partitions": ["p"], "at_least": 0.5}
    bars = {"task": "detection", "version": "mine", "because": "beat chance", "bar": [named],
            "partition": {"p": {"positive": "class == b", "negative": "class == a"}}}  # fmt: skip
    with pytest.raises(assay.SpecError, match="has no class") as refused:
        assay.score(run, bars=bars)
    assert "`class_=COLUMN`" in refused.value.hint
    assert assay.score(run, rows, bars, class_="kind").bars_version == "mine"


def test_a_run_on_data_in_memory_is_judged_again_without_them():
    rows = [{"question": f"What is {n}?", "label": n % 2} for n in range(40)]
    run = assay.run(lambda question: len(question), rows)
    card = assay.score(run, bars="plain")
    assert card.bars_version == "plain"
    assert card == assay.score(run, rows, "plain")


def test_a_stored_run_on_data_in_memory_asks_for_them():
    rows = [{"question": f"What is {n}?", "label": n % 2} for n in range(40)]
    assay.run(lambda question: len(question), rows, save="kept")
    with pytest.raises(assay.SpecError, match="was made in memory") as refused:
        assay.score("kept", bars="plain")
    assert "`benchmark=...`" in refused.value.hint
    assert assay.score("kept", rows, "plain").items == 40


def test_the_list_of_methods_is_short_in_print_and_whole_in_rows():
    found = assay.methods()
    assert len(found.to_rows()) == len(found) == len(found.to_dict()["methods"])
    assert len(str(found)) < 700
    assert "tfidf:word" in str(found)


def test_a_run_in_a_study_is_judged_by_its_study(tmp_path):
    study = a_study(tmp_path, "opened")
    with pytest.raises(assay.SpecError, match="is inside a study, which judges its own"):
        assay.score(study.root / "runs/001")


def written(path, code):
    path.write_text(code, encoding="utf-8")
    return f"{path}:detect"


NEEDS_KEY = "import os\n\ndef detect(question, response):\n    return len(os.environ['MY_KEY'])\n"


def test_a_method_that_lacks_a_variable_is_told_to_be_given_it(tmp_path, monkeypatch):
    method = written(tmp_path / "m.py", NEEDS_KEY)
    monkeypatch.setenv("MY_KEY", "abc")
    for call in (assay.run, assay.try_method):
        with pytest.raises(assay.MethodError, match="KeyError: 'MY_KEY'") as raised:
            call(method)
        assert raised.value.hint.endswith("pass the variable: `env=MY_KEY`.")
        assert 'pass the variable: `env="MY_KEY"`.' in raised.value.__notes__[-1]
    assert assay.run(method, env="MY_KEY").environment == ("MY_KEY",)
    assert assay.try_method(method, env="MY_KEY").items == 108


def test_a_method_that_fails_is_told_how_to_ask_on(tmp_path):
    method = written(tmp_path / "m.py", "def detect(question, response):\n    raise ValueError\n")
    for failing in (method, lambda question, response: 1 / 0):
        with pytest.raises(assay.MethodError) as raised:
            assay.run(failing)
        assert raised.value.hint == "`keep_going=True` records such items and asks on."


def test_the_value_of_a_variable_is_not_shown(tmp_path):
    method = written(tmp_path / "m.py", NEEDS_KEY)
    for env in ("MY_KEY=abc", ["MY_KEY=abc"]):
        with pytest.raises(assay.SpecError, match="MY_KEY is given with a value") as refused:
            assay.run(method, env=env)
        assert "give the name only: `env=MY_KEY`" in refused.value.hint
        assert "abc" not in f"{refused.value}{refused.value.hint}"


def boom(question, response):
    raise ValueError("boom")


def test_where_every_item_failed_the_first_error_is_named(tmp_path):
    said = "all 108 items failed, the first with: ValueError: boom"
    with pytest.raises(assay.MethodError, match=said) as raised:
        assay.try_method(boom, keep_going=True)
    assert len(raised.value.run.records) == 108
    run = assay.run(boom, keep_going=True, save=tmp_path / "run")
    for judged in (run, tmp_path / "run"):
        with pytest.raises(assay.MethodError, match=said):
            assay.score(judged, "darkcore")


def test_where_a_whole_partition_failed_the_first_error_is_named():
    truths = {row["question"] for row in ROWS if row["class"] == "truth"}

    def some_fail(question, response):
        return 0.5 if question in truths else boom(question, response)

    said = r"no scored record.*; \d+ of 108 items failed, the first with: ValueError: boom"
    with pytest.raises(assay.errors.OneClassPartition, match=said):
        assay.try_method(some_fail, keep_going=True)


def test_a_misspelt_function_is_shown_what_may_be_meant(tmp_path):
    path = tmp_path / "m.py"
    written(
        path, "import os\nfrom pathlib import Path\n\nNEG = ()\n\ndef detect(question):\n    ...\n"
    )
    said = "has no attribute 'detct'; its functions are detect; did you mean detect\\?"
    with pytest.raises(assay.errors.MethodNotLoaded, match=said) as raised:
        assay.run(f"{path}:detct")
    assert "Path" not in str(raised.value)


def test_a_misspelt_bundled_name_is_not_taken_for_a_module(tmp_path, monkeypatch):
    with pytest.raises(assay.SpecError, match="no method 'orcale:word_length'") as refused:
        assay.run("orcale:word_length")
    assert refused.value.hint.startswith("Did you mean oracle:word_length? ")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orcale.py").write_text("def word_length(question, response):\n    return 1\n")
    assert assay.run("orcale:word_length").complete


PLAIN = [
    {"question": f"q{i}", "response": "word " * (1 + i % 4 + i % 2), "label": i % 2}
    for i in range(80)
]


@pytest.mark.parametrize("name", ["response", "answer", "completion", "output", "text", "reply"])
def test_one_parameter_with_a_name_of_the_response_gets_the_response(name):
    made = {}
    exec(f"def detect({name}): return len({name})", made)  # noqa: S102 - our own text
    run = assay.run(made["detect"], PLAIN)
    assert [row["score"] for row in run.to_rows()] == [len(row["response"]) for row in PLAIN]


def test_one_parameter_with_a_name_of_the_question_gets_the_question():
    run = assay.run(lambda prompt: len(prompt), PLAIN, task="detection")
    assert [row["score"] for row in run.to_rows()] == [len(row["question"]) for row in PLAIN]


def test_one_parameter_whose_name_says_nothing_is_refused():
    with pytest.raises(assay.SpecError, match="neither question nor response"):
        assay.run(lambda x: len(x), PLAIN)
    questions = [{"question": row["question"], "label": row["label"]} for row in PLAIN]
    assert assay.run(lambda x: len(x), questions).complete


def test_the_rows_of_a_run_are_in_the_order_of_the_input_with_their_positions():
    run = assay.run(lambda response: len(response), PLAIN)
    rows = run.to_rows()
    assert [row["position"] for row in rows] == list(range(80))
    assert [row["item"] for row in rows] == [str(i + 1) for i in range(80)]
    assert [record.item for record in run.records] != [row["item"] for row in rows]


def test_a_printed_result_says_that_a_function_ran_here_and_what_each_bar_measures():
    card = assay.try_method(lambda response: len(response), PLAIN)
    assert "trusted-code: The method ran in Assay's own process" in str(card)
    assert "P2 AUC over word_length " in str(card)
    assert "ran in this process" in str(assay.run(lambda response: 1.0, PLAIN))
    assert "trusted-code" not in str(assay.try_method("oracle:word_length", PLAIN))


def test_unscored_items_are_counted_in_print():
    def fails(response):
        return len(response) if len(response) > 5 else 1 / 0

    card = assay.try_method(fails, PLAIN, keep_going=True)
    assert card.unscored
    assert f"{card.unscored} of {card.items} items are unscored" in str(card)


def test_an_estimator_is_refused_with_what_to_write():
    class Pipeline:
        def fit(self, X, y=None):  # noqa: N803 - as scikit-learn has it
            return self

        def predict_proba(self, X):  # noqa: N803 - as scikit-learn has it
            return [[0.5, 0.5]]

    with pytest.raises(assay.MethodError, match="got Pipeline, an estimator") as refused:
        assay.try_method(Pipeline(), PLAIN)
    assert "model.predict_proba([response])[0][1]" in str(refused.value)


def test_the_hint_for_a_class_is_python():
    with pytest.raises(assay.SpecError) as refused:
        assay.try_method(lambda response: 1.0, PLAIN, bars="v1")
    assert '`class_="COLUMN"`' in refused.value.__notes__[0]


class Judge:
    """A method as an object."""

    def __call__(self, question, response):
        return len(response)


def test_a_class_in_place_of_its_object_is_told_to_be_called():
    with pytest.raises(assay.MethodError, match=r"got the class Judge.*Judge\(\)"):
        assay.try_method(Judge, bars="v1")
    assert assay.try_method(Judge(), bars="v1").items == 108


def test_an_answer_of_the_wrong_kind_has_its_own_way_on():
    for answer, said in (("yes", "`task=classification`"), (float("nan"), '"abstain"')):
        with pytest.raises(assay.MethodError) as raised:
            assay.try_method(lambda question, response, answer=answer: answer)
        assert said in raised.value.hint


class Broken:
    """A learner that takes examples for objects."""

    def fit(self, examples):
        return [example.response for example in examples]


def test_a_learner_that_cannot_be_fitted_is_not_told_to_go_on():
    with pytest.raises(assay.MethodError, match=r"example\['response'\]") as raised:
        assay.try_method(Broken())
    assert raised.value.hint is None


def test_classes_of_ones_own_are_told_which_hint_fits():
    rows = [{"question": f"q{n}?", "response": "a", "kind": ("yes", "no")[n % 2]} for n in range(9)]
    with pytest.raises(assay.SpecError, match="record 1 has no label") as refused:
        assay.try_method(lambda question, response: 0.5, rows, class_="kind", bars="plain")
    assert "class == VALUE" in refused.value.hint and "bars=plain" not in refused.value.hint
    with pytest.raises(assay.SpecError, match="no record of class folklore") as refused:
        assay.try_method(lambda question: "yes", rows, class_="kind")
    assert "assay bars show" in refused.value.hint


def test_a_truth_written_as_another_truth_is_suggested():
    rows = [{"question": f"q{n}", "label": bool(n % 2)} for n in range(8)]
    with pytest.raises(assay.SpecError, match="no record has the value '0'") as refused:
        assay.load_benchmark(rows, positive=0)
    assert refused.value.__notes__[-1] == "Did you mean `positive=False`?"
    assert assay.load_benchmark(rows, positive=False).records == 8
    with pytest.raises(assay.SpecError, match="unknown field 'is_wrong'") as refused:
        assay.load_benchmark(rows, positive="is_wrong == yes")
    assert "label == yes" in refused.value.hint
