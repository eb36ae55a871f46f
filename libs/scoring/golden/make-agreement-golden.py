"""Writes the golden cases of Krippendorff's alpha with NLTK; no code of the library is used.

Run by hand: python3 libs/scoring/golden/make-agreement-golden.py (Debian: python3-nltk), then npx prettier --write libs/scoring/golden.
"""

import json
import os
import random

from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import binary_distance, interval_distance

HERE = os.path.dirname(os.path.abspath(__file__))
rng = random.Random(20250504)

# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", D: four observers, twelve units, values missing
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def alpha(units, distance):
    data = [(str(rater), str(unit), value) for unit, values in enumerate(units) for rater, value in enumerate(values) if value is not None]
    return AnnotationTask(data=data, distance=distance).alpha()


def drawn(units, raters, values, agreement, missing):
    truths = [rng.choice(values) for _ in range(units)]
    return [
        [None if rng.random() < missing else truth if rng.random() < agreement else rng.choice(values) for _ in range(raters)]
        for truth in truths
    ]


def masi(one, other):
    """Passonneau 2006, with thirds where NLTK rounds them to two digits."""
    both, either = len(one & other), len(one | other)
    if both == either:
        return 0.0
    return 1 - both / either * (2 / 3 if both == min(len(one), len(other)) else 1 / 3)


def drawn_sets(units, raters, values, agreement, missing):
    def one():
        return frozenset(value for value in values if rng.random() < 0.4)

    truths = [one() for _ in range(units)]
    return [
        [None if rng.random() < missing else truth if rng.random() < agreement else truth ^ one() for _ in range(raters)]
        for truth in truths
    ]


published = [list(unit) for unit in zip(*PUBLISHED)]
cases = [
    ("published, four observers with missing values", published),
    ("three labels, agreeing often", drawn(60, 3, [0, 1, 2], 0.8, 0)),
    ("two labels, agreeing by chance", drawn(80, 4, [0, 1], 0, 0.2)),
    ("five labels, many missing", drawn(100, 5, [0, 1, 2, 3, 4], 0.6, 0.6)),
    ("numbers", drawn(50, 3, [0.5, 1.25, 7, -3, 100, 12.5], 0.7, 0.3)),
]
set_cases = [
    ("sets of five labels", drawn_sets(60, 3, "abcde", 0.5, 0.2)),
    ("sets of two labels, many empty", drawn_sets(80, 4, "ab", 0.6, 0.3)),
    ("sets of one label", [[None if each is None else frozenset([str(each)]) for each in unit] for unit in published]),
]
sets = [
    {
        "name": name,
        "units": [[sorted(value) for value in unit if value is not None] for unit in units],
        "masi": alpha(units, masi),
    }
    for name, units in set_cases
]
with open(os.path.join(HERE, "agreement-sets.json"), "w", encoding="utf-8") as file:
    json.dump(sets, file)
    file.write("\n")
with open(os.path.join(HERE, "agreement.json"), "w", encoding="utf-8") as file:
    content = [
        {
            "name": name,
            "units": [[value for value in unit if value is not None] for unit in units],
            "nominal": alpha(units, binary_distance),
            "interval": alpha(units, interval_distance),
        }
        for name, units in cases
    ]
    json.dump(content, file, indent=1)
    file.write("\n")
