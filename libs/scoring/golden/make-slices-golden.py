"""Writes slices.json beside this file, with NumPy and SciPy; no code of the library is used.

Run by hand: python3 libs/scoring/golden/make-slices-golden.py (Debian: python3-scipy), then npx prettier --write libs/scoring/golden.

What has no randomness in it must be equal; standard errors, simultaneous intervals and the gap by chance come from 40,000 resamples and
permutations each, to which the library's 1000 come near.
"""

import json
import os

import numpy as np
from scipy import stats

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20240811)
DRAWS = 40_000


def mean(table, weights):
    return weights @ table[:, 0] / weights.sum(axis=1)


def root_mean_square(table, weights):
    return np.sqrt(weights @ table[:, 0] ** 2 / weights.sum(axis=1))


def spearman(table, weights):
    """Of examples repeated as often as they weigh."""
    whole = np.rint(weights).astype(int)
    return np.array([stats.spearmanr(np.repeat(table, row, axis=0))[0] for row in whole])


def max_t(values, resamples):
    errors = resamples.std(axis=0, ddof=1)
    return errors, np.quantile((np.abs(resamples - values) / errors).max(axis=1), 0.95)


def benjamini_hochberg(tails, rate=0.05):
    """By adjusted p-values: the running minimum, from the largest, of p·m/rank."""
    tails = np.asarray(tails)
    order = np.argsort(tails)[::-1]
    adjusted = np.minimum.accumulate(tails[order] * len(tails) / np.arange(len(tails), 0, -1))
    result = np.empty(len(tails))
    result[order] = adjusted
    return result


def permuted_members(member, groups, units, draws):
    """Membership of whole examples, shuffled within the groups, clusters of one size as a whole."""
    for _ in range(draws):
        order = np.empty(len(member), int)
        for group in np.unique(groups):
            rows = np.flatnonzero(groups == group)
            clusters = [rows[units[rows] == unit] for unit in np.unique(units[rows])]
            assert len({len(each) for each in clusters}) == 1
            order[np.concatenate(clusters)] = np.concatenate([clusters[each] for each in rng.permutation(len(clusters))])
        yield member[order]


def spread_case(name, metric, statistic, lower_is_better, examples, table, draws):
    """`examples`: dicts of what the accumulator is given; `table`: the numbers that the statistic is made of, a row an example."""
    names = sorted({value for each in examples for value in each["slices"]})
    member = np.array([[value in each["slices"] for value in names] for each in examples])
    large = member.sum(axis=0) >= 30
    names, member = [each for each, keep in zip(names, large) if keep], member[:, large]

    matched = None
    keep = np.ones(len(examples), bool)
    groups = np.zeros(len(examples), int)
    if "match" in examples[0]:
        of = np.array([each["match"] for each in examples])
        alike = [g for g in np.unique(of) if len(set(counts := member[of == g].sum(axis=0))) == 1 and counts[0] > 0]
        keep = np.isin(of, alike)
        groups = of
        matched = len(alike)

    clusters = np.array([each.get("cluster", index) for index, each in enumerate(examples)])
    units = np.unique(clusters, return_inverse=True)[1]
    count = units.max() + 1
    shown = member[keep]
    values = np.array([statistic(table[keep][rows], np.ones((1, rows.sum())))[0] for rows in shown.T])

    resamples, every = [], []
    for start in range(0, draws, 2000):
        drawn = rng.multinomial(count, np.full(count, 1 / count), min(2000, draws - start))
        weights = drawn[:, units][:, keep]
        resamples.append(np.column_stack([statistic(table[keep][rows], weights[:, rows]) for rows in shown.T]))
        every.append(statistic(table[keep], weights))
    resamples, every = np.concatenate(resamples), np.concatenate(every)

    errors, point = max_t(values, resamples)
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    differences = np.column_stack([resamples[:, i] - resamples[:, j] for i, j in pairs])
    pair_errors, pair_point = max_t(np.array([values[i] - values[j] for i, j in pairs]), differences)
    worst, best = (values.argmax(), values.argmin()) if lower_is_better else (values.argmin(), values.argmax())
    pair = pairs.index((max(worst, best), min(worst, best)))

    chance = np.array([
        [statistic(table[keep][rows], np.ones((1, rows.sum())))[0] for rows in shuffled.T]
        for shuffled in permuted_members(shown, groups[keep], units[keep], min(draws, 8000))
    ])
    chance_gaps = chance.max(axis=1) - chance.min(axis=1)
    clustered = (resamples - every[:, None]).std(axis=0, ddof=1)
    z = np.abs(values - chance.mean(axis=0)) / np.maximum(chance.std(axis=0, ddof=1), clustered)
    adjusted = benjamini_hochberg(2 * stats.norm.sf(z))
    assert not np.any((adjusted > 0.03) & (adjusted < 0.08)), (name, adjusted)

    slice_of = lambda index: {
        "slice": names[index],
        "value": values[index],
        "standardError": errors[index],
        "low": values[index] - point * errors[index],
        "high": values[index] + point * errors[index],
    }
    gap = abs(values[worst] - values[best])
    return {
        "name": name,
        "metric": metric,
        "examples": examples,
        "values": dict(zip(names, values)),
        "n": dict(zip(names, (int(rows.sum()) for rows in shown.T))),
        "groups": matched,
        "whole": {
            "value": statistic(table[keep], np.ones((1, keep.sum())))[0],
            "low": np.quantile(every, 0.025),
            "high": np.quantile(every, 0.975),
            "standardError": every.std(ddof=1),
        },
        "worst": slice_of(worst),
        "best": slice_of(best),
        "gap": {
            "value": gap,
            "standardError": pair_errors[pair],
            "low": max(0, gap - pair_point * pair_errors[pair]),
            "high": gap + pair_point * pair_errors[pair],
        },
        "chance": {"mean": chance_gaps.mean(), "high": np.quantile(chance_gaps, 0.95)},
        "standingOut": [each for each, tail in zip(names, adjusted) if tail <= 0.05],
    }


def answered(right):
    return {"gold": ["a"], "predicted": "a" if right else "b"}


# right or wrong in clusters of five, slices that overlap, one that is too small
cluster_rates = rng.beta(6, 3, 80)
overlapping = []
for index in range(400):
    cluster = index // 5
    slices = [each for each, share in (("u", 0.3), ("v", 0.4), ("w", 0.2), ("small", 0.05)) if rng.random() < share]
    rate = cluster_rates[cluster] * (0.45 if "w" in slices else 1)
    overlapping.append({**answered(rng.random() < rate), "cluster": cluster, "slices": slices})
right = np.array([[float(each["predicted"] == "a")] for each in overlapping])

# errors of numbers: less is better
numbers, errors = [], []
for index in range(240):
    name = ["x", "y", "z"][int(rng.integers(0, 3))]
    error = round(float(rng.normal(0, 2 if name == "z" else 1)), 3)
    numbers.append({"gold": ["10"], "predicted": str(round(10 + error, 3)), "slices": [name]})
    errors.append([round(10 + error, 3) - 10])

# templates with every slice once or twice, and some that lack one or have one twice
templates, template_right = [], []
for group in range(60):
    often = 2 if group % 7 == 0 else 1
    for name, rate in (("p", 0.8), ("q", 0.75), ("r", 0.45)):
        times = often + (1 if name == "r" and group % 9 == 4 else 0)
        if name == "q" and group % 11 == 5:
            times = 0
        for _ in range(times):
            hit = rng.random() < rate * (0.7 if group % 3 == 0 else 1)
            templates.append({**answered(hit), "match": group, "slices": [name]})
            template_right.append([float(hit)])

# a rank correlation
ranked, pairs_of_numbers = [], []
for index in range(150):
    name = ["one", "other"][index % 2]
    gold = round(float(rng.normal()), 3)
    guess = round(gold + float(rng.normal(0, 0.4 if name == "one" else 2.5)), 3)
    ranked.append({"gold": [str(gold)], "predicted": str(guess), "slices": [name]})
    pairs_of_numbers.append([gold, guess])

cases = [
    spread_case("right or wrong, clustered, overlapping", "accuracy", mean, False, overlapping, right, DRAWS),
    spread_case("root mean squared error", "rmse", root_mean_square, True, numbers, np.array(errors), DRAWS),
    spread_case("matched templates", "accuracy", mean, False, templates, np.array(template_right), DRAWS),
    spread_case("rank correlation", "spearman", spearman, False, ranked, np.array(pairs_of_numbers), 3000),
]
tails = [
    [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216, 0.222, 0.251, 0.269, 0.275, 0.34],
    [0.04, 0.03, 0.05, 0.045],
    [0.5, 0.9],
    [0.0001, 0.0001, 0.2],
    [0.05],
]
tails += [[round(float(each), 4) for each in rng.beta(0.3, 2, 12)] for _ in range(5)]
discoveries = [{"tails": each, "found": [bool(p <= 0.05) for p in benjamini_hochberg(each)]} for each in tails]

with open(os.path.join(HERE, "slices.json"), "w", encoding="utf-8") as file:
    json.dump({"spreads": cases, "discoveries": discoveries}, file, indent=1)
    file.write("\n")
