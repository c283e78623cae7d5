import json
import os
import socket
from functools import partial
from pathlib import Path

import pytest
from helpers.studies import raised, tree
from helpers.trial_systems import (
    HONEST,
    READ,
    SCORE,
    alive,
    eventually,
    journal,
    plan,
    tried,
    wrongs,
)

from assay.comparison.trials import arm_run
from assay.comparison.trials.collect import run_trials
from assay.comparison.trials.spec import load_trial_spec
from assay.errors import IntegrityError, SpecError
from assay.sandbox.job import Job

NEVER = "the candidate never opened the artifact"
PAST = "it opened the original artifact instead of its own copy"
ORIGINAL = "cat HOME_OF_ALL/skill.md >/dev/null"


def test_an_honest_system_has_no_void_pair(tmp_path):
    found = tried(tmp_path)
    assert (found.void_pairs, found.pairs, found.runs, found.crashed) == (0, 2, 4, 0)
    for row in journal(tmp_path):
        opened = row["treatment"]["opened"]
        assert opened == (["skill.md"] if row["arm"] == "candidate" else None)
        assert row["treatment"]["original"] is False
        assert row["dimensions"]["score"] == (1.0 if row["arm"] == "candidate" else 0.0)


NOT_TREATED = {
    "a candidate that never opens it": (f"s=1\n{SCORE}", {("candidate", NEVER)}),
    "a candidate that only looks whether it is there": (
        f"test -s skills/skill.md; ls skills; s=1\n{SCORE}",
        {("candidate", NEVER)},
    ),
    "a baseline that opens the original": (
        f"{READ}\n[ $s = 1 ] || {ORIGINAL}\n{SCORE}",
        {("baseline", PAST)},
    ),
    "a candidate that reads the original beside its copy": (
        f"{READ}\n[ $s = 0 ] || {ORIGINAL}\n{SCORE}",
        {("candidate", PAST)},
    ),
    "a candidate that ignores its copy": (
        f"[ -f skills/skill.md ] && {ORIGINAL}; s=1\n{SCORE}",
        {("candidate", PAST)},
    ),
    "both read the original": (f"{ORIGINAL}\n{HONEST}", {("baseline", PAST), ("candidate", PAST)}),
    "a baseline that writes to it": (
        f"{READ}\n[ $s = 1 ] || true >> HOME_OF_ALL/skill.md\n{SCORE}",
        {("baseline", PAST)},
    ),
    "a baseline that copies its folder": (
        f"{READ}\n[ $s = 1 ] || cp -r HOME_OF_ALL all\n{SCORE}",
        {("baseline", PAST)},
    ),
    "a baseline that opens it in the background": (
        f"{READ}\n[ $s = 1 ] || ( {ORIGINAL} ) & wait\n{SCORE}",
        {("baseline", PAST)},
    ),
}


@pytest.mark.parametrize("kind", NOT_TREATED)
def test_an_arm_that_was_not_treated_as_planned_voids_its_pair(tmp_path, kind):
    body, expected = NOT_TREATED[kind]
    found = tried(tmp_path, body)
    assert found.void_pairs == 2
    assert found.comparison is None
    assert {(arm, wrong) for arm, wrong in wrongs(tmp_path) if wrong is not None} == expected


def test_a_link_in_the_system_that_leads_to_the_artifact_is_in_no_copy(tmp_path):
    plan(tmp_path)
    (tmp_path / "agent" / "near.md").symlink_to("../skill.md")
    (tmp_path / "agent" / "far.md").symlink_to(tmp_path / "skill.md")
    body = f"for f in near.md far.md; do [ -e $f ] && cat $f; [ -L $f ] && exit 3; done\n{HONEST}"
    found = tried(tmp_path, body)
    assert (found.void_pairs, found.crashed) == (0, 0)


def test_a_link_to_the_folder_of_the_artifact_is_seen_when_it_is_used(tmp_path):
    plan(tmp_path)
    (tmp_path / "agent" / "all").symlink_to(tmp_path)
    tried(tmp_path, f"{READ}\ncat all/skill.md\n{SCORE}")
    assert wrongs(tmp_path) == {("baseline", PAST), ("candidate", PAST)}


def test_a_folder_as_artifact_is_watched_file_by_file(tmp_path):
    (tmp_path / "skill.md" / "inner").mkdir(parents=True)
    for name in ("one", "two", "inner/three"):
        (tmp_path / "skill.md" / name).write_text(name)
    tried(tmp_path, f"s=1; cat skills/skill.md/inner/three\n{SCORE}")
    opened = {row["arm"]: row["treatment"]["opened"] for row in journal(tmp_path)}
    assert opened == {"baseline": None, "candidate": ["inner/three"]}


def test_an_artifact_inside_the_system_is_in_the_candidate_only(tmp_path):
    path = plan(tmp_path)
    (tmp_path / "agent" / "skills").mkdir()
    (tmp_path / "skill.md").rename(tmp_path / "agent" / "skills" / "skill.md")
    path.write_text(path.read_text().replace('"skill.md"', '"agent/skills/skill.md"', 1))
    found = run_trials(load_trial_spec(path), tmp_path / "results")
    assert (found.void_pairs, found.pairs) == (0, 2)


def probed(home, probe, body=HONEST, **parts):
    """Trials whose candidate has a command of its own, and only a probe that tells."""
    path = plan(home, body, rest='[candidate]\narguments = ["--skill"]', **parts)
    (home / "agent" / "probe.sh").write_text(probe)
    text = path.read_text().replace(
        'into = "skills/skill.md"', 'probe = ["sh", "probe.sh", "{out}"]'
    )
    path.write_text(text)
    return path


LOADED = (
    f'for last; do :; done; [ "$last" = --skill ] && s=1 || s=0\necho $s > "$1/loaded"\n{SCORE}'
)
PROBES = {
    "it lies that all loaded it": ("exit 0", {"baseline": "was loaded"}),
    "it lies that none loaded it": ("exit 1", {"candidate": "was not loaded"}),
    "it crashes": ("exit 2", {"baseline": "ended with 2", "candidate": "ended with 2"}),
    "it is killed": ("kill -9 $$", {"baseline": "ended with -9", "candidate": "ended with -9"}),
    "it hangs": ("sleep 60", {"baseline": "still running", "candidate": "still running"}),
}


def test_a_probe_that_tells_the_truth_is_believed(tmp_path):
    path = probed(tmp_path, '[ "$(cat "$1/loaded")" = 1 ]', LOADED)
    found = run_trials(load_trial_spec(path), tmp_path / "results")
    assert (found.void_pairs, found.pairs) == (0, 2)
    assert {(row["arm"], row["treatment"]["probe"]) for row in journal(tmp_path)} == {
        ("baseline", 1),
        ("candidate", 0),
    }


@pytest.mark.parametrize("kind", PROBES)
def test_a_probe_that_tells_nothing_voids_the_pair(tmp_path, kind):
    probe, said = PROBES[kind]
    path = probed(tmp_path, probe, LOADED, trials=1, seconds=0.5)
    found = run_trials(load_trial_spec(path), tmp_path / "results")
    assert found.void_pairs == 1
    reasons = {row["arm"]: row["treatment"]["wrong"] for row in journal(tmp_path)}
    for arm, reason in reasons.items():
        assert (said[arm] in reason) if arm in said else reason is None


def test_a_probe_that_cannot_be_started_voids_the_pair(tmp_path):
    path = probed(tmp_path, "", LOADED, trials=1)
    path.write_text(path.read_text().replace('["sh", "probe.sh"', '["no-such-program"'))
    found = run_trials(load_trial_spec(path), tmp_path / "results")
    assert found.void_pairs == 1
    assert "No such file" in found.voids[0]


CRASHED = {
    "it ends with an error": ("echo so sad >&2; exit 7", "exit code 7: so sad"),
    "it is killed": ("kill -9 $$", "signal 9"),
    "it leaves no scores": ("true", "left no eval.json"),
    "scores that are no JSON": ('echo "{" > "$1/eval.json"', "not JSON"),
    "scores that are no object": ('echo "[1]" > "$1/eval.json"', "JSON object"),
    "scores that are no numbers": ("""echo '{"a": "x"}' > "$1/eval.json\"""", "no scores"),
    "not a number": ("""echo '{"score": NaN}' > "$1/eval.json\"""", "NaN is not JSON"),
    "a number without end": ("""echo '{"score": 1e999}' > "$1/eval.json\"""", "too large"),
    "a huge whole number": (
        """printf '{"score": 1%0400d}' 0 > "$1/eval.json\"""",
        "too large",
    ),
    "a key twice": ("""echo '{"a": 1, "a": 0}' > "$1/eval.json\"""", "twice"),
    "a huge file": ('head -c 3000000 /dev/zero > "$1/eval.json"', "more than"),
    "no text": ('printf "\\377" > "$1/eval.json"', "UTF-8"),
    "a link to a file of others": ('ln -s /etc/passwd "$1/eval.json"', "symbolic link"),
    "a link that leads to scores": (
        """echo '{"score": 1}' > x; ln -s "$PWD/x" "$1/eval.json\"""",
        "symbolic link",
    ),
    "a pipe": ('mkfifo "$1/eval.json"', "left no eval.json"),
    "a folder": ('mkdir "$1/eval.json"', "left no eval.json"),
    "no folder any more": ('rm -r "$1"', "left no eval.json"),
    "another folder": (
        """rm -r "$1"; mkdir x; echo '{"score": 1}' > x/eval.json; ln -s "$PWD/x" "$1\"""",
        "symbolic link",
    ),
    "only what says which run it is": (
        """echo '{"instance": 1, "trial": 1, "seed": 3}' > "$1/eval.json\"""",
        "no scores",
    ),
}


@pytest.mark.parametrize("kind", CRASHED)
def test_a_run_without_sound_scores_is_a_crashed_one_and_ends_nothing(tmp_path, kind):
    body, why = CRASHED[kind]
    found = tried(tmp_path, f"{READ}\n{body}\n", trials=1)
    assert (found.ended, found.crashed, found.comparison) == ("complete", 2, None)
    for row in journal(tmp_path):
        assert why in row["why"]
        assert "root:" not in row["why"]


def test_a_program_that_is_not_there_crashes_every_run(tmp_path):
    path = plan(tmp_path, trials=1)
    path.write_text(path.read_text().replace('["sh"', '["no-such-program"'))
    found = run_trials(load_trial_spec(path), tmp_path / "results")
    assert found.crashed == 2
    assert "No such file" in found.crashes[0]


LOGS = {
    "a pipe for a log": 'rm "$1/log.txt"; mkfifo "$1/log.txt"',
    "a link for a log": 'rm "$1/log.txt"; ln -s HOME_OF_ALL/mine.txt "$1/log.txt"',
    "an endless file for a log": 'rm "$1/log.txt"; ln -s /dev/zero "$1/log.txt"',
    "a folder for a log": 'rm "$1/log.txt"; mkdir "$1/log.txt"',
    "no log": 'rm "$1/log.txt"',
}


@pytest.mark.parametrize("kind", LOGS)
def test_whatever_stands_for_the_log_afterwards_nobody_waits_for_it_or_writes_there(tmp_path, kind):
    (tmp_path / "mine.txt").write_text("mine\n")
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "score.sh").write_text(f"echo scoring; s=1\n{SCORE}")
    body = f"{LOGS[kind]}\n{READ}\n"
    rest = '[score]\ncommand = ["sh", "score.sh", "{out}"]'
    found = tried(tmp_path, body, trials=1, rest=rest)
    assert found.crashed == 0
    (tmp_path / "results").rename(tmp_path / "before")
    assert tried(tmp_path, f"{body}echo bad >&2; exit 5", trials=1, rest=rest).crashed == 2
    assert {row["why"] for row in journal(tmp_path)} == {"exit code 5: bad"}
    assert (tmp_path / "mine.txt").read_text() == "mine\n"


def test_a_flood_of_words_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(arm_run, "Job", partial(Job, log_bytes=100_000))
    found = tried(tmp_path, f"{READ}\nyes\n", trials=1)
    assert found.crashed == 2
    assert "printed more than 100,000 bytes" in found.crashes[0]


def test_what_it_says_on_the_way_is_kept(tmp_path):
    tried(tmp_path, f"echo one; echo two >&2\n{HONEST}", trials=1)
    for arm in ("baseline", "candidate"):
        log = tmp_path / "results" / "runs" / f"1-{arm}" / "log.txt"
        assert log.read_text() == "one\ntwo\n"


ODD = 'mkfifo "$1/pipe"; ln -s /etc "$1/etc"; ln -s nowhere "$1/nowhere"; ln -s . "$1/loop"'


@pytest.mark.parametrize("elsewhere", [False, True], ids=["moved", "copied"])
def test_an_outputs_folder_full_of_odd_things_is_kept_and_nothing_is_followed(
    tmp_path, monkeypatch, elsewhere
):
    rename = Path.rename

    def other_disk(path, target):
        if path.name == "out":
            raise OSError(18, "Invalid cross-device link")
        return rename(path, target)

    if elsewhere:
        monkeypatch.setattr(Path, "rename", other_disk)
    found = tried(tmp_path, f'{ODD}\nmkdir "$1/sub"; echo x > "$1/sub/file"\n{HONEST}', trials=1)
    assert (found.crashed, found.void_pairs) == (0, 0)
    kept = tmp_path / "results" / "runs" / "1-candidate"
    assert (kept / "sub" / "file").read_text() == "x\n"
    assert (kept / "etc").is_symlink()
    assert (kept / "pipe").exists() is not elsewhere


def test_a_run_that_hangs_is_ended_with_all_it_began(tmp_path):
    mark = f"{os.getpid()}.25"
    found = tried(tmp_path, f"{READ}\nsleep 6{mark} & sleep 6{mark}\n", trials=1, seconds=0.4)
    assert found.crashed == 2
    assert "still running after 0.4 s" in found.crashes[0]
    assert eventually(lambda: not alive(f"6{mark}"))


def test_what_a_run_leaves_in_its_session_is_ended(tmp_path):
    mark = f"{os.getpid()}.5"
    assert tried(tmp_path, f"sleep 7{mark} &\n{HONEST}", trials=1).crashed == 0
    assert eventually(lambda: not alive(f"7{mark}"))


def test_a_daemon_that_left_the_session_is_ended_too(tmp_path):
    mark = f"{os.getpid()}.75"
    body = f"setsid sh -c 'setsid sleep 8{mark} &' </dev/null >/dev/null 2>&1\n{HONEST}"
    assert tried(tmp_path, body, trials=1).crashed == 0
    assert eventually(lambda: not alive(f"8{mark}"))


def test_originals_are_not_changed_by_runs_that_change_their_copies(tmp_path):
    plan(tmp_path)
    (tmp_path / "agent" / "data").mkdir()
    (tmp_path / "agent" / "data" / "state").write_text("fresh")
    body = (
        f'{READ}\n[ "$(cat data/state)" = fresh ] || exit 9\necho used > data/state\n'
        f"echo more >> skills/skill.md; rm -f agent.sh; echo x > new\n{SCORE}\n"
    )
    body = f"mkdir -p skills\n{body}"
    plan(tmp_path, body)
    before = tree(tmp_path)
    found = tried(tmp_path, body)
    assert (found.crashed, found.void_pairs) == (0, 0)
    after = {name: data for name, data in tree(tmp_path).items() if not name.startswith("results")}
    assert after == before


def test_an_artifact_is_never_written_through_a_link_of_the_system(tmp_path):
    """The copy of a link leads where the link leads: to files of the user's own."""
    for link, target in (("skills", "mine"), ("skills/skill.md", "mine/skill.md")):
        home = tmp_path / link.replace("/", "-")
        plan(home)
        (home / "mine").mkdir()
        (home / "mine" / "skill.md").write_text("mine")
        place = home / "agent" / link
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(home / target)
        error = raised(tried, home)
        assert isinstance(error, SpecError)
        assert "symbolic link" in error.message
        assert (home / "mine" / "skill.md").read_text() == "mine"


def test_an_artifact_takes_the_place_of_what_the_system_has_there(tmp_path):
    for kind in ("file", "folder"):
        home = tmp_path / kind
        plan(home)
        place = home / "agent" / "skills" / "skill.md"
        place.parent.mkdir()
        if kind == "file":
            place.write_text("old")
        else:
            place.mkdir()
            (place / "old").write_text("old")
        body = f"grep -q Think skills/skill.md && s=1 || s=0\n{SCORE}"
        found = tried(home, body)
        assert (found.void_pairs, found.crashed) == (0, 0)
        assert {row["arm"]: row["dimensions"]["score"] for row in journal(home)} == {
            "baseline": 0.0,
            "candidate": 1.0,
        }


def test_an_artifact_that_can_be_run_can_still_be_run(tmp_path):
    plan(tmp_path)
    (tmp_path / "skill.md").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "skill.md").chmod(0o755)
    found = tried(tmp_path, f"s=0; [ -f skills/skill.md ] && ./skills/skill.md && s=1\n{SCORE}")
    assert (found.void_pairs, found.comparison.dimensions[0].candidate) == (0, 1.0)


def test_a_run_that_rewrites_the_scorer_in_its_copy_is_scored_by_the_true_one(tmp_path):
    plan(tmp_path)
    check = '[ ! -e "$HOME/.profile" ] && grep -q instance "$2" || exit 4'
    (tmp_path / "agent" / "score.sh").write_text(f"{check}\ns=0\n{SCORE}")
    (tmp_path / "agent" / "kind.sh").write_text(f"s=1\n{SCORE}")
    spoil = 'cp kind.sh score.sh; echo x > "$HOME/.profile"; echo x > ../item.json'
    rest = '[score]\ncommand = ["sh", "score.sh", "{out}", "{item}"]'
    found = tried(tmp_path, f"{READ}\n{spoil}\n", rest=rest)
    assert found.crashed == 0, found.crashes
    assert {row["dimensions"]["score"] for row in journal(tmp_path)} == {0.0}


SCORED = '[score]\ncommand = ["sh", "score.sh", "{out}"]'
IN_THE_WAY = {
    "a link to a file of the user's": 'ln -s HOME_OF_ALL/mine.txt "$1/eval.json"',
    "a pipe": 'mkfifo "$1/eval.json"',
    "a folder": 'mkdir "$1/eval.json"',
    "scores of its own": """echo '{"score": 1}' > "$1/eval.json\"""",
}


@pytest.mark.parametrize("kind", IN_THE_WAY)
def test_what_a_run_leaves_where_scores_go_does_not_lead_the_scorer_astray(tmp_path, kind):
    plan(tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "agent" / "score.sh").write_text(f"s=0\n{SCORE}")
    found = tried(tmp_path, f"{READ}\n{IN_THE_WAY[kind]}\n", rest=SCORED)
    assert found.crashed == 0, found.crashes
    assert {row["dimensions"]["score"] for row in journal(tmp_path)} == {0.0}
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_scorer_that_scores_nothing_does_not_pass_on_what_the_run_says_of_itself(tmp_path):
    plan(tmp_path)
    (tmp_path / "agent" / "score.sh").write_text("true\n")
    found = tried(tmp_path, HONEST, rest=SCORED)
    assert found.crashed == 4
    assert "which the run had written" in found.crashes[0]


SCORERS = {
    "it fails": ("echo bad; exit 6", "the scorer failed: exit code 6: bad"),
    "it hangs": ("sleep 60", "the scorer failed: still running"),
    "it writes a link": ('ln -s /etc/passwd "$1/eval.json"', "symbolic link"),
    "it writes nothing": ("true", "left no eval.json"),
}


@pytest.mark.parametrize("kind", SCORERS)
def test_a_scorer_that_fails_is_told_of(tmp_path, kind):
    body, why = SCORERS[kind]
    plan(tmp_path)
    (tmp_path / "agent" / "score.sh").write_text(body)
    found = tried(tmp_path, READ, trials=1, seconds=0.5, rest=SCORED)
    assert found.crashed == 2
    assert all(why in row["why"] for row in journal(tmp_path))


def test_the_scorer_does_not_find_the_artifact_beside_it(tmp_path):
    plan(tmp_path)
    (tmp_path / "agent" / "score.sh").write_text(f"[ -e skills ] && s=1 || s=0\n{SCORE}")
    tried(tmp_path, READ, rest='[score]\ncommand = ["sh", "score.sh", "{out}"]')
    assert {row["dimensions"]["score"] for row in journal(tmp_path)} == {0.0}


def test_neither_path_nor_environment_tells_the_arm(tmp_path):
    """All that a run is told looks the same in both arms, but for a name without meaning."""
    told = 'env | grep -v "^_=" | sort > "$1/env"; pwd >> "$1/env"; echo "$@" >> "$1/env"'
    body = f"{told}\n{HONEST}"
    tried(tmp_path, body, trials=1)
    seen = {}
    for arm in ("baseline", "candidate"):
        text = (tmp_path / "results" / "runs" / f"1-{arm}" / "env").read_text()
        assert "baseline" not in text
        assert "candidate" not in text
        assert "skill" not in text
        name = next(line for line in text.splitlines() if line.startswith("HOME=")).split("/")[-2]
        seen[arm] = text.replace(name, "NAME")
    assert seen["baseline"] == seen["candidate"]


def test_only_variables_that_are_named_are_passed_on(tmp_path, monkeypatch):
    monkeypatch.setenv("A_SECRET", "s3cret")
    monkeypatch.setenv("A_KEY", "k3y")
    body = f'env > "$1/env"\n{HONEST}'
    tried(tmp_path, body, trials=1, system='environment = ["A_KEY"]')
    text = (tmp_path / "results" / "runs" / "1-baseline" / "env").read_text()
    assert "k3y" in text
    assert "s3cret" not in text


def test_a_variable_that_is_not_there_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("A_KEY", raising=False)
    error = raised(tried, tmp_path, trials=1, system='environment = ["A_KEY"]')
    assert "A_KEY" in error.message


def test_a_run_that_reaches_for_the_kept_copy_is_found_out(tmp_path):
    """It cannot be kept from it; but nothing is ever run from a copy that was changed."""
    for name in ("kept", "system/agent.sh"):
        home = tmp_path / name.replace("/", "-")
        error = raised(tried, home, f"{READ}\necho x >> ../../../{name}\n{SCORE}", trials=6)
        assert isinstance(error, IntegrityError)
        assert len(journal(home)) < 12


def test_a_system_with_a_socket_is_refused_before_anything_is_run(tmp_path, monkeypatch):
    plan(tmp_path)
    monkeypatch.chdir(tmp_path / "agent")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
        error = raised(tried, tmp_path)
    assert "cannot be copied" in error.message
    assert not (tmp_path / "results").exists()


def test_scores_as_large_as_they_may_be_can_be_read_again(tmp_path):
    """What is kept of them must fit on a line that will be read."""
    scores = {f"d{number}": 1000000000 for number in range(5_000)} | {"score": 1}
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "scores.json").write_text(json.dumps(scores))
    body = f'{READ}\ncp scores.json "$1/eval.json"'
    parts = {"trials": 1, "rest": "[dimensions.score]\ngated = false\n[stop]\nsequential = false"}
    first = tried(tmp_path, body, **parts)
    assert first.crashed == 0
    assert tried(tmp_path, body, **parts).runs == 2
