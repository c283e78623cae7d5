"""Scores of ranges and of ordered outcomes, as other programs give them.

Usage: python forecasts.py forecast_values.json
Each score comes from two programs; the largest differences are printed.
"""

import json
import platform
import sys
from importlib.metadata import version

import numpy as np
import properscoring
import scoringrules
from sklearn.metrics import log_loss, mean_pinball_loss

SEED = 271828
worst = {}


def agree(what, a, b, limit=1e-12):
    d = abs(a - b) / max(1.0, abs(a), abs(b))
    worst[what] = max(worst.get(what, 0.0), d)
    if d > limit:
        raise SystemExit(f"{what}: {a!r} and {b!r} differ by {d:.3g}")


def interval(low, high, level, value):
    alpha = 1 - level
    score = float(scoringrules.interval_score(value, low, high, alpha))
    pinball = sum(
        mean_pinball_loss([value], [end], alpha=tau)
        for end, tau in ((low, alpha / 2), (high, 1 - alpha / 2))
    )
    agree("interval score scoringrules - scikit-learn", score, 2 / alpha * pinball)
    return score


def ranked(probabilities, happened):
    k = len(probabilities)
    # scoringrules counts categories from 1 and adds up over all of them.
    score = float(scoringrules.rps_score(happened + 1, np.array(probabilities)))
    crps = properscoring.crps_ensemble(
        float(happened), np.arange(k, dtype=float), weights=np.array(probabilities)
    )
    agree("ranked probability score scoringrules - properscoring", score, float(crps))
    return score


def log(probabilities, happened):
    score = float(scoringrules.log_score(1, probabilities[happened]))
    names = list(range(len(probabilities)))
    agree(
        "log score scoringrules - scikit-learn",
        score,
        log_loss([happened], [probabilities], labels=names),
    )
    return score


def main(out_path):
    rng = np.random.default_rng(SEED)
    ranges = []
    for i in range(60):
        low, high = sorted(round(float(x), 6) for x in rng.uniform(-1, 1, 2))
        level = [0.5, 0.8, 0.9, 0.95][i % 4]
        value = round(float(rng.uniform(-1, 1)), 6)
        value = {7: low, 8: high}.get(i % 10, value)
        case = {"low": low, "high": high, "level": level, "value": value}
        ranges.append({**case, "interval_score": float(f"{interval(**case):.15g}")})
    outcomes = []
    for i in range(60):
        k = [2, 3, 4, 5, 9][i % 5]
        counts = rng.multinomial(1000, rng.dirichlet(np.full(k, 0.7)))
        counts[counts.argmax()] -= k
        probabilities = [int(c + 1) / 1000 for c in counts]
        happened = int(rng.integers(k))
        outcomes.append(
            {
                "probabilities": probabilities,
                "happened": happened,
                "ranked_probability_score": float(f"{ranked(probabilities, happened):.15g}"),
                "log_score": float(f"{log(probabilities, happened):.15g}"),
            }
        )
    programs = ("scoringrules", "properscoring", "numpy", "scikit-learn")
    about = {
        "seed": SEED,
        "versions": {"python": platform.python_version()} | {p: version(p) for p in programs},
        "digits": "15 significant digits; inputs have at most 6 decimals",
        "made_by": "forecasts.py; see README.md",
    }
    lines = ["{", f' "about": {json.dumps(about)},']
    for name, cases in (("ranges", ranges), ("outcomes", outcomes)):
        lines += [f' "{name}": [', ",\n".join(f"  {json.dumps(case)}" for case in cases)]
        lines += [" ]" if name == "outcomes" else " ],"]
    with open(out_path, "w") as f:
        f.write("\n".join([*lines, "}"]) + "\n")
    for what, d in worst.items():
        print(f"{what}: {d:.2g}")


if __name__ == "__main__":
    main(sys.argv[1])
