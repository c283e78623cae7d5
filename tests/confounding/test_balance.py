"""Balanced subsets of planted benchmarks."""

from collections import Counter

import numpy as np
from surface_situations import draw_benchmark

import assay
from assay.benchmark.benchmark import Benchmark, Item
from assay.confounding.matching import pool as pool_module
from assay.confounding.matching.separation import separating_feature
from assay.confounding.result import Fitness
from assay.surface.feature_table import Feature
from assay.surface.joint_model import read_surface


def planted(*, pairs: bool, size):
    rng = np.random.default_rng(2)
    items = []
    for i in range(size):
        for up in (True, False) if pairs else (bool(i % 2),):
            words = rng.choice(["alpha", "Beta", "gamma"], 4 + rng.integers(6) + 2 * up)
            items.append(
                Item(id=f"{i}-{int(up)}", question=f"What about {i}?", response=" ".join(words),
                     label=up, group=f"g{i}" if pairs else None, cls="x" if up else "y")
            )  # fmt: skip
    return Benchmark(name="planted", digest="sha256:0", items=tuple(items))


def subset(benchmark, ids):
    kept = tuple(item for item in benchmark.items if item.id in set(ids))
    return Benchmark(name="kept", digest="sha256:1", items=kept)


def test_a_planted_confound_is_balanced_away_and_the_audit_agrees():
    benchmark = planted(pairs=False, size=240)
    found = assay.balance(benchmark)
    assert found.achieved
    assert found.before.joint > 0.7
    assert found.after.low <= 0.5
    assert found.after.worst_auc <= 0.55
    assert 40 <= found.kept < found.n
    audit = assay.confounds(subset(benchmark, found.records))
    assert audit.verdict in (Fitness.CLEAN, Fitness.UNDECIDED)
    assert audit.joint.auc == found.after.joint
    assert max(one.auc for one in audit.features) == found.after.worst_auc
    assert sum(found.lost["class"].values()) == found.n - found.kept


def test_groups_of_both_classes_are_kept_or_dropped_whole():
    benchmark = planted(pairs=True, size=60)
    found = assay.balance(benchmark)
    assert found.achieved
    sizes = Counter(name.split("-")[0] for name in found.records)
    assert set(sizes.values()) == {2}
    assert found.kept_positives * 2 == found.kept


def test_what_is_clean_is_kept_whole():
    pairs = assay.load_benchmark("minimal-pairs")
    found = assay.balance(pairs)
    assert found.achieved
    assert found.kept == len(pairs.items)


def test_words_can_be_balanced_too():
    words = assay.balance(planted(pairs=True, size=40), surface="lexical")
    assert words.surface == "lexical"
    assert words.before != assay.balance(planted(pairs=True, size=40)).before


def test_where_the_surface_is_the_label_nothing_is_found():
    items = tuple(
        Item(id=str(i), question=f"q{i}", response="word " * (9 if i % 2 else 1), label=bool(i % 2))
        for i in range(60)
    )
    found = assay.balance(Benchmark(name="told", digest="sha256:0", items=items))
    assert not found.achieved


def test_a_subset_that_all_features_still_tell_is_not_balanced_however_wide_its_interval():
    drawn = draw_benchmark(np.random.default_rng([108, 1]), size=108, shape="crossed")
    found = assay.balance(drawn.benchmark)
    assert found.before.joint > 0.7
    assert found.after.joint <= 0.60 or not found.achieved


def test_no_model_is_fitted_to_a_subset_that_a_feature_alone_tells(monkeypatch):
    fits = []

    def counted(*args, **kwargs):
        fits.append(args)
        return read_surface(*args, **kwargs)

    monkeypatch.setattr(pool_module, "read_surface", counted)
    rng = np.random.default_rng(4)
    items = tuple(
        Item(id=str(i), question=f"q{i}", label=bool(i % 2),
             response="word " * int(2 + rng.integers(4) + (3 if i % 2 else 0)))
        for i in range(60)
    )  # fmt: skip
    found = assay.balance(Benchmark(name="told", digest="sha256:0", items=items))
    assert not found.achieved
    assert found.after.worst_auc > 0.55
    assert len(fits) <= 2


def test_the_same_seed_gives_the_same_subset():
    benchmark = planted(pairs=True, size=40)
    assert assay.balance(benchmark, seed=3) == assay.balance(benchmark, seed=3)


def test_pairs_that_all_lean_one_way_give_no_subset_and_no_crash():
    items = tuple(
        Item(id=str(i), question=f"q{i // 2}", response="word " * (3 + i % 2 * 6),
             label=bool(i % 2), group=f"g{i // 2}")
        for i in range(100)
    )  # fmt: skip
    assert not assay.balance(Benchmark(name="lean", digest="sha256:0", items=items)).achieved


def test_records_are_chosen_singly_where_no_subset_of_whole_groups_is_balanced():
    rng = np.random.default_rng(3)
    items = []
    for i in range(300):
        up = bool(rng.random() < 0.4)
        words = rng.choice(["alpha", "Beta", "gamma"], 3 + rng.poisson(9 + 6 * up))
        items.append(
            Item(id=str(i), question=f"What about {i // 3}?", response=" ".join(words), label=up,
                 group=f"g{i // 3}")
        )  # fmt: skip
    benchmark = Benchmark(name="threes", digest="sha256:0", items=tuple(items))
    found = assay.balance(benchmark)
    assert found.achieved and found.splits_groups
    assert found.after.worst_auc <= 0.55
    assert "split-groups" in [caveat.code for caveat in found.caveats]
    assert len(found.positions) == found.kept


def feature(values, name="word_length"):
    return Feature(name=name, on="response", values=np.asarray(values, dtype=float))


def test_a_feature_separates_only_where_every_subset_shows_it():
    label = np.arange(60) % 2 == 1
    apart = np.where(label, 9.0, 1.0)
    assert separating_feature([feature(apart)], label) == "word_length (response)"
    assert separating_feature([feature(-apart)], label) == "word_length (response)"
    met = apart.copy()
    met[np.flatnonzero(label)[:10]] = 1.0  # ten positives like the negatives: enough for a subset
    assert separating_feature([feature(met)], label) is None
    met[np.flatnonzero(label)[:2]] = 9.0
    assert separating_feature([feature(met)], label) == "word_length (response)"
    assert separating_feature([feature(apart, "truncated")], label) is None
