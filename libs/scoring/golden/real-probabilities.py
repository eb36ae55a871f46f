"""Prints what scikit-learn computes from the probabilities that five real models gave on the three Adversarial NLI rounds: the figures of
real-data.spec.ts. No code of the library is used.

Run by hand: python3 libs/scoring/golden/real-probabilities.py FOLDER, where FOLDER holds anli-r{1,2,3}.dev.jsonl and predictions/*.jsonl.
"""

import json
import math
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
from sklearn.metrics import log_loss, roc_auc_score

LABELS = ["contradiction", "entailment", "neutral"]
folder = Path(sys.argv[1])


def lines(path):
    with open(path, encoding="utf-8") as file:
        # decimals as they are written, so that a probability on the edge of a bin is in no doubt
        return [json.loads(line, parse_float=Fraction) for line in file]


for path in sorted((folder / "predictions").glob("*.jsonl")):
    answers = {line["uid"]: line for line in lines(path)}
    for number in (1, 2, 3):
        examples = lines(folder / f"anli-r{number}.dev.jsonl")
        answered = [answers[each["uid"]] for each in examples]
        gold = [each["label"] for each in examples]
        exact = [[Fraction(each["prob"][label]) for label in LABELS] for each in answered]
        table = np.array(exact, float)
        truth = np.array([[label == each for label in LABELS] for each in gold], float)

        tops = [min(Fraction(1), max(row)) for row in exact]
        bins = [max(1, math.ceil(15 * top)) for top in tops]
        right = [answer["label"] == label for answer, label in zip(answered, gold)]
        gaps = [
            abs(sum(tops[at] - right[at] for at in range(len(gold)) if bins[at] == each)) for each in sorted(set(bins))
        ]
        figures = {
            "auroc": roc_auc_score(gold, table, multi_class="ovr", average="macro", labels=LABELS),
            "brier": ((table - truth) ** 2).sum(axis=1).mean(),
            "log_loss": log_loss(gold, table, labels=LABELS, eps=1e-15),
            "ece": float(sum(gaps) / len(gold)),
        }
        print(path.stem, number, {name: round(float(value), 6) for name, value in figures.items()})
