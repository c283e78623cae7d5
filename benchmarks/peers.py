"""The same work with pandas, scikit-learn and scipy, as most people would write it.

python benchmarks/peers.py FILE     scores the length oracle on a benchmark file, from cold
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import roc_auc_score

Floats = NDArray[np.float64]


def capitals(text: str) -> float:
    """Share of capitalised tokens."""
    tokens = text.split()
    return sum(token[0].isupper() for token in tokens) / len(tokens) if tokens else 0.0


def sun_xu(label: NDArray[np.bool_], scores: Floats) -> tuple[Floats, Floats]:
    """Fast DeLong after Sun & Xu (2014), with scipy's rankdata: AUCs and their covariance."""
    above, below = scores[:, label], scores[:, ~label]
    m, n = above.shape[1], below.shape[1]
    tx = stats.rankdata(above, axis=1)
    ty = stats.rankdata(below, axis=1)
    tz = stats.rankdata(np.concatenate([above, below], axis=1), axis=1)
    aucs = tz[:, :m].sum(axis=1) / (m * n) - (m + 1) / (2 * n)
    v10 = (tz[:, :m] - tx) / n
    v01 = 1 - (tz[:, m:] - ty) / m
    return aucs, np.cov(v10) / m + np.cov(v01) / n


def main() -> None:
    """D1 and D2, their differences to length and capitals, each with DeLong's interval."""
    frame = pd.read_json(Path(sys.argv[1]), lines=True)
    frame["words"] = frame["response"].str.split().str.len().astype(float)
    frame["capitals"] = frame["response"].map(capitals)
    for chosen in ("class != 'truth'", "`class` == 'folklore'"):
        positive = frame.eval(chosen.replace("class !=", "`class` !="))
        part = frame[positive | (frame["class"] == "truth")]
        label = part["class"].to_numpy() != "truth"
        sign = 1.0 if roc_auc_score(label, part["capitals"]) >= 0.5 else -1.0
        scores = np.stack([part["words"], part["words"], sign * part["capitals"]]).astype(float)
        aucs, covariance = sun_xu(label, scores)
        for other in (None, 1, 2):
            value = aucs[0] if other is None else aucs[0] - aucs[other]
            variance = covariance[0, 0]
            if other is not None:
                variance += covariance[other, other] - 2 * covariance[0, other]
            reach = stats.norm.ppf(0.975) * max(variance, 0.0) ** 0.5
            print(f"{value:.4f} [{value - reach:.4f}, {value + reach:.4f}]")


if __name__ == "__main__":
    main()
