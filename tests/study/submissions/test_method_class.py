"""The class that a submission states is sealed with it, and no byte of it can change."""

import json

import pytest
from helpers.command import command
from helpers.studies import (
    METHOD,
    PREDICTION,
    a_study,
    breach,
    raised,
    redigest,
    remember_installed,
    rewrite_json,
    tree,
)

import assay
from assay.digests import pretty_json
from assay.errors import IntegrityError, SpecError
from assay.method.classes import METHOD_CLASSES
from assay.study.entries import records_of
from assay.study.submissions.bars_in_force import read_seal
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal
from assay.study.submissions.sealed import load_sealed
from assay.study.submissions.spec import parse_seal
from assay.study.views import board_of, frontier_of

LISTED = f"The classes are: {', '.join(METHOD_CLASSES)}."
PREREG, SEAL = "preregs/002/prereg.toml", "preregs/002/seal.json"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def study(tmp_path):
    """A study with one result, and a method beside it."""
    (tmp_path / "mine.py").write_text(METHOD)
    return a_study(tmp_path / "home", "finished")


def drafted(study, stated, method=None):
    method = method or f"{study.root.parent.parent / 'mine.py'}:detect"
    folder = assay.Study(study).draft("002", method, method_class=stated)
    (folder / "prediction.toml").write_text(PREDICTION)
    return folder


@pytest.fixture
def classed(study):
    """The same, with a sealed submission that states its class."""
    drafted(study, "likelihood")
    seal(study, "002")
    return study


def rows_of(study):
    (table,) = frontier_of(study).tables
    return {row.method_class: row.submission for row in table.rows}


def test_a_stated_class_is_sealed_and_seen_on_the_frontier(classed):
    assert 'method_class = "likelihood"\n' in (classed.root / PREREG).read_text()
    assert json.loads((classed.root / SEAL).read_bytes())["method_class"] == "likelihood"
    assert load_sealed(classed, "002").prereg.method_class == "likelihood"
    run_sealed(classed, "002", unwitnessed=True)
    assert rows_of(classed) == {"likelihood": "002", "unclassified": "001"}
    assert breach(classed) == (None, "")


def test_without_a_class_draft_and_seal_are_what_they_were(study):
    drafted(study, None)
    assert "class" not in (study.root / PREREG).read_text()
    made, _ = seal(study, "002")
    data = (study.root / SEAL).read_bytes()
    assert "method_class" not in json.loads(data)
    assert pretty_json(parse_seal(data, where="")) == data == pretty_json(made)


@pytest.mark.parametrize(
    ("stated", "method", "found", "hint"),
    [
        ("likelyhood", None, "'likelyhood' is not a class of method", "Did you mean likelihood?"),
        ("Lexical", None, "'Lexical' is not", "Did you mean lexical?"),
        ("", None, "'' is not", LISTED),
        ("unclassified", None, "'unclassified' is not", LISTED),
        ("\x1b[2J", None, "is not", LISTED),
        ("consensus", "token-overlap", "token-overlap is of the class 'lexical'", "Leave it out"),
        ("lexical", "constant", "constant is of the class 'uninformed'", "Leave it out"),
        ("lexical", "oracle:word_length", "is of the class 'surface'", "Leave it out"),
        ("lexical", "critique:local", "critique:local is of the class 'critique'", "Leave it out"),
    ],
)
def test_a_class_that_is_none_or_that_the_reference_contradicts_leaves_no_draft(
    study, stated, method, found, hint
):
    before = tree(study.root)
    with pytest.raises(SpecError) as refused:
        drafted(study, stated, method)
    assert found in refused.value.message
    assert refused.value.hint.startswith(hint)
    assert tree(study.root) == before


@pytest.mark.parametrize("stated", ["lexical", None])
def test_the_class_that_a_reference_knows_may_be_stated_and_need_not(study, stated):
    drafted(study, stated, "token-overlap")
    seal(study, "002")
    run_sealed(study, "002", unwitnessed=True)
    assert rows_of(study) == {"lexical": "002", "unclassified": "001"}
    assert breach(study) == (None, "")


def test_a_class_misspelt_by_hand_is_not_sealed(study):
    path = drafted(study, "likelihood") / "prereg.toml"
    path.write_text(path.read_text().replace("likelihood", "likelyhood"))
    error = raised(seal, study, "002")
    assert isinstance(error, SpecError)
    assert error.message.startswith("preregs/002/prereg.toml: method_class = 'likelyhood'")
    assert error.hint == "Did you mean likelihood?"
    assert "002" not in records_of(study).submissions


def test_a_class_that_is_edited_after_the_seal_stops_the_run_and_is_a_breach(classed):
    path = classed.root / PREREG
    path.write_text(path.read_text().replace("likelihood", "perturbation"))
    error = raised(run_sealed, classed, "002", unwitnessed=True)
    assert isinstance(error, IntegrityError)
    assert PREREG in error.message
    number, found = breach(classed)
    assert (number, PREREG in found) == (4, True)


@pytest.mark.parametrize("value", ["perturbation", None])
def test_a_seal_that_states_another_class_than_its_files_is_a_breach(classed, value):
    rewrite_json(classed.root / SEAL, lambda head: head.update(method_class=value))
    redigest(classed)
    error = raised(run_sealed, classed, "002", unwitnessed=True)
    assert isinstance(error, IntegrityError)
    assert f"states the class {value}, but prereg.toml likelihood" in error.message
    assert breach(classed)[0] == 4


@pytest.mark.parametrize("value", ["likelyhood", "\x1b[2J|<b>", "", 7, ["likelihood"]])
def test_a_seal_with_a_class_that_is_none_is_unreadable_and_named(classed, value):
    rewrite_json(classed.root / SEAL, lambda head: head.update(method_class=value))
    redigest(classed)
    assert breach(classed)[0] == 4
    for view in (frontier_of, board_of):
        (unreadable,) = view(classed).unreadable
        assert (unreadable.submission, SEAL in unreadable.why) == ("002", True)
    done = command(classed.root, "board", "--frontier")
    assert done.returncode == 4
    assert "Not shown, unreadable: 002" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_no_seal_can_move_a_bundled_method_to_another_class(study):
    drafted(study, None, "token-overlap")
    seal(study, "002")
    rewrite_json(study.root / SEAL, lambda head: head.update(method_class="consensus"))
    redigest(study)
    record = records_of(study).submissions["002"]
    assert "is of the class 'lexical'" in raised(read_seal, study, record).message
    assert breach(study)[0] == 4
