"""Writes exchange.json: scores at fixed exchange rates, computed by plain Python from scoring.md's formula.

score = P + sum_k (w_k / W) * rho_k * log2(ref_k / x_k), throughput inverted; P = sum_j w_j p_j / W.
Run: python3 make-exchange-golden.py > exchange.json
"""

import json
import math
import random

PERCENT = {"accuracy": 100, "robustness": 100, "brier": -100}
COSTS = {"cpu_time": -1, "throughput": 1, "memory": -1}


def score(model, weights, rates, references):
    percent = {name: weight for name, weight in weights.items() if name in PERCENT and weight > 0}
    total = sum(percent.values()) or sum(weights.values())
    result = sum(weight * PERCENT[name] * model[name] for name, weight in percent.items()) / total
    for name, sign in COSTS.items():
        if weights.get(name, 0) > 0:
            doublings = sign * math.log2(model[name] / references[name])
            result += weights[name] / total * rates[name] * doublings
    return result


def case(name, models, weights, rates, references):
    scores = [score(model, weights, rates, references) for model in models]
    return {
        "name": name,
        "models": models,
        "weights": weights,
        "rates": rates,
        "references": references,
        "scores": scores,
    }


def drawn(rng, name, weights):
    models = [
        {
            "accuracy": rng.random(),
            "robustness": rng.random(),
            "brier": rng.random(),
            "cpu_time": math.exp(rng.uniform(-9, 1)),
            "throughput": math.exp(rng.uniform(-2, 10)),
            "memory": math.exp(rng.uniform(-4, 4)),
        }
        for _ in range(6)
    ]
    rates = {cost: rng.choice([0.5, 1, 3]) for cost in COSTS}
    references = {"cpu_time": 0.001, "throughput": 300, "memory": 1}
    return case(name, models, weights, rates, references)


rng = random.Random(28)
ones = {"cpu_time": 1, "throughput": 1, "memory": 1}
usual = {"cpu_time": 0.001, "throughput": 300, "memory": 1}
real = [
    {"accuracy": 0.52 + 0.02 * place, "throughput": 200 + 100 * place, "memory": 0.3 + 0.1 * place} for place in range(10)
]
constant = {"accuracy": 0.333, "throughput": 40000, "memory": 0.02}
print(
    json.dumps(
        [
            case(
                "the worked example",
                [
                    {"accuracy": 0.6, "throughput": 246},
                    {"accuracy": 0.66, "throughput": 246},
                    {"accuracy": 0.7, "throughput": 246},
                    {"accuracy": 0.445, "throughput": 8000},
                ],
                {"accuracy": 4, "throughput": 1},
                ones,
                {"cpu_time": 0.001, "throughput": 15, "memory": 1},
            ),
            case(
                "a constant model on a default board",
                [*real, constant],
                {"accuracy": 4, "throughput": 1, "memory": 1},
                ones,
                usual,
            ),
            drawn(rng, "all metrics", {"accuracy": 4, "robustness": 1, "brier": 2, "cpu_time": 1, "throughput": 3, "memory": 1}),
            drawn(rng, "costs alone", {"cpu_time": 2, "memory": 1}),
            drawn(rng, "percent metrics alone", {"accuracy": 1, "brier": 1, "memory": 0}),
        ],
        indent=1,
    )
)
