import json
import threading
from collections import Counter

import pytest
from helpers.sides import read_two
from helpers.studies import raised
from helpers.trial_systems import HONEST, READ, SCORE, journal, plan, tried

from assay.comparison.collect import check_again
from assay.comparison.judge.compare import compare
from assay.comparison.result import NetVerdict
from assay.comparison.store import read_comparison
from assay.comparison.trials.collect import run_trials
from assay.comparison.trials.spec import load_trial_spec
from assay.errors import IntegrityError, ProtocolError, SpecError
from assay.folders import artifact_digest

USELESS = f"{READ}\ns=1\n{SCORE}\n"
TELLING = 'echo "$2:$3" >> HOME_OF_ALL/told\n'


def told(home):
    """How often each instance and trial was run, both arms together."""
    return Counter((home / "told").read_text().split())


def test_a_great_gain_is_ratified_and_stops_the_trials_early(tmp_path):
    found = tried(tmp_path, instances=["a", "b"], trials=30)
    assert (found.ended, found.comparison.verdict) == ("verdict", NetVerdict.RATIFY)
    assert found.runs < 60
    assert found.saved_runs == 120 - found.runs
    assert found.saved_money == pytest.approx(0.5 * found.saved_runs)
    assert found.saved_seconds > 0


def test_where_it_is_told_not_to_stop_all_are_run(tmp_path):
    found = tried(tmp_path, trials=15, jobs=4, rest="[stop]\nsequential = false")
    assert (found.ended, found.runs, found.saved_runs) == ("complete", 30, 0)
    assert found.comparison.verdict is NetVerdict.RATIFY
    assert found.comparison.looks is None


def test_what_is_written_gives_the_same_comparison_again(tmp_path):
    tried(tmp_path, trials=12)
    results = tmp_path / "results"
    comparison, _ = read_comparison(results / "comparison.json")
    assert comparison.artifact == artifact_digest(tmp_path / "skill.md")
    check_again(comparison, [results / "baseline.jsonl"], [results / "candidate.jsonl"])


def test_scores_that_say_which_run_it_is_do_not_change_which_run_it_is(tmp_path):
    row = '{\\"score\\": $s, \\"instance\\": 9, \\"trial\\": 9, \\"status\\": 1, \\"artifact\\": 2}'
    tried(tmp_path, f'{READ}\necho "{row}" > "$1/eval.json"\n', trials=12)
    results = tmp_path / "results"
    rows = [json.loads(line) for line in (results / "candidate.jsonl").read_bytes().splitlines()]
    assert {one["instance"] for one in rows} == {"a"}
    assert len({one["trial"] for one in rows}) == len(rows)
    comparison, _ = read_comparison(results / "comparison.json")
    check_again(comparison, [results / "baseline.jsonl"], [results / "candidate.jsonl"])


def test_a_second_time_nothing_is_run_and_the_same_is_said(tmp_path):
    first = tried(tmp_path, TELLING + HONEST, trials=3)
    before = told(tmp_path)
    assert tried(tmp_path, TELLING + HONEST, trials=3) == first
    assert told(tmp_path) == before
    assert set(before.values()) == {2}


def test_many_at_a_time_make_each_run_once(tmp_path):
    found = tried(tmp_path, TELLING + USELESS, instances=["a", "b", "c"], trials=5, jobs=8)
    assert (found.runs, found.void_pairs, found.crashed) == (30, 0, 0)
    assert set(told(tmp_path).values()) == {2}
    assert len(told(tmp_path)) == 15


def test_arms_are_mixed_and_each_pair_has_one_seed(tmp_path):
    tried(tmp_path, USELESS, trials=12)
    rows = journal(tmp_path)
    order = [row["arm"] for row in rows]
    assert order != ["baseline", "candidate"] * 12
    assert order != ["candidate", "baseline"] * 12
    seeds = {}
    for row in rows:
        seeds.setdefault(row["pair"], set()).add(row["seed"])
    assert all(len(found) == 1 for found in seeds.values())


BUDGETS = {
    "less than a pair": ("runs = 1", 0, "budget of runs"),
    "one pair": ("runs = 2", 2, "budget of runs"),
    "a pair and a half": ("runs = 3", 2, "budget of runs"),
    "more than there is": ("runs = 100", 12, "complete"),
    "money for less than a pair": ("money = 0.2", 2, "budget of money"),
    "money for two pairs": ("money = 2.0", 4, "budget of money"),
    "money for two pairs and a half": ("money = 2.7", 4, "budget of money"),
    "no time": ("minutes = 0.00001", 2, "budget of minutes"),
}


@pytest.mark.parametrize("kind", BUDGETS)
@pytest.mark.parametrize("jobs", [1, 8])
def test_a_budget_ends_the_trials_with_whole_pairs(tmp_path, kind, jobs):
    budget, runs, ended = BUDGETS[kind]
    found = tried(tmp_path, USELESS, trials=6, jobs=jobs, rest=f"[budget]\n{budget}")
    if jobs == 1 or "minutes" not in budget:
        assert (found.runs, found.ended) == (runs, ended)
    counted = Counter(row["pair"] for row in journal(tmp_path))
    assert set(counted.values()) <= {2}


def test_money_that_nobody_tells_of_is_asked_for(tmp_path):
    body = f'{READ}\necho "{{\\"score\\": $s}}" > "$1/eval.json"\n'
    error = raised(tried, tmp_path, body, rest="[budget]\nmoney = 5.0")
    assert isinstance(error, SpecError)
    assert "cost_usd" in error.message
    assert 1 <= len(journal(tmp_path)) <= 2


def test_a_crashed_run_is_taken_to_cost_as_much_as_any(tmp_path):
    """Two runs at a half each leave room for six that may have cost as much."""
    body = f'{TELLING}{READ}\n[ "$(wc -l < HOME_OF_ALL/told)" -le 2 ] || exit 1\n{SCORE}'
    found = tried(tmp_path, body, trials=20, rest="[budget]\nmoney = 4.0")
    assert (found.ended, found.runs, found.money) == ("budget of money", 8, 1.0)


def test_a_budget_that_was_used_up_stays_used_up(tmp_path):
    rest = "[budget]\nruns = 4"
    first = tried(tmp_path, TELLING + USELESS, trials=9, rest=rest)
    second = tried(tmp_path, TELLING + USELESS, trials=9, rest=rest)
    assert first == second
    assert sum(told(tmp_path).values()) == 4


CHANGES = {
    "spec": lambda home: home.joinpath("trial.toml").write_text(
        home.joinpath("trial.toml").read_text() + "\n[harness]\nmodel = 'another'\n"
    ),
    "system": lambda home: (home / "agent" / "new.txt").write_text("x"),
    "artifact": lambda home: (home / "skill.md").write_text("Think twice.\n"),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_what_changed_since_is_another_plan(tmp_path, kind):
    path = plan(tmp_path)
    run_trials(load_trial_spec(path), tmp_path / "results")
    before = journal(tmp_path)
    CHANGES[kind](tmp_path)
    error = raised(run_trials, load_trial_spec(path), tmp_path / "results")
    assert isinstance(error, ProtocolError)
    assert f"another {kind}" in error.message
    assert journal(tmp_path) == before


def test_an_edit_while_runs_are_made_reaches_none_of_them(tmp_path):
    """Runs copy from a copy, so that an hour of trials is of one system."""
    spec = load_trial_spec(plan(tmp_path, HONEST, trials=3))

    def edit(run):
        (tmp_path / "agent" / "agent.sh").write_text("exit 9\n")

    found = run_trials(spec, tmp_path / "results", on_run=edit)
    assert found.crashed == 0
    assert isinstance(raised(run_trials, spec, tmp_path / "results"), ProtocolError)


def test_a_run_that_writes_into_the_original_system_stops_the_next_beginning(tmp_path):
    """It is not seen at once; what was run was run from a copy, and going on is refused."""
    body = f"echo x >> HOME_OF_ALL/agent/notes\n{HONEST}"
    assert tried(tmp_path, body).crashed == 0
    error = raised(tried, tmp_path, body)
    assert "another system" in error.message


def test_two_at_once_in_one_folder_are_one_too_many(tmp_path):
    spec = load_trial_spec(plan(tmp_path, trials=1))
    errors = []

    def meanwhile(run):
        other = threading.Thread(
            target=lambda: errors.append(raised(run_trials, spec, tmp_path / "results"))
        )
        other.start()
        other.join()

    run_trials(spec, tmp_path / "results", on_run=meanwhile)
    assert len(errors) == 2
    assert all(isinstance(error, ProtocolError) for error in errors)
    assert len(journal(tmp_path)) == 2


def test_folders_in_each_other_are_refused_before_anything_is_made(tmp_path):
    path = plan(tmp_path)
    spec = load_trial_spec(path)
    for out in (tmp_path / "agent", tmp_path / "agent" / "results"):
        assert "is inside the system's folder" in raised(run_trials, spec, out).message
    assert not (tmp_path / "agent" / "results").exists()
    path.write_text(path.read_text().replace('path = "skill.md"', 'path = "agent"'))
    spec = load_trial_spec(path)
    assert "is inside the artifact" in raised(run_trials, spec, tmp_path / "results").message
    error = raised(run_trials, spec, tmp_path / "agent" / "results")
    assert "is inside the artifact" in error.message
    assert not (tmp_path / "agent" / "results").exists()


def test_a_folder_of_something_else_is_not_filled(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "mine.txt").write_text("mine")
    assert "not empty" in raised(tried, tmp_path).message
    assert [one.name for one in (tmp_path / "results").glob("[!.]*")] == ["mine.txt"]


HARM = {
    "a run twice": lambda lines: [*lines, lines[0]],
    "a run of another plan": lambda lines: [*lines[:-1], lines[-1].replace(b'"a"', b'"z"')],
    "no JSON": lambda lines: [*lines, b"{"],
    "no run": lambda lines: [*lines, b"{}"],
    "an arm that is none": lambda lines: [lines[0].replace(b'"arm":"', b'"arm":"x'), *lines[1:]],
}


@pytest.mark.parametrize("kind", HARM)
def test_a_journal_that_was_harmed_is_not_gone_on_with(tmp_path, kind):
    tried(tmp_path, USELESS)
    path = tmp_path / "results" / "runs.jsonl"
    lines = HARM[kind](path.read_bytes().splitlines())
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    error = raised(tried, tmp_path, USELESS)
    assert isinstance(error, (IntegrityError, SpecError))
    assert "runs.jsonl" in error.message


@pytest.mark.parametrize("cut", [1, 40])
def test_half_a_line_is_dropped_and_that_run_made_again(tmp_path, cut):
    tried(tmp_path, TELLING + USELESS, trials=3)
    path = tmp_path / "results" / "runs.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    again = tried(tmp_path, TELLING + USELESS, trials=3)
    assert (again.runs, again.pairs) == (6, 3)
    assert path.read_bytes().count(b"\n") == 6
    assert path.read_bytes().startswith(whole[: whole[:-1].rfind(b"\n") + 1])
    assert sum(told(tmp_path).values()) == 7


def test_a_run_that_was_moved_and_not_noted_is_made_again_over_it(tmp_path):
    """Even where a link stands in its place, nothing is written where that leads."""
    tried(tmp_path, USELESS)
    (tmp_path / "mine").mkdir()
    results = tmp_path / "results"
    path = results / "runs.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    last = json.loads(lines[-1])
    path.write_bytes(b"".join(lines[:-1]))
    place = results / "runs" / f"{last['pair']}-{last['arm']}"
    place.rename(tmp_path / "gone")
    place.symlink_to(tmp_path / "mine")
    tried(tmp_path, USELESS)
    assert list((tmp_path / "mine").iterdir()) == []
    assert (place / "eval.json").is_file()
    assert not place.is_symlink()


def test_crashed_runs_at_the_beginning_do_not_end_the_trials(tmp_path):
    body = f"{READ}\n[ -e HOME_OF_ALL/well ] || exit 3\n{SCORE}"
    spec = load_trial_spec(plan(tmp_path, body, trials=8))
    found = run_trials(spec, tmp_path / "results", on_run=lambda run: (tmp_path / "well").touch())
    assert found.crashed == 1
    assert found.comparison is not None


def test_runs_that_all_crash_are_told_of_with_their_reason(tmp_path):
    found = tried(tmp_path, f"{READ}\necho 'no key' >&2; exit 3\n")
    assert (found.ended, found.comparison, found.crashed) == ("complete", None, 4)
    assert all("no key" in one for one in found.crashes)


def test_void_pairs_are_counted_and_not_compared(tmp_path):
    body = f'[ "$3" = 2 ] && cat HOME_OF_ALL/skill.md\n{HONEST}'
    found = tried(tmp_path, body, trials=12, rest="[stop]\nsequential = false")
    assert (found.void_pairs, found.pairs, found.runs) == (1, 11, 24)
    assert found.comparison.pairs == 11
    assert "void-pairs" in {one.code for one in found.comparison.caveats}


def test_a_scorer_that_changed_is_another_plan(tmp_path):
    path = plan(tmp_path, trials=3)
    score = tmp_path / "score.sh"
    score.write_text('#!/bin/sh\ncp "$1/eval.json" "$1/kept.json"\n')
    score.chmod(0o755)
    path.write_text(
        path.read_text() + '\n[score]\ncommand = ["{home}/score.sh", "{out}"]\nfile = "kept.json"\n'
    )
    run_trials(load_trial_spec(path), tmp_path / "results")
    score.write_text('#!/bin/sh\necho "{}" > "$1/kept.json"\n')
    error = raised(run_trials, load_trial_spec(path), tmp_path / "results")
    assert isinstance(error, ProtocolError)
    assert "scorer" in error.message


def test_the_rows_of_trials_that_stop_on_a_verdict_say_so_and_are_compared_accordingly(tmp_path):
    made = run_trials(load_trial_spec(plan(tmp_path, trials=20)), tmp_path / "results")
    assert made.ended == "verdict"
    rows = [tmp_path / "results" / f"{arm}.jsonl" for arm in ("baseline", "candidate")]
    plain = compare(**trials_of(*rows))
    assert plain.verdict == "inconclusive"
    assert "stopped-on-verdict" in [caveat.code for caveat in plain.caveats if caveat.blocking]
    again = compare(**trials_of(*rows), sequential=True, unit="run")
    assert again.verdict == made.comparison.verdict


def trials_of(baseline, candidate):
    """What `assay compare` would read."""
    sides = read_two([baseline], [candidate])
    return {"baseline": sides[0][0].trials, "candidate": sides[1][0].trials}
