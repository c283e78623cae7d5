"""`assay critique` and `assay asymmetry`, against a server on this machine that knows all."""

import json

import pytest

import assay
from assay.errors import ModelRefused, NotRecorded, SpecError
from tests.helpers.command import command
from tests.helpers.model_server import KEY, refusal, said, serving

FACTS = {
    "Do cats purr?": ("yes they purr", 0),
    "Is the moon made of cheese?": ("it is made of cheese", 1),
    "Do fish have gills?": ("they have gills", 0),
    "Can cows fly?": ("cows fly at night", 1),
}


def options(**shares):
    listed = [
        {"token": text, "logprob": logprob, "bytes": None} for text, logprob in shares.items()
    ]
    return {"content": [{**listed[0], "top_logprobs": listed}]}


def knows(path, body):
    """A perfect judge in every wording, and one that refutes misconceptions on its own."""
    prompt = body["messages"][-1]["content"]
    if body.get("max_tokens", 1) > 1:
        return said("No, that is a myth.")
    if "Statement:" in prompt:
        word = "DISAGREE" if "AGREE" in prompt else "F"
        return said(word, logprobs=options(**{word: -0.01}))
    wrong = any(response in prompt for response, label in FACTS.values() if label)
    rejects = wrong == ("factual error" not in prompt)
    sure, other = ("NO", "YES") if rejects else ("YES", "NO")
    return said(sure, logprobs=options(**{sure: -0.11, other: -2.5}))


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [
        {"id": f"a{n}", "question": q, "response": response, "label": label}
        for n, (q, (response, label)) in enumerate(FACTS.items())
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_file_is_critiqued_and_the_keys_are_the_documented_ones(answers):
    with serving(knows) as server:
        done = command(
            answers.parent, "critique", answers.name, "--model", f"{server.url}#m", "--json"
        )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert {"scores", "n", "abstained", "model", "prompt", "cassette", "auc"} <= set(made)
    assert set(made["scores"][0]) >= {"id", "p_no", "low", "high", "mass", "abstained"}
    assert made["auc"]["value"] == 1.0
    assert made["n"] == 4
    first = made["scores"][0]
    assert first["low"] <= first["p_no"] <= first["high"] < 0.5


def test_the_screen_shows_each_wording_and_the_answers_most_rejected(answers):
    with serving(knows) as server:
        done = command(answers.parent, "critique", answers.name, "--model", f"{server.url}#m")
    assert "published" in done.stdout
    assert "has-error" in done.stdout
    assert "most rejected" in done.stdout
    assert "AUC 1.000" in done.stdout


def test_a_recording_goes_on_where_it_stopped_and_replays_to_the_same_scores(answers):
    folder = answers.parent
    words = (
        "critique",
        answers.name,
        "--cassette",
        "calls.jsonl",
        "--json",
        "--jobs",
        "1",
        "--model",
    )
    with serving(knows) as server:
        model = f"{server.url}#m"
        stopped = command(folder, *words, model, "--max-calls", "5")
        assert stopped.returncode == 5
        assert "budget" in stopped.stderr
        whole = command(folder, *words, model)
        assert len(server.asked) == 16, "nothing was asked twice"
    replayed = command(folder, *words, model, "--mode", "replay")
    one, two = json.loads(whole.stdout), json.loads(replayed.stdout)
    assert one["scores"] == two["scores"]
    assert two["cassette"] == {"file": "calls.jsonl", "mode": "replay", "asked": 0, "replayed": 16}
    assert "replayed" in [caveat["code"] for caveat in two["caveats"]]


def test_a_key_goes_to_the_server_and_nowhere_else(answers):
    folder = answers.parent
    with serving(knows) as server:
        done = command(
            folder,
            *("critique", answers.name, "--model", f"{server.url}#m", "--cassette", "calls.jsonl"),
            ASSAY_API_KEY=KEY,
        )
        assert server.asked[0][1]["Authorization"] == f"Bearer {KEY}"
    kept = "".join(path.read_text() for path in folder.iterdir() if path.is_file())
    assert KEY not in kept + done.stdout + done.stderr


def test_the_scores_are_written_as_confounds_reads_them(answers):
    with serving(knows) as server:
        command(
            answers.parent,
            "critique",
            answers.name,
            "--model",
            f"{server.url}#m",
            "--out",
            "s.jsonl",
        )
    rows = [json.loads(line) for line in (answers.parent / "s.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["a0", "a1", "a2", "a3"]
    audit = assay.confounds(answers, scores=answers.parent / "s.jsonl", joint=False)
    assert audit.methods


def test_an_abstention_is_counted_and_ends_with_1(answers):
    def silent(path, body):
        return said("Well", logprobs=options(Well=-0.01))

    with serving(silent) as server:
        done = command(
            answers.parent, "critique", answers.name, "--model", f"{server.url}#m", "--json"
        )
    made = json.loads(done.stdout)
    assert done.returncode == 1
    assert made["abstained"] == 4
    assert made["auc"] is None
    assert [score["p_no"] for score in made["scores"]] == [None] * 4


def test_a_server_without_probabilities_is_refused_with_a_way_on(answers):
    with serving(said("NO")) as server, pytest.raises(ModelRefused, match="no probabilities") as it:
        assay.critique(answers, model=f"{server.url}#m")
    assert "logprobs" in it.value.hint


def test_a_wrong_key_ends_it_at_the_first_call(answers):
    with serving(refusal(401)) as server, pytest.raises(ModelRefused):
        assay.critique(answers, model=f"{server.url}#m", jobs=1)
    assert len(server.asked) <= 5


def test_a_judge_that_wrote_the_answers_is_a_caveat(answers):
    with serving(knows) as server:
        found = assay.critique(answers, model=f"{server.url}#gpt-4o-mini", author=["GPT 4o mini"])
        other = assay.critique(answers, model=f"{server.url}#gpt-4o-mini", author=["some-llama"])
    assert "same-author-model" in [caveat.code for caveat in found.caveats]
    assert "same-author-model" not in [caveat.code for caveat in other.caveats]


@pytest.mark.parametrize(
    ("words", "said_so"),
    [
        ({"mode": "replay"}, "cassette"),
        ({"mode": "sideways"}, "expected replay"),
        ({"jobs": 0}, "1 to 256"),
        ({"top": 5000}, "1 to 1000"),
        ({"wording": "publshed"}, "no wording"),
        ({"model": "gpt"}, "no model"),
    ],
)
def test_what_cannot_be_asked_is_refused(answers, words, said_so):
    with pytest.raises(SpecError, match=said_so):
        assay.critique(answers, **{"model": "http://127.0.0.1:9/v1#m", **words})


def test_a_replay_of_another_wording_is_refused(answers):
    cassette = answers.parent / "calls.jsonl"
    with serving(knows) as server:
        model = f"{server.url}#m"
        assay.critique(answers, model=model, wording="published", cassette=cassette)
    with pytest.raises(NotRecorded):
        assay.critique(answers, model=model, wording="has-error", cassette=cassette, mode="replay")


def test_asymmetry_is_measured_three_ways_over_the_positives(answers):
    words = ("asymmetry", answers.name, "--encoder", "none", "--json")
    with serving(knows) as server:
        done = command(answers.parent, *words, "--model", f"{server.url}#m")
    found = json.loads(done.stdout)
    assert found["n"] == 2
    v2, v3 = found["measures"]
    assert v3["quadrants"]["consistent-right"] == 2
    assert v2["asymmetric"]["value"] == v3["asymmetric"]["value"] == 0.0
    with serving(knows) as server:
        shown = command(answers.parent, *words[:-1], "--model", f"{server.url}#m")
    assert "asymmetric" in shown.stdout


def test_a_critique_is_a_method_and_abstains_without_ending_the_run(answers):
    def partly(path, body):
        if "cheese" in body["messages"][-1]["content"]:
            return said("Well", logprobs=options(Well=-0.01))
        return knows(path, body)

    with serving(partly) as server:
        done = command(
            answers.parent, "try", f"critique:{server.url}#m", "--benchmark", answers.name, "--json"
        )
    card = json.loads(done.stdout)
    assert done.returncode == 1
    assert card["verdict"] == "unresolved"
    assert "unscored" in [caveat["code"] for caveat in card["caveats"]]


def test_one_answer_is_judged_from_the_shell_in_a_few_lines(tmp_path):
    question, (response, _) = list(FACTS.items())[1]
    words = ("critique", "--ask", question, "--answer", response, "--model")
    with serving(knows) as server:
        shown = command(tmp_path, *words, f"{server.url}#m")
        told = command(tmp_path, *words, f"{server.url}#m", "--json", "--out", "s.jsonl")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("p_no 0.9")
    assert "bounds [" in shown.stdout and "mass 0.9" in shown.stdout
    assert "by wording: published 0.9" in shown.stdout
    assert len(shown.stdout.splitlines()) <= 12
    made = json.loads(told.stdout)
    assert (made["n"], made["labelled"], made["auc"]) == (1, 0, None)
    assert (tmp_path / "s.jsonl").is_file()


def test_one_answer_in_python_is_a_dictionary_or_a_list_of_one():
    row = {"question": "Can cows fly?", "response": "cows fly at night"}
    with serving(knows) as server:
        one, listed = (assay.critique(each, model=f"{server.url}#m") for each in (row, [row]))
    assert one.scores == listed.scores
    assert one.scores[0].p_no > 0.8
    assert str(one).startswith("p_no 0.9")


@pytest.mark.parametrize(
    "words", [(), ("--ask", "Q"), ("--answer", "A"), ("a.csv", "--ask", "Q", "--answer", "A"),
              ("a.csv", "--passages", "p.toml"), ("--controls", "c.toml")],
)  # fmt: skip
def test_what_to_judge_is_named_once(tmp_path, words):
    done = command(tmp_path, "critique", *words, "--model", "http://127.0.0.1:9/v1#m")
    assert done.returncode == 2
    assert any(flag in done.stderr for flag in ("--ask", "--passages"))


def unlabelled(folder):
    rows = [{"question": q, "response": response} for q, (response, _) in FACTS.items()]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "a.jsonl").write_text(lines)
    (folder / "a.csv").write_text(
        "question,response\n" + "".join(f"{row['question']},{row['response']}\n" for row in rows)
    )
    return rows


def test_answers_without_labels_are_judged_from_every_source_and_have_no_auc(tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = unlabelled(tmp_path)
    sources = (tmp_path / "a.jsonl", tmp_path / "a.csv", rows, pandas.DataFrame(rows))
    with serving(knows) as server:
        made = [assay.critique(source, model=f"{server.url}#m") for source in sources]
        shown = command(tmp_path, "critique", "a.csv", "--model", f"{server.url}#m")
    assert shown.returncode == 0, shown.stderr
    assert "no labels, so no AUC. --label COLUMN says which answers are wrong" in shown.stdout
    assert all(each.scores == made[0].scores for each in made)
    assert {(each.auc, each.labelled) for each in made} == {(None, 0)}
    assert "no labels, so no AUC" in str(made[0])


def test_a_few_labels_are_counted_and_give_no_auc():
    rows = [
        {"question": q, "response": response, "label": label if n else None}
        for n, (q, (response, label)) in enumerate(FACTS.items())
    ]
    with serving(knows) as server:
        made = assay.critique(rows, model=f"{server.url}#m")
        with pytest.raises(SpecError, match="expected a label, got null"):
            assay.critique(rows, model=f"{server.url}#m", label="label")
    with pytest.raises(SpecError, match="neither a label nor a class"):
        assay.critique([{"question": "Q", "response": "R"}], model="m", positive="wrong")
    assert (made.labelled, made.n, made.auc) == (3, 4, None)
    assert "3 of 4 have a label, so no AUC" in str(made)


@pytest.mark.parametrize("verb", ["confounds", "run", "balance", "try_method"])
def test_other_verbs_still_need_labels(verb):
    rows = [{"question": q, "response": response} for q, (response, _) in FACTS.items()]
    with pytest.raises(SpecError, match="neither a label nor a class"):
        function = getattr(assay, verb)
        function(*(["oracle:word_length"] if verb in ("run", "try_method") else []), rows)


def test_the_misconceptions_of_an_asymmetry_need_labels(tmp_path):
    unlabelled(tmp_path)
    with pytest.raises(SpecError, match="neither a label nor a class"):
        assay.asymmetry(tmp_path / "a.csv", model="http://127.0.0.1:9/v1#m")


def test_the_encoder_of_an_asymmetry_is_recorded_into_the_same_file(answers):
    file = answers.parent / "calls.jsonl"
    with serving(knows) as server:
        words = {"model": f"{server.url}#m", "cassette": file}
        first = assay.asymmetry(answers, **words)
    assert {path.name for path in answers.parent.iterdir()} >= {file.name}
    assert not list(answers.parent.glob("*.encoder.*"))
    assert '"kind":"embedding"' in file.read_text()
    again = assay.asymmetry(answers, **words, mode="replay")
    assert first.cassette.replayed == again.cassette.asked == 0
    assert again.measures == first.measures
    assert again.items == first.items
