"""Writes perturbations.json beside this file, with NumPy, SciPy and scikit-learn; no code of the library is used.

Run by hand: python3 libs/scoring/golden/make-perturbation-golden.py, then npx prettier --write libs/scoring/golden/perturbations.json.
"""

import json
import math
import os
from collections import Counter

import numpy as np
from scipy import stats
from sklearn.metrics import accuracy_score, f1_score

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20240611)
Z = stats.norm.ppf(0.975)


def words_f1(gold, answer):
    left, right = gold.split(), answer.split()
    same = sum((Counter(left) & Counter(right)).values())
    return 0.0 if same == 0 else 2 * same / (len(left) + len(right))


def macro_f1(gold, answers):
    return f1_score(gold, answers, average="macro", zero_division=0, labels=sorted({*gold, *answers}))


# metric: value of a set, score of one example that makes the worst, whether that is 0 or 1
METRICS = {
    "accuracy": (accuracy_score, lambda gold, answer: float(gold == answer), True),
    "macro_f1": (macro_f1, lambda gold, answer: float(gold == answer), True),
    "squad_f1": (lambda gold, answers: float(np.mean([*map(words_f1, gold, answers)])), words_f1, False),
}


def cluster_error(scores, clusters):
    """The standard error of Bell and McCaffrey, its t point in normal deviations, and the number of clusters."""
    mean, total = np.mean(scores), len(scores)
    sums, sizes = {}, {}
    for score, cluster in zip(scores, clusters):
        sums[cluster] = sums.get(cluster, 0.0) + score - mean
        sizes[cluster] = sizes.get(cluster, 0) + 1
    shares = np.array([sizes[cluster] / total for cluster in sums])
    residuals = np.array([sums[cluster] for cluster in sums])
    leverages = shares**2 / (1 - shares)
    freedom = 1 / (np.sum(shares**2) + np.sum(leverages) ** 2 - np.sum(leverages**2))
    error = math.sqrt(np.sum(residuals**2 / (1 - shares))) / total
    return error, stats.t.ppf(0.975, freedom), len(sums)


def wilson(p, size):
    centre = (p + Z**2 / (2 * size)) / (1 + Z**2 / size)
    half = Z / (1 + Z**2 / size) * math.sqrt(p * (1 - p) / size + Z**2 / (4 * size**2))
    return [p, max(0, centre - half), min(1, centre + half)]


def proportion(scores, clusters):
    p, n = np.mean(scores), len(scores)
    error, point, count = cluster_error(scores, clusters)
    # without clusters the plain interval
    effective = count if p in (0, 1) or count == n else n / max(1, n * (error * point / Z) ** 2 / (p * (1 - p)))
    return wilson(p, effective)


def graded(scores, clusters):
    p, n = np.mean(scores), len(scores)
    error, point, count = cluster_error(scores, clusters)
    if error < 1e-12:
        return wilson(p, count)
    half = point * error
    distance = min(p, 1 - p)
    size = p * (1 - p) / (half / Z) ** 2
    _, low, high = wilson(p, min(n, size) if distance <= half else size)
    share = np.clip(2.75 - distance / half, 0, 1)
    ends = share * np.array([low, high]) + (1 - share) * np.clip([p - half, p + half], 0, 1)
    return [p, *map(float, ends)]


def paired(differences, clusters):
    """The t interval of a mean difference of scores in [0, 1]."""
    value = float(np.mean(differences))
    error, point, count = cluster_error(differences, clusters)
    if error < 1e-12:
        # one more discordant example in each direction (Bonett & Price 2012)
        above, below = ((count * max(0, sign * value) + 1) / (count + 2) for sign in (1, -1))
        error, point = math.sqrt((above + below - (above - below) ** 2) / (count + 2)), stats.t.ppf(0.975, count - 1)
    return [value, max(-1, value - point * error), min(1, value + point * error)]


def mean_error(shares, chosen, clusters):
    """The jackknife over clusters of the mean over transforms, with the factor of the clustered standard error."""
    values = []
    for left_out in sorted({*clusters}):
        kept = {original["id"] for original, cluster in zip(chosen, clusters) if cluster != left_out}
        values.append(np.mean([np.mean([share for name, share in each.items() if name in kept]) for each in shares]))
    return math.sqrt((len(values) - 1) / len(values) * sum((each - np.mean(values)) ** 2 for each in values))


def figures(metric, originals, variants):
    value, one, binary = METRICS[metric]
    answered = {original["id"]: original for original in originals}
    by_original = {}
    for variant in variants:
        by_original.setdefault(variant["original"], []).append(variant)
    chosen = [original for original in originals if original["id"] in by_original]
    clusters = [original["cluster"] or "alone " + original["id"] for original in chosen]
    worst, stable = [], []
    for original in chosen:
        own = by_original[original["id"]]
        worst.append(min(one(each["gold"], each["predicted"]) for each in [original, *own]))
        stable.append(value([original["predicted"]] * len(own), [variant["predicted"] for variant in own]))
    shares = {}
    for variant in variants:
        both = min(one(each["gold"], each["predicted"]) for each in [answered[variant["original"]], variant])
        shares.setdefault(variant["transform"], {}).setdefault(variant["original"], []).append(both)
    shares = [
        {original: float(np.mean(each)) for original, each in originals_of.items()}
        for originals_of in shares.values()
        if len(originals_of) >= 30
    ]
    repeated = [answered[variant["original"]] for variant in variants]

    def performance(rows):
        return value([row["gold"] for row in rows], [row["predicted"] for row in rows])

    members = {}
    for index, variant in enumerate(variants):
        cluster = answered[variant["original"]]["cluster"] or "alone " + variant["original"]
        members.setdefault(cluster, []).append(index)
    names = list(members)
    mean = np.mean([np.mean(list(each.values())) for each in shares]) if shares else None
    drop = performance(repeated) - performance(variants)
    if metric != "macro_f1":
        scored = [[one(row["gold"], row["predicted"]) for row in rows] for rows in (repeated, variants)]
        cluster_of = {index: name for name, own in members.items() for index in own}
        interval = paired(np.subtract(*scored), [cluster_of[index] for index in range(len(variants))])
    elif len(chosen) < 30:
        interval = [drop, None, None]
    else:
        drops = []
        for _ in range(2000):
            drawn = [index for name in rng.choice(len(names), len(names)) for index in members[names[name]]]
            drops.append(performance([repeated[index] for index in drawn]) - performance([variants[i] for i in drawn]))
        interval = [drop, *np.quantile(drops, [0.025, 0.975])]
    defined = len(chosen) >= 30
    return {
        "originals": len(chosen),
        "variants": len(variants),
        "stayedRight": (proportion if binary else graded)(worst, clusters) if defined else None,
        "mean": mean,
        "meanError": mean_error(shares, chosen, clusters) if shares else None,
        "stability": graded(stable, clusters) if defined else None,
        "performance": performance(variants),
        "drop": [drop, *interval[1:]],
    }


LABELS = ["a", "b", "c"]


def answer(metric, gold, right):
    if metric == "squad_f1":
        return gold if rng.random() < right else " ".join(rng.choice(gold.split() + ["elsewhere", "then"], 2))
    return gold if rng.random() < right else str(rng.choice(LABELS))


def case(name, metric, count, clustered):
    originals, variants = [], []
    for index in range(count):
        gold = " ".join(rng.choice(["red", "green", "blue", "grey"], 3)) if metric == "squad_f1" else str(rng.choice(LABELS))
        cluster = f"group {index // 5}" if clustered else None
        predicted = answer(metric, gold, 0.8)
        originals.append({"id": f"o{index}", "gold": gold, "predicted": predicted, "cluster": cluster})
        for transform, share in (("typos", 0.9), ("case", 0.6), ("swaps", 0.1)):
            if rng.random() < share:
                moved = predicted if rng.random() < 0.85 else answer(metric, gold, 0.3)
                variants.append({"original": f"o{index}", "transform": transform, "gold": gold, "predicted": moved})
    # an owner's verdicts keep the transform "case" out of the ranking
    ranking = [variant for variant in variants if variant["transform"] != "case"]
    return {
        "name": name,
        "metric": metric,
        "output": "span" if metric == "squad_f1" else "label",
        "originals": originals,
        "variants": variants,
        "together": figures(metric, originals, ranking),
        "transforms": {
            transform: figures(metric, originals, [each for each in variants if each["transform"] == transform])
            for transform in ("typos", "case", "swaps")
        },
    }


cases = [
    case("accuracy", "accuracy", 200, False),
    case("accuracy, originals in clusters", "accuracy", 150, True),
    case("a metric of whole sets", "macro_f1", 120, True),
    case("a graded metric", "squad_f1", 120, False),
]
with open(os.path.join(HERE, "perturbations.json"), "w", encoding="utf-8") as file:
    json.dump(cases, file)
    file.write("\n")
