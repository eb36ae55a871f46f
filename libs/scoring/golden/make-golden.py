"""Writes the golden cases beside this file, with scikit-learn, SciPy and the SQuAD script's own functions; no code of the library is used.

Run by hand: python3 libs/scoring/golden/make-golden.py (Debian: python3-sklearn), then npx prettier --write libs/scoring/golden.
"""

import json
import os
import re
import string
import unicodedata
from collections import Counter

import numpy as np
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, matthews_corrcoef

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20240607)


def write(name, content):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1, ensure_ascii=False)
        file.write("\n")


# labels -------------------------------------------------------------------------------------------------------------


def label_case(name, gold, predicted):
    answered = ["\0none" if answer is None else answer for answer in predicted]
    labels = sorted({*gold, *(answer for answer in predicted if answer is not None)})
    f1 = {
        average: f1_score(gold, answered, labels=labels, average=average, zero_division=0)
        for average in ("macro", "micro", "weighted")
    }
    return {
        "name": name,
        "gold": gold,
        "predicted": predicted,
        "accuracy": accuracy_score(gold, answered),
        "macro_f1": f1["macro"],
        "micro_f1": f1["micro"],
        "weighted_f1": f1["weighted"],
        "balanced_accuracy": balanced_accuracy_score(gold, answered),
        "mcc": matthews_corrcoef(gold, answered),
    }


def noisy(gold, labels, share, none=0.0):
    answers = [str(rng.choice(labels)) if rng.random() < share else each for each in gold]
    return [None if rng.random() < none else each for each in answers]


three = [str(each) for each in rng.choice(["entailment", "neutral", "contradiction"], 120, p=[0.5, 0.3, 0.2])]
two = [str(each) for each in rng.choice(["positive", "negative"], 80, p=[0.9, 0.1])]
label_cases = [
    label_case("three labels", three, noisy(three, ["entailment", "neutral", "contradiction"], 0.5)),
    label_case("one label always", two, ["positive"] * len(two)),
    label_case("a label that is never gold", two, noisy(two, ["positive", "negative", "mixed"], 0.4)),
    label_case("answers missing", three, noisy(three, ["entailment", "neutral", "contradiction"], 0.4, none=0.1)),
    label_case("all right", two, two),
    label_case("all wrong", ["a", "a", "b"], ["b", "b", "a"]),
]

# labels on a slice: only labels that are gold there; undefined with one of them ---------------------------------------


def slice_case(name, gold, predicted):
    labels = sorted({*gold})
    answered = [answer if answer in labels else "\0other" for answer in predicted]
    values = {
        "macro_f1": f1_score(gold, answered, labels=labels, average="macro", zero_division=0),
        "weighted_f1": f1_score(gold, answered, labels=labels, average="weighted", zero_division=0),
        "balanced_accuracy": balanced_accuracy_score(gold, answered),
        "mcc": matthews_corrcoef(gold, answered),
    }
    return {
        "name": name,
        "gold": gold,
        "predicted": predicted,
        # of all answers, as on a whole dataset
        "micro_f1": accuracy_score(gold, predicted),
        **{metric: value if len(labels) > 1 else None for metric, value in values.items()},
    }


slice_cases = [
    slice_case("an answer that is never gold here", ["a", "a", "b", "b", "b"], ["a", "c", "b", "b", "a"]),
    slice_case("three labels, two of them gold", ["x", "y"] * 20, ["x", "y", "z", "y", "x"] * 8),
    slice_case("one class", ["a"] * 6, ["a", "a", "b", "a", "a", "c"]),
    slice_case("one class, all right", ["a"] * 4, ["a"] * 4),
    slice_case("two classes, all right", ["a", "b", "a"], ["a", "b", "a"]),
]

# spans: the functions of the SQuAD 1.1 evaluation script; the two rules for empty answers are those of the 2.0 script -----------------


def normalize_answer(s):
    def remove_articles(text):
        return re.sub(r"\b(a|an|the)\b", " ", text)

    def white_space_fix(text):
        return " ".join(text.split())

    def remove_punc(text):
        exclude = set(string.punctuation)
        return "".join(ch for ch in text if ch not in exclude)

    # unlike the script, composed and decomposed letters are the same
    return white_space_fix(remove_articles(remove_punc(unicodedata.normalize("NFC", s).lower())))


def compute_f1(prediction, truth):
    prediction_tokens = normalize_answer(prediction).split()
    truth_tokens = normalize_answer(truth).split()
    if not prediction_tokens or not truth_tokens:
        return float(prediction_tokens == truth_tokens)
    same = sum((Counter(prediction_tokens) & Counter(truth_tokens)).values())
    if same == 0:
        return 0.0
    precision = same / len(prediction_tokens)
    recall = same / len(truth_tokens)
    return 2 * precision * recall / (precision + recall)


def span_case(gold, predicted):
    references = gold or [""]
    if predicted is None:
        return {"gold": gold, "predicted": None, "exact_match": 0, "squad_f1": 0}
    return {
        "gold": gold,
        "predicted": predicted,
        "exact_match": max(int(normalize_answer(predicted) == normalize_answer(each)) for each in references),
        "squad_f1": max(compute_f1(predicted, each) for each in references),
    }


span_cases = [
    span_case(["Denver Broncos"], "The Denver Broncos!"),
    span_case(["Denver Broncos", "the Broncos"], "Broncos"),
    span_case(["308"], "308 yards"),
    span_case(["a cat a cat"], "cat cat cat"),
    span_case(["the the"], "a"),
    span_case([], ""),
    span_case([], "something"),
    span_case(["x"], None),
    span_case(["naïve a été"], "NAÏVE été"),
    span_case(["à la carte"], "la carte"),
    span_case(["the\u2009thin\u00a0space"], "thin space"),
    span_case(["thé an"], "thé"),
    span_case(["3.14"], "3 14"),
    span_case(["co-operative"], "cooperative"),
    span_case(["北京。"], "北京"),
    span_case(["Straße"], "STRASSE"),
    span_case(["ΟΔΟΣ"], "οδος"),
    span_case(["a_the_b"], "atheb"),
    span_case(["the-end"], "theend"),
    span_case(["a1 the1"], "a1"),
    span_case(["\u0065\u0301a"], "\u0065\u0301"),
    span_case(["!\"#$%&'()*+,-./x:;<=>?@y[\\]^_`z{|}~"], "xyz"),
]

# Dynascore with the median of the rates -----------------------------------------------------------------------------------


def median_case(name, utilities, weights):
    """`utilities`: models × metrics, the first is the performance."""
    table = np.array(utilities)
    levels = np.unique(table[:, 0])
    points = np.array([table[table[:, 0] == level].mean(axis=0) for level in levels])
    steps = np.diff(points, axis=0)
    kept = np.abs(steps[steps[:, 0] > 1e-4 * np.abs(table[:, 0]).max()])
    rates = np.median(kept / kept[:, :1], axis=0)
    rates[0] = 1
    informative = rates > 0
    share = np.where(informative, weights, 0) / np.where(informative, weights, 0).sum()
    scores = (np.where(informative, share / np.where(informative, rates, 1), 0) * table).sum(axis=1)
    return {"name": name, "utilities": utilities, "weights": weights, "amrs": rates.tolist(), "dynascore": scores.tolist()}


median_cases = [
    median_case("five models", [[70, 8, 26], [68, 10, 27], [60, 20, 29.5], [50, 90, 31], [33.3, 120, 31.5]], [4, 1, 1]),
    median_case("exact ties", [[70, 8, 26], [70, 12, 20], [60, 20, 29.5], [50, 90, 31], [50, 10, 31.5]], [4, 1, 1]),
    median_case("a metric that is the same for all", [[70, 8, 26], [65, 12, 26], [60, 20, 26]], [4, 1, 5]),
    median_case("a copy of the best", [[70.01, 8, 26], [70, 8, 26], [60, 20, 29.5], [50, 90, 31]], [4, 1, 1]),
    median_case("closer than can be told apart", [[70.001, 80, 26], [70, 8, 26], [60, 20, 29.5]], [4, 1, 1]),
]

write("label-slices.json", slice_cases)
write("labels.json", label_cases)
write("spans.json", span_cases)
write("dynascore-median.json", median_cases)
