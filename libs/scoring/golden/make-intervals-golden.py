"""Writes intervals.json beside this file, with SciPy and statsmodels; no code of the library is used.

Run by hand: python3 libs/scoring/golden/make-intervals-golden.py (Debian: python3-scipy python3-statsmodels), then
npx prettier --write libs/scoring/golden.
"""

import json
import math
import os

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from statsmodels.stats.proportion import proportion_confint

HERE = os.path.dirname(os.path.abspath(__file__))
Z = stats.norm.ppf(0.975)
rng = np.random.default_rng(20261130)


def wilson(p, n):
    low, high = proportion_confint(p * n, n, method="wilson")
    return max(0.0, min(p, low)), min(1.0, max(p, high))


def t_point(freedom):
    """Solved for by the tail: SciPy's own ppf is right to nine digits only."""
    return brentq(lambda t: stats.t.sf(t, freedom) - 0.025, 1.0, 20.0, xtol=1e-14)


def inverse_root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return vectors @ np.diag(values**-0.5) @ vectors.T


def bell_mccaffrey(scores, clusters):
    """CR2 standard error and Satterthwaite degrees of freedom of a mean, from their matrix definition:
    least squares on a column of ones, with independent errors as the working model."""
    y = np.asarray(scores, float)
    n = len(y)
    x = np.ones((n, 1))
    hat = x @ np.linalg.inv(x.T @ x) @ x.T
    residual_maker = np.eye(n) - hat
    residuals = residual_maker @ y
    variance = 0.0
    columns = []
    for cluster in sorted(set(clusters)):
        rows = np.flatnonzero(np.asarray(clusters) == cluster)
        adjust = inverse_root(np.eye(len(rows)) - hat[np.ix_(rows, rows)])
        weights = np.ones(len(rows)) @ adjust / n
        variance += (weights @ residuals[rows]) ** 2
        columns.append(residual_maker[rows].T @ weights)
    gram = np.array(columns) @ np.array(columns).T
    return math.sqrt(variance), float(np.trace(gram) ** 2 / (gram**2).sum())


def error_case(scores, clusters):
    error, freedom = bell_mccaffrey(scores, clusters)
    return {"scores": scores, "clusters": clusters, "standardError": error, "freedom": freedom}


def proportion_case(scores, clusters):
    p = float(np.mean(scores))
    n = len(scores)
    if clusters is None:
        effective = n
    elif p in (0.0, 1.0):
        effective = len(set(clusters))
    else:
        error, freedom = bell_mccaffrey(scores, clusters)
        effective = n / max(1.0, n * (error * t_point(freedom) / Z) ** 2 / (p * (1 - p)))
    low, high = wilson(p, effective)
    return {"scores": scores, "clusters": clusters, "value": p, "low": low, "high": high}


def within(value, half, most, low, high):
    """Wilson's interval in a range, with the size that gives a proportion this half width."""
    p = (value - low) / (high - low)
    size = p * (1 - p) / (half / (high - low) / Z) ** 2
    if min(value - low, high - value) <= half:
        size = min(size, most)
    ends = wilson(p, size)
    return low + ends[0] * (high - low), low + ends[1] * (high - low)


def mean_case(scores, clusters):
    groups = clusters if clusters is not None else list(range(len(scores)))
    error, freedom = bell_mccaffrey(scores, groups)
    half = t_point(freedom) * error
    value = float(np.mean(scores))
    share = np.clip(2.75 - min(value, 1 - value) / half, 0, 1)
    wilson_low, wilson_high = within(value, half, len(scores), 0.0, 1.0)
    return {
        "scores": scores,
        "clusters": clusters,
        "value": value,
        "standardError": error,
        "low": share * wilson_low + (1 - share) * max(0.0, value - half),
        "high": share * wilson_high + (1 - share) * min(1.0, value + half),
    }


def numbered(groups):
    known = sorted(set(groups))
    return [known.index(each) for each in groups]


def correlated(n, clusters):
    groups = numbered([int(each) for each in np.sort(rng.integers(0, clusters, n))])
    rate = rng.beta(2, 2, clusters)
    return [int(rng.random() < rate[each]) for each in groups], groups


ones, groups = correlated(90, 20)
graded = [round(float(each), 3) for each in rng.beta(3, 1, 60)]
graded_groups = numbered([int(each) for each in rng.integers(0, 12, 60)])
large = [0] * 30 + [each // 3 for each in range(3, 30)]
large_ones = [int(each) for each in rng.random(len(large)) < 0.4]
middle = [round(float(each), 3) for each in rng.beta(8, 6, 40)]

error_cases = [
    error_case(ones, groups),
    error_case(graded, graded_groups),
    error_case(large_ones, large),
    error_case(middle, list(range(40))),
]
proportion_cases = [
    proportion_case([1] * 57 + [0] * 43, None),
    proportion_case([1] * 3 + [0] * 7, None),
    proportion_case([0] * 25, None),
    proportion_case([1] * 15, [each // 3 for each in range(15)]),
    proportion_case(ones, groups),
    proportion_case(large_ones, large),
    proportion_case([1, 0] * 10, [each // 2 for each in range(20)]),
]
mean_cases = [
    mean_case(graded, None),
    mean_case(graded, graded_groups),
    mean_case(middle, None),
    mean_case([0.9, 1.0, 1.0], None),
    mean_case([1.0] * 19 + [0.25], None),
    mean_case([0.25, 0.75], None),
    mean_case([1.0] * 12 + [0.25, 0.5, 0.4, 0.2], None),
]
t_points = [
    {"freedom": freedom, "point": t_point(freedom)}
    for freedom in (1, 2, 2.75, 3, 7, 9.2, 30, 99, 400, 999, 1000, 1001, 5000, 10**6)
]


def noisy(gold, labels, share):
    return [str(rng.choice(labels)) if rng.random() < share else each for each in gold]


def bootstrap_case(gold, predicted, clusters):
    """Macro F1 with 20,000 resamples, which 1000 come near to: the wider of SciPy's BCa interval with expanded
    levels and Wilson's interval from the jackknife."""
    labels = sorted({*gold, *predicted})
    gold_index = np.array([labels.index(each) for each in gold])
    answers = np.array([labels.index(each) for each in predicted])
    units = np.array(clusters if clusters is not None else range(len(gold)))
    count = int(units.max()) + 1
    tables = np.zeros((count, len(labels), len(labels)))
    np.add.at(tables, (units, gold_index, answers), 1)

    def macro_f1(drawn, axis=-1):
        table = tables[drawn.astype(int)].sum(axis=axis - 2 if axis < 0 else axis)
        hits = np.diagonal(table, axis1=-2, axis2=-1)
        either = table.sum(axis=-2) + table.sum(axis=-1)
        return np.where(either == 0, 0, 2 * hits / np.maximum(either, 1)).mean(axis=-1)

    everything = np.arange(count)
    value = float(macro_f1(everything))
    _, freedom = bell_mccaffrey([0.0] * len(gold), list(units))
    point = t_point(freedom)
    level = 1 - 2 * stats.norm.sf(point * math.sqrt(count / (count - 1)))
    found = stats.bootstrap(
        (everything,), macro_f1, n_resamples=20_000, batch=500, confidence_level=level, method="BCa", random_state=rng
    )
    without = np.array([float(macro_f1(np.delete(everything, each))) for each in everything])
    error = math.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum())
    smooth = within(value, point * error, len(gold), 0.0, 1.0)
    return {
        "gold": gold,
        "predicted": predicted,
        "clusters": clusters,
        "low": min(float(found.confidence_interval.low), smooth[0]),
        "high": max(float(found.confidence_interval.high), smooth[1]),
        "standardError": float(found.standard_error),
    }


many = [str(each) for each in rng.choice(["a", "b", "c"], 300, p=[0.5, 0.3, 0.2])]
many_answers = noisy(many, ["a", "b", "c"], 0.5)
thirds = [each // 3 for each in range(300)]
# half of the examples are sorted by their label, so that the examples of a cluster are alike
few = [each // 15 if each % 2 else each % 20 for each in range(300)]
in_order = sorted(zip(many, many_answers))
bootstrap_cases = [
    bootstrap_case(many, many_answers, None),
    bootstrap_case(many, many_answers, thirds),
    bootstrap_case([gold for gold, _ in in_order], [answer for _, answer in in_order], few),
]

# calibrated band: each answer is right with its own confidence


def band_case(confidences):
    values = np.array(confidences)
    # bin b of 15 is (b/15, (b+1)/15]
    bins = np.clip(np.ceil(values * 15 - 1e-9).astype(int) - 1, 0, 14)
    drawn = rng.random((20_000, len(values))) < values
    gaps = np.zeros(20_000)
    for each in range(15):
        gaps += np.abs((drawn[:, bins == each] - values[bins == each]).sum(axis=1))
    low, high = np.quantile(gaps / len(values), [0.025, 0.975])
    return {"confidences": confidences, "low": float(low), "high": float(high)}


band_cases = [
    band_case([round(float(each), 3) for each in rng.uniform(0.5, 1, 60)]),
    band_case([round(float(each), 3) for each in rng.beta(6, 1, 400) * 0.5 + 0.5]),
]

with open(os.path.join(HERE, "intervals.json"), "w", encoding="utf-8") as file:
    content = {
        "errors": error_cases,
        "proportions": proportion_cases,
        "means": mean_cases,
        "studentT95": t_points,
        "macroF1Bootstrap": bootstrap_cases,
        "calibratedBands": band_cases,
    }
    json.dump(content, file, ensure_ascii=False)
    file.write("\n")
