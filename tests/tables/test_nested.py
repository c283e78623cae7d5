"""Dotted names lead inside a row; an error lists what is there, bounded."""

from assay.tables.nested import dotted, listed_names, with_paths

ROW = {
    "doc": {"question": "Q?", "a.b": {"c": 1}},
    "scores": [{"value": 0.5}, {"value": 1}],
    "x.y": 2,
}


def at(name, row=ROW):
    return with_paths(row, [name]).get(name)


def test_objects_go_by_key_and_lists_by_number():
    assert at("doc.question") == "Q?"
    assert at("scores.0.value") == 0.5
    assert at("scores.1.value") == 1
    assert at("doc.a.b.c") == 1


def test_the_whole_name_comes_first():
    assert at("x.y", {"x.y": 2, "x": {"y": 3}}) == 2


def test_what_is_not_there_is_not_added():
    for name in (
        "doc.none",
        "scores.2.value",
        "scores.-1",
        "scores.x",
        "doc.question.x",
        "scores.0²",
    ):
        assert name not in with_paths(ROW, [name])
    assert with_paths(ROW, ["doc.none"]) is ROW
    deep: dict[str, object] = {}
    for _ in range(100):
        deep = {"a": deep}
    assert ".".join(["a"] * 90) not in dict(with_paths({"b": 1}, [".".join(["a"] * 90)]))


def test_only_names_with_a_dot_lead_inside():
    assert dotted(["a", "a.b", None, "a.b"]) == ("a.b",)


def test_the_columns_are_listed_before_what_is_inside_them_and_not_all():
    assert listed_names(ROW) == (
        "'doc', 'scores', 'x.y', 'doc.question', 'doc.a.b', 'doc.a.b.c', 'scores.0',"
        " 'scores.0.value', 'scores.1', 'scores.1.value'"
    )
    wide = {f"c{number}": {"d": [[{}] * 50] * 50} for number in range(1000)}
    assert len(listed_names(wide)) < 400
    assert listed_names(wide).endswith(", ...")
    assert listed_names({}) == "none"
