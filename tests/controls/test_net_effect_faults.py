"""Faults of the rule that the comparison replaces, and a planted wrong for every caveat."""

import json

import pytest
from msgspec import structs

import assay
from assay import Trial
from assay.comparison.adr_0031 import compare_adr_0031
from assay.comparison.collect import Request, compare_paths
from assay.comparison.judge.caveats import CODES
from assay.comparison.judge.compare import compare
from assay.comparison.result import ComparisonCaveat, NetVerdict
from assay.comparison.spec import Dimension, Dimensions

FIVE = ("grounded", "recall", "trajectory", "supporting_fact_f1", "citation_coverage")


def told(code):
    """A caveat that comes from making or reading the trials."""
    return ComparisonCaveat(code=code, message="2 of 82.")


def runs(n, *, trial=True, many=1, change=lambda i: {}, **more):
    """Runs at the ideal in all five, but for what `change` says of each."""
    return [
        Trial(
            instance=f"f{i % many}",
            trial=str(i) if trial else None,
            dimensions={**dict.fromkeys(FIVE, 1.0), **change(i)},
            **more,
        )
        for i in range(n)
    ]


def folder(place, **scores):
    place.mkdir(parents=True)
    text = json.dumps({"fixture": "f", **dict.fromkeys(FIVE, 1.0), **scores})
    (place / "eval.json").write_text(text, encoding="utf-8")
    return place


def codes(found):
    return {one.code for one in found.caveats}


def blocking(found):
    return {one.code for one in found.caveats if one.blocking}


def test_coverage_that_falls_from_99_to_10_hundredths_is_a_reject():
    before = runs(8, change=lambda i: {"citation_coverage": 0.99})
    after = runs(8, change=lambda i: {"citation_coverage": 0.10})
    assert compare_adr_0031(before, after).verdict == "neutral"
    found = compare(baseline=before, candidate=after)
    assert found.verdict is NetVerdict.REJECT
    assert "citation_coverage" in found.because


@pytest.mark.parametrize("of", ["baseline", "candidate"])
def test_one_flake_in_a_hundred_runs_decides_nothing(of):
    flaky = runs(100, change=lambda i: {"grounded": 0.0} if i == 42 else {})
    sides = {"baseline": runs(100), "candidate": runs(100), of: flaky}
    source = compare_adr_0031(sides["baseline"], sides["candidate"])
    assert source.verdict == {"baseline": "ratify", "candidate": "reject"}[of]
    found = compare(**sides)
    assert found.verdict in (NetVerdict.NO_EFFECT, NetVerdict.INCONCLUSIVE)
    assert all(one.cls.value in ("unclear", "equivalent") for one in found.dimensions)


def test_the_same_folder_three_times_is_refused(tmp_path):
    before, after = folder(tmp_path / "a", recall=0.5), folder(tmp_path / "b")
    request = Request(plan=None, policies={})
    for sides in (([before] * 3, [after]), ([before], [after] * 3), ([before] * 3, [after] * 3)):
        with pytest.raises(assay.errors.IncomparableRuns, match="given twice"):
            compare_paths(*sides, request)
    assert compare_paths([before], [after], request).verdict is NetVerdict.INCONCLUSIVE


@pytest.mark.parametrize("policy", [None, "fail", "exclude"])
@pytest.mark.parametrize("of", ["baseline", "candidate"])
def test_a_gated_dimension_that_is_null_on_one_side_blocks(of, policy):
    sides = {
        "baseline": runs(8, change=lambda i: {"recall": 0.0}),
        "candidate": runs(8),
    }
    values = {"grounded": None, "recall": 0.0 if of == "baseline" else 1.0}
    sides[of] = runs(8, change=lambda i: values)
    assert compare_adr_0031(**sides).verdict == "ratify"
    found = compare(**sides, policies={} if policy is None else {"missing": policy})
    assert found.verdict is NetVerdict.INCONCLUSIVE
    assert "missing" in blocking(found)
    (gate,) = (one for one in found.dimensions if one.name == "grounded")
    assert gate.gate is not None and gate.gate.value == "doubt"


CLEAN = {
    "baseline": runs(80, many=80, change=lambda i: {"recall": i % 2}, harness={"model": "m"}),
    "candidate": runs(80, many=80, harness={"model": "m"}),
}


def test_a_clean_comparison_has_no_caveat():
    found = compare(**CLEAN)
    assert found.verdict is NetVerdict.RATIFY
    assert found.caveats == ()


def renamed(name, *, change=lambda value: value):
    """The clean sides with `recall` under another name."""
    return {
        side: [
            Trial(
                instance=one.instance,
                trial=one.trial,
                dimensions={
                    "grounded": 1.0,
                    name: change(one.dimensions["recall"]),
                    "recall": one.dimensions["recall"],
                },
            )
            for one in trials
        ]
        for side, trials in CLEAN.items()
    }


def plant(side, **wrong):
    """The clean sides with the first run of one spoilt."""
    first, *rest = CLEAN[side]
    made = {
        "instance": first.instance,
        "trial": first.trial,
        "dimensions": first.dimensions,
        "harness": first.harness,
        **wrong,
    }
    return {**CLEAN, side: [Trial(**made), *rest]}


def with_harness(**sides):
    def half(i):
        return {"recall": i % 2}

    return {
        "baseline": runs(80, many=80, change=half, harness=sides.get("baseline", {})),
        "candidate": runs(80, many=80, harness=sides.get("candidate", {})),
    }


PLANTED = {
    "order-lost": (plant("candidate", stopped_on_verdict=True), {"sequential": True}, True),
    "order-drawn": (CLEAN, {"sequential": True}, False),
    "columns-left-out": (renamed("again"), {}, False),
    "narrow-gate": (
        {
            side: runs(20, many=20, change=lambda i, k=k: {"grounded": 0.9 + 0.1 * (i % k > 0)})
            for side, k in (("baseline", 3), ("candidate", 4))
        }, {}, False,
    ),
    "missing": (
        plant("candidate", dimensions=dict.fromkeys(FIVE[1:], 1.0)),
        {"policies": {"missing": "exclude"}}, False,
    ),
    "crashed": (plant("candidate", crashed=True), {"policies": {"crashed": "exclude"}}, False),
    "lost-runs-decide": (plant("candidate", crashed=True), {}, True),
    "either-way": (
        plant("candidate", crashed=True),
        {"dimensions": Dimensions(dimensions=(Dimension(name="recall"),))}, False,
    ),
    "models-differ": (
        with_harness(baseline={"model": "m"}, candidate={"model": "n"}), {}, False,
    ),
    "harness-differs": (
        with_harness(baseline={"model": "m", "k": "1"}, candidate={"model": "n", "k": "2"}),
        {}, True,
    ),
    "unfinished-log": (CLEAN, {"caveats": [told("unfinished-log")]}, False),
    "unchecked-log": (CLEAN, {"caveats": [told("unchecked-log")]}, False),
    "tasks-left-out": (CLEAN, {"caveats": [told("tasks-left-out")]}, False),
    "harness-mixed": (
        plant("candidate", harness={"model": "n"}), {"policies": {"allow": ("harness",)}}, False,
    ),
    "harness-unknown": (with_harness(baseline={"model": "m"}), {}, False),
    "scorer-unknown": (plant("candidate", scorer="s"), {}, False),
    "absent": (renamed("extra", change=lambda value: None), {}, False),
    "columns-not-read": (CLEAN, {"caveats": [told("columns-not-read")]}, False),
    "read-as": (CLEAN, {"caveats": [told("read-as")]}, False),
    "plain-scores": (CLEAN, {"caveats": [told("plain-scores")]}, False),
    "not-in-plan": (CLEAN, {"caveats": [told("not-in-plan")]}, False),
    "trial-unnamed": (CLEAN, {"caveats": [told("trial-unnamed")]}, False),
    "same-content": (CLEAN, {"caveats": [told("same-content")]}, False),
    "several-bars": (CLEAN, {"caveats": [told("several-bars")]}, False),
    "unverified-scorecard": (CLEAN, {"caveats": [told("unverified-scorecard")]}, False),
    "void-pairs": (CLEAN, {"caveats": [told("void-pairs")]}, False),
    "stopped-on-verdict": (plant("candidate", stopped_on_verdict=True), {}, True),
    "spotless-gate": (
        {side: trials[:20] for side, trials in CLEAN.items()}, {}, False,
    ),
    "no-gates": (
        CLEAN, {"dimensions": Dimensions(dimensions=(Dimension(name="recall"),))}, False,
    ),
    "assumed": (renamed("accuracy", change=lambda value: value * 0.9), {}, False),
    "undirected": (renamed("rating", change=lambda value: 3.0 + value), {}, False),
    "unpaired": (
        {side: runs(80, trial=False) for side in CLEAN}, {}, False,
    ),
    "uneven-rounds": (
        {side: runs(80, many=4)[:-1] for side in CLEAN}, {"sequential": True}, False,
    ),
    "few-instances": ({side: runs(80, many=4) for side in CLEAN}, {}, False),
    "small-n": ({side: trials[:5] for side, trials in CLEAN.items()}, {}, False),
    "costs-more": (
        {
            "baseline": runs(80, many=80, change=lambda i: {"tokens": 100 + i % 3}),
            "candidate": runs(80, many=80, change=lambda i: {"tokens": 200 + i % 3}),
        }, {}, False,
    ),
}  # fmt: skip


def test_there_is_a_planted_wrong_for_every_caveat():
    assert set(PLANTED) == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_planted_wrong_brings_its_caveat(code):
    sides, how, blocks = PLANTED[code]
    found = compare(**sides, **how)
    assert code in codes(found)
    assert (code in blocking(found)) is blocks
    if blocks:
        assert found.verdict is NetVerdict.INCONCLUSIVE
        assert found.because.startswith("blocked: ")
        assert found.needed_pairs is None


def test_runs_that_were_made_until_a_verdict_are_judged_by_looks():
    sides = {
        side: [
            structs.replace(trial, stopped_on_verdict=True, drawn_order=turn)
            for turn, trial in enumerate(trials)
        ]
        for side, trials in CLEAN.items()
    }
    assert compare(**sides, sequential=True).verdict is NetVerdict.RATIFY
    sides["candidate"][1] = structs.replace(sides["candidate"][1], drawn_order=0)
    assert "order-lost" in blocking(compare(**sides, sequential=True))  # two cannot be the first


@pytest.mark.parametrize(
    "code",
    [
        code
        for code, (_, _, blocks) in PLANTED.items()
        if blocks and code not in ("stopped-on-verdict", "order-lost", "lost-runs-decide")
    ],
)
def test_what_blocks_was_what_kept_the_verdict_back(code):
    sides, _, _ = PLANTED[code]
    policies = {"missing": "exclude", "crashed": "exclude", "allow": ("harness",)}
    found = compare(**sides, policies=policies)
    assert found.verdict is NetVerdict.RATIFY
    assert code in codes(found)
    assert blocking(found) == set()


def test_a_model_that_only_one_side_names_is_a_harness_that_differs():
    sides = with_harness(baseline={"model": "m", "k": "1"}, candidate={"k": "1"})
    assert "harness-differs" in blocking(compare(**sides))


def test_a_lost_run_of_a_gated_dimension_keeps_the_verdict_back_until_it_is_said_what_it_is():
    sides, _, _ = PLANTED["lost-runs-decide"]
    assert compare(**sides, policies={"crashed": "exclude"}).verdict is NetVerdict.RATIFY
    assert compare(**sides, policies={"crashed": "fail"}).verdict is NetVerdict.INCONCLUSIVE


def test_the_bytes_of_a_run_given_under_another_name_are_noticed(tmp_path):
    before, after = folder(tmp_path / "a"), folder(tmp_path / "b")
    found = compare_paths([before], [after], Request(plan=None, policies={}))
    assert "same-content" in codes(found)


REFUSED = {
    "other instances": {**CLEAN, "candidate": CLEAN["candidate"][:40]},
    "another instance": {
        "baseline": runs(8, many=8),
        "candidate": [structs.replace(one, instance=f"o{one.instance}") for one in runs(8, many=8)],
    },
    "another scorer": {
        side: runs(8, scorer=f"scorer of the {side}") for side in ("baseline", "candidate")
    },
    "an id twice on a side": {**CLEAN, "candidate": runs(2, many=2, run="x") + runs(80)[2:]},
    "an id on both sides": {side: runs(1, run="x") for side in ("baseline", "candidate")},
    "a trial twice": {**CLEAN, "candidate": [*CLEAN["candidate"], CLEAN["candidate"][0]]},
    "the baseline had the artifact": {
        side: runs(8, artifact="sha256:1") for side in ("baseline", "candidate")
    },
    "two artifacts": {
        "baseline": runs(2),
        "candidate": [
            *runs(1, artifact="sha256:1"),
            Trial(instance="f0", trial="1", dimensions={"recall": 1}, artifact="sha256:2"),
        ],
    },
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_what_is_no_comparison_is_refused(wrong):
    with pytest.raises(assay.errors.IncomparableRuns) as error:
        compare(**REFUSED[wrong])
    assert error.value.exit_code == 3
