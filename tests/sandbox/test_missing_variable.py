"""What a failure for want of a variable is answered."""

import pytest

from assay.sandbox.environment import missing_variable

NAMED = {
    "KeyError: 'colour_code' (m.py, line 4)": "`env=colour_code`",
    "KeyError: 'SOME_API_KEY'": "SOME_API_KEY is not set here",
    "OpenAIError: The api_key client option must be set either by passing api_key to the client or"
    " by setting the OPENAI_API_KEY environment variable": "`env=OPENAI_API_KEY`",
    "RuntimeError: No API key provided": "`env=NAME`",
    "ValueError: Missing credentials": "`env=NAME`",
}


@pytest.fixture(autouse=True)
def variables(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret")
    monkeypatch.setenv("colour_code", "s3cret")
    monkeypatch.delenv("SOME_API_KEY", raising=False)


@pytest.mark.parametrize("failure", NAMED)
def test_the_variable_is_named_and_its_value_never(failure):
    advice = missing_variable(f"m.py:f, item 1 ('Why?'): {failure}", ())
    assert NAMED[failure] in advice
    assert "s3cret" not in advice


@pytest.mark.parametrize(
    "failure",
    [
        "OpenAIError: OPENAI_API_KEY is not valid",  # it was passed
        "ValueError: PATH has no such program",  # the method has it
        "KeyError: 'answer'",
        "ZeroDivisionError: division by zero",
    ],
)
def test_other_failures_are_not_put_down_to_a_variable(failure):
    assert missing_variable(failure, ("OPENAI_API_KEY",)) is None


def test_words_of_the_item_are_not_the_errors():
    failure = "m.py:f, item 1 ('What is OPENAI_API_KEY?'): ValueError: no"
    assert missing_variable(failure, ()) is None
