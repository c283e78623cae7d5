"""What a wrong command line is answered."""

import pytest

from assay.cli.usage import OTHER_OPTIONS, OTHER_WORDS
from assay.cli.verbs import GROUPS, HELP, VERBS

MEANT = {
    "cmpare": "Did you mean compare?",
    "bars shwo": "Did you mean show?",
    "bars foo": "`assay bars` has: show, diff, revise.",
    "confounds darkcore --resposne x": "Did you mean --response?",
    "try majority --task detecton": "Did you mean detection?",
    "try majority --timeout 3": "Did you mean --item-seconds?",
    "try majority --output x": "Did you mean --save?",
    "withdraw 001 --reason x": "Did you mean --because?",
    "balance darkcore --overwrite": "Did you mean --force?",
    "confounds darkcor": "Did you mean darkcore?",
    "try oracle:word_lenght": "Did you mean oracle:word_length",
    "confounds": "For example: assay confounds darkcore",
    "audit": "assay confounds",
    "eval": "assay try",
    "version": "--version",
    "xyzzy": "`assay --help` lists the commands.",
    "answers.jsonl": "assay confounds answers.jsonl",
    "method.py": "assay try method.py:FUNCTION",
    "plan.toml": "assay dual plan.toml",
}


@pytest.mark.parametrize("typed", MEANT)
def test_a_wrong_command_is_answered_with_what_was_meant(typed, assay_cmd):
    done = assay_cmd(*typed.split())
    assert done.code == 2
    assert done.out == ""
    assert MEANT[typed] in done.err


def test_nothing_far_off_is_suggested(assay_cmd):
    assert "Did you mean" not in assay_cmd("confounds", "darkcore", "--xyzzy").err


def test_a_missing_file_is_answered_with_the_one_beside_it(assay_cmd, tmp_path):
    (tmp_path / "answers.jsonl").write_text("")
    assert "Did you mean answers.jsonl?" in assay_cmd("confounds", "answer.jsonl").err


def test_a_missing_side_is_answered_with_the_file_beside_it(assay_cmd, tmp_path):
    (tmp_path / "after.csv").write_text("")
    assert "Did you mean after.csv?" in assay_cmd("compare", "afters.csv", "x").err


def test_a_percentage_for_a_number_is_answered_with_the_number(assay_cmd):
    assert "Write 80% as 0.8." in assay_cmd("power", "--from", "80%", "--to", "0.9").err
    assert "Write 80 % as 0.8." in assay_cmd("power", "--from", "80", "--to", "90").err
    words = assay_cmd("power", "--from", "much", "--to", "0.9").err
    assert "'much' is not a valid float. Expected a number.\n" in words


def test_the_choices_of_a_missing_argument_stand_on_one_line(assay_cmd):
    error = assay_cmd("benchmark", "import").err
    assert "Choose from: fover, halueval-qa," in error
    assert "humaneval. For example: assay benchmark import" in error


@pytest.mark.parametrize("words", [("claims", "."), ("dual", "."), ("trials", ".")])
def test_a_folder_for_a_file_is_called_a_folder(words, assay_cmd):
    assert "SpecError: .: a folder, not a file" in assay_cmd(*words).err


def test_a_log_that_is_not_there_is_called_missing(assay_cmd):
    assert "gone.eval: no such file or folder" in assay_cmd("export", "gone.eval", "--out", "o").err


def test_a_folder_is_answered_by_what_it_holds(assay_cmd, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study/study.toml").write_text("")
    assert "study is a folder" in assay_cmd("study").err
    assert "assay verify study" in assay_cmd("study").err


def test_a_usage_error_is_json_where_json_is_asked_for(assay_cmd):
    assert "Did you mean compare?" in assay_cmd("cmpare", "--json").json["error"]["message"]


@pytest.mark.parametrize("noun", ["bars", "benchmark", "methods"])
def test_a_noun_alone_lists_in_either_number(noun, assay_cmd):
    other = noun.removesuffix("s") if noun.endswith("s") else f"{noun}s"
    listed = assay_cmd(noun)
    assert listed.code == 0
    assert listed.out == assay_cmd(other).out == assay_cmd(noun, "list").out
    assert assay_cmd(noun, "--json").json == assay_cmd(noun, "list", "--json").json


def test_help_is_a_word_too(assay_cmd):
    assert assay_cmd("help").out == HELP
    assert assay_cmd("help", "bars").out == assay_cmd("bars", "--help").out


def test_every_verb_is_in_one_group_of_at_most_ten_and_fits_80_columns():
    grouped = [verb for verbs in GROUPS.values() for verb in verbs.split()]
    assert sorted(grouped) == sorted(VERBS)
    assert max(len(verbs.split()) for verbs in GROUPS.values()) <= 10
    assert max(map(len, HELP.splitlines())) <= 80


def test_words_of_others_lead_to_verbs_and_are_none():
    assert set(OTHER_WORDS) <= set(VERBS)
    assert not {word for words in OTHER_WORDS.values() for word in words.split()} & set(VERBS)


def test_a_deadline_that_passed_names_the_option_that_moves_it(assay_cmd, tmp_path):
    text = "import time\ndef slow(question, response):\n    time.sleep(60)\n"
    (tmp_path / "slow.py").write_text(text, encoding="utf-8")
    done = assay_cmd("try", "slow.py:slow", "--item-seconds", "0.5")
    assert done.code == 5
    assert "Give it longer: --item-seconds N." in done.err


def test_every_option_of_another_name_is_an_option_of_some_command():
    import importlib

    known = set()
    for verb in VERBS:
        module = importlib.import_module(f"assay.cli.{verb.replace('-', '_')}_")
        known |= {flag for param in module.command.params for flag in param.opts}
    assert set(OTHER_OPTIONS) <= known
