"""What the name of a column says: a cost, a fault, an expected answer, or a repeat counter.

Without a plan, a column from 0 to 1 is a score of which more is better. That would call a higher
rate of false alarms an improvement. So a name that may mean something undesired, or no quality at
all, gets no direction: the column is reported, and only a plan makes it count. A name wrongly taken
for a fault costs the user a line of a plan; a fault wrongly taken for a score costs the verdict.
"""

import re
from itertools import pairwise

_COSTS = frozenset(
    "token tokens cost costs usd eur gbp chf jpy cny inr dollar dollars euro euros cent cents money"
    " price prices fee fees spend spent spending expense expenses sec secs second seconds minute"
    " minutes hour hours ms millisecond milliseconds microseconds latency latencies duration"
    " durations time times elapsed runtime walltime wallclock delay delays lag ttft"
    " tpot itl tbt ttlt ttfb calls turns steps requests retries retry attempts hops roundtrips"
    " memory ram vram gpu cpu bytes kb mb gb mib gib flops gflops tflops macs energy kwh joules"
    " watts carbon co2 emissions overhead".split()
)
_KNOWN_COSTS = frozenset({"queries_run", "pivot_burden"})
_FAULTS = frozenset(
    # errors and losses
    "err errs mistake mistakes wrong wrongly incorrect incorrectly inaccurate inaccuracy"
    " inaccuracies invalid broken crash crashes crashed crashing exception exceptions timeout"
    " timeouts bug bugs buggy defect defects fault faults faulty loss losses logloss lose loses"
    " lost losing nll nlls crossentropy entropy ppl surprisal bpb bpc bits deviance divergence kl"
    " kld jsd mmd fid lpips mae mse mape smape wape rmse rmsle msle nrmse medae mad residual"
    " residuals deviation discrepancy discrepancies variance std stdev stderr sd sem uncertainty"
    " distance distances regret penalty penalties gap gaps drop drops diff difference disparity"
    " disparities drift"
    # calibration, and the error rates of classifiers and transcripts
    " brier ece mce sce uce tce rce aece ece10 ece15 calibration miscalibration miscalibrated"
    " overconfidence overconfident underconfidence aurc eaurc fpr fnr fp fn fdr far frr fmr fnmr"
    " eer hter apcer bpcer acer fallout false wer cer mer wil ter der jer ser asr negative"
    " negatives"
    # harm, attacks and misconduct
    " harm harms harmed harmful harmfulness unsafe unsafety danger dangerous risk risks risky"
    " threat threats hazard hazards hazardous violent violence abuse abusive hate hateful hatred"
    " offensive insult insults insulting profanity profane obscene sexual nsfw bias biased biases"
    " stereotype stereotypes stereotyped stereotypical discrimination discriminatory racist racism"
    " sexist sexism slur slurs injection injections injected breach breached breaches compromised"
    " vulnerable vulnerability vulnerabilities malicious malware poisoned poisoning backdoor"
    " deception deceptive deceived lie lies lied lying manipulation manipulative scheming"
    " sandbagging sabotage sabotaged cheat cheats cheated cheating hack hacks hacked hacking"
    " misuse misused misaligned misalignment bypass bypassed bypasses evasion evaded evasive"
    " escape escaped escapes leak leaked leaks leaking leakage pii"
    # untrue, unsupported or missing content
    " falsehood falsehoods fake untrue untruthful unfaithful unsupported ungrounded unverified"
    " unfounded misleading misinformation disinformation confabulated confabulation inconsistent"
    " inconsistency inconsistencies incoherent incoherence disagreement disagreements irrelevant"
    " irrelevance incomplete incompleteness redundant redundancy repetition repetitions repetitive"
    " duplicate duplicates duplicated duplication copied plagiarism verbose verbosity truncated"
    " truncation malformed unparseable unparsable unparsed corrupt corrupted miss missed misses"
    " missing omitted omission omissions skipped skips dropped forgotten forgetting regressed"
    " regression regressions degraded degradation unanswered unresolved unsolved unsuccessful"
    " unhelpful unclear ungrammatical noncompliant noncompliance noise noisy"
    # conduct whose direction depends on the question
    " abstain abstains abstained abstention abstentions denied denial denials deny blocked reject"
    " rejects rejected rejection rejections flag flags flagged alert alerts warning warnings"
    " complaint complaints dislike dislikes downvote downvotes churn churned bounce abandoned"
    " abandonment escalated escalation escalations intervention interventions interrupted conflict"
    " conflicts collision collisions reverted rollback rollbacks undone".split()
)
_AMOUNTS = frozenset(
    "length lengths len chars characters words sentences lines size depth p50 p90 p95 p99".split()
)
"""Amounts, of which neither more nor less is better as such."""
_FAULT_STEMS = re.compile(
    r"error(?!less)|fail(?!safe)|hallucinat|confabulat|fabricat|toxi[cn]|malicious|jailbr|exploit|attack"
    r"|refus|overrefus|violat|contaminat|memori[sz]|contradict|sycophan|perplex|malfunction"
    r"|miscalibrat|plagiari|halluc|falsepos|falseneg"
)
"""Beginnings of words that mean a fault in any form: hallucinated, hallucinationrate."""
_NO_FAULTS = re.compile(
    r"\btrue negatives?\b|\b(?:error|fault) free\b|\bfault toleran\w*|\bnumeric diff$"
)
_WHOLE_FAULTS = frozenset(
    {"per", "for", "ace", "rank", "mean rank", "average rank", "avg rank", "median rank", "down"}
    | {"thumbs down"}
)
"""Names that mean a fault only as a whole: `per` is a phoneme error rate, and a preposition."""
_QUALITIES = frozenset(
    "correct valid right ok success successful accuracy accurate on recall precision f1 auc match"
    " hit hits solved passed quality".split()
)
_RATIOS = frozenset("rate ratio score share fraction".split())
_NEGATIONS = frozenset("no non without".split())
"""Words that negate what follows; `not` and `never` negate wherever they stand."""
_NEGATED_WORD = re.compile(r"(?:un|non)(?P<rest>[a-z]{2,})")
_SPEED = re.compile(r"\bper (?:s|secs?|seconds?|min|minutes?|hours?)\b")
_IN_TIME = re.compile(r"\b(?:in|on) (?:time|budget)\b")
_EXPECTED = frozenset(
    "label labels target targets gold golden expected truth groundtruth reference references ideal"
    " ytrue".split()
)
_ANSWERS = frozenset(
    "answer answers response responses output outputs prediction predictions pred preds predicted"
    " ypred completion completions choice choices guess guesses reply class".split()
)
_BESIDE = frozenset("ground human true y value values key text string of the is".split())
"""Words that may stand beside those above: `ground_truth`, `human_label`, `expected_output`."""
_COUNTERS = frozenset(
    "rep reps repeat repeats repetition replicate replication replica attempt try epoch iteration"
    " iter seed trial run round sample resample draw".split()
)
_NUMBERED = frozenset("no nr num number id idx index".split())
_COUNTERS_ALONE = _COUNTERS - {"sample", "draw", "round", "run", "try"}
_UNNAMED = re.compile(r"Unnamed: \d+(?:_level_\d+|\.\d+)*")
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _words(name: str) -> list[str]:
    """The words of a name, also of one such as `falsePositiveRate`."""
    spaced = _BOUNDARY.sub(" ", name[:400])
    return [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word]


def is_fault(name: str) -> bool:
    """Whether more may be worse, or no better, by the name: no direction is assumed."""
    words = _words(name)
    if _is_negated(words):
        return True
    words = _NO_FAULTS.sub(" ", " ".join(words)).split()
    if " ".join(words) in _WHOLE_FAULTS or _are(words, _EXPECTED):
        return True
    if any(map(_means_fault, words)):
        return True
    if _is_quality(words):
        return False
    if _names_cost(words):
        return bool(_RATIOS & set(words) or _SPEED.search(" ".join(words)))
    return bool(_AMOUNTS & {*words[:1], *words[-1:]})


def is_negated(name: str) -> bool:
    """Whether a name says that something is absent, such as `no_secrets_leaked`.

    Whether that is good depends on what is absent, so the name tells no direction at all.
    """
    return _is_negated(_words(name))


def _is_negated(words: list[str]) -> bool:
    if len(words) > 1 and {"not", "never"} & set(words):
        return True
    if words[:2] == ["no", "of"] or (words[:1] == ["no"] and _names_cost(words)):
        return False  # the number of something
    for at, (word, following) in enumerate(pairwise(words)):
        if word in _NEGATIONS and (at == 0 or following in _QUALITIES or _means_fault(following)):
            return True
    negated = (match["rest"] for word in words if (match := _NEGATED_WORD.fullmatch(word)))
    return any(rest in _QUALITIES or _means_fault(rest) for rest in negated)


def _means_fault(word: str) -> bool:
    return word in _FAULTS or _FAULT_STEMS.match(word) is not None


def is_cost(name: str) -> bool:
    """Whether a name means tokens, money or time: less is better, and it never decides."""
    words = _words(name)
    if name.lower() in _KNOWN_COSTS:
        return True
    return _names_cost(words) and not _is_quality(words) and not is_fault(name)


def _names_cost(words: list[str]) -> bool:
    return bool(words) and (words[-1] in _COSTS or words[0] in _COSTS)


def _is_quality(words: list[str]) -> bool:
    return bool(_QUALITIES & set(words)) or bool(_IN_TIME.search(" ".join(words)))


def is_expected(name: str) -> bool:
    """Whether a column holds what was expected or answered: a label, not a score of it."""
    words = _words(name)
    return _are(words, _EXPECTED | _ANSWERS)


def _are(words: list[str], known: frozenset[str]) -> bool:
    """Whether some of the words are known, and the others only stand beside such words."""
    return words == ["y", "true"] or (bool(known & set(words)) and set(words) <= known | _BESIDE)


def is_identifier(name: str) -> bool:
    """Whether a column names something: `task_id`."""
    return _words(name)[-1:] in (["id"], ["ids"], ["idx"], ["uuid"])


def is_nameless(name: str) -> bool:
    """Whether a column has no name of its own, as the row numbers of a table that pandas wrote."""
    return not name.strip() or _UNNAMED.fullmatch(name) is not None


def is_counter(name: str) -> bool:
    """Whether a column numbers the repeated runs of an instance: `rep`, `run_no`, `seed`."""
    words = set(_words(name))
    if not words or not words <= _COUNTERS | _NUMBERED:
        return False
    return bool(words & _COUNTERS_ALONE) or bool(words & _COUNTERS and words & _NUMBERED)
