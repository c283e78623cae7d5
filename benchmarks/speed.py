"""Speed as ratios against named peers, all in one run.

    python benchmarks/speed.py

Each side is timed several times by turns, and the medians are compared. A ratio over 1 in the
column "times faster" means that we are faster; a cost is "times the peer's time", and less is
better.
"""

import resource
import sys
import tempfile
import warnings
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
from claim_speed import claim_audits
from compare_speed import comparisons
from dual_speed import duals
from ledger_speed import ledgers
from log_speed import log_readers
from model_speed import models
from peers import sun_xu
from scipy import stats
from sklearn.metrics import roc_auc_score
from timing import by_turns, clock, command, cost, gain

import assay
from assay.benchmark.benchmark import Benchmark, Item
from assay.confounding.judge import confounds
from assay.confounding.single_features import feature_results
from assay.runs.collect import collect
from assay.runs.result import Limits
from assay.runs.worker import start_worker
from assay.stats import auc
from assay.surface.beyond import weights
from assay.surface.feature_table import Feature, feature_table
from assay.surface.features import ORACLES

BIN = Path(sys.executable).parent


def commands() -> None:
    """The command from a cold start."""
    python, ours = BIN / "python", BIN / "assay"
    bare, shown, imported = by_turns(
        15,
        command(python, "-c", "pass"),
        command(ours, "--help"),
        command(python, "-c", "import assay"),
    )
    cost("assay --help", shown, bare, "python -c pass", 2.0)
    cost("import assay", imported, bare, "python -c pass", 1.3)
    data = str(files("assay.benchmark.bundled").joinpath("darkcore.jsonl"))
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "run"
        command(ours, "try", "oracle:word_length", "--save", kept)()
        tried, scored, peer = by_turns(
            7,
            command(ours, "try", "oracle:word_length", "--json"),
            command(ours, "score", kept, "--json"),
            command(python, Path(__file__).parent / "peers.py", data),
        )
    name = "pandas + scikit-learn + scipy"
    cost("assay score, 108 records, cold", scored, peer, name, 0.2)
    cost("assay try (run and score), 108 records, cold", tried, peer, name, 0.2)


def kernels() -> None:
    """AUC, DeLong and bootstrap on arrays."""
    from MLstatkit import Delong_test

    rng = np.random.default_rng(1)
    label = rng.random(1_000_000) < 0.5
    scores = rng.normal(label * 1.0, 1.0, (2, label.size))
    ours, peer = by_turns(
        5,
        lambda: auc.auc(scores[0, label], scores[0, ~label]),
        lambda: roc_auc_score(label, scores[0]),
    )
    gain("AUC of 1,000,000", ours, peer, "scikit-learn", 2.5)
    ours, peer = by_turns(
        3,
        lambda: auc.fit(scores[:, label], scores[:, ~label]),
        lambda: sun_xu(label, scores),
    )
    gain("paired DeLong of 1,000,000", ours, peer, "Sun-Xu with scipy's rankdata", 1.9)
    few, few_scores = label[:10_000], scores[:, :10_000]
    numbers = few.astype(int)
    squashed = stats.norm.cdf(few_scores)
    ours, peer = by_turns(
        3,
        lambda: auc.fit(few_scores[:, few], few_scores[:, ~few]),
        lambda: Delong_test(numbers, squashed[0], squashed[1], return_ci=False, return_auc=False),
    )
    gain("paired DeLong of 10,000", ours, peer, "MLstatkit", 8.0)
    bootstraps(label[:108], scores[:, :108])


def bootstraps(label: np.ndarray, scores: np.ndarray) -> None:
    """10,000 paired stratified bootstraps of a difference of AUCs."""
    above, below = scores[:, label, None], scores[:, None, ~label]
    first, second = (above > below) + (above == below) / 2.0
    pairs = label.sum() * (~label).sum()

    def ours() -> object:
        return [
            np.einsum("ij,ij->i", block[:, label] @ (first - second), block[:, ~label]) / pairs
            for block in weights(label.astype(np.intp), draws=10_000, seed=1)
        ]

    def difference(above: np.ndarray, below: np.ndarray, axis: int = -1) -> np.ndarray:
        m, n = above.shape[axis], below.shape[axis]
        values = []
        for row in scores:
            both = np.concatenate([row[label][above], row[~label][below]], axis=axis)
            placed = stats.rankdata(both, axis=axis)[..., :m].sum(axis=-1)
            values.append((placed - m * (m + 1) / 2) / (m * n))
        return np.asarray(values[0] - values[1])

    def peer() -> object:
        indices = np.arange(label.sum()), np.arange((~label).sum())
        return stats.bootstrap(
            indices, difference, n_resamples=10_000, vectorized=True, paired=False,
            method="percentile", rng=np.random.default_rng(1),
        )  # fmt: skip

    mine, theirs = by_turns(3, ours, peer)
    gain("10,000 paired stratified bootstraps of 108", mine, theirs, "scipy.stats.bootstrap", 2.0)


def audits() -> None:
    """The confound audit of 100,000 records of 20 words, and what it takes with the joint model."""
    benchmark = many_records(100_000, words=20)
    items = benchmark.items
    label = np.array([item.label for item in items])
    table = feature_table(items)
    ours, peer = by_turns(
        3,
        lambda: feature_results(table, label, None),
        lambda: aucs_and_rhos(table, label),
    )
    gain("AUCs with intervals, and rhos", ours, peer, "scikit-learn + spearmanr, no intervals", 5.0)
    same, whole, peer = by_turns(
        1,
        lambda: feature_results(feature_table(items), label, None),
        lambda: confounds(benchmark, joint=False),
        lambda: plain_audit(items, label),
    )
    loop = "a plain loop + scikit-learn + spearmanr"
    gain("features, AUCs with intervals, rhos", same, peer, loop, 3.0)
    print(
        f"with the linter, which the loop has not: {whole:.1f} s, {peer / whole:.1f} times faster"
    )
    scores = dict(zip((i.id for i in items), table[0].values.tolist(), strict=True))
    seconds = clock(lambda: confounds(benchmark, scores={"words": scores}))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(
        f"audit with the joint model and one method: {seconds:.0f} s, at most {peak:.0f} MB in all"
    )


def many_records(size: int, *, words: int) -> Benchmark:
    """Records of so many words, with the frequencies of a natural vocabulary."""
    rng = np.random.default_rng(2)
    vocabulary = np.array(
        [f"{'W' if i % 7 == 0 else 'w'}ord{i}{',' if i % 11 == 0 else ''}" for i in range(30_000)]
    )
    frequency = 1.0 / np.arange(1, vocabulary.size + 1)
    drawn = rng.choice(vocabulary, (2, size, words), p=frequency / frequency.sum())
    label = rng.random(size) < 0.5
    items = tuple(
        Item(id=f"r{i}", question=" ".join(asked) + "?", response=" ".join(said) + ".", label=up)
        for i, (asked, said, up) in enumerate(
            zip(drawn[0].tolist(), drawn[1].tolist(), label.tolist(), strict=True)
        )
    )
    return Benchmark(name="many", digest="sha256:0", items=items)


def aucs_and_rhos(table: Sequence[Feature], label: np.ndarray) -> None:
    """What everybody uses."""
    length = table[0].values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant columns
        for feature in table:
            roc_auc_score(label, feature.values)
            stats.spearmanr(feature.values, length)


def plain_audit(items: Sequence[Item], label: np.ndarray) -> None:
    """The same features, one call a text, then scikit-learn and scipy."""
    table = [
        Feature(
            name=name,
            on="both",
            values=np.array([oracle(item.question, item.response or "") for item in items]),
        )
        for name, oracle in ORACLES.items()
    ]
    aucs_and_rhos(table, label)


def runner() -> None:
    """What asking costs, beside the method's own work."""
    items = tuple(
        Item(id=str(i), question=f"question {i}", response="a b c", cls="truth" if i % 2 else "x")
        for i in range(20_000)
    )
    benchmark = Benchmark(name="many", digest="sha256:0", items=items)

    def detect(question: str, response: str) -> float:
        return float(len(question) + len(response))

    def bare() -> None:
        for item in items:
            detect(item.question, item.response or "")

    here, there, alone = by_turns(
        3,
        lambda: assay.run(detect, benchmark, task="detection"),
        lambda: in_a_process(benchmark),
        bare,
    )
    for level, seconds in (("in process", here), ("in a worker process (L1)", there)):
        each = (seconds - alone) / len(items) * 1e6
        print(f"runner overhead {level}: {each:.1f} microseconds an item")


def in_a_process(benchmark: Benchmark) -> None:
    """A run at L1, the start of the worker left out as far as may be."""
    with start_worker("oracle:word_length") as worker:
        collect(worker, benchmark, task="detection", seed=0, limits=Limits())


if __name__ == "__main__":
    print(f"assay {assay.__version__}, numpy {np.__version__}, Python {sys.version.split()[0]}\n")
    commands()
    ledgers()
    kernels()
    audits()
    comparisons()
    duals()
    log_readers()
    claim_audits()
    models()
    runner()
