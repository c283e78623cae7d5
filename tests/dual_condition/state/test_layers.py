from pathlib import Path

import pytest

from assay.dual_condition.state.layers import Layer, State, check_layer, matches
from assay.errors import SpecError


def state(fixed=(), **layers):
    return State(
        root=Path("state"),
        layers={name: Layer(files=tuple(files)) for name, files in layers.items()},
        fixed=fixed,
        route="parameter",
        variable=None,
        forget=(),
    )


MATCHES = {
    "a path": ("memory.jsonl", "memory.jsonl", True),
    "another path": ("memory.jsonl", "memory.json", False),
    "a path in a folder": ("a/b.json", "a/b.json", True),
    "a name in another folder": ("a/b.json", "b.json", False),
    "a folder": ("a/b/c.json", "a", True),
    "a folder with a slash": ("a/b/c.json", "a/", True),
    "a folder of the same beginning": ("ab/c.json", "a", False),
    "an empty folder": ("a/", "a", True),
    "a glob": ("x.json", "*.json", True),
    "a glob stays in its folder": ("a/x.json", "*.json", False),
    "a glob in a folder": ("a/x.json", "a/*.json", True),
    "a glob of folders": ("a/b/x.json", "a/*/x.json", True),
    "any depth": ("a/b/c/x.json", "**/*.json", True),
    "no depth": ("x.json", "**/*.json", True),
    "all below": ("a/b/c", "a/**", True),
    "one character": ("x1", "x?", True),
    "some characters": ("x1", "x[0-9]", True),
    "brackets in a name": ("x[1].json", "x[1].json", True),
    "case counts": ("X.json", "x.json", False),
    "a glob's case counts": ("X.JSON", "*.json", False),
}


@pytest.mark.parametrize("kind", MATCHES)
def test_paths_folders_and_globs(kind):
    name, pattern, expected = MATCHES[kind]
    assert matches(name, [pattern]) is expected


def test_a_database_brings_the_files_beside_it():
    layer = Layer(sqlite="m.db")
    assert all(matches(f"m.db{end}", layer.patterns) for end in ("", "-wal", "-shm", "-journal"))
    assert not matches("m.db-old", layer.patterns)


def test_every_file_has_one_owner_or_is_left():
    found, left = state(memory=["m*"], cache=["c/"], fixed=("README.md",)).split(
        ["m1", "m2", "c/a", "c/b/d", "README.md", "strange"]
    )
    assert found == {"memory": ["m1", "m2"], "cache": ["c/a", "c/b/d"]}
    assert left == ["strange"]


def test_layers_that_overlap_are_refused():
    with pytest.raises(SpecError, match=r"m1 of the state belongs to one and to two") as refused:
        state(one=["m1"], two=["m*"]).split(["m1"])
    assert refused.value.hint


def test_what_is_fixed_and_of_a_layer_is_refused():
    with pytest.raises(SpecError, match=r"m1 of the state belongs to memory and is fixed"):
        state(memory=["m1"], fixed=("m*",)).split(["m1"])


def test_a_layer_may_have_no_files_yet():
    found, left = state(memory=["m"], cache=["c"]).split(["m"])
    assert (found["cache"], left) == ([], [])


@pytest.mark.parametrize(
    "pattern", ["", "..", "../x", "/x", "a//b", "a/../b", "./a", "a\\b", "a\0"]
)
def test_paths_that_lead_out_or_nowhere_are_refused(pattern):
    with pytest.raises(
        SpecError, match=r"dual\.toml: state\.layers\.memory: .* is not a path inside"
    ):
        check_layer("memory", Layer(files=(pattern,)), "dual.toml")


def test_c_can_be_made_where_every_layer_says_how():
    told = {
        "field": Layer(files=("a",), provenance="item"),
        "match": Layer(files=("b",), match=("text",)),
        "in_c": Layer(files=("c",), in_c="initial"),
    }
    whole = state()
    assert State(**{**_fields(whole), "layers": told}).can_forget
    mute = {**told, "mute": Layer(files=("d",))}
    assert not State(**{**_fields(whole), "layers": mute}).can_forget
    by_command = {**_fields(whole), "layers": mute, "forget": ("x",)}
    assert State(**by_command).can_forget


def _fields(found):
    return {name: getattr(found, name) for name in found.__struct_fields__}
