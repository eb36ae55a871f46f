"""Writes the golden cases of paired comparisons beside this file, with NumPy and SciPy; no code of the library is used.

Run by hand: python3 libs/scoring/golden/make-comparison-golden.py (Debian: python3-scipy), then npx prettier --write libs/scoring/golden.
"""

import json
import os

import numpy as np
from scipy import optimize, stats

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20261130)

# Tango's (1998) score interval --------------------------------------------------------------------------------------------


def score(only_a, only_b, n, difference):
    """The score statistic; the constrained estimate comes from a numerical maximisation of the likelihood."""

    def loss(q):
        p = q + difference
        rest = 1 - p - q
        parts = [(only_a, p), (only_b, q), (n - only_a - only_b, rest)]
        return -sum(count * np.log(max(share, 1e-300)) for count, share in parts if count > 0)

    least, most = max(0.0, -difference), (1 - difference) / 2
    grid = np.linspace(least, most, 2001)
    best = grid[np.argmin([loss(q) for q in grid])]
    step = grid[1] - grid[0]
    found = optimize.minimize_scalar(
        loss, bounds=(max(least, best - step), min(most, best + step)), method="bounded", options={"xatol": 1e-14}
    )
    q = found.x
    return (only_a - only_b - n * difference) / np.sqrt(n * (2 * q + difference - difference**2))


def tango(only_a, only_b, n):
    value = (only_a - only_b) / n
    z = stats.norm.ppf(0.975)
    edge = 1e-9
    low = optimize.brentq(lambda d: score(only_a, only_b, n, d) - z, -1 + edge, value - edge)
    high = optimize.brentq(lambda d: score(only_a, only_b, n, d) + z, value + edge, 1 - edge)
    return {"onlyA": only_a, "onlyB": only_b, "n": n, "low": float(low), "high": float(high)}


tango_cases = [
    tango(*each)
    for each in ((12, 2, 50), (1, 7, 21), (0, 0, 200), (6, 0, 40), (89, 92, 1000), (199, 148, 1198), (3, 25, 30), (1, 0, 5))
]

# the clustered t test: Bell and McCaffrey's error by its matrices ----------------------------------------------------------


def root_of_inverse(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return vectors @ np.diag(1 / np.sqrt(values)) @ vectors.T


def clustered(differences, clusters):
    y, groups = np.array(differences), np.array(clusters)
    n = len(y)
    x = np.ones((n, 1))
    bread = np.linalg.inv(x.T @ x)
    hat = x @ bread @ x.T
    mean = float(y.mean())
    columns, variance = [], 0.0
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        adjust = root_of_inverse(np.eye(len(rows)) - hat[np.ix_(rows, rows)])
        weights = (bread @ x[rows].T @ adjust)[0]
        variance += float(weights @ (y[rows] - mean)) ** 2
        columns.append((np.eye(n) - hat)[:, rows] @ weights)
    columns = np.array(columns).T
    squares = columns.T @ columns
    freedom = float(np.trace(squares) ** 2 / np.sum(squares**2))
    error = float(np.sqrt(variance))
    half = float(stats.t.ppf(0.975, freedom)) * error
    return {
        "differences": [float(each) for each in y],
        "clusters": [int(each) for each in groups],
        "mean": mean,
        "standardError": error,
        "freedom": freedom,
        "low": mean - half,
        "high": mean + half,
        "p": float(2 * stats.t.sf(abs(mean) / error, freedom)),
    }


def uneven(sizes, shift):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    effects = rng.normal(0, 0.1, len(sizes))
    return np.round(shift + effects[clusters] + rng.normal(0, 0.2, len(clusters)), 3), clusters


clustered_cases = [
    clustered(*uneven([4] * 8, 0.1)),
    clustered(*uneven([30, 5, 5, 4, 4, 3, 3, 2, 2, 2], 0.1)),
    clustered(*uneven([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 3, 5, 2, 1, 1, 6], 0.6)),
]

with open(os.path.join(HERE, "comparison.json"), "w", encoding="utf-8") as file:
    tails = [{"t": t, "freedom": v, "p": float(2 * stats.t.sf(t, v))} for t, v in ((0, 4), (0.3, 1), (2.5, 3.7), (5, 11.2), (12, 40), (4, 9999))]
    json.dump({"tango": tango_cases, "clustered": clustered_cases, "tails": tails}, file, indent=1)
    file.write("\n")
