"""Writes the golden cases of the board's maths beside this file, with NumPy and SciPy; no code of the library is used.

Run by hand: python3 libs/scoring/golden/make-board-golden.py (Debian: python3-scipy), then npx prettier --write libs/scoring/golden.
"""

import json
import os

import numpy as np
from scipy import stats

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20241103)


def write(name, content):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1, ensure_ascii=False)
        file.write("\n")


# own rounds: model + dataset effects -------------------------------------------------------------------------------------


def own_case(name, values, own, weights):
    """The least-squares fit over the design of indicators; a cell is tied where its row lies in the space of the others'."""
    table = np.array(values, dtype=float)
    models, datasets = table.shape

    def design(model, dataset):
        row = np.zeros(models + datasets)
        row[model] = row[models + dataset] = 1
        return row

    used = [
        (m, d)
        for m in range(models)
        for d in range(datasets)
        if not own[m][d] and not np.isnan(table[m, d]) and weights[d] > 0
    ]
    rows = np.array([design(*cell) for cell in used])
    roots = np.sqrt([weights[d] for _, d in used])
    effects = np.linalg.lstsq(rows * roots[:, None], roots * [table[cell] for cell in used], rcond=None)[0]
    fitted = [[None] * datasets for _ in range(models)]
    for m in range(models):
        for d in range(datasets):
            if not own[m][d] or weights[d] == 0:
                continue
            row = design(m, d)
            within = np.linalg.lstsq(rows.T, row, rcond=None)[0]
            if np.abs(rows.T @ within - row).max() < 1e-9:
                fitted[m][d] = float(row @ effects)
    cells = [[None if np.isnan(x) else float(x) for x in row] for row in table]
    return {"name": name, "values": cells, "own": own, "weights": weights, "fitted": fitted}


def drawn(models, datasets, missing, owned):
    table = np.round(rng.normal(0.6, 0.1, (models, 1)) + rng.normal(0, 0.1, datasets) + rng.normal(0, 0.03, (models, datasets)), 4)
    table[rng.random((models, datasets)) < missing] = np.nan
    own = (rng.random((models, datasets)) < owned).astype(int).tolist()
    return table, own


three = [[0.0, 0.282, 0.3189], [0.672, 0.185, 0.2204], [0.717, 0.448, 0.2028], [0.735, 0.518, 0.5033], [0.738, 0.506, 0.4608]]
three_own = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
nan = np.nan
own_cases = [
    own_case("three rounds, each against one model", three, three_own, [0.64, 0.8, 1]),
    own_case("equal weights", three, three_own, [1, 1, 1]),
    own_case("no own cell", three, [[0] * 3] * 5, [1, 1, 1]),
    own_case("cells are missing", *drawn(12, 5, 0.3, 0.15), [3, 1, 1, 2, 0.5]),
    own_case("many models", *drawn(60, 7, 0.5, 0.1), [1, 0.8, 0.64, 0.5, 0.4, 0.3, 0.2]),
    own_case("a dataset of weight 0", *drawn(8, 4, 0.1, 0.2), [1, 0, 2, 1]),
    own_case("a model with nothing else", [[0.3, nan], [0.5, 0.6]], [[1, 0], [0, 0]], [1, 1]),
    own_case("a dataset that nobody else has", [[0.3, 0.4, 0.5], [nan, 0.6, 0.7]], [[1, 0, 0], [0, 0, 0]], [1, 1, 1]),
    own_case(
        "two islands",
        [[0.3, 0.4, nan, 0.1], [0.5, 0.6, nan, nan], [nan, 0.2, 0.7, 0.8], [nan, nan, 0.9, 0.6]],
        [[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]],
        [1, 2, 3, 4],
    ),
]

# two models on the same examples -----------------------------------------------------------------------------------------


def mid_p(only_a, only_b):
    n, k = only_a + only_b, min(only_a, only_b)
    if n == 0:
        return 1.0
    return float(min(1.0, 2 * (stats.binom.cdf(k - 1, n, 0.5) + 0.5 * stats.binom.pmf(k, n, 0.5))))


mid_p_cases = [
    {"onlyA": a, "onlyB": b, "p": mid_p(a, b)}
    for a, b in ((0, 0), (1, 0), (0, 6), (3, 3), (10, 2), (25, 40), (140, 100), (2000, 2100), (50_000, 50_600), (300, 900))
]


def flip_case(differences, clusters):
    """All the flips there are of few clusters: what 10,000 draws come near to."""
    groups = np.array(clusters if clusters is not None else range(len(differences)))
    values = np.array(differences)
    sums = np.array([values[groups == each].sum() for each in range(groups.max() + 1)])
    count = len(sums)
    signs = 1 - 2 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1)
    totals = np.abs(signs @ sums)
    mean = values.mean()
    centred = np.array([(values - mean)[groups == each].sum() for each in range(count)])
    error = float(np.sqrt(count / (count - 1) * (centred**2).sum()) / len(values))
    half = float(stats.t.ppf(0.975, count - 1)) * error
    return {
        "differences": differences,
        "clusters": clusters,
        "mean": float(mean),
        "standardError": error,
        "low": float(mean - half),
        "high": float(mean + half),
        "p": float((totals >= abs(sums.sum()) * (1 - 1e-12)).mean()),
    }


def spread(count, shift):
    return [round(float(each), 2) for each in rng.normal(shift, 0.3, count)]


flip_cases = [
    flip_case(spread(14, 0.1), None),
    flip_case(spread(14, 0.0), None),
    flip_case(spread(60, 0.1), [each // 5 for each in range(60)]),
    flip_case([float(each) for each in rng.integers(-1, 2, 80)], [each // 5 for each in range(80)]),
]

# Holm's adjusted p-values and the tails of the normal --------------------------------------------------------------------


def holm(values):
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(np.array(values)[order] * (len(values) - np.arange(len(values)))))
    return adjusted.tolist()


p_lists = [[0.01, 0.04, 0.03, 0.005], [0.5], [], [0.02, 0.02, 0.02], [float(each) for each in np.round(rng.random(20) ** 3, 6)]]
write(
    "board.json",
    {
        "ownCells": own_cases,
        "midP": mid_p_cases,
        "signFlips": flip_cases,
        "holm": [{"p": each, "adjusted": holm(each)} for each in p_lists],
        "normalTails": [
            {"z": z, "p": float(2 * stats.norm.sf(z))} for z in (0, 1e-6, 0.3, 1, 1.959963984540054, 2.99, 3, 3.01, 5, 8, 20, 37)
        ],
    },
)
