import json
import os
import shutil
import threading
from pathlib import Path

import pytest
from helpers.ratifiable import compared, forge, shown, skill, skill_folder
from helpers.studies import a_study, breach, chained, entries, kinds, raised, tree

from assay.comparison.collect import check_again
from assay.comparison.store import read_comparison
from assay.digests import digest
from assay.errors import (
    AssayError,
    DigestMismatch,
    IntegrityError,
    NotRatified,
    SpecError,
    StorageError,
)
from assay.folders import artifact_digest
from assay.report.study.views import VIEWS
from assay.study.ratify.frozen import frozen_folder, history
from assay.study.ratify.ratify import check_apart, check_frozen, ratify, revert
from assay.study.study import PAGES, open_study

NONE = "none"


def freeze(folder, artifact, comparison=None):
    with frozen_folder(folder) as at:
        return ratify(at, comparison or shown(folder.parent / "shown", artifact), artifact)


def take_back(folder, name="skill.md"):
    with frozen_folder(folder) as at:
        return revert(at, name)


def check(folder):
    with frozen_folder(folder) as at:
        return check_frozen(at)


def versions(home):
    """Artifacts of one name: files and folders, all different."""
    return [
        skill(home / "1", "one"),
        skill_folder(home / "2", a="two", b="three"),
        skill_folder(home / "3", a="two"),
        skill(home / "4", "four"),
    ]


@pytest.fixture(params=["alone", "in a study"])
def place(request, tmp_path):
    """A folder for ratified artifacts."""
    if request.param == "alone":
        return tmp_path / "home" / "skills"
    return a_study(tmp_path / "home", "opened").root / "skills"


def test_what_is_ratified_is_in_place_as_it_was_measured(tmp_path, place):
    artifact = skill(tmp_path)
    before = tree(tmp_path)["skill.md"]
    step = freeze(place, artifact)
    assert (place / "skill.md").read_bytes() == before
    assert (step.previous, step.artifact) == (NONE, artifact_digest(artifact))
    assert [one.name for one in check(place)] == ["skill.md"]
    assert artifact.read_bytes() == before


def test_what_was_there_comes_back_step_by_step(tmp_path, place):
    """Files and folders in each other's place, and what nobody ratified before them all."""
    place.mkdir(parents=True)
    skill(place, "by hand")
    seen = [tree(place)["skill.md"]]
    made = versions(tmp_path)
    for artifact in made:
        freeze(place, artifact)
        assert artifact_digest(place / "skill.md") == artifact_digest(artifact)
    for artifact in reversed(made[:-1]):
        take_back(place)
        assert artifact_digest(place / "skill.md") == artifact_digest(artifact)
    take_back(place)
    assert (place / "skill.md").read_bytes() == seen[0]
    assert isinstance(raised(take_back, place), NotRatified)
    freeze(place, made[1])
    take_back(place)
    assert (place / "skill.md").read_bytes() == seen[0]


def test_where_nothing_was_nothing_is_again(tmp_path, place):
    for artifact in (skill(tmp_path), skill_folder(tmp_path / "other")):
        freeze(place, artifact)
        assert take_back(place).artifact == NONE
        assert not (place / "skill.md").exists()
        assert check(place) == []


def test_in_a_study_the_ledger_tells_of_it_and_verify_looks(tmp_path):
    study = a_study(tmp_path / "home", "finished")
    place = study.root / "skills"
    one, other = skill(tmp_path / "1", "one"), skill_folder(tmp_path / "2")
    freeze(place, one)
    freeze(place, other)
    take_back(place)
    assert kinds(study)[-3:] == ["ratify", "ratify", "revert"]
    assert breach(study) == (None, "")
    assert not (place / "ratified.jsonl").exists()


EDITS = {
    "a byte": lambda root: (root / "skills/skill.md").write_text("other"),
    "it is gone": lambda root: (root / "skills/skill.md").unlink(),
    "a link to the same bytes": lambda root: (
        (root / "skills/skill.md").rename(root / "elsewhere"),
        (root / "skills/skill.md").symlink_to(root / "elsewhere"),
    ),
    "a pipe": lambda root: (
        (root / "skills/skill.md").unlink(),
        os.mkfifo(root / "skills/skill.md"),
    ),
    "an empty folder": lambda root: (
        (root / "skills/skill.md").unlink(),
        (root / "skills/skill.md").mkdir(),
    ),
    "the comparison": lambda root: next((root / "comparisons").iterdir()).write_text("{}"),
    "no comparison": lambda root: next((root / "comparisons").iterdir()).unlink(),
    "a link to the folder": lambda root: (
        (root / "skills").rename(root / "elsewhere"),
        (root / "skills").symlink_to(root / "elsewhere"),
    ),
}


@pytest.mark.parametrize("kind", EDITS)
def test_verify_sees_whatever_was_edited(tmp_path, kind):
    study = a_study(tmp_path / "home", "opened")
    freeze(study.root / "skills", skill(tmp_path))
    assert breach(study) == (None, "")
    EDITS[kind](study.root)
    assert breach(study)[0] == 4


def looks(path):
    """What kind of thing a path is, which one, and when it was changed; not when it was read."""
    if not (path.exists() or path.is_symlink()):
        return None
    found = path.lstat()
    return found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns


@pytest.mark.parametrize("kind", list(EDITS)[:5])
def test_an_edit_is_seen_by_the_check_and_by_the_next_step(tmp_path, place, kind):
    freeze(place, skill(tmp_path / "1", "old"))
    freeze(place, skill(tmp_path / "2", "new"))
    EDITS[kind](place.parent)
    before = looks(place / "skill.md")
    for action in (check, take_back, lambda where: freeze(where, skill(tmp_path / "3", "third"))):
        assert isinstance(raised(action, place), DigestMismatch)
    left = place / "skill.md"
    assert looks(left) == before


def test_what_somebody_put_there_again_is_left_alone(tmp_path, place):
    freeze(place, skill(tmp_path / "1", "old"))
    take_back(place)
    (place / "skill.md").write_bytes(skill(tmp_path / "2", "old").read_bytes())
    freeze(place, skill(tmp_path, name="other.md"))
    assert (place / "skill.md").is_file()
    assert isinstance(raised(check, place), DigestMismatch)


def test_an_edit_of_one_does_not_keep_another_from_being_ratified(tmp_path, place):
    freeze(place, skill(tmp_path / "1", "old"))
    (place / "skill.md").unlink()
    (place / "skill.md").symlink_to("/etc/passwd")
    freeze(place, skill(tmp_path, name="other.md"))
    assert (place / "other.md").is_file()


NOT_SHOWN = {
    "harm": {"before": 1, "after": 0},
    "nothing": {"before": 1, "after": 1},
}


@pytest.mark.parametrize("kind", NOT_SHOWN)
def test_what_was_not_shown_to_help_is_refused(tmp_path, kind):
    artifact = skill(tmp_path)
    comparison = read_comparison(compared(tmp_path, artifact, **NOT_SHOWN[kind]))
    error = raised(freeze, tmp_path / "skills", artifact, comparison)
    assert isinstance(error, NotRatified)
    assert not (tmp_path / "skills" / "skill.md").exists()


FORGED = {
    "a blocking caveat": lambda record: record["caveats"].append(
        {"code": "x", "message": "x", "blocking": True}
    ),
    "no artifact": lambda record: record.update(artifact=None),
    "another artifact": lambda record: record.update(artifact=digest(b"another")),
    "another verdict": lambda record: record.update(verdict="inconclusive"),
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_comparison_that_does_not_allow_it_is_refused(tmp_path, kind):
    artifact = skill(tmp_path)
    comparison = read_comparison(forge(compared(tmp_path, artifact), FORGED[kind]))
    assert isinstance(raised(freeze, tmp_path / "skills", artifact, comparison), NotRatified)


def test_an_artifact_that_was_edited_since_is_refused(tmp_path):
    artifact = skill(tmp_path)
    comparison = shown(tmp_path, artifact)
    artifact.write_text("edited")
    error = raised(freeze, tmp_path / "skills", artifact, comparison)
    assert "not the measured artifact" in error.message


def test_a_comparison_that_was_edited_by_hand_is_refused(tmp_path):
    path = compared(tmp_path, skill(tmp_path))
    path.write_bytes(path.read_bytes().replace(b"ratify", b"RATIFY"))
    assert isinstance(raised(read_comparison, path), IntegrityError)


def gain(record):
    record.update(verdict="ratify", because="a gain is shown")


RECHECKED = {
    "a verdict": (gain, {"before": 1, "after": 1}),
    "an artifact that was never run": (
        lambda record: record.update(artifact=digest(b"evil")),
        {},
    ),
    "a number of a dimension": (
        lambda record: record["dimensions"][0].update(delta=0.5),
        {},
    ),
    "the harness": (lambda record: record.update(harness={"baseline": {"a": "b"}}), {}),
    "more runs": (lambda record: record.update(n_baseline=1000), {}),
    "other inputs": (lambda record: record["inputs"][0].update(digest=digest(b"x")), {}),
}


@pytest.mark.parametrize("kind", RECHECKED)
def test_a_forged_checksum_is_only_seen_from_the_runs(tmp_path, kind):
    """Whoever computes the checksum anew passes for honest until the runs are compared again."""
    change, how = RECHECKED[kind]
    path = compared(tmp_path, skill(tmp_path), **how)
    sides = ([tmp_path / "comparison-baseline.jsonl"], [tmp_path / "comparison-candidate.jsonl"])
    check_again(read_comparison(path)[0], *sides)
    comparison, _ = read_comparison(forge(path, change))
    assert isinstance(raised(check_again, comparison, *sides), IntegrityError)


NAMES = [
    "with space",
    "ünïcode-☃",
    "-rf",
    "a'b\"c$(x)`y`",
    "%s{}",
    "UPPER.MD",
    "n" * 255,
    "comma,semi;colon:",
]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_odd_names_are_names(tmp_path, place, name):
    artifact = skill(tmp_path / "from", name=name)
    freeze(place, artifact)
    assert (place / name).read_bytes() == artifact.read_bytes()
    assert [one.name for one in check(place)] == [name]
    take_back(place, name)
    assert not (place / name).exists()


BAD_NAMES = [
    "ratified.jsonl",
    ".ratified",
    ".hidden",
    "line\nbreak",
    "back\\slash",
    "\x1b[31mred",
    os.fsdecode(b"\xff"),
    "‮moc",
]


@pytest.mark.parametrize("name", BAD_NAMES, ids=range(len(BAD_NAMES)))
def test_names_that_no_record_can_hold_are_refused_before_anything_is_written(
    tmp_path, place, name
):
    artifact = skill(tmp_path / "from", name=name)
    assert isinstance(raised(freeze, place, artifact), AssayError)
    assert not os.path.lexists(place / name) or name == ".ratified"
    assert check(place) == []


def test_a_folder_whose_name_ends_with_a_dot_has_its_own_history(tmp_path):
    study = a_study(tmp_path / "home", "opened")
    for name in ("skills.", "skills", "a/.."):
        place = study.root / name / "x"
        if ".." not in name:
            freeze(place, skill(tmp_path / "1", "one"))
            freeze(place, skill(tmp_path / "2", "two"))
            assert take_back(place).artifact == digest(b"one")
    freeze(study.root / "skills.", skill(tmp_path / "1", "one"))
    assert take_back(study.root / "skills.").artifact == NONE
    assert breach(study) == (None, "")


def test_the_study_s_own_folder_can_hold_artifacts(tmp_path):
    study = a_study(tmp_path / "home", "opened")
    freeze(study.root, skill(tmp_path))
    assert [step.name for step in check(study.root)] == ["skill.md"]
    take_back(study.root)
    assert breach(study) == (None, "")


RECORDS = [
    ("", "ledger.jsonl"),
    ("", "study.toml"),
    ("bars", "detection-mine.toml"),
    ("", "bars"),
    ("preregs/001", "seal.json"),
    ("runs/001", "outputs.jsonl"),
    ("scorecards", "x.json"),
    ("comparisons", "x.json"),
]


@pytest.mark.parametrize(("folder", "name"), RECORDS)
def test_no_record_of_the_study_is_replaced_by_an_artifact(tmp_path, folder, name):
    study = a_study(tmp_path / "home", "finished")
    artifact = skill(tmp_path / "from", name=name)
    before = tree(study.root)
    error = raised(freeze, study.root / folder, artifact, shown(tmp_path, artifact))
    assert isinstance(error, SpecError)
    after = tree(study.root)
    assert {key: after[key] for key in before} == before
    assert all(".ratified" in key for key in set(after) - set(before))
    assert breach(study) == (None, "")


def test_a_folder_in_the_artifact_is_refused_and_an_artifact_in_the_folder_is_not(tmp_path):
    artifact = skill_folder(tmp_path)
    for folder in (artifact, artifact / "inner", artifact / "new" / "deep"):
        assert isinstance(raised(check_apart, artifact, folder), SpecError)
    check_apart(artifact, tmp_path)
    before = tree(artifact)
    freeze(tmp_path, artifact, shown(tmp_path / "shown", artifact))
    assert tree(artifact) == before
    take_back(tmp_path)
    assert tree(artifact) == before


def test_a_link_is_no_artifact_and_none_is_followed(tmp_path, place):
    artifact = skill(tmp_path)
    comparison = shown(tmp_path, artifact)
    (tmp_path / "link.md").symlink_to(artifact)
    assert isinstance(raised(freeze, place, tmp_path / "link.md", comparison), SpecError)
    (tmp_path / "mine").write_text("mine")
    place.mkdir(parents=True, exist_ok=True)
    (place / "skill.md").symlink_to(tmp_path / "mine")
    assert isinstance(raised(freeze, place, artifact, comparison), AssayError)
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_link_for_the_store_is_not_followed(tmp_path, place):
    (tmp_path / "mine").mkdir()
    place.mkdir(parents=True, exist_ok=True)
    (place / ".ratified").symlink_to(tmp_path / "mine")
    assert isinstance(raised(freeze, place, skill(tmp_path)), AssayError)
    assert list((tmp_path / "mine").iterdir()) == []


def test_a_link_for_the_lock_is_not_followed(tmp_path, place):
    (place / ".ratified").mkdir(parents=True)
    (place / ".ratified" / "lock").symlink_to(tmp_path / "made")
    assert isinstance(raised(freeze, place, skill(tmp_path)), StorageError)
    assert not (tmp_path / "made").exists()


def lines(folder, *steps):
    blank = {"kind": "ratify", "comparison": None, "time": "t", "previous": NONE}
    text = "".join(json.dumps({**blank, **step}) + "\n" for step in steps)
    (folder / "ratified.jsonl").write_text(text)


EVIL = [
    *("../outside", "../../outside", "/tmp/outside", "..", ".", "", "a/../../outside"),  # noqa: S108
    *(".ratified", "ratified.jsonl", "a/b", "x\ny"),
]


@pytest.mark.parametrize("name", EVIL, ids=range(len(EVIL)))
def test_a_hostile_history_leads_nowhere(tmp_path, name):
    place = tmp_path / "home" / "skills"
    freeze(place, skill(tmp_path))
    evil = next(one.name for one in (place / ".ratified").iterdir() if one.name != "lock")
    lines(place, {"name": name, "artifact": f"sha256:{evil}"})
    before = tree(tmp_path)
    for action in (check, take_back, lambda where: freeze(where, skill(tmp_path, name="b.md"))):
        assert isinstance(raised(action, place), IntegrityError)
    after = {key: data for key, data in tree(tmp_path).items() if "shown" not in key}
    assert {key: data for key, data in after.items() if key not in ("b.md", "home/shown")} == {
        key: data for key, data in before.items() if "shown" not in key
    }


HISTORIES = {
    "a version that is a path": [{"name": "a", "artifact": "sha256:../../../../etc/passwd"}],
    "a version that is none": [{"name": "a", "artifact": "evil"}],
    "nothing ratified": [{"name": "a", "artifact": NONE}],
    "steps that do not follow": [
        {"name": "a", "artifact": digest(b"1")},
        {"name": "a", "artifact": digest(b"2"), "previous": digest(b"3")},
    ],
    "no ratification to revert": [{"kind": "revert", "name": "a", "artifact": digest(b"1")}],
    "something else put back": [
        {"name": "a", "artifact": digest(b"1")},
        {"kind": "revert", "name": "a", "artifact": digest(b"2"), "previous": digest(b"1")},
    ],
    "taken back twice": [
        {"name": "a", "artifact": digest(b"1")},
        {"kind": "revert", "name": "a", "artifact": NONE, "previous": digest(b"1")},
        {"kind": "revert", "name": "a", "artifact": NONE, "previous": NONE},
    ],
    "an unknown kind": [{"kind": "other", "name": "a", "artifact": digest(b"1")}],
}


@pytest.mark.parametrize("kind", HISTORIES)
def test_a_history_that_does_not_hold_together_is_a_breach(tmp_path, kind):
    place = tmp_path / "skills"
    place.mkdir()
    lines(place, *HISTORIES[kind])
    assert isinstance(raised(check, place), IntegrityError)


def test_a_history_of_no_text_or_no_json_is_a_breach_and_half_a_line_is_not(tmp_path):
    place = tmp_path / "skills"
    freeze(place, skill(tmp_path))
    path = place / "ratified.jsonl"
    whole = path.read_bytes()
    for harm in (b"\xff\n", b"{\n", b"[]\n", b'{"name": NaN}\n'):
        path.write_bytes(whole + harm)
        assert isinstance(raised(check, place), IntegrityError)
    path.write_bytes(whole + b'{"kind":"rat')
    assert [step.name for step in check(place)] == ["skill.md"]
    take_back(place)
    assert path.read_bytes().startswith(whole)
    assert path.read_bytes().count(b"\n") == 2


PATHS = [*EVIL[:7], "skills/..", "skills/../x", "skills//x", "skills\\x", "x" * 1001, "a\0b"]


@pytest.mark.parametrize("path", PATHS, ids=range(len(PATHS)))
def test_a_hostile_ledger_entry_leads_nowhere(tmp_path, path):
    """Its links are right and its comparison is there; only where it leads to is not."""
    study = a_study(tmp_path / "home", "opened")
    freeze(study.root / "skills", skill(tmp_path))
    fields = [json.loads(json.dumps(one)) for one in as_fields(study)]
    fields[-1]["said"]["path"] = path
    chained(study, fields)
    (study.root / "skills" / "skill.md").unlink()
    before = tree(tmp_path)
    for where in (study.root / "skills", study.root):
        assert isinstance(raised(check, where), IntegrityError)
    assert breach(study)[0] is not None
    after = tree(tmp_path)
    assert {key: value for key, value in after.items() if ".ratified" not in key} == {
        key: value for key, value in before.items() if ".ratified" not in key
    }


def as_fields(study):
    return [
        {
            "time": entry.time,
            "kind": entry.kind,
            "subject": entry.subject,
            "files": dict(entry.files),
            "said": dict(entry.said),
        }
        for entry in entries(study)
    ]


def two_steps(study, tmp_path):
    freeze(study.root / "skills", skill(tmp_path / "1", "one"))
    freeze(study.root / "skills", skill(tmp_path / "2", "two"))
    take_back(study.root / "skills")
    return as_fields(study)


def without(number):
    def change(fields):
        del fields[number]

    return change


def said(number, **values):
    return lambda fields: fields[number]["said"].update(values)


DISORDER = {
    "the second is gone": without(2),
    "two in another order": lambda fields: fields.insert(1, fields.pop(2)),
    "taken back twice": lambda fields: fields.append(fields[3]),
    "taken back first": lambda fields: fields.insert(1, fields.pop(3)),
    "something else put back": said(3, artifact=digest(b"evil")),
    "no path": said(1, path=""),
    "no version": said(2, artifact=""),
    "a version that is none": said(2, artifact="evil"),
    "nothing ratified": said(2, artifact=NONE),
    "a ratification without a comparison": lambda fields: fields[1].update(files={}),
    "one with a file of another kind": lambda fields: fields[1].update(
        files={"bars/detection-mine.toml": digest(b"")}
    ),
    "one that takes back with files": lambda fields: fields[3].update(files=fields[2]["files"]),
}


@pytest.mark.parametrize("kind", DISORDER)
def test_entries_that_do_not_follow_are_a_breach(tmp_path, kind):
    study = a_study(tmp_path / "home", "opened")
    fields = two_steps(study, tmp_path)
    assert breach(study) == (None, "")
    DISORDER[kind](fields)
    chained(study, fields)
    assert breach(study)[0] is not None
    assert isinstance(raised(check, study.root / "skills"), IntegrityError)


def test_an_entry_that_rests_on_a_comparison_which_does_not_allow_it_is_a_breach(tmp_path):
    for kind, change in FORGED.items():
        home = tmp_path / kind
        study = a_study(home, "opened")
        freeze(study.root / "skills", skill(tmp_path))
        fields = as_fields(study)
        (name,) = fields[-1]["files"]
        forge(study.root / name, change)
        fields[-1]["files"][name] = digest((study.root / name).read_bytes())
        chained(study, fields)
        assert breach(study)[0] == 4, kind


def test_a_store_that_was_edited_is_told_of_before_anything_is_noted(tmp_path, place):
    one, two = skill(tmp_path / "1", "one"), skill(tmp_path / "2", "two")
    freeze(place, one)
    freeze(place, two)
    store = place / ".ratified" / digest(b"one").removeprefix("sha256:")
    store.write_text("evil")
    assert isinstance(raised(take_back, place), DigestMismatch)
    assert len(steps_of(place)) == 2
    assert (place / "skill.md").read_text() == "two"
    store.unlink()
    assert isinstance(raised(take_back, place), DigestMismatch)
    store.symlink_to(one)
    assert isinstance(raised(take_back, place), DigestMismatch)
    assert len(steps_of(place)) == 2


def test_a_store_that_was_edited_is_mended_by_the_artifact_itself(tmp_path, place):
    one, two = skill(tmp_path / "1", "one"), skill(tmp_path / "2", "two")
    freeze(place, one)
    freeze(place, two)
    store = place / ".ratified" / digest(b"one").removeprefix("sha256:")
    store.write_text("evil")
    freeze(place, one)
    assert (place / "skill.md").read_text() == "one"
    assert store.read_text() == "one"


def steps_of(place):
    with frozen_folder(place) as at:
        return history(at)


def test_the_same_again_is_refused(tmp_path, place):
    artifact = skill(tmp_path)
    freeze(place, artifact)
    assert isinstance(raised(freeze, place, artifact), NotRatified)
    assert len(steps_of(place)) == 1


def test_what_was_never_ratified_cannot_be_taken_back(tmp_path, place):
    freeze(place, skill(tmp_path))
    for name in ("other.md", "../skill.md", "", ".", "ratified.jsonl"):
        assert isinstance(raised(take_back, place, name), NotRatified)


def test_many_at_once_all_come_in(tmp_path, place):
    made = [skill(tmp_path / "from", str(number), f"skill-{number}.md") for number in range(6)]
    comparisons = [shown(tmp_path, one) for one in made]
    errors = []
    threads = [
        threading.Thread(
            target=lambda pair: errors.append(raised(freeze, place, *pair)), args=[pair]
        )
        for pair in zip(made, comparisons, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [None] * 6
    assert sorted(step.name for step in check(place)) == [one.name for one in made]


def test_a_file_that_can_be_run_can_still_be_run(tmp_path, place):
    artifact = skill(tmp_path)
    artifact.chmod(0o755)
    freeze(place, artifact)
    assert os.access(place / "skill.md", os.X_OK)


def test_an_artifact_that_changes_while_it_is_copied_is_refused(tmp_path, place, monkeypatch):
    artifact = skill(tmp_path)
    comparison = shown(tmp_path, artifact)

    def swapped(source, target):
        Path(target).write_text("evil")

    with monkeypatch.context() as racing:
        racing.setattr("assay.study.ratify.frozen.copy_artifact", swapped)
        assert isinstance(raised(freeze, place, artifact, comparison), IntegrityError)
    assert steps_of(place) == []
    assert not (place / "skill.md").exists()


def test_a_study_is_found_from_a_folder_behind_a_link(tmp_path):
    study = a_study(tmp_path / "home", "opened")
    (tmp_path / "short").symlink_to(study.root)
    freeze(tmp_path / "short" / "skills", skill(tmp_path))
    assert kinds(open_study(study.root))[-1] == "ratify"
    assert breach(study) == (None, "")


def looked_at(folder):
    with frozen_folder(folder, new=False, finish=False) as at:
        return check_frozen(at)


def test_a_look_makes_nothing(tmp_path, place):
    place.mkdir(parents=True)
    before = tree(place.parent)
    assert looked_at(place) == []
    assert tree(place.parent) == before
    freeze(place, skill(tmp_path))
    (place / ".ratified/lock").unlink()  # as in a clone
    before = tree(place.parent)
    assert [step.name for step in looked_at(place)] == ["skill.md"]
    assert tree(place.parent) == before


@pytest.mark.parametrize("below", ["skill.md", "skill.md/inner", "skill.md/new/deeper"])
def test_no_folder_at_or_below_a_ratified_artifact_holds_others(tmp_path, place, below):
    freeze(place, skill_folder(tmp_path / "1"))
    before = tree(place)
    for use in (looked_at, take_back, lambda folder: freeze(folder, skill(tmp_path / "2"))):
        assert isinstance(raised(use, place / below), SpecError)
    assert tree(place) == before
    assert [step.name for step in check(place)] == ["skill.md"]
    assert take_back(place).artifact == NONE


def test_where_an_artifact_was_taken_back_there_is_room(tmp_path, place):
    freeze(place, skill_folder(tmp_path / "1"))
    take_back(place)
    freeze(place / "skill.md", skill(tmp_path / "2"))
    assert [step.name for step in check(place / "skill.md")] == ["skill.md"]


def test_no_artifact_takes_the_place_of_a_folder_that_holds_some(tmp_path, place):
    freeze(place / "inner", skill(tmp_path / "1"))
    artifact = skill_folder(tmp_path / "2", name="inner")
    before = tree(place / "inner")
    assert isinstance(raised(freeze, place, artifact), SpecError)
    assert tree(place / "inner") == before


def test_pages_are_those_that_a_study_has():
    assert set(VIEWS) == PAGES


def test_no_page_nor_the_data_of_a_study_is_replaced_by_an_artifact(tmp_path):
    home = tmp_path / "home"
    study = a_study(home, "opened")
    data = study.root / "data/rows.jsonl"
    data.parent.mkdir()
    shutil.move(home / "data.jsonl", data)
    text = (study.root / "study.toml").read_text()
    (study.root / "study.toml").write_text(text.replace("../data.jsonl", "data/rows.jsonl"))
    study = open_study(study.root)
    assert study.config.benchmark.place == "data/rows.jsonl"
    names = [*((".", page) for page in sorted(PAGES)), ("data", "rows.jsonl"), (".", "data")]
    for folder, name in names:
        artifact = skill(tmp_path / "from", name=name)
        error = raised(freeze, study.root / folder, artifact, shown(tmp_path, artifact))
        assert isinstance(error, SpecError), name
        assert not (study.root / name).is_file()
    assert len(data.read_text()) > 100
