"""The audit on planted benchmarks: what it must condemn, and what it must leave alone."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

import assay
from assay.benchmark.benchmark import Benchmark, Item
from assay.confounding.judge import confounds
from assay.confounding.result import Fitness
from assay.surface.feature_table import Feature
from assay.surface.features import ORACLES
from assay.surface.joint_model import known_surface

DARK = assay.load_benchmark("darkcore")
PAIRS = assay.load_benchmark("minimal-pairs")
EIGHT = (
    "word_length char_length sentence_count question_mark_count exclamation_count "
    "capitalized_token_ratio hedge_density type_token_ratio"
).split()


def made(size=200, *, seed=0, lean=0, source=None, pull=0.0):
    """Responses of random words, positives longer by `lean`; sources lean to a class by `pull`."""
    rng = np.random.default_rng(seed)
    items = []
    for i in range(size):
        up = bool(i % 2)
        words = rng.choice(["alpha", "Beta", "gamma,", "not", "9"], 3 + rng.integers(5) + lean * up)
        place = None
        if source is not None:
            place = source[int(rng.random() < 0.5 + pull * (1 if up else -1))]
        items.append(
            Item(id=f"r{i}", question=f"What is {i}?", response=" ".join(words), label=up,
                 source=place)
        )  # fmt: skip
    return Benchmark(name="made", digest="sha256:0", items=tuple(items))


CONFOUNDED = made(lean=3)


@pytest.mark.parametrize("benchmark", [DARK, PAIRS, CONFOUNDED], ids=lambda b: b.name)
def test_the_eight_features_of_the_published_audit_reproduce_exactly(benchmark):
    audit = assay.confounds(benchmark, joint=False)
    label = [item.label for item in benchmark.items]
    length = [len(item.response.split()) for item in benchmark.items]
    found = {one.name: one for one in audit.features if one.on == "response"}
    for name in EIGHT:
        values = [ORACLES[name](item.question, item.response) for item in benchmark.items]
        value = roc_auc_score(label, values)
        assert found[name].auc == pytest.approx(max(value, 1 - value), abs=1e-12)
        if abs(value - 0.5) > 1e-9:
            assert found[name].direction == ("higher" if value > 0.5 else "lower")
        rho = None
        if len(set(values)) > 1:
            rho = pytest.approx(spearmanr(values, length).statistic, abs=1e-12)
        assert found[name].rho_length == rho
        flag = "inert"
        if max(value, 1 - value) >= 0.70:
            flag = "length" if abs(spearmanr(values, length).statistic) >= 0.5 else "orthogonal"
        assert found[name].flag == flag
        assert found[name].low <= found[name].auc <= found[name].high


def test_minimal_pairs_are_clean_and_darkcore_is_not():
    assert assay.confounds(PAIRS).verdict is Fitness.CLEAN
    dark = assay.confounds(DARK)
    assert dark.verdict in (Fitness.CONFOUNDED, Fitness.UNFIT)
    assert dark.joint.auc > 0.85
    assert {one.name for one in dark.joint.importance[:3]} >= {"source", "question_overlap"}


def test_a_planted_confound_is_found_named_and_its_records_listed():
    audit = assay.confounds(CONFOUNDED)
    assert audit.verdict is Fitness.CONFOUNDED
    assert audit.joint.importance[0].name in ("word_length", "char_length")
    assert audit.joint.left < 0.9
    given = audit.joint.given_away
    assert len(given) == 10
    assert all(one.probability > 0.8 for one in given)
    assert [one.probability for one in given] == sorted(
        (g.probability for g in given), reverse=True
    )


def test_a_surface_that_tells_all_makes_the_benchmark_unfit():
    told = made(60, lean=12)
    assert assay.confounds(told).verdict is Fitness.UNFIT


def test_surface_is_left_with_nothing_and_a_signal_of_its_own_is_kept():
    rng = np.random.default_rng(1)
    own = {item.id: rng.normal() + 2.0 * item.label for item in CONFOUNDED.items}
    words = {item.id: float(len(item.response.split())) for item in CONFOUNDED.items}
    audit = assay.confounds(CONFOUNDED, scores={"own": own, "words": words})
    real, surface = audit.methods
    assert -0.12 < real.beyond.value - real.auc <= 0.0
    assert real.beyond.low > 0.65
    assert surface.auc > 0.8
    assert abs(surface.beyond.value - 0.5) < 0.03
    assert surface.surface_share > 0.95 > real.surface_share


def test_scores_that_are_missing_are_counted_and_never_nought():
    some = {item.id: float(item.label) for item in CONFOUNDED.items[:120]}
    audit = assay.confounds(CONFOUNDED, scores={"some": some})
    assert audit.methods[0].unscored == 80
    assert audit.methods[0].auc == 1.0
    assert "unscored" in {caveat.code for caveat in audit.caveats}


def test_the_source_tells_only_what_it_tells():
    leaning = assay.confounds(made(400, source="ab", pull=0.4, seed=3), joint=False)
    blind = assay.confounds(made(400, source="ab", seed=4), joint=False)
    told, nothing = (
        next(one for one in audit.features if one.name == "source") for audit in (leaning, blind)
    )
    assert told.auc == pytest.approx(0.9, abs=0.05)
    assert nothing.low <= 0.5
    assert nothing.auc < 0.58
    assert "source-predicts-label" in {finding.code for finding in leaning.lint}


def test_hundreds_of_sources_of_random_records_tell_nothing():
    rng = np.random.default_rng(7)
    items = tuple(
        Item(id=str(i), question=f"q{i}", response="a b", label=bool(rng.random() < 0.5),
             source=f"s{i // 3}")
        for i in range(300)
    )  # fmt: skip
    audit = assay.confounds(Benchmark(name="many", digest="sha256:0", items=items), joint=False)
    told = [one for one in audit.features if one.name == "source"]
    assert all(one.low <= 0.5 for one in told)


def test_a_method_that_only_knows_dozens_of_sources_is_left_with_nothing():
    rng = np.random.default_rng(6)
    leans = rng.random(50) < 0.5
    items = []
    for i in range(400):
        source = int(rng.integers(50))
        label = bool(leans[source] ^ (rng.random() < 0.1))
        words = " ".join(rng.choice(["alpha", "beta"], 4))
        items.append(
            Item(id=str(i), question=f"q{i}", response=words, label=label, source=f"s{source}")
        )
    benchmark = Benchmark(name="sourced", digest="sha256:0", items=tuple(items))
    scores = {item.id: float(leans[int(item.source[1:])]) for item in items}
    audit = assay.confounds(benchmark, scores={"source": scores})
    assert audit.methods[0].auc > 0.85
    assert audit.methods[0].beyond.low < 0.65
    assert audit.joint.auc > 0.75
    assert audit.joint.importance[0].name == "source"


def test_few_records_give_no_model_and_no_verdict_but_the_features():
    audit = assay.confounds(made(12))
    assert audit.verdict is Fitness.UNDECIDED
    assert audit.joint is None
    assert len(audit.features) > 30
    assert {"no-surface-model", "small-n"} <= {caveat.code for caveat in audit.caveats}


def test_positives_of_a_single_group_cannot_be_fitted():
    items = tuple(
        Item(id=str(i), question=f"q{i}", response="a " * (1 + i % 5), label=i < 12,
             group="one" if i < 12 else f"g{i}")
        for i in range(60)
    )  # fmt: skip
    audit = assay.confounds(Benchmark(name="lumped", digest="sha256:0", items=items))
    assert audit.verdict is Fitness.UNDECIDED


def test_questions_without_responses_are_audited_too():
    items = tuple(
        Item(id=str(i), question=("Is" if i % 2 else "What is") + f" thing {i}?", label=bool(i % 2))
        for i in range(80)
    )
    audit = assay.confounds(Benchmark(name="asked", digest="sha256:0", items=items))
    assert {one.on for one in audit.features} == {"question"}
    best = max(audit.features, key=lambda one: one.auc)
    assert best.auc == 1.0
    assert audit.verdict in (Fitness.CONFOUNDED, Fitness.UNFIT)


def test_one_class_and_unlabelled_records_are_refused():
    only = tuple(Item(id=str(i), question="q", response="r", label=True) for i in range(5))
    with pytest.raises(assay.errors.OneClassPartition, match="every record is positive"):
        assay.confounds(Benchmark(name="only", digest="sha256:0", items=only))
    classed = tuple(Item(id=str(i), question="q", response="r", cls="x") for i in range(5))
    with pytest.raises(assay.SpecError, match="no label"):
        assay.confounds(Benchmark(name="classed", digest="sha256:0", items=classed))


def test_negatives_can_be_chosen_and_the_rest_is_left_out():
    columns = {"positive": "class == folklore", "negative": "class == truth", "unknown": "exclude"}
    audit = assay.confounds("darkcore", joint=False, **columns)
    (said,) = (caveat.message for caveat in audit.caveats if caveat.code == "left-out")
    assert "19 of 108: 13 with the class 'factual-error'" in said
    assert (audit.n, audit.positives) == (89, 34)
    length = next(one for one in audit.features if one.name == "word_length")
    assert length.auc == pytest.approx(0.800, abs=0.001)


def test_words_and_letters_can_be_ruled_out_as_well():
    rng = np.random.default_rng(5)
    items = tuple(
        Item(id=str(i), question=f"What is {i}?", label=bool(i % 2),
             response=" ".join([*rng.choice(["lorem", "ipsum", "dolor"], 5),
                                "truly" if i % 2 else "maybe"]))
        for i in range(120)
    )  # fmt: skip
    benchmark = Benchmark(name="worded", digest="sha256:0", items=items)
    assert assay.confounds(benchmark).joint.auc < 0.65
    lexical = assay.confounds(benchmark, surface="lexical")
    assert lexical.joint.auc > 0.9
    assert lexical.joint.importance[0].name == "lexical"


def test_the_same_audit_gives_the_same_bytes():
    known_surface.cache_clear()
    assert assay.confounds(DARK) == assay.confounds(DARK)


def test_a_feature_may_not_take_the_name_of_another():
    own = Feature(name="word_length", on="response", values=np.arange(len(DARK.items)) * 1.0)
    with pytest.raises(assay.SpecError, match="already"):
        confounds(DARK, features=[own], joint=False)
