"""Make the input cases (seeded). Usage: python make_cases.py cases.json"""

import json
import sys

import numpy as np

SEED = 918273


def r6(values):
    return [float(v) for v in np.round(np.asarray(values, dtype=float), 6)]


def levels5(values):
    """Cut latent values into the scores 1..5."""
    return [int(v) for v in 1 + np.digitize(values, [-0.8, 0.0, 0.7, 1.5])]


def auc_cases(rng):
    n = rng.normal
    out = []

    def add(name, pos, neg):
        out.append({"name": name, "positive": pos, "negative": neg})

    add("continuous_54_54", r6(n(0.9, 1, 54)), r6(n(0, 1, 54)))
    add("continuous_10_40", r6(n(1.4, 1, 10)), r6(n(0, 1.2, 40)))
    add("five_level_27_27", levels5(n(0.9, 1, 27)), levels5(n(0, 1, 27)))
    add(
        "binary_40_35",
        [int(v) for v in rng.random(40) < 0.7],
        [int(v) for v in rng.random(35) < 0.25],
    )
    add("separated_15_20", r6(rng.uniform(2, 3, 15)), r6(rng.uniform(0, 1.9, 20)))
    add("all_tied_12_18", [0.25] * 12, [0.25] * 18)
    add("below_half_30_30", r6(n(-0.7, 1, 30)), r6(n(0, 1, 30)))
    add("continuous_200_300", r6(n(0.6, 1.3, 200)), r6(n(0, 1, 300)))
    return out


def paired_cases(rng):
    out = []

    def latent(n_pos, n_neg, shifts, rho):
        y = np.r_[np.ones(n_pos, int), np.zeros(n_neg, int)]
        order = rng.permutation(len(y))
        y = y[order]
        common = rng.normal(size=len(y))
        cols = [
            s * y + np.sqrt(rho) * common + np.sqrt(1 - rho) * rng.normal(size=len(y))
            for s in shifts
        ]
        return [int(v) for v in y], cols

    def add(name, y, a, b, c):
        out.append({"name": name, "label": y, "scores": {"A": a, "B": b, "C": c}})

    y, (a, b, c) = latent(54, 54, (1.3, 1.0, 0.4), 0.5)
    add("continuous_54_54", y, r6(a), r6(b), r6(c))
    y, (a, b, c) = latent(27, 27, (1.4, 0.9, 0.8), 0.6)
    add("five_level_27_27", y, levels5(a), levels5(b), levels5(c))
    y, (a, b, c) = latent(10, 40, (1.6, 0.5, -0.6), 0.3)
    add("unbalanced_10_40_one_below_half", y, r6(a), r6(b), r6(c))
    y, (a, b, c) = latent(60, 80, (1.1, 1.1, 1.1), 0.7)
    add("mixed_scales_60_80", y, r6(a), [int(v) for v in b > 0.5], levels5(c))
    return out


def clustered_cases(rng):
    out = []

    def groups(single_pos, single_neg, shift, transform):
        """30 groups of 2-4 items; all mixed but the stated numbers of one-class groups."""
        group, label, score = [], [], []
        kinds = ["pos"] * single_pos + ["neg"] * single_neg
        kinds += ["mixed"] * (30 - len(kinds))
        kinds = [kinds[i] for i in rng.permutation(30)]
        for g, kind in enumerate(kinds, start=1):
            size = int(rng.integers(2, 5))
            if kind == "mixed":
                n_pos = int(rng.integers(1, size))
            else:
                n_pos = size if kind == "pos" else 0
            y = rng.permutation([1] * n_pos + [0] * (size - n_pos))
            effect = rng.normal(0, 0.9)
            group += [g] * size
            label += [int(v) for v in y]
            score += list(shift * y + effect + rng.normal(0, 0.7, size))
        order = rng.permutation(len(group))  # groups are not contiguous
        return {
            "group": [group[i] for i in order],
            "label": [label[i] for i in order],
            "score": transform([score[i] for i in order]),
        }

    out.append({"name": "mixed_groups_continuous", **groups(0, 0, 1.0, r6)})
    out.append({"name": "mixed_groups_five_level", **groups(0, 0, 0.9, levels5)})
    out.append({"name": "extra_some_one_class_groups", **groups(4, 6, 0.8, r6)})
    return out


def spearman_cases(rng):
    out = []

    def pair(n, rho):
        x = rng.normal(size=n)
        return x, rho * x + np.sqrt(1 - rho * rho) * rng.normal(size=n)

    def add(name, x, y):
        out.append({"name": name, "x": x, "y": y})

    x, y = pair(54, 0.6)
    add("continuous_n54", r6(x), r6(np.exp(y)))
    x, y = pair(50, 0.7)
    add("ties_n50", levels5(x), levels5(y))
    x, y = pair(12, 0.5)
    add("small_n12", r6(x), r6(y))
    x, y = pair(60, -0.75)
    add("negative_n60", r6(x), r6(y))
    x, y = pair(300, 0.3)
    add("continuous_n300", r6(x), r6(y))
    return out


def f1_cases(rng):
    names = np.array(list("ABCD"))
    out = []

    def add(name, counts, keep, target, forbidden=None):
        true = rng.permutation(np.repeat(names, counts))
        pred = np.where(rng.random(108) < keep, true, rng.choice(names, 108))
        if forbidden:  # this class is never predicted
            pred = np.where(pred == forbidden, "A", pred)
        out.append(
            {
                "name": name,
                "target_class": target,
                "true": "".join(true),
                "predicted": "".join(pred),
            }
        )

    add("balanced_good", [27] * 4, 0.8, "A")
    add("balanced_poor", [27] * 4, 0.2, "C")
    add("unbalanced", [65, 27, 11, 5], 0.6, "D")
    add("target_never_predicted", [43, 32, 22, 11], 0.7, "B", "B")
    return out


def main(path):
    cases = {"seed": SEED}
    # one generator per section: a change in one leaves the others as they were
    for k, (key, make) in enumerate(
        [
            ("auc", auc_cases),
            ("paired", paired_cases),
            ("clustered", clustered_cases),
            ("spearman", spearman_cases),
            ("f1", f1_cases),
        ]
    ):
        cases[key] = make(np.random.default_rng([SEED, k]))
    cases["clopper_pearson"] = [
        {"x": x, "n": n}
        for x, n in [(0, 10), (12, 12), (1, 20), (3, 7), (27, 54), (48, 54), (101, 108), (250, 300)]
    ]
    cases["quantiles"] = {
        "t": [
            {"p": p, "df": df}
            for df in (1, 2, 3.7, 9, 53.2, 106, 1000)
            for p in (0.9, 0.95, 0.975, 0.995, 0.9995)
        ],
        "beta": [
            {"p": p, "a": a, "b": b}
            for p, a, b in [
                (0.025, 1, 10),
                (0.975, 1, 10),
                (0.025, 27, 28),
                (0.975, 28, 27),
                (0.05, 48, 7),
                (0.95, 49, 6),
                (0.5, 2.5, 3.5),
                (0.025, 0.5, 0.5),
                (0.975, 10.37, 2.81),
                (0.005, 53.4, 1.6),
                (0.9, 0.3, 4.2),
                (0.995, 120.25, 340.75),
            ]
        ],
    }
    cases["hanley_mcneil"] = [
        {"auc": a, "m": m, "n": n}
        for a, m, n in [(0.79, 53, 55), (0.9, 10, 40), (0.97, 54, 54), (1.0, 20, 20)]
    ]
    with open(path, "w") as f:
        json.dump(cases, f)


if __name__ == "__main__":
    main(sys.argv[1])
