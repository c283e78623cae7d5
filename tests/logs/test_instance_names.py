from assay.logs.instance_names import (
    TrialNumbers,
    asked,
    instance_name,
    named,
    numbered,
    shown,
)


def test_a_name_begins_with_its_label_and_tells_content_apart():
    first = instance_name("What  is\nthis?", {"a": 1, "b": 2})
    assert first.startswith("What is this? @ ")
    assert first == instance_name("What is this?", {"b": 2, "a": 1})
    assert first != instance_name("What is this?", {"a": 1, "b": 3})


def test_a_long_label_is_cut_and_none_is_left_out():
    assert len(instance_name("word " * 100, 1)) < 60
    assert "@" not in instance_name(None, 1)


def test_trials_are_numbered_by_instance():
    numbers = TrialNumbers()
    assert [numbers.next(name) for name in "abaab"] == ["1", "1", "2", "3", "2"]


def test_a_short_setting_is_shown_and_a_long_one_is_a_fingerprint():
    assert (shown(0.5), shown("generation")) == ("0.5", "generation")
    assert len(shown("a" * 100)) == len(shown([1, 2])) == 12
    assert shown("two\nlines") != "two\nlines"


def test_a_short_text_is_its_own_name():
    assert named("What is 1 + 1?") == "What is 1 + 1?"


def test_texts_that_differ_have_names_that_differ():
    texts = ["a\nb", "a b", "a  b", "", " ", "x" * 500, "x" * 501, {"a": 1}, "half \ud800"]
    names = [named(text) for text in texts]
    assert len(set(names)) == len(texts)
    assert all(0 < len(name) <= 160 and "\n" not in name for name in names)


def test_the_order_of_keys_makes_no_difference():
    assert named({"a": 1, "b": 2}) == named({"b": 2, "a": 1})


def test_rows_are_numbered_whether_or_not_one_repeats():
    assert numbered(["a", "b"]) == ["1", "1"]
    assert numbered(["a", "b", "a"]) == ["1", "1", "2"]


def test_the_text_of_an_input_is_its_question():
    assert asked({"id": 3, "question": "why?"}) == "why?"
    assert asked({"topic": "why?"}) == "why?"
    assert asked({"messages": [{"role": "user", "content": "why?"}]}) == "why?"
    assert asked({"a": 1, "b": 2}) == '{"a":1,"b":2}'
    assert asked(None) is None
