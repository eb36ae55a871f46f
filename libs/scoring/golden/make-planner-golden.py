"""Writes the golden cases of the planner beside this file, with NumPy and SciPy; no code of the library is used.

Run by hand: python3 libs/scoring/golden/make-planner-golden.py (Debian: python3-scipy), then npx prettier --write libs/scoring/golden.
A case has a recorded pilot, the spread of its paired differences, the number of examples that finds a true difference with 80%
power, and the share of simulated rounds of that size in which the clustered t test found it.
"""

import json
import os

import numpy as np
from scipy import stats

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20261130)
ROUNDS = 4000


def spread(differences, clusters):
    """Bell and McCaffrey's variance per example, its design effect and the relative error of the variance."""
    n = len(differences)
    residuals = differences - differences.mean()
    names = np.unique(clusters)
    sums = np.array([residuals[clusters == name].sum() for name in names])
    shares = np.array([(clusters == name).mean() for name in names])
    variance = (sums**2 / (1 - shares)).sum() / n
    leverage = shares**2 / (1 - shares)
    freedom = 1 / ((shares**2).sum() + leverage.sum() ** 2 - (leverage**2).sum())
    kurtosis = (sums**4).sum() / (sums**2).sum() ** 2 - 1 / len(names)
    return {
        "examples": n,
        "difference": float(differences.mean()),
        "variance": float(variance),
        "designEffect": float(variance / residuals.var(ddof=1)),
        "relativeError": float(np.sqrt(max(2 / freedom, kurtosis))),
        "freedom": float(freedom),
    }


def draw(n, size, only_a, only_b, shared):
    """Right answers of two models. With the chance `shared` an example repeats the outcome of the first one of its cluster."""
    outcomes = rng.choice(3, n, p=[only_a, only_b, 1 - only_a - only_b])
    clusters = np.arange(n) // size
    repeats = (rng.random(n) < shared) & (np.arange(n) % size > 0)
    outcomes[repeats] = outcomes[clusters[repeats] * size]
    a = np.where(outcomes == 0, 1, np.where(outcomes == 1, 0, rng.integers(0, 2, n)))
    b = np.where(outcomes == 0, 0, np.where(outcomes == 1, 1, a))
    return a, b, clusters


def found(size, only_a, only_b, shared, n):
    """The share of rounds in which the clustered t test finds the difference (equal clusters)."""
    count = -(-n // size)
    hits = 0
    for _ in range(ROUNDS):
        a, b, _ = draw(count * size, size, only_a, only_b, shared)
        means = (a - b).reshape(count, size).mean(axis=1)
        t = means.mean() / (means.std(ddof=1) / np.sqrt(count))
        hits += abs(t) > stats.t.ppf(0.975, count - 1)
    return hits / ROUNDS


cases = []
for size, only_a, only_b, shared, detect in (
    (1, 0.12, 0.08, 0, 0.04),
    (1, 0.06, 0.04, 0, 0.02),
    (5, 0.12, 0.08, 0.6, 0.04),
    (10, 0.20, 0.15, 0.4, 0.05),
):
    # the true variance, from one large draw, so that the simulated power does not depend on the pilot
    a, b, clusters = draw(200_000 // size * size, size, only_a, only_b, shared)
    sums = (a - b - (a - b).mean()).reshape(-1, size).sum(axis=1)
    truth = float((sums**2).sum() / len(a))
    n = int(np.ceil(truth * ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / detect) ** 2))
    a, b, clusters = draw(200, size, only_a, only_b, shared)
    cases.append(
        {
            "a": "".join(map(str, a)),
            "b": "".join(map(str, b)),
            "cluster": size,
            "detect": detect,
            "spread": spread(a - b, clusters),
            "trueVariance": truth,
            "needed": n,
            "power": found(size, only_a, only_b, shared, n),
        }
    )

# coverage of the interval of the variance, from pilots of 300 examples
coverage = []
for size, only_a, only_b, shared in ((1, 0.12, 0.08, 0), (1, 0.03, 0.03, 0), (5, 0.12, 0.08, 0.6), (20, 0.2, 0.15, 0.4)):
    a, b, _ = draw(400_000, size, only_a, only_b, shared)
    sums = (a - b - (a - b).mean()).reshape(-1, size).sum(axis=1)
    truth = (sums**2).sum() / len(a)
    inside = 0
    for _ in range(1000):
        a, b, clusters = draw(300, size, only_a, only_b, shared)
        each = spread(a - b, clusters)
        reach = np.exp(stats.t.ppf(0.975, each["freedom"]) * each["relativeError"])
        inside += each["variance"] / reach <= truth <= each["variance"] * reach
    coverage.append({"cluster": size, "discordant": only_a + only_b, "covered": inside / 1000})

family = [
    {"pairs": pairs, "errors": float(stats.norm.ppf(1 - 0.05 / 2 / pairs) - stats.norm.ppf(0.975) + 2.8)}
    for pairs in (1, 3, 45, 4950)
]
with open(os.path.join(HERE, "planner.json"), "w") as file:
    json.dump({"cases": cases, "coverage": coverage, "family": family}, file)
print([(c["needed"], c["power"]) for c in cases], coverage)
