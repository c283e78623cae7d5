import io
import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import Trial
from assay.comparison.judge.compare import compare
from assay.comparison.judge.lost_runs import judge_either_way
from assay.comparison.result import NetVerdict
from assay.comparison.spec import Dimension, Dimensions
from assay.errors import IncomparableRuns
from assay.report.comparison import draw_comparison
from assay.report.terminal import console


def side(values, *, name="acc", **more):
    """One run of each instance, with these values."""
    return [
        Trial(instance=f"q{i}", dimensions={name: value}, **more) for i, value in enumerate(values)
    ]


def codes(found, *, blocking=False):
    return {one.code for one in found.caveats if one.blocking or not blocking}


def plan(*dimensions, **policies):
    return Dimensions(dimensions=dimensions, **policies)


def drawn(found):
    out = io.StringIO()
    draw_comparison(found, console(out))
    return out.getvalue()


def test_a_gain_everywhere_is_ratified():
    found = compare(baseline=side([0] * 8), candidate=side([1] * 8), gated=["acc"])
    assert found.verdict is NetVerdict.RATIFY
    (one,) = found.dimensions
    assert (one.baseline, one.candidate, one.delta) == (0.0, 1.0, 1.0)
    assert one.cls is not None and one.cls.value == "repair"
    assert found.pairs == found.instances == 8


def test_a_loss_everywhere_is_rejected():
    found = compare(baseline=side([1] * 8), candidate=side([0] * 8), gated=["acc"])
    assert found.verdict is NetVerdict.REJECT


def test_many_runs_that_agree_show_no_effect():
    values = [i % 2 for i in range(400)]
    found = compare(baseline=side(values), candidate=side(values))
    assert found.verdict is NetVerdict.NO_EFFECT
    assert found.needed_pairs is None


def test_one_pair_decides_nothing_and_says_how_little_it_is():
    found = compare(baseline=side([0]), candidate=side([1]))
    assert found.verdict is NetVerdict.INCONCLUSIVE
    assert "small-n" in codes(found)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])),
             min_size=1, max_size=12)
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_swapping_the_sides_mirrors_the_comparison(pairs):
    before, after = zip(*pairs, strict=True)
    there = compare(baseline=side(before), candidate=side(after))
    back = compare(baseline=side(after), candidate=side(before))
    for ours, theirs in zip(there.dimensions, back.dimensions, strict=True):
        assert ours.delta == pytest.approx(-theirs.delta)
        assert ours.p == pytest.approx(theirs.p)
        assert ours.low == pytest.approx(-theirs.high)
    turned = {NetVerdict.RATIFY: NetVerdict.REJECT, NetVerdict.REJECT: NetVerdict.RATIFY}
    if there.verdict in turned and back.verdict in turned:
        assert back.verdict is turned[there.verdict]
    assert {(flip.instance, flip.to) for flip in there.flips} == {
        (flip.instance, "short" if flip.to == "ideal" else "ideal") for flip in back.flips
    }


@given(st.permutations(range(9)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_runs_changes_nothing(order):
    before = side([0.1 * i for i in range(9)])
    after = side([1.0 - 0.05 * i for i in range(9)])
    first = compare(baseline=before, candidate=after)
    second = compare(baseline=[before[i] for i in order], candidate=after[::-1])
    assert second.verdict is first.verdict
    assert second.dimensions[0].p == pytest.approx(first.dimensions[0].p)
    assert second.dimensions[0].delta == pytest.approx(first.dimensions[0].delta)


def test_lower_is_better_with_an_ideal_of_0_is_the_mirror_of_higher():
    lower = plan(Dimension(name="acc", better="lower", gated=True))
    found = compare(baseline=side([1] * 8), candidate=side([0] * 8), dimensions=lower)
    assert found.verdict is NetVerdict.RATIFY
    (one,) = found.dimensions
    assert one.ideal == 0.0
    assert (one.baseline, one.candidate, one.delta) == (1.0, 0.0, -1.0)
    assert one.low is not None and one.high is not None and one.low <= -1.0 <= one.high < 0.0
    assert {flip.to for flip in found.flips} == {"ideal"}
    worse = compare(baseline=side([0] * 8), candidate=side([1] * 8), dimensions=lower)
    assert worse.verdict is NetVerdict.REJECT


def test_a_range_is_only_a_scale():
    wide = plan(Dimension(name="acc", range=(-10.0, 10.0), margin=1.0))
    plain = compare(baseline=side([0, 0.5] * 5), candidate=side([1, 0.5] * 5))
    scaled = compare(baseline=side([-10, 0] * 5), candidate=side([10, 0] * 5), dimensions=wide)
    assert scaled.verdict is plain.verdict
    assert scaled.dimensions[0].p == plain.dimensions[0].p
    assert scaled.dimensions[0].delta == pytest.approx(20 * plain.dimensions[0].delta)


def test_a_value_outside_its_range_is_refused_and_says_whose_it_is():
    with pytest.raises(assay.SpecError, match=r"instance q1: acc is 2, outside its range of 0 to"):
        compare(
            baseline=side([0, 0]),
            candidate=side([1, 2]),
            dimensions=plan(Dimension(name="acc")),
        )


def test_weights_move_the_balance_and_nothing_else():
    both = [
        [Trial(instance=f"q{i}", dimensions={"a": a, "b": 0.5}) for i in range(8)] for a in (0, 1)
    ]
    light, heavy = (
        compare(
            baseline=both[0],
            candidate=both[1],
            dimensions=plan(Dimension(name="a", weight=w), Dimension(name="b")),
        )
        for w in (1.0, 9.0)
    )
    assert light.balance is not None and heavy.balance is not None
    assert light.balance.value == pytest.approx(0.5)
    assert heavy.balance.value == pytest.approx(0.9)
    assert light.dimensions == heavy.dimensions


def test_a_trade_against_a_gate_is_no_ratification():
    sides = [
        [Trial(instance=f"q{i}", dimensions={"a": a, "b": 1 - a}) for i in range(8)] for a in (0, 1)
    ]
    found = compare(baseline=sides[0], candidate=sides[1], gated=["b"])
    assert found.verdict is NetVerdict.REJECT
    assert found.because == "harm is shown on b, which must not lose"


def test_costs_are_shown_decide_nothing_and_are_told_when_they_rise():
    before = [Trial(instance=f"q{i}", dimensions={"acc": 0, "tokens": 100 + i}) for i in range(8)]
    after = [Trial(instance=f"q{i}", dimensions={"acc": 1, "tokens": 900 + i}) for i in range(8)]
    found = compare(baseline=before, candidate=after)
    assert found.verdict is NetVerdict.RATIFY
    cost = next(one for one in found.dimensions if one.name == "tokens")
    assert not cost.counts and not cost.gated
    assert cost.delta == 800.0
    assert "costs-more" in codes(found)
    assert "not part of the verdict" in drawn(found)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 0.5), st.floats(0.0, 1.0))
def test_the_interval_of_a_cost_excludes_0_exactly_when_its_p_value_is_at_most_5_per_cent(
    seed, lost, gain
):
    rng = np.random.default_rng(seed)
    sides = [
        [
            Trial(
                instance=f"q{i}",
                trial=n,
                dimensions={"acc": int(rng.random() < 0.5)}
                | ({} if rng.random() < lost else {"seconds": rng.normal(5.0 + shift, 1.0)}),
            )
            for i in range(30)
            for n in range(3)
        ]
        for shift in (0.0, gain)
    ]
    found = compare(
        baseline=sides[0], candidate=sides[1], lower=["seconds"], policies={"missing": "exclude"}
    )
    (cost,) = (one for one in found.dimensions if one.name == "seconds")
    assert (cost.low > 0.0 or cost.high < 0.0) == (cost.p <= 0.05)
    assert (cost.cls.value == "unclear") == (cost.p > 0.05)


def test_flips_are_named_both_ways():
    found = compare(baseline=side([0, 1, 1, 0]), candidate=side([1, 0, 1, 0]))
    assert [(one.instance, one.to) for one in found.flips] == [("q0", "ideal"), ("q1", "short")]
    assert "1 instance now reaches the best value of acc: q0\n" in drawn(found)
    assert "1 instance no longer reaches the best value of acc: q1\n" in drawn(found)


def test_flips_of_instances_with_several_runs_say_how_many_of_them():
    def twice(values):
        return [
            Trial(instance=f"q{n}", trial=trial, dimensions={"correct": value})
            for n, value in enumerate(values)
            for trial in (0, 1)
        ]

    found = compare(baseline=twice([0, 1]), candidate=twice([1, 1]))
    flipped = "1 instance now reaches the best value of correct in most runs: q0 (0/2->2/2)\n"
    assert flipped in drawn(found)


@pytest.mark.parametrize("gap", [None, math.nan, np.nan])
@pytest.mark.parametrize(("policy", "candidate"), [(None, 1.0), ("fail", 0.75), ("exclude", 1.0)])
def test_a_missing_value_fails_or_is_left_out_as_was_said(gap, policy, candidate):
    policies = {} if policy is None else {"missing": policy}
    found = compare(baseline=side([0] * 8), candidate=side([gap, gap, *[1] * 6]), policies=policies)
    assert found.dimensions[0].candidate == candidate
    assert found.settings.plan.missing == policy
    assert ("either-way" in codes(found)) is (policy is None)
    (said,) = (one.message for one in found.caveats if one.code == "missing")
    assert "2 of the candidate's 8 runs" in said


def either_way(**how):
    """What is found without a policy, with what is lost left out, and with it as failures."""
    left_out, failed = (
        compare(**how, policies={"missing": policy, "crashed": policy})
        for policy in ("exclude", "fail")
    )
    return compare(**how), left_out, failed


def test_without_a_policy_there_is_a_verdict_where_both_ways_agree():
    found, left_out, failed = either_way(baseline=side([0] * 20), candidate=side([None, *[1] * 19]))
    assert found.verdict is left_out.verdict is failed.verdict is NetVerdict.RATIFY
    assert found.dimensions == left_out.dimensions
    assert "either-way" in codes(found) and not codes(found, blocking=True)


def test_without_a_policy_what_is_lost_decides_nothing():
    found, left_out, failed = either_way(
        baseline=side([1] * 10 + [0] * 10), candidate=side([None] * 10 + [1] * 10)
    )
    assert left_out.verdict is NetVerdict.RATIFY and failed.verdict is not NetVerdict.RATIFY
    assert found.verdict is NetVerdict.INCONCLUSIVE
    assert found.because == (
        "blocked: the verdict depends on whether missing values and crashed runs are left out or"
        " count as failures"
    )
    assert found.needed_pairs is None
    (said,) = (one.message for one in found.caveats if one.code == "lost-runs-decide")
    assert said.endswith("`missing=exclude`: RATIFY; `missing=fail`: INCONCLUSIVE. Choose one.")
    assert "--missing exclude: RATIFY; --missing fail: INCONCLUSIVE" in drawn(found)


def test_values_missing_on_one_side_do_not_cancel_crashes_on_the_other():
    before = side([0] * 40 + [None] * 120 + [1] * 100)
    after = side([1] * 160) + [
        Trial(instance=f"q{i}", dimensions={}, crashed=True) for i in range(160, 260)
    ]
    how = {"baseline": before, "candidate": after}
    found, left_out, failed = either_way(**how)
    assert left_out.verdict is failed.verdict is NetVerdict.RATIFY
    mixed = compare(**how, policies={"missing": "exclude", "crashed": "fail"})
    assert mixed.verdict is NetVerdict.REJECT
    assert found.because.startswith("blocked: the verdict depends on whether missing values")
    (said,) = (one.message for one in found.caveats if one.code == "lost-runs-decide")
    assert "`crashed=fail` `missing=exclude`: REJECT" in said and said.count("RATIFY") == 3


def test_a_value_that_only_a_lost_run_lacks_is_tried_both_ways():
    before = [
        Trial(instance="q", trial=str(i), dimensions={"a": 0, "b": None if i == 19 else 0})
        for i in range(20)
    ]
    after = [Trial(instance="q", trial=str(i), dimensions={"a": 1, "b": 1}) for i in range(19)]
    judged = []

    def judge(way):
        judged.append((way.crashed, way.missing))
        policies = {"crashed": way.crashed, "missing": way.missing}
        return compare(baseline=before, candidate=after, policies=policies)

    judge_either_way(plan(Dimension(name="a"), Dimension(name="b")), judge)
    assert judged == [("exclude", "exclude"), ("fail", "exclude"), ("fail", "fail")]


def test_gaps_are_counted_alike_whichever_dimension_comes_first():
    names = ("a", "b")
    before = [Trial(instance=f"q{i}", dimensions=dict.fromkeys(names, 1)) for i in range(8)]
    after = [
        Trial(instance=f"q{i}", dimensions={"a": None if i % 2 else 1, "b": 1 if i % 2 else None})
        for i in range(8)
    ]
    found = compare(baseline=before, candidate=after, policies={"missing": "exclude"})
    (said,) = (one.message for one in found.caveats if one.code == "missing")
    assert said.count("4 of the candidate's 8 runs") == 2
    assert [one.name for one in found.dimensions] == ["a", "b"]
    assert found.verdict is NetVerdict.INCONCLUSIVE


def test_an_absent_dimension_does_not_hide_another_that_one_side_lacks():
    before = [Trial(instance="q", dimensions={"a": None, "b": 1, "c": 1})]
    after = [Trial(instance="q", dimensions={"a": None, "b": None, "c": 1})]
    found = compare(baseline=before, candidate=after)
    assert [one.name for one in found.dimensions] == ["c", "b"]
    assert found.dimensions[1].delta is None
    assert {"absent", "missing"} <= codes(found)


@pytest.mark.parametrize("policy", [None, "fail", "exclude"])
def test_a_crashed_run_counts_as_was_said(policy):
    policies = {} if policy is None else {"crashed": policy}
    crashed = [Trial(instance="q0", dimensions={"acc": 1}, crashed=True)]
    found = compare(
        baseline=side([0] * 8), candidate=crashed + side([1] * 8)[1:], policies=policies
    )
    assert "crashed" in codes(found)
    (one,) = found.dimensions
    assert one.candidate == (0.875 if policy == "fail" else 1.0)
    assert one.n == (8 if policy == "fail" else 7)


@pytest.mark.parametrize("kept", range(1, 20))
def test_runs_that_one_side_lost_are_never_passed_over_however_many(kept):
    before = [Trial(instance="q", trial=str(i), dimensions={"a": i % 2}) for i in range(20)]
    after = [Trial(instance="q", trial=str(i), dimensions={"a": 1}) for i in range(kept)]
    found, left_out, failed = either_way(baseline=before, candidate=after)
    assert "crashed" in codes(found)
    if left_out.verdict is failed.verdict:
        assert found.verdict is left_out.verdict
    else:
        assert "lost-runs-decide" in codes(found, blocking=True)
    assert kept > 15 or found.verdict is NetVerdict.INCONCLUSIVE


@pytest.mark.parametrize("lost", [1, 5, 9])
def test_an_instance_that_one_side_lacks_is_a_lost_run(lost):
    before, after = side([0] * 20), side([1] * 20)[lost:]
    found, left_out, failed = either_way(baseline=before, candidate=after)
    assert f"Only the baseline has {lost} instance" in " ".join(drawn(found).split())
    assert left_out.instances == 20 - lost and failed.instances == 20
    assert (found.n_baseline, found.n_candidate) == (20, 20 - lost)
    assert failed.dimensions[0].candidate == pytest.approx(1.0 - lost / 20)


def test_sides_that_share_half_of_their_instances_or_fewer_are_refused():
    with pytest.raises(IncomparableRuns, match="only the baseline has q0"):
        compare(baseline=side([0] * 20), candidate=side([1] * 20)[10:])


def test_trials_that_only_happen_to_share_a_name_are_not_taken_for_lost():
    before = [Trial(instance="q", trial=f"a{i}", dimensions={"a": 0}) for i in range(8)]
    after = [Trial(instance="q", trial=f"b{i}", dimensions={"a": 1}) for i in range(8)]
    found = compare(baseline=before, candidate=after)
    assert found.unit == "run" and found.pairs == 0
    assert "unpaired" in codes(found) and "crashed" not in codes(found)


def test_where_every_run_crashed_the_dimensions_are_still_told():
    found = compare(baseline=side([1], crashed=True), candidate=side([1]))
    assert [one.name for one in found.dimensions] == ["acc"]
    assert found.dimensions[0].delta is None
    assert found.balance is None
    assert "cannot be compared" in drawn(found)


def test_sides_may_be_generators():
    found = compare(baseline=(one for one in side([0] * 8)), candidate=iter(side([1] * 8)))
    assert found.verdict is NetVerdict.RATIFY
    assert found.n_baseline == found.n_candidate == 8


def test_numbers_may_be_of_any_kind_and_ids_whole_numbers():
    one = Trial(
        instance=np.int64(3),
        trial=0,
        dimensions={"a": np.float32(0.5), "b": np.int64(1), "c": np.bool_(True), "d": True},
        run=7,
        scorer=1,
    )
    assert one.dimensions == {"a": 0.5, "b": 1.0, "c": 1.0, "d": 1.0}
    assert (one.instance, one.trial, one.run, one.scorer) == ("3", "0", "7", "1")


@pytest.mark.parametrize(
    "wrong",
    [
        {"instance": None},
        {"instance": True},
        {"instance": 1.5},
        {"trial": 1.5},
        {"scorer": ["x"]},
        {"dimensions": None},
        {"dimensions": [1]},
        {"dimensions": {"a": "1"}},
        {"dimensions": {"a": 1j}},
        {"dimensions": {"a": math.inf}},
        {"dimensions": {"a": 10**400}},
        {"dimensions": {"a": np.array([1.0, 2.0])}},
        {"harness": None},
    ],
    ids=str,
)
def test_a_trial_that_makes_no_sense_is_refused_in_words(wrong):
    with pytest.raises(assay.SpecError):
        Trial(**{"instance": "q", "dimensions": {"a": 1.0}, **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"baseline": []},
        {"candidate": []},
        {"baseline": [{"instance": "q0"}]},
        {"policies": {"missing": "drop"}},
        {"policies": {"crashed": "drop"}},
        {"policies": {"allow": ("scorer",)}},
        {"gated": ["nothing"]},
        {"level": 1.0},
        {"level": math.nan},
        {"resamples": 0},
    ],
    ids=str,
)
def test_a_comparison_that_makes_no_sense_is_refused_in_words(wrong):
    with pytest.raises(assay.SpecError):
        compare(**{"baseline": side([0]), "candidate": side([1]), **wrong})


def test_a_single_name_may_be_gated_by_itself():
    found = compare(baseline=side([0] * 8), candidate=side([1] * 8), gated="acc")
    assert found.dimensions[0].gated


def test_other_peoples_words_cannot_move_the_cursor():
    evil = "\x1b[31mred\x07\u202e\r\n"
    sides = [
        [
            Trial(
                instance=f"{evil}{i}{'x' * 5000}",
                dimensions={evil: value, "b": 1 - value},
                harness={evil: f"{evil}{value}"},
            )
            for i in range(8)
        ]
        for value in (1, 0)
    ]
    found = compare(baseline=sides[0], candidate=sides[1], gated=[evil])
    text = drawn(found)
    assert "REJECT" in text or "INCONCLUSIVE" in text
    assert all(char.isprintable() or char == "\n" for char in text)
    allowed = compare(
        baseline=sides[0], candidate=sides[1], gated=[evil], policies={"allow": ("harness",)}
    )
    assert allowed.verdict is NetVerdict.REJECT
    text = drawn(allowed)
    assert "\\x1b[31mred" in text
    assert all(char.isprintable() or char == "\n" for char in text)
    assert max(map(len, text.splitlines())) <= 110


def test_a_comparison_survives_being_written_and_read():
    found = compare(baseline=side([0] * 8), candidate=side([1] * 8))
    assert msgspec.json.decode(msgspec.json.encode(found), type=assay.Comparison) == found


def test_the_same_seed_gives_the_same_comparison_and_another_nearly_so():
    rng = np.random.default_rng(1)
    before, after = side(rng.random(40)), side(rng.random(40))
    first, second, third = (
        compare(baseline=before, candidate=after, seed=seed, resamples=999) for seed in (0, 0, 1)
    )
    assert first == second
    assert first.dimensions[0].p != third.dimensions[0].p
    assert first.dimensions[0].p == pytest.approx(third.dimensions[0].p, abs=0.1)


def test_twenty_dimensions_of_two_thousand_trials_are_compared():
    rng = np.random.default_rng(0)
    sides = [
        [
            Trial(
                instance=f"q{i % 200}",
                trial=str(i // 200),
                dimensions={f"d{k}": float(rng.random() < share) for k in range(20)},
            )
            for i in range(2000)
        ]
        for share in (0.4, 0.6)
    ]
    found = compare(baseline=sides[0], candidate=sides[1], resamples=999)
    assert found.verdict is NetVerdict.RATIFY
    assert (found.unit, found.instances, found.pairs) == ("instance", 200, 2000)


def test_looking_early_tells_after_how_many_pairs_it_was_decided():
    found = compare(baseline=side([0] * 40), candidate=side([1] * 40), sequential=True)
    assert found.verdict is NetVerdict.RATIFY
    assert found.looks is not None and found.looks.decided_at is not None
    assert found.looks.decided_at <= 40
    assert "later ones were not used" in drawn(found)


def test_missing_runs_are_not_called_crashed():
    ours = [assay.Trial(instance=f"q{n}", dimensions={"ok": n % 2}) for n in range(20)]
    theirs = [assay.Trial(instance=f"q{n}", dimensions={"ok": 1}) for n in range(19)]
    found = assay.compare(ours, theirs)
    said = next(one.message for one in found.caveats if one.code == "crashed")
    assert said.endswith("Only the baseline has 1 instance: q19. They are left out.")
    assert "Crashed:" not in said
    theirs[0] = assay.Trial(instance="q0", dimensions={}, crashed=True)
    found = assay.compare(ours, theirs)
    said = next(one.message for one in found.caveats if one.code == "crashed")
    assert said.endswith("q19. Crashed: 1 of the candidate's 19 runs. They are left out.")
