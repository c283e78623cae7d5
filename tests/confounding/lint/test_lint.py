import uuid
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import assay
from assay.benchmark.benchmark import Item
from assay.confounding.lint.categories import category_auc
from assay.confounding.lint.labelled_records import records_of
from assay.confounding.lint.linter import CODES, lint
from assay.confounding.lint.sample_size import auc_needed
from assay.stats.arrays import coded
from assay.stats.auc import fit
from assay.surface.near_duplicates import families, nearly_equal, normalised

OPENINGS = ("What", "Who", "Is", "Does", "Tell", "Name")


def sentence(rng, size, vocabulary=3000):
    return " ".join(f"w{i}" for i in rng.integers(0, vocabulary, size))


def benchmark(seed=0, *, n=200, sources=40):
    """Records in which nothing tells anything, with ids 1 to n, and their labels."""
    rng = np.random.default_rng(seed)
    items = [
        Item(
            id=str(i + 1),
            question=f"{rng.choice(OPENINGS)} {sentence(rng, 8)}?",
            response=f"{sentence(rng, rng.integers(2, 14))}.",
            label=True,
            source=f"s{rng.integers(sources)}",
        )
        for i in range(n)
    ]
    return items, rng.permutation(np.arange(n) % 2 == 0)


ITEMS, LABELS = benchmark()


def side_columns(rng, n):
    """Columns that say nothing: names, numbers, categories, text, and values of every type."""
    odd = [None, float("nan"), "", [1, {"a": []}], {}, True, 3, 2.5, "x", 10**400]
    return {
        "uuid": [str(uuid.UUID(bytes=rng.bytes(16))) for _ in range(n)],
        "number": rng.random(n).tolist(),
        "numpy": list(rng.integers(0, 9, n)),
        "rating": [str(i) for i in rng.integers(1, 6, n)],
        "split": [("train", "test")[i] for i in rng.integers(0, 2, n)],
        "note": [sentence(rng, 12) if rng.random() < 0.7 else None for _ in range(n)],
        "constant": ["same"] * n,
        "nothing": [None] * n,
        "odd": [odd[i] for i in rng.integers(0, len(odd), n)],
    }


def found(items, labels, **fields):
    return {finding.code: finding for finding in lint(items, np.array(labels), fields=fields)}


def one(code, items, labels, **fields):
    """The finding of that code, which must be the only one."""
    findings = lint(items, np.array(labels), fields=fields)
    assert [finding.code for finding in findings] == [code]
    assert findings[0].count >= len(findings[0].records) > 0
    assert len(findings[0].records) == min(findings[0].count, 20)
    assert set(findings[0].records) <= {item.id for item in items}
    return findings[0]


def with_changes(changes, items=ITEMS):
    """The items, some of them changed: place to what changes."""
    return [replace(item, **changes.get(i, {})) for i, item in enumerate(items)]


def places(label, labels=LABELS):
    return np.flatnonzero(labels == label).tolist()


@pytest.mark.parametrize("seed", range(40))
def test_random_benchmarks_are_clean(seed):
    rng = np.random.default_rng([seed, 1])
    items, labels = benchmark(seed, n=int(rng.integers(80, 400)), sources=int(rng.integers(2, 150)))
    assert lint(items, labels, fields=side_columns(rng, len(items))) == ()


def test_the_minimal_pairs_are_clean():
    pairs = assay.load_benchmark("minimal-pairs")
    assert lint(pairs.items, np.array([item.label for item in pairs.items])) == ()


def test_the_flawed_benchmark_gives_itself_away_by_its_sources():
    dark = assay.load_benchmark("darkcore")
    finding = one("source-predicts-label", dark.items, [item.label for item in dark.items])
    assert "'canonical' 4 of 34, 'saying' 26 of 31" in finding.message


def test_no_records_no_findings():
    assert lint([], np.array([], dtype=bool)) == ()


def test_findings_stand_in_the_order_of_the_codes_and_repeat_exactly():
    items = with_changes({i: {"response": "", "source": str(LABELS[i])} for i in range(200)})
    items[1] = replace(items[0], id="copy")
    first, second = (lint(items, LABELS, fields={"y": LABELS.tolist()}) for _ in range(2))
    assert first == second
    order = [list(CODES).index(finding.code) for finding in first]
    assert order == sorted(order)
    assert len(set(order)) >= 3


def test_the_same_text_under_both_labels_conflicts_whatever_its_case_space_and_punctuation():
    yes, no = places(True), places(False)
    items = with_changes(
        {
            yes[0]: {"question": "Is  the EARTH flat?", "response": "no"},
            no[0]: {"question": "is the earth flat", "response": "“No.”"},
            yes[1]: {"question": "Is it so?", "response": "Yes."},
            no[1]: {"question": "Is it so?", "response": "Yes."},
        }
    )
    finding = one("conflicting-labels", items, LABELS)
    assert finding.count == 4
    assert "2 of them exactly" in finding.message


def test_answers_of_punctuation_alone_are_not_the_same():
    changes = {
        places(True)[0]: {"question": "Which mark asks?", "response": "?"},
        places(False)[0]: {"question": "Which mark asks?", "response": "!"},
    }
    assert lint(with_changes(changes), LABELS) == ()


def test_exact_copies_are_counted_beyond_the_first():
    a, b, c = places(True)[:3]
    text = {"question": "Is it so?", "response": "Yes."}
    finding = one("duplicate", with_changes({a: text, b: text, c: text}), LABELS)
    assert finding.records == (ITEMS[b].id, ITEMS[c].id)
    assert f"'{ITEMS[b].id}' of '{ITEMS[a].id}'" in finding.message


def test_near_copies_are_counted_beyond_the_first():
    a, b, c, d = places(False)[:4]
    words = [f"v{i}" for i in range(20)]
    changes = {
        a: {"question": "Is it so?", "response": " ".join(words)},
        b: {"question": "IS it, so?", "response": " ".join(reversed(words))},
        c: {"question": "it is so", "response": " ".join(["other", *words[1:]])},
        d: {"question": "it is so", "response": " ".join(["other", "more", *words[2:]])},
    }
    finding = one("near-duplicate", with_changes(changes), LABELS)
    assert finding.records == (ITEMS[b].id, ITEMS[c].id, ITEMS[d].id)


def test_a_near_copy_with_the_other_label_or_another_response_is_none():
    a, b = places(False)[:2]
    c = places(True)[0]
    words = [f"v{i}" for i in range(20)]
    long, nearly = " ".join(words), " ".join(["other", *words[1:]])
    changes = {
        a: {"question": "Is it so?", "response": long},
        b: {"question": "Is it so?", "response": " ".join([*words[:15], *"abcde"])},
        c: {"question": "Is it so?", "response": nearly},
    }
    assert lint(with_changes(changes), LABELS) == ()


@pytest.mark.parametrize("size", [1, 8, 9, 10, 11, 18, 20, 40, 100, 300])
def test_no_pair_of_alike_texts_is_overlooked(size):
    rng = np.random.default_rng(size)
    texts = [""]
    for _ in range(40):
        words = sentence(rng, size).split()
        for _ in range(3):
            changed = list(words)
            for _ in range(rng.integers(0, 2 + size // 15)):
                if rng.random() < 0.5:
                    changed[rng.integers(len(changed))] = "other"
                else:
                    changed.insert(rng.integers(len(changed)), f"more{rng.integers(9)}")
            texts.append(" ".join(changed))
    codes = families(texts)
    sets = [frozenset(text.split()) for text in texts]
    alike = [
        pair
        for pair in combinations(range(len(texts)), 2)
        if nearly_equal(*map(sets.__getitem__, pair))
    ]
    assert alike
    assert all(codes[i] == codes[j] for i, j in alike)
    assert len(set(codes.tolist())) >= 40


@pytest.mark.parametrize(
    ("question", "response", "codes"),
    [
        ("same", "same", {"conflicting-labels", "duplicate"}),
        ("same", "other", set()),
        ("other", "blank", {"empty-response"}),
        ("same", "slot", {"near-duplicate"}),
    ],
)
def test_degenerate_files_of_many_records_are_still_linear(question, response, codes):
    n, rng = 20_000, np.random.default_rng(0)
    base = sentence(rng, 20)
    texts = {
        "same": [base] * n,
        "other": [sentence(rng, 20) for _ in range(n)],
        "blank": [" "] * n,
        "slot": [f"{base} x{i}." for i in range(n)],
    }
    rows = enumerate(zip(texts[question], texts[response], strict=True))
    items = [Item(id=str(i), question=q, response=r, label=True) for i, (q, r) in rows]
    assert set(found(items, rng.random(n) < 0.5)) == codes


def test_blank_responses_are_found_and_their_labels_told_where_lopsided():
    blank = {i: {"response": " \n" if i % 2 else None} for i in places(True)[:12]}
    finding = one("empty-response", with_changes(blank), LABELS)
    assert finding.count == 12
    assert "(12 of 100 positives, 0 of 100 negatives)" in finding.message
    even = {i: {"response": ""} for i in places(True)[:3] + places(False)[:3]}
    assert "positives" not in found(with_changes(even), LABELS)["empty-response"].message


def test_a_benchmark_of_questions_alone_has_no_blank_responses():
    items = [replace(item, response=None) for item in ITEMS]
    assert lint(items, LABELS) == ()


def test_responses_cut_at_one_length_are_found():
    rng = np.random.default_rng(5)
    cut = {i: {"response": sentence(rng, 60)[:119] + "x"} for i in places(True)[:30]}
    finding = one("truncation", with_changes(cut), LABELS)
    assert finding.count == 30
    assert "120 characters" in finding.message
    assert "(30 of 100 positives, 0 of 100 negatives)" in finding.message


def in_sources(rng, texts, *, n=108):
    """Records from three sources, the first of which has these responses, and their labels."""
    items, labels = benchmark(int(rng.integers(1 << 30)), n=n)
    for i in range(n):
        source = "council" if i < len(texts) else f"s{i % 2}"
        response = texts[i] if i < len(texts) else f"{sentence(rng, rng.integers(2, 40))}."
        items[i] = replace(items[i], source=source, response=response)
    return items, labels


def test_responses_cut_within_one_source_are_found_and_the_source_is_named():
    rng = np.random.default_rng(6)
    whole = [sentence(rng, rng.integers(3, 20)) for _ in range(60)]
    cut = [text[:36].rstrip() for text in whole]
    at_36 = [text for text in cut if len(text) == 36 and text[-1].isalnum()]
    finding = one("truncation", *in_sources(rng, cut))
    assert finding.count == len(at_36) >= 40
    assert f"{len(at_36)} responses in source 'council' stop at 36 characters" in finding.message
    assert "truncation" not in found(*in_sources(rng, whole))


def test_responses_cut_under_one_label_are_found():
    rng = np.random.default_rng(7)
    texts = [sentence(rng, 20)[: 50 if label else None] for label in LABELS]
    items = [
        replace(item, response=text, source=None) for item, text in zip(ITEMS, texts, strict=True)
    ]
    finding = one("truncation", items, LABELS)
    assert "responses among positives stop at 50 characters" in finding.message


def test_responses_cut_under_one_label_of_a_source_are_found():
    rng = np.random.default_rng(8)
    items, labels = in_sources(rng, [sentence(rng, 20) for _ in range(60)])
    for i in range(60):
        if labels[i]:
            items[i] = replace(items[i], response=items[i].response[:36])
    finding = one("truncation", items, labels)
    assert "among positives in source 'council' stop at 36 characters" in finding.message


NATURAL = {
    "yes and no": lambda rng: rng.choice(["Yes.", "No.", "Yes", "No"]),
    "years": lambda rng: str(rng.integers(1000, 2025)),
    "years in a form": lambda rng: f"It was finished in the year {rng.integers(1000, 2025)}",
    "dates": lambda rng: (
        f"{rng.integers(1900, 2025)}-{rng.integers(10, 13)}-{rng.integers(10, 29)}"
    ),
    "hashes": lambda rng: rng.bytes(20).hex(),
    "uuids": lambda rng: str(uuid.UUID(bytes=rng.bytes(16))),
    "options": lambda rng: (
        f"The right one is option {'ABCDE'[rng.integers(5)]} of case {rng.integers(100, 1000)}"
    ),
    "short phrases": lambda rng: sentence(rng, rng.integers(1, 4)),
    "five words": lambda rng: sentence(rng, 5),
    "five words of a small lexicon": lambda rng: sentence(rng, 5, vocabulary=10),
    "phrases that nearly fill a line": lambda rng: sentence(rng, 8)[: 41 - rng.geometric(0.35)],
    "sentences": lambda rng: f"{sentence(rng, rng.integers(4, 12))}.",
    "sentences of one length, a few of them open": lambda rng: (
        f"{sentence(rng, 30)[:79]}{'.' if rng.random() < 0.8 else 'x'}"
    ),
    "sentences of one length": lambda rng: f"{sentence(rng, 30)[:79]}.",
}


@pytest.mark.parametrize("name", NATURAL)
def test_responses_with_a_natural_length_are_not_cut(name):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        texts = [str(NATURAL[name](rng)) for _ in range(60)]
        assert "truncation" not in found(*in_sources(rng, texts))


def test_one_text_repeated_was_not_cut():
    same = {i: {"response": "a" * 120} for i in places(True)[:30]}
    assert lint(with_changes(same), LABELS) == ()


def test_a_source_that_tells_the_label_is_named_with_its_positives():
    rng = np.random.default_rng(2)
    telling = {
        i: {"source": "forum" if rng.random() < (0.8 if LABELS[i] else 0.2) else "textbook"}
        for i in range(200)
    }
    finding = one("source-predicts-label", with_changes(telling), LABELS)
    assert "'forum'" in finding.message
    assert finding.count == 200


def test_a_missing_source_can_tell_the_label_too():
    telling = {i: {"source": None if LABELS[i] else "textbook"} for i in range(200)}
    finding = one("source-predicts-label", with_changes(telling), LABELS)
    assert "no source 100 of 100" in finding.message


def test_many_small_sources_of_one_label_each_are_found():
    rank = np.zeros(200, dtype=int)
    for label in (True, False):
        rank[places(label)] = np.arange(100)
    telling = {i: {"source": f"{LABELS[i]}{rank[i] // 4}"} for i in range(200)}
    assert one("source-predicts-label", with_changes(telling), LABELS).count == 200


def test_a_source_for_each_record_tells_nothing():
    assert lint(with_changes({i: {"source": str(i)} for i in range(200)}), LABELS) == ()


def test_a_source_that_goes_with_a_group_tells_nothing_beyond_it():
    """Copies share label and source; only other groups could say that one tells the other."""
    labels = np.repeat(np.random.default_rng(1).random(50) < 0.5, 4)
    groups = {i: {"source": f"page {i // 4}", "group": str(i // 4)} for i in range(200)}
    assert "source-predicts-label" not in found(with_changes(groups), labels)


@pytest.mark.parametrize("sources", [2, 10, 100, 200])
def test_the_cross_fitted_auc_of_random_categories_has_mean_one_half(sources):
    rng = np.random.default_rng(sources)
    values = [
        category_auc(rng.integers(0, sources, 200), records_of(ITEMS, rng.permutation(LABELS)))
        for _ in range(60)
    ]
    assert np.mean(values) == pytest.approx(0.5, abs=0.025)


def test_the_cross_fitted_auc_of_a_plain_category_is_its_auc():
    scores = np.where(np.random.default_rng(3).random(200) < 0.8, LABELS, ~LABELS)
    plain = float(fit(scores[LABELS], scores[~LABELS]).values[0])
    assert category_auc(coded(scores.tolist()), records_of(ITEMS, LABELS)) == pytest.approx(
        plain, abs=0.01
    )


def test_the_form_of_a_question_that_tells_the_label_is_found():
    telling = {
        i: {"question": f"{'Is' if LABELS[i] else 'What'} {item.question[5:]}"}
        for i, item in enumerate(ITEMS)
        if i % 3
    }
    finding = one("question-form-predicts-label", with_changes(telling), LABELS)
    assert "an auxiliary" in finding.message
    assert "a wh- word" in finding.message


def test_the_form_of_a_question_with_both_labels_tells_nothing():
    items, labels = [], np.arange(200) % 2 == 0
    for i in range(200):
        opening = "Is" if i < 100 else "What"
        question = f"{opening} {ITEMS[i // 2].question}"
        items.append(replace(ITEMS[i], question=question, group=str(i // 2)))
    labels = np.where(np.repeat(np.random.default_rng(0).random(100) < 0.5, 2), labels, ~labels)
    assert lint(items, labels) == ()


def in_pairs():
    labels = np.array([i % 2 == (i // 2) % 2 for i in range(200)])
    return with_changes({i: {"group": f"pair {i // 2}"} for i in range(200)}), labels


def test_a_pair_of_one_label_or_without_its_half_is_found_among_whole_pairs():
    items, labels = in_pairs()
    assert lint(items, labels) == ()
    labels[0] = labels[1]
    finding = one("one-class-groups", items[:-1], labels[:-1])
    assert finding.count == 3
    assert "2 of 100 groups have one label only, such as 'pair 0'" in finding.message


def test_groups_that_never_have_both_labels_lack_nothing():
    labels = np.repeat(np.random.default_rng(1).random(100) < 0.5, 2)
    assert lint(in_pairs()[0], labels) == ()


def test_groups_of_single_records_lack_nothing():
    assert lint(with_changes({i: {"group": str(i)} for i in range(200)}), LABELS) == ()


def renamed(name):
    order = np.random.default_rng(9).permutation(200)
    return with_changes({i: {"id": name(int(order[i]), bool(LABELS[i]))} for i in range(200)})


@pytest.mark.parametrize(
    ("name", "how"),
    [
        (lambda i, label: f"tq-{i}-{int(label)}", "The last part of the id"),
        (lambda i, label: f"tq-{'folklore' if label else 'truth'}-{i}", "The wording of the id"),
        (lambda i, label: f"{'neg' if label else 'pos'}{i}", "The wording of the id"),
        (lambda i, label: f"q{i}{'ab'[label]}", "The wording of the id"),
        (lambda i, label: f"{int(label)}_{i:04}", "The first part of the id"),
        (lambda i, label: f"{i:x}.{int(label)}.{i * 7:x}z", "The second part of the id"),
        (lambda i, label: f"{i}.{int(label)}", "The last part of the id"),
        (lambda i, label: f"q{i}r{int(label)}", "The ending of the id"),
        (lambda i, label: str(i + 1000 * label), "In order of the id, positives come last"),
        (
            lambda i, label: f"item-{i + 300 * (not label)}",
            "In order of the id, positives come first",
        ),
    ],
)
def test_an_id_that_gives_the_label_away_is_found(name, how):
    finding = one("label-leak", renamed(name), LABELS)
    assert how in finding.message
    assert finding.count >= 190


@pytest.mark.parametrize(
    "name",
    [
        lambda i, label: str(i),
        lambda i, label: f"item-{i}-of-200",
        lambda i, label: str(uuid.UUID(int=hash((i, 3)) % 2**128)),
        lambda i, label: f"{i % 7}-{i % 11}-{i}",
    ],
)
def test_an_id_that_says_nothing_is_no_leak(name):
    assert lint(renamed(name), LABELS) == ()


RNG = np.random.default_rng(4)
LEAKS = {
    "yes or no": ["yes" if label else "no" for label in LABELS],
    "truth": LABELS.tolist(),
    "a list": [[int(label)] for label in LABELS],
    "missing in one class": [f"because {i}" if LABELS[i] else None for i in range(200)],
    "first word": [f"{'No' if LABELS[i] else 'Yes'}, {sentence(RNG, 9)}" for i in range(200)],
    "a score": (LABELS + RNG.normal(0, 0.2, 200)).tolist(),
    "a score as text": [str(x) for x in 1 - LABELS + RNG.normal(0, 0.2, 200)],
    "a date": [f"2024-{'03' if LABELS[i] else '01'}-{i % 28:02} {i:04}" for i in range(200)],
    "nearly": [("a" if LABELS[i] else "b") if i % 50 else "c" for i in range(200)],
    "with gaps": [LABELS[i] + i / 1000 if i % 5 else float("nan") for i in range(200)],
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_field_that_gives_the_label_away_is_found_and_named(name):
    finding = one("label-leak", ITEMS, LABELS, **{"idle": list(range(200)), name: LEAKS[name]})
    assert f"field '{name}'" in finding.message
    assert finding.count >= 150


def test_a_leak_says_how_many_of_all_records_it_gets_right():
    wrong = {3, 60, 61}
    score = [float(LABELS[i] != (i in wrong)) + i / 1000 for i in range(200)]
    finding = one("label-leak", ITEMS, LABELS, score=score)
    assert f"one cutoff gets {finding.count} of 200 right" in finding.message
    above = [[value > cutoff for value in score] for cutoff in score]
    assert finding.count == max(sum(row == LABELS) for row in np.array(above)) < 200
    value = one("label-leak", ITEMS, LABELS, truth=LEAKS["truth"])
    assert "it gets 200 of 200 right" in value.message


def test_every_leaking_field_has_a_finding_of_its_own():
    findings = lint(ITEMS, LABELS, fields=LEAKS)
    assert len(findings) == len(LEAKS)


def test_a_field_that_only_hints_at_the_label_is_no_leak():
    hint = np.where(np.random.default_rng(0).random(200) < 0.8, LABELS, ~LABELS).tolist()
    assert lint(ITEMS, LABELS, fields={"hint": hint}) == ()


def test_too_few_records_to_tell_a_leak_from_chance_are_let_be():
    items, labels = benchmark(n=12)
    assert set(found(items, labels, y=labels.tolist())) == {"too-few"}


@pytest.mark.parametrize(("rare", "common"), [(10, 190), (20, 400), (60, 400), (1, 99)])
@pytest.mark.parametrize("positive", [True, False])
def test_a_rare_label_is_reported_with_how_many_more_it_takes(rare, common, positive):
    items, _ = benchmark(n=rare + common)
    labels = np.random.default_rng(0).permutation(np.arange(rare + common) < rare) == positive
    finding = one("imbalance", items, labels)
    assert finding.count == rare
    assert set(finding.records) <= {items[i].id for i in places(positive, labels)}
    more = int(finding.remedy.split()[2])
    wanted = float(finding.remedy.split()[-3])
    assert auc_needed(rare + more, common) <= wanted + 0.005
    assert more == 1 or auc_needed(rare + more - 1, common) > wanted - 0.005


def test_a_number_of_records_that_would_change_nothing_is_not_advised():
    items, _ = benchmark(n=1000)
    labels = np.random.default_rng(0).permutation(np.arange(1000) >= 123)
    finding = one("imbalance", items, labels)
    assert "takes a true AUC of 0.76" in finding.message
    assert finding.remedy == "If you add records, add negatives."


def test_a_rare_label_among_very_many_records_costs_nothing():
    items = [Item(id=str(i), question=f"q{i} a{i * i}", label=True) for i in range(20_000)]
    labels = np.random.default_rng(0).permutation(np.arange(20_000) < 2000)
    assert lint(items, labels) == ()


def test_too_few_records_are_reported_and_enough_are_not():
    few, enough = benchmark(n=40), benchmark(n=70)
    finding = one("too-few", *few)
    assert finding.count == 40
    assert "true AUC of 0.88" in finding.message
    assert lint(*enough) == ()


@pytest.mark.parametrize("label", [True, False])
def test_one_label_alone_is_reported_once(label):
    finding = one("imbalance", ITEMS, np.full(200, label))
    assert "All 200 records" in finding.message


@pytest.mark.parametrize(("positives", "negatives"), [(54, 54), (240, 240), (60, 240)])
def test_the_auc_needed_does_pass_four_times_in_five(positives, negatives):
    rng = np.random.default_rng(positives)
    needed = auc_needed(positives, negatives)
    # Scores u^(1/odds) against u have an AUC of odds / (1 + odds), of Hanley and McNeil's shape.
    odds = needed / (1.0 - needed)
    lows = [
        fit(rng.random(positives) ** (1.0 / odds), rng.random(negatives)).interval(level=0.9)[0]
        for _ in range(300)
    ]
    assert np.mean(np.array(lows) >= 0.70) == pytest.approx(0.8, abs=0.07)


def test_no_message_carries_a_control_character_or_a_long_text():
    nasty = "\x1b[31m" + "\u202e" + "long " * 100
    a, b = places(True)[:2]
    c = places(False)[0]
    text = {"question": nasty, "response": nasty}
    items = with_changes({a: text, b: text, c: text})
    items = [
        replace(item, id=f"{nasty}{i}", source=f"{nasty[:9]}{LABELS[i]}")
        for i, item in enumerate(items)
    ]
    fields = {nasty: [f"{nasty[:7]}{label}" for label in LABELS]}
    findings = lint(items, LABELS, fields=fields)
    assert {finding.code for finding in findings} == {
        "conflicting-labels",
        "label-leak",
        "source-predicts-label",
        "duplicate",
    }
    for finding in findings:
        assert finding.message.isprintable()
        assert "long " * 13 not in finding.message


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(max_size=30),
            st.none() | st.text(max_size=30),
            st.booleans(),
            st.none() | st.text(max_size=3),
            VALUES,
        ),
        max_size=40,
    )
)
def test_whatever_the_records_hold_the_linter_answers(rows):
    items = [
        Item(id=f"{i}{q}", question=q, response=r, label=True, source=s, group=s)
        for i, (q, r, _, s, _) in enumerate(rows)
    ]
    labels = np.array([row[2] for row in rows], dtype=bool)
    odd = [row[4] for row in rows]
    for finding in lint(items, labels, fields={"odd": odd, "": [10**5000] * len(rows)}):
        assert finding.code in CODES
        assert finding.message.endswith(".")
        assert finding.remedy.endswith(".")
        assert finding.count >= len(finding.records)


@given(st.text())
def test_normalising_twice_changes_nothing_for_plain_text(text):
    plain = "".join(char for char in text if char.isascii())
    once = normalised([plain])
    assert normalised(once) == once


def test_copies_that_are_grouped_already_are_not_to_be_grouped_again():
    def found(groups):
        items = [
            Item(id=f"r{i}", question=f"q{i // 2}", response="a", label=bool(i // 2 % 2),
                 group=f"g{i // 2}" if groups else None)
            for i in range(40)
        ]  # fmt: skip
        label = np.array([item.label for item in items])
        return {finding.code: finding.remedy for finding in lint(items, label)}

    assert "name the column that groups them" in found(groups=False)["duplicate"]
    assert "name the column" not in found(groups=True)["duplicate"]
    assert "in the group of its original" in found(groups=True)["duplicate"]
