import pytest

import assay
from assay.comparison.spec import assumed
from assay.logs.columns.metric_names import is_cost, is_counter, is_expected, is_fault, is_negated

FAULTS = """
brier brier_score ece ECE mce calibration_error expected_calibration_error aurc fpr fnr far frr eer
false_positive_rate falsePositiveRate false_alarms asr attack_success attack_success_rate
attackSuccessRate jailbreak jailbroken jailbreaks exploit exploited injection_success leak_rate
pii_leakage hallucination hallucinated hallucination_rate hallucinationrate fabricated_citations
contradictions unsupported_claims unfaithful error_rate errorrate errors mistakes failures
perplexity word_perplexity nll log_loss cross_entropy surprisal bits_per_byte kl_divergence rmse
mean_absolute_error wer cer ter edit_distance regret toxicity maliciousness bias harmfulness unsafe
risk refusal_rate over_refusal abstention sycophancy deception reward_hacking cheating contamination
memorization violation_rate noise_sensitivity cost_ratio latency_score tokens_per_second
response_length label gold_label target expected truth ground_truth y_true
""".split()
COSTS = """
ttft ttft_ms tpot tokens cost_usd cost_per_task latency latency_p95 num_calls memory_mb gpu_hours
price_eur runtime walltime total_seconds queries_run
""".split()
QUALITIES = """
acc accuracy correct exact_match f1 rouge_l bleu faithfulness answer_relevancy context_precision
harmlessness harmonic_mean helpful safe honest pass@1 win_rate auroc tnr true_negative_rate
error_free memory_recall in_time on_time answer choice includes match NumericDiff Levenshtein
task_completion correct_per_dollar words_correct similarity grounded score reciprocal_rank mrr ndcg
adversarial_accuracy passed Success
""".split()


@pytest.mark.parametrize("name", FAULTS)
def test_a_name_that_may_mean_a_fault_gets_no_direction(name):
    assert is_fault(name) and not is_cost(name)
    assert not assumed(name, [0.0, 1.0]).counts


@pytest.mark.parametrize("name", COSTS)
def test_a_cost_is_less_the_better_and_does_not_count(name):
    assert is_cost(name) and not is_fault(name)
    assert assumed(name, [0.1, 0.9]).better == "lower"


@pytest.mark.parametrize("name", QUALITIES)
def test_a_quality_is_a_score_of_which_more_is_better(name):
    found = assumed(name, [0.0, 1.0])
    assert found.counts and found.better == "higher"


@pytest.mark.parametrize(
    "name",
    "no_secrets_leaked not_solved no_tests_passed answers_not_supported never_correct non_toxic"
    " without_errors notCorrect uncorrect not_unsafe".split(),
)
def test_a_negated_name_gets_no_direction(name):
    assert is_negated(name) and not is_cost(name)
    assert not assumed(name, [0.0, 1.0]).counts


@pytest.mark.parametrize("name", "run_no no accuracy_without_context note_quality notable".split())
def test_a_condition_or_a_number_is_no_negation(name):
    assert not is_negated(name)


@pytest.mark.parametrize("name", ["no_of_tokens", "no_tokens"])
def test_the_number_of_something_is_no_negation(name):
    assert is_cost(name)


@pytest.mark.parametrize("name", ["rep", "repeat", "run_no", "attempt", "seed", "epoch", "iterIdx"])
def test_a_repeat_counter_is_known_by_its_name(name):
    assert is_counter(name)


@pytest.mark.parametrize("name", ["pass", "pass_k", "score", "sample", "trial_score", "attempts"])
def test_other_names_are_no_repeat_counters(name):
    assert not is_counter(name)


@pytest.mark.parametrize("name", ["label", "human_label", "expected_output", "answer", "y_true"])
def test_what_was_expected_or_answered_is_known_by_its_name(name):
    assert is_expected(name)


@pytest.mark.parametrize("name", ["label_accuracy", "answer_relevancy", "target_hit", "correct"])
def test_a_score_of_an_answer_is_not_the_answer(name):
    assert not is_expected(name)


def test_worse_rates_of_attacks_and_errors_do_not_ratify():
    """All of these rise by 0.2. Read as scores, they would be seven improvements."""
    names = ("brier", "ece", "ttft", "fpr", "attack_success_rate", "asr", "jailbreak")
    before = [{"instance": i, **dict.fromkeys(names, 0.2 + i / 100)} for i in range(40)]
    after = [{"instance": i, **dict.fromkeys(names, 0.4 + i / 100)} for i in range(40)]
    with pytest.raises(assay.SpecError, match="no column is known to be a score"):
        assay.compare(before, after)
    right = [{**row, "correct": row["instance"] % 2} for row in before]
    wrong = [{**row, "correct": row["instance"] % 2} for row in after]
    assert not assay.compare(right, wrong).favourable
