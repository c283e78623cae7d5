"""What a caller of the library meets: short tracebacks, and a way on from a wrong call."""

import inspect
import traceback
import warnings

import pytest

import assay
from assay.api.boundary import public
from assay.errors import SpecError


def inner(depth: int) -> int:
    """Fail some frames down."""
    if depth:
        return inner(depth - 1)
    raise SpecError("no", hint="Say it: `label=COLUMN`.")


def frames(error):
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_an_error_of_ours_leaves_without_its_inside():
    with pytest.raises(SpecError) as raised:
        public(inner)(5)
    assert frames(raised.value) == ["test_an_error_of_ours_leaves_without_its_inside", "call"]
    shown = "".join(traceback.format_exception(raised.value))
    assert shown.endswith('no\nSay it: `label="COLUMN"`.\n')
    with pytest.raises(SpecError) as raised:
        inner(5)
    assert len(frames(raised.value)) == 7  # the control: without it all frames are shown


def test_a_bug_keeps_all_its_frames():
    def broken(depth: int) -> float:
        return broken(depth - 1) if depth else 1 / depth

    with pytest.raises(ZeroDivisionError) as raised:
        public(broken)(3)
    assert frames(raised.value).count("broken") == 4


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.confounds([{"question": "Why?", "label": 1}], label="lable"),
        lambda: assay.try_method("constant", bars="v9"),
        lambda: assay.try_method(lambda question, response: 1 / 0),
        lambda: assay.Study.open("nowhere"),
        lambda: assay.confounds("darkcore", joint="yes"),
    ],
)
def test_every_public_call_has_a_short_traceback(call):
    with pytest.raises(assay.AssayError) as raised:
        call()
    assert frames(raised.value)[2:] == ["call"]  # this test, the lambda, and the boundary


def test_a_public_function_keeps_its_signature_and_name():
    assert assay.confounds.__name__ == "confounds" and assay.confounds.__module__ == "assay"
    assert "label" in inspect.signature(assay.confounds).parameters


def test_a_misspelt_name_of_the_library_has_a_suggestion():
    with pytest.raises(AttributeError, match="Did you mean compare"):
        assay.comapre  # noqa: B018 - the attribute is asked for
    assert not hasattr(assay, "nothing_like_it")


def test_a_study_is_not_made_by_its_constructor():
    for given, place in (("mine", "mine"), (None, "DIR")):
        with pytest.raises(assay.SpecError, match="a study is opened or created") as refused:
            assay.Study(given)
        assert f'assay.Study.open("{place}")' in refused.value.hint


def test_a_study_that_is_there_is_opened_not_created(tmp_path):
    assay.Study.create(tmp_path / "s", "darkcore", bars="v1", task="detection")
    with pytest.raises(assay.SpecError, match="is a study already") as refused:
        assay.Study.create(tmp_path / "s", "darkcore")
    assert f'assay.Study.open("{tmp_path / "s"}")' in refused.value.hint


def test_a_warning_of_a_new_study_points_at_the_caller(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        "".join(f'{{"question": "q{n}", "label": {n % 2}}}\n' for n in range(40))
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assay.Study.create(tmp_path / "s", tmp_path / "a.jsonl", bars="plain", task="detection")
    assert {warning.filename for warning in caught} <= {__file__}


class Frame:
    """Something with columns, as a frame has."""

    columns = ("a",)


@pytest.mark.parametrize(
    ("value", "said"), [(Frame(), "Write the rows to a file"), (len, "FILE.py:FUNCTION")]
)
def test_a_dictionary_for_toml_says_how_to_name_what_it_cannot_hold(value, said):
    with pytest.raises(assay.SpecError, match="evaluation: benchmark: got") as refused:
        assay.dual({"evaluation": {"benchmark": value}})
    assert said in refused.value.hint


def test_the_matrix_of_other_things_names_the_verb_that_takes_them():
    with pytest.raises(assay.SpecError, match="got dict, expected the path of a folder") as refused:
        assay.matrix({"v1": [0, 1]})
    assert "assay.compare(" in refused.value.__notes__[-1]


def test_bars_may_be_a_dictionary_wherever_they_are_taken():
    bars = {"task": "detection", "version": "mine", "because": "it must beat chance",
            "partition": {"all": {"positive": "class != truth", "negative": "class == truth"}},
            "bar": [{"id": "M1", "metric": "auc", "partitions": ["all"], "at_least": 0.5}],
            }  # fmt: skip
    assert assay.try_method("oracle:word_length", bars=bars).bars_version == "mine"
    run = assay.run("oracle:word_length")
    assert assay.score(run, bars=bars).bars_version == "mine"
