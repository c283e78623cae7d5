import numpy as np
import pytest
from helpers.fakes import detection_bars
from msgspec.structs import replace

import assay
from assay.benchmark.benchmark import Item
from assay.gauntlet.result import Verdict
from assay.gauntlet.spec import parse_bars

DARK = assay.load_benchmark("darkcore")
V1, V3 = assay.load_bars("v1"), assay.load_bars("v3")
LENGTH = assay.run(lambda q, r: len(r.split()), DARK, task="detection")


def test_the_same_input_gives_the_same_scorecard():
    assert assay.score(LENGTH, DARK, V3) == assay.score(LENGTH, DARK, V3)


def test_a_bar_over_two_partitions_is_as_good_as_its_worse_part():
    bar = assay.score(LENGTH, DARK, V3).bars[3]
    assert len(bar.parts) == 2
    assert bar.value == min(part.value for part in bar.parts)
    assert bar.lower_bound == min(part.lower_bound for part in bar.parts)


def test_the_decision_follows_the_bounds():
    for bar in assay.score(LENGTH, DARK, V3).bars:
        assert (bar.outcome == "pass") == (bar.lower_bound >= bar.threshold)
        assert (bar.outcome == "fail") == (min(p.upper_bound for p in bar.parts) < bar.threshold)
        assert bar.low <= bar.lower_bound <= bar.value <= bar.high


def test_a_point_pass_with_a_low_bound_is_unresolved_and_says_how_many_records_it_would_take():
    run = assay.run("oracle:capitalized_token_ratio:inverse", DARK)
    card = assay.score(run, DARK, V1)
    assert card.point.verdict is Verdict.PASS
    assert card.verdict is Verdict.UNRESOLVED
    assert card.records_needed > len(DARK.items)


def test_the_records_needed_do_settle_it():
    """Copies of the items stand for more records like these."""
    run = assay.run("oracle:capitalized_token_ratio:inverse", DARK)
    needed = assay.score(run, DARK, V1).records_needed
    times = needed // len(DARK.items) + 2
    items = tuple(replace(i, id=f"{i.id}x{t}") for t in range(times) for i in DARK.items)
    many = replace(DARK, items=items)
    records = tuple(replace(r, item=f"{r.item}x{t}") for t in range(times) for r in run.records)
    assert assay.score(replace(run, records=records), many, V1).verdict is Verdict.PASS


def test_unscored_items_block_a_verdict_and_are_counted():
    answers = {item.question: float(item.label) for item in DARK.items}
    run = assay.run(lambda q, r: answers[q], DARK, task="detection")
    assert assay.score(run, DARK, V3).verdict is Verdict.PASS
    card = assay.score(replace(run, records=run.records[1:]), DARK, V3)
    assert (card.verdict, card.unscored) == (Verdict.UNRESOLVED, 1)
    assert card.point.verdict is Verdict.PASS
    assert "unscored" in [caveat.code for caveat in card.caveats]


def test_a_run_of_other_data_is_refused():
    other = replace(DARK, digest="sha256:0")
    with pytest.raises(assay.errors.DigestMismatch, match="darkcore with digest sha256:"):
        assay.score(LENGTH, other, V3)


def test_a_run_of_another_task_is_refused():
    with pytest.raises(assay.SpecError, match="the run is of detection"):
        assay.score(LENGTH, DARK, assay.load_bars("v3", task="classification"))


@pytest.mark.parametrize(("kept", "missing"), [("truth", "!= truth"), ("folklore", "== truth")])
def test_a_one_class_partition_is_an_error_that_says_which_class_is_missing(kept, missing):
    some = replace(DARK, items=tuple(item for item in DARK.items if item.cls == kept))
    run = replace(
        LENGTH, records=tuple(r for r in LENGTH.records if r.item in {i.id for i in some.items})
    )
    with pytest.raises(
        assay.errors.OneClassPartition, match=f"no scored record with class {missing}"
    ):
        assay.score(run, some, V3)


def test_a_run_that_stopped_says_how_many_items_were_never_asked():
    failed = assay.runs.result.Failure(kind="raised", message="boom")
    records = (*LENGTH.records[:60], replace(LENGTH.records[60], output=None, error=failed))
    stopped = replace(LENGTH, records=records, complete=False)
    card = assay.score(stopped, DARK, V3)
    said = next(caveat.message for caveat in card.caveats if caveat.code == "unscored")
    assert said.endswith("48 of them: 1 failed (raised), 47 were never asked.")
    with pytest.raises(assay.errors.OneClassPartition) as error:
        assay.score(replace(stopped, records=records[-2:]), DARK, V3)
    assert error.value.message.endswith("the run stopped after 2 items, with: boom")
    assert "all " not in error.value.message


def test_one_unscored_item_of_many_is_said_in_a_sentence():
    card = assay.score(replace(LENGTH, records=LENGTH.records[1:]), DARK, V3)
    assert card.meaning == "1 of 108 items is unscored, so there is no verdict"


def test_a_partition_whose_items_all_failed_is_an_error_too():
    with pytest.raises(assay.errors.OneClassPartition):
        assay.score(replace(LENGTH, records=()), DARK, V3)


def test_a_second_corpus_that_was_not_run_is_named():
    run = assay.run("majority", DARK)
    with pytest.raises(assay.SpecError, match="K3 needs a second corpus"):
        assay.score(run, DARK, assay.load_bars("v1", task="classification"))


def test_k3_is_judged_on_a_real_second_corpus():
    both = DARK.with_second(assay.load_benchmark("folklore-two"))
    knows = {item.question: item.cls for item in DARK.items}
    run = assay.run(lambda question: knows.get(question, "truth"), both)
    card = assay.score(run, both, assay.load_bars("v1", task="classification"))
    assert [bar.value for bar in card.bars] == [1.0, 1.0, 0.0]
    assert [bar.outcome for bar in card.bars] == ["pass", "pass", "fail"]
    assert "folklore-two" in card.signature


def test_an_unknown_feature_in_a_bar_is_named():
    text = detection_bars(more='minus = { feature = "vibes", direction = "raw" }')
    with pytest.raises(assay.SpecError, match="no feature 'vibes'"):
        assay.score(LENGTH, DARK, parse_bars(text.encode(), where="mine"))


def test_groups_reach_the_judge():
    pairs = assay.load_benchmark("minimal-pairs")
    run = assay.run("oracle:char_length", pairs)
    grouped = assay.score(run, pairs, V1).bars[0].parts[0]
    loose = replace(pairs, items=tuple(replace(item, group=None) for item in pairs.items))
    ungrouped = assay.score(run, loose, V1).bars[0].parts[0]
    assert "clustered by group" in grouped.how
    assert "clustered" not in ungrouped.how
    assert grouped.value == ungrouped.value
    assert grouped.high - grouped.low != ungrouped.high - ungrouped.low


def test_the_signature_names_data_bars_method_and_version():
    signature = assay.score(LENGTH, DARK, V3).signature
    for words in (
        "n 108",
        "darkcore@",
        "bars detection-v3@",
        "seed 0",
        f"assay {assay.__version__}",
    ):
        assert words in signature


def test_an_auc_exactly_at_its_bar_meets_it():
    """Seven of ten pairs won is .70 however it is added up."""
    rng = np.random.default_rng(4)
    averaged_under = 0
    for positives, negatives in ((50, 50), (100, 100), (53, 50)) * 6:
        beaten = rng.integers(0, negatives + 1, positives)
        wins = positives * negatives * 7 // 10
        while beaten.sum() != wins:
            step = 1 if beaten.sum() < wins else -1
            chosen = rng.integers(positives)
            beaten[chosen] = min(max(beaten[chosen] + step, 0), negatives)
        scores = [count - 0.5 for count in beaten.tolist()]
        below = list(range(negatives))
        averaged_under += float(np.mean(beaten / negatives)) < 0.7
        items = tuple(
            Item(id=str(i), question=f"q{i}", response="r", label=i < positives)
            for i in range(positives + negatives)
        )
        made = assay.Benchmark(name="made", digest="sha256:0", items=items)
        answers = {item.question: s for item, s in zip(items, scores + below, strict=True)}
        run = assay.run(lambda q, r, a=answers: a[q], made, task="detection")
        bar = assay.score(run, made, assay.load_bars("plain")).bars[0]
        assert (bar.value, bar.point) == (0.7, True)
    assert averaged_under, "the samples must be such that averaging shares would miss the bar"


def test_a_control_read_in_the_better_direction_is_two_controls():
    card = assay.score(LENGTH, DARK, V3)
    for part in card.bars[3].parts:
        assert part.control > 0.7
        assert part.value == pytest.approx(
            next(p.value for p in card.bars[0].parts) - part.control, abs=0.03
        )


def test_the_caveats_that_a_newcomer_needs():
    def codes(method, benchmark=DARK):
        run = assay.run(method, benchmark, task="detection")
        return {c.code for c in assay.score(run, benchmark, assay.load_bars("v1")).caveats}

    assert "constant-scores" in codes(lambda question, response: 0.5)
    answers = {item.question: -float(item.label) for item in DARK.items}
    assert "reversed" in codes(lambda question, response: answers[question])
    assert "reversed" not in codes(lambda question, response: -answers[question])
    copied = tuple(replace(item, question="the same") for item in DARK.items)
    assert "repeated-questions" in codes(
        lambda question, response: len(response), replace(DARK, items=copied)
    )
    empty = (replace(DARK.items[0], response=" "), *DARK.items[1:])
    assert "empty-responses" in codes(
        lambda question, response: len(response), replace(DARK, items=empty)
    )


def test_another_second_corpus_than_the_bars_name_is_told():
    pairs = assay.load_benchmark("minimal-pairs")
    both = DARK.with_second(pairs)
    card = assay.score(
        assay.run("question-length", both), both, assay.load_bars("v1", task="classification")
    )
    assert "other-second-corpus" in [caveat.code for caveat in card.caveats]


def test_a_record_that_is_positive_and_negative_is_refused():
    text = detection_bars(negative="class != folklore")
    with pytest.raises(assay.SpecError, match="both positive and negative"):
        assay.score(LENGTH, DARK, parse_bars(text.encode(), where="mine"))


def test_the_opposite_of_a_raw_control_is_not_the_same_ranking():
    run = assay.run("oracle:word_length:inverse", DARK)
    assert "same-ranking" not in [c.code for c in assay.score(run, DARK, V3).caveats]
    run = assay.run("oracle:capitalized_token_ratio:inverse", DARK)
    assert "same-ranking" in [c.code for c in assay.score(run, DARK, V3).caveats]


def test_a_name_will_do_in_place_of_a_thing(tmp_path):
    benchmark = assay.load_benchmark("darkcore")
    run, bars = assay.run("constant", benchmark), assay.load_bars("v3")
    assay.save_run(run, tmp_path / "run")
    expected = assay.score(run, benchmark, bars)
    assert assay.score(run, "darkcore", "v3") == expected
    assert assay.score(str(tmp_path / "run"), benchmark, bars) == expected
    with pytest.raises(assay.SpecError, match="got int, expected a Run, the path"):
        assay.score(3, benchmark, bars)
