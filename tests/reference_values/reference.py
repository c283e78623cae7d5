"""Add the Python values and write the file.

Usage: python reference.py cases.json r_values.json reference_values.json
Each value that two programs give is compared here; the largest differences are printed.
"""

import json
import platform
import re
import sys

import numpy as np
import scipy
import sklearn
from scipy import optimize, special, stats
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

worst = {}


def agree(what, a, b, limit=1e-12):
    d = (
        abs(a - b) / max(1.0, abs(a), abs(b))
        if min(abs(a), abs(b)) == 0
        else abs(a - b) / max(abs(a), abs(b))
    )
    worst[what] = max(worst.get(what, 0.0), d)
    if d > limit:
        raise SystemExit(f"{what}: {a!r} and {b!r} differ by {d:.3g}")


def numbers(x):
    """R's strings to floats; warnings and names stay text."""
    if isinstance(x, dict):
        return {k: v if k == "proc_warnings" else numbers(v) for k, v in x.items()}
    if isinstance(x, list):
        return [numbers(v) for v in x]
    return float(x)


def round15(x):
    if isinstance(x, dict):
        return {k: round15(v) for k, v in x.items()}
    if isinstance(x, list):
        return [round15(v) for v in x]
    if isinstance(x, float):
        if not np.isfinite(x):
            raise SystemExit("a value is not finite")
        return float(f"{x:.15g}")
    return x


def placements(pos, neg):
    pos, neg = np.asarray(pos, float), np.asarray(neg, float)
    k = (pos[:, None] > neg[None, :]) + 0.5 * (pos[:, None] == neg[None, :])
    return k.mean(axis=1), k.mean(axis=0)


def obuchowski(group, label, score):
    """Second implementation, by matrices (the stored values are R's)."""
    group, label, score = map(np.asarray, (group, label, score))
    p, q = label == 1, label == 0
    v10, v01 = placements(score[p], score[q])
    theta = v10.mean()
    ids = np.unique(group)
    a = (group[p][None, :] == ids[:, None]).astype(float)
    b = (group[q][None, :] == ids[:, None]).astype(float)
    d10, d01 = a @ (v10 - theta), b @ (v01 - theta)
    M, N, I = p.sum(), q.sum(), len(ids)
    I10, I01 = (a.sum(1) > 0).sum(), (b.sum(1) > 0).sum()
    S10 = I10 / ((I10 - 1) * M) * (d10 @ d10)
    S01 = I01 / ((I01 - 1) * N) * (d01 @ d01)
    S11 = I / (I - 1) * (d10 @ d01)
    return S10 / M + S01 / N + 2 * S11 / (M * N), S11


def main(cases_path, r_path, out_path):
    with open(cases_path) as f:
        cases = json.load(f)
    with open(r_path) as f:
        r = json.load(f)
    r_versions = r.pop("versions")
    r = numbers(r)
    out = {
        "about": {
            "seed": cases["seed"],
            "versions": {
                "R": r_versions["R"],
                "pROC": r_versions["pROC"],
                "jsonlite": r_versions["jsonlite"],
                "python": platform.python_version(),
                "numpy": np.__version__,
                "scipy": scipy.__version__,
                "scikit-learn": sklearn.__version__,
            },
            "digits": "15 significant digits; inputs have at most 6 decimals",
            "made_by": "make_cases.py, reference.R, reference.py; see README.md",
        }
    }

    out["auc"] = []
    for c, e in zip(cases["auc"], r["auc"], strict=True):
        pos, neg = c["positive"], c["negative"]
        y = [1] * len(pos) + [0] * len(neg)
        sk = float(roc_auc_score(y, pos + neg))
        u = float(stats.mannwhitneyu(pos, neg, method="asymptotic").statistic)
        mw = u / (len(pos) * len(neg))
        agree("auc pROC - scikit-learn", e["auc_proc"], sk)
        agree("auc pROC - scipy", e["auc_proc"], mw)
        v10, v01 = placements(pos, neg)
        agree(
            "DeLong variance pROC - numpy",
            e["delong_variance"],
            v10.var(ddof=1) / len(pos) + v01.var(ddof=1) / len(neg),
        )
        out["auc"].append(
            {
                **c,
                "expected": {
                    "auc_proc": e["auc_proc"],
                    "auc_sklearn": sk,
                    "auc_mannwhitneyu": mw,
                    **{k: v for k, v in e.items() if k != "auc_proc"},
                },
            }
        )

    out["paired"] = []
    for c, e in zip(cases["paired"], r["paired"], strict=True):
        y = np.array(c["label"])
        pl = {
            k: placements(np.array(v)[y == 1], np.array(v)[y == 0]) for k, v in c["scores"].items()
        }
        for name, pair in e["pairs"].items():
            k1, k2 = name.split("-")
            cov = sum(np.cov(a, b)[0, 1] / len(a) for a, b in zip(pl[k1], pl[k2]))
            agree("DeLong covariance pROC - numpy", pair["covariance"], cov)
            z = (e["auc"][k1] - e["auc"][k2]) / np.sqrt(
                e["variance"][k1] + e["variance"][k2] - 2 * cov
            )
            agree("paired Z pROC - numpy", pair["z"], z, 1e-10)
            agree("paired p pROC - scipy", pair["p_value"], 2 * stats.norm.sf(abs(z)), 1e-9)
        out["paired"].append({**c, "expected": e})

    out["clustered"] = []
    for c, e in zip(cases["clustered"], r["clustered"], strict=True):
        var, s11 = obuchowski(c["group"], c["label"], c["score"])
        agree("clustered variance R - numpy", e["variance"], var)
        agree("clustered S11 R - numpy", e["S11"], s11)
        agree("clustered auc R - pROC", e["auc"], e["auc_proc"])
        for k in ("I", "I10", "I01", "M", "N"):
            e[k] = int(e[k])
        out["clustered"].append({**c, "expected": e})

    out["spearman"] = []
    for c, e in zip(cases["spearman"], r["spearman"], strict=True):
        rho = float(stats.spearmanr(c["x"], c["y"]).statistic)
        agree("Spearman scipy - R", rho, e["rho_r"])
        out["spearman"].append({**c, "expected": {"rho_scipy": rho, **e}})

    out["clopper_pearson"] = []
    for c, e in zip(cases["clopper_pearson"], r["clopper_pearson"], strict=True):
        for level in (95, 90):
            # by beta quantiles: binomtest's own interval is only good to about 1e-12
            x, n, tail = c["x"], c["n"], (1 - level / 100) / 2
            lo = special.betaincinv(x, n - x + 1, tail) if x else 0.0
            hi = special.betaincinv(x + 1, n - x, 1 - tail) if x < n else 1.0
            agree("Clopper-Pearson R - scipy", e[f"ci{level}_lower"], float(lo))
            agree("Clopper-Pearson R - scipy", e[f"ci{level}_upper"], float(hi))
        out["clopper_pearson"].append({**c, "expected": e})

    out["quantiles"] = {"t": [], "beta": []}
    for c, e in zip(cases["quantiles"]["t"], r["quantiles"]["t"], strict=True):
        agree("t quantile R - scipy", e["value"], float(stats.t.ppf(c["p"], c["df"])), 1e-10)
        out["quantiles"]["t"].append({**c, "value": e["value"]})
    for c, e in zip(cases["quantiles"]["beta"], r["quantiles"]["beta"], strict=True):
        agree(
            "beta quantile R - scipy",
            e["value"],
            float(special.betaincinv(c["a"], c["b"], c["p"])),
            1e-10,
        )
        out["quantiles"]["beta"].append({**c, "value": e["value"]})

    out["f1"] = []
    for c in cases["f1"]:
        t, p, k = list(c["true"]), list(c["predicted"]), c["target_class"]
        f1 = float(f1_score(t, p, labels=[k], average=None)[0])
        tp = sum(a == b == k for a, b in zip(t, p))
        agree("f1 scikit-learn - by counts", f1, 2 * tp / (t.count(k) + p.count(k)))
        out["f1"].append(
            {**c, "expected": {"f1_target_class": f1, "accuracy": float(accuracy_score(t, p))}}
        )

    out["hanley_mcneil"] = []
    for c, e in zip(cases["hanley_mcneil"], r["hanley_mcneil"], strict=True):
        z, a, m, n = special.ndtri(0.975), c["auc"], c["m"], c["n"]

        def g(th):  # squared form, with the double root at 1 divided out when a = 1
            v = th * (1 + ((m + n) / 2 - 1) * ((1 - th) / (2 - th) + th / (1 + th))) / (m * n)
            return (1 - th) - z * z * v if a == 1 else (th - a) ** 2 - z * z * v * (1 - th)

        lo = optimize.brentq(g, 0, a, xtol=1e-16, rtol=1e-15)
        hi = 1.0 if a == 1 else optimize.brentq(g, a, 1, xtol=1e-16, rtol=1e-15)
        agree("Newcombe interval R - scipy", e["ci95_lower"], lo)
        agree("Newcombe interval R - scipy", e["ci95_upper"], hi)
        out["hanley_mcneil"].append({**c, "expected": e})

    text = json.dumps(round15(out), indent=1)
    # one line per list of plain values, and per object of plain values
    text = re.sub(r"\[[^\[\]{}]*\]", lambda k: re.sub(r"\s*\n\s*", " ", k[0]), text)
    text = re.sub(r"\{[^\[\]{}]*\}", lambda k: re.sub(r"\s*\n\s*", " ", k[0]), text)
    assert json.loads(text) == round15(out)
    with open(out_path, "w") as f:
        f.write(text + "\n")
    for k, d in worst.items():
        print(f"{d:8.1e}  {k}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
