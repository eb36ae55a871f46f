"""Writes the golden cases of the metrics of probabilities, of several labels, of texts and of numbers, with scikit-learn, SciPy and NLTK, and with
plain writings of the published definitions where those have none; no code of the library is used.

Run by hand: python3 libs/scoring/golden/make-metric-golden.py (Debian: python3-sklearn, python3-nltk), then
npx prettier --write libs/scoring/golden.
"""

import json
import math
import os
import re
import unicodedata
from collections import Counter
from fractions import Fraction

import numpy as np
from nltk.metrics.distance import edit_distance
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu
from scipy import stats
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    jaccard_score,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    roc_auc_score,
)
from sklearn.preprocessing import MultiLabelBinarizer

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20250311)


def write(name, content):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1, ensure_ascii=False)
        file.write("\n")


# probabilities ------------------------------------------------------------------------------------------------------------


def expected_calibration_error(confidences, right):
    """Bins in exact arithmetic, so that a probability on an edge is in no doubt."""
    confidences = [Fraction(str(each)) for each in confidences]
    bins = [max(1, math.ceil(15 * each)) for each in confidences]
    gaps = Fraction(0)
    for each in set(bins):
        inside = [index for index, number in enumerate(bins) if number == each]
        gaps += abs(sum(confidences[index] for index in inside) - sum(right[index] for index in inside))
    return float(gaps / len(confidences))


def probability_case(name, labels, gold, probabilities, predicted=None):
    predicted = predicted or [labels[int(np.argmax(row))] for row in probabilities]
    table = np.array(probabilities)
    truth = np.array([[float(label == each) for label in labels] for each in gold])
    # scikit-learn wants its labels in alphabetic order
    order = np.argsort(labels)
    areas = [roc_auc_score(truth[:, k], table[:, k]) for k in range(len(labels))] if truth.any(axis=0).all() else None
    if areas and len(labels) > 2:
        whole = roc_auc_score(gold, table[:, order], multi_class="ovr", average="macro", labels=sorted(labels))
        assert abs(whole - np.mean(areas)) < 1e-12
    return {
        "name": name,
        "labels": labels,
        "gold": gold,
        "predicted": predicted,
        "probabilities": probabilities,
        "brier": float(((table - truth) ** 2).sum(axis=1).mean()),
        "log_loss": float(log_loss(gold, table[:, order], labels=sorted(labels), eps=1e-15)),
        "ece": expected_calibration_error(
            [row[labels.index(each)] for row, each in zip(probabilities, predicted)],
            [int(a == b) for a, b in zip(gold, predicted)],
        ),
        "auroc": float(np.mean(areas)) if areas else None,
    }


def thousandths(rows):
    """Probabilities of three decimals that sum to 1."""
    whole = np.floor(np.array(rows) * 1000).astype(int)
    whole[:, 0] += 1000 - whole.sum(axis=1)
    return [[each / 1000 for each in row] for row in whole.tolist()]


nli = ["entailment", "neutral", "contradiction"]
nli_gold = [str(each) for each in rng.choice(nli, 150, p=[0.5, 0.3, 0.2])]
nli_logits = rng.normal(0, 1, (150, 3)) + 1.2 * np.array([[label == each for label in nli] for each in nli_gold])
nli_probabilities = thousandths(np.exp(nli_logits) / np.exp(nli_logits).sum(axis=1, keepdims=True))
two_gold = [str(each) for each in rng.choice(["yes", "no"], 60)]
two_shares = rng.beta(2, 2, 60)
coarse_gold = [str(each) for each in rng.choice(nli, 40)]
coarse = [[each / 5 for each in row] for row in rng.multinomial(5, [0.4, 0.3, 0.3], 40).tolist()]
probability_cases = [
    probability_case("three labels", nli, nli_gold, nli_probabilities),
    probability_case("two labels", ["yes", "no"], two_gold, thousandths([[p, 1 - p] for p in two_shares])),
    probability_case("many ties, and tops on the edges of bins", nli, coarse_gold, coarse),
    probability_case(
        "answers that are not the top label",
        nli,
        nli_gold,
        nli_probabilities,
        [str(each) for each in rng.choice(nli, 150)],
    ),
    probability_case("certain and wrong", ["a", "b"], ["a", "b", "b", "a"], [[0, 1], [0, 1], [1, 0], [1, 0]]),
    probability_case("a label that is never gold", ["a", "b", "c"], ["a", "b", "b"], [[0.5, 0.3, 0.2], [0, 1, 0], [0.9, 0.1, 0]]),
]

# several labels -------------------------------------------------------------------------------------------------------------


def label_list_case(name, labels, gold, predicted):
    indicators = MultiLabelBinarizer(classes=labels).fit([labels])
    truth = indicators.transform(gold)
    answers = indicators.transform([answer or [] for answer in predicted])
    occurring = (truth + answers).any(axis=0)
    return {
        "name": name,
        "labels": labels,
        "gold": gold,
        "predicted": predicted,
        "accuracy": accuracy_score(truth, answers),
        "macro_f1": f1_score(truth[:, occurring], answers[:, occurring], average="macro", zero_division=0)
        if occurring.any()
        else 1,
        "micro_f1": f1_score(truth, answers, average="micro", zero_division=0) if occurring.any() else 1,
        "jaccard": jaccard_score(truth, answers, average="samples", zero_division=1),
    }


def some(labels, share):
    return sorted(label for label in labels if rng.random() < share)


topics = ["art", "economy", "health", "politics", "sport"]
topic_gold = [some(topics, 0.4) for _ in range(80)]
topic_answers = [sorted({*(each for each in gold if rng.random() < 0.7), *some(topics, 0.1)}) for gold in topic_gold]
label_list_cases = [
    label_list_case("five labels", topics, topic_gold, topic_answers),
    label_list_case("a label that never occurs", ["a", "b", "never"], [["a"], ["a", "b"], []], [["a"], ["b"], []]),
    label_list_case("nothing is gold, nothing is answered", ["a", "b"], [[], []], [[], []]),
    label_list_case("all wrong", ["a", "b"], [["a"], ["b"]], [["b"], ["a"]]),
    label_list_case("an answer is missing", ["a", "b"], [["a"], ["a", "b"]], [None, ["a", "b"]]),
]

# texts ----------------------------------------------------------------------------------------------------------------------


def tokens_13a(text):
    """mteval-v13a's tokenisation, character by character."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, character)
    punctuation = set('!"#$%&()*+/:;<=>?@[\\]^_`{|}~')
    text = "".join(f" {each} " if each in punctuation else each for each in f" {text} ")
    digits = set("0123456789")

    def spaced(text, applies):
        """Non-overlapping pairs from the left, as a regular expression finds them."""
        found, index = [], 0
        while index < len(text):
            pair = text[index : index + 2]
            put = applies(pair) if len(pair) == 2 else None
            found.append(put if put is not None else text[index])
            index += 2 if put is not None else 1
        return "".join(found)

    text = spaced(text, lambda p: f"{p[0]} {p[1]} " if p[0] not in digits and p[1] in ".," else None)
    text = spaced(text, lambda p: f" {p[0]} {p[1]}" if p[0] in ".," and p[1] not in digits else None)
    text = spaced(text, lambda p: f"{p[0]} {p[1]} " if p[0] in digits and p[1] == "-" else None)
    return text.split()


def ngrams(sequence, order):
    return Counter(tuple(sequence[index : index + order]) for index in range(len(sequence) - order + 1))


def bleu(gold, predicted):
    hypotheses = [tokens_13a(each) for each in predicted]
    references = [[tokens_13a(each) for each in several] for several in gold]
    matched, total = [0] * 4, [0] * 4
    answered = expected = 0
    for hypothesis, several in zip(hypotheses, references):
        answered += len(hypothesis)
        expected += min((abs(len(each) - len(hypothesis)), len(each)) for each in several)[1]
        for order in range(1, 5):
            union = Counter()
            for each in several:
                union |= ngrams(each, order)
            found = ngrams(hypothesis, order)
            total[order - 1] += sum(found.values())
            matched[order - 1] += sum((found & union).values())
    if not any(matched) or 0 in total:
        return 0.0
    zeros = 0
    product = 1.0
    for hits, count in zip(matched, total):
        zeros += hits == 0
        product *= hits / count if hits else 1 / (2**zeros * count)
    value = (1 if answered >= expected else math.exp(1 - expected / answered)) * product**0.25
    if all(len(each) >= 4 for each in hypotheses) and matched[0] > 0:
        # NLTK counts one n-gram for a shorter text, sacreBLEU none
        theirs = corpus_bleu(references, hypotheses, smoothing_function=SmoothingFunction().method3)
        assert abs(value - theirs) < 1e-12, (value, theirs)
    return value


def chrf_of(counts):
    precisions = [both / answered for answered, expected, both in counts if answered and expected]
    recalls = [both / expected for answered, expected, both in counts if answered and expected]
    precision = sum(precisions) / len(precisions) if precisions else 0
    recall = sum(recalls) / len(recalls) if recalls else 0
    return 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


def chrf(gold, predicted):
    totals = [[0, 0, 0] for _ in range(6)]
    for several, answer in zip(gold, predicted):
        candidates = []
        for reference in several:
            counts = []
            for order in range(1, 7):
                left, right = ngrams("".join(answer.split()), order), ngrams("".join(reference.split()), order)
                expected = sum(right.values())
                counts.append((sum(left.values()) if expected else 0, expected, sum((left & right).values())))
            candidates.append(counts)
        for order, counts in enumerate(max(candidates, key=chrf_of)):
            totals[order] = [a + b for a, b in zip(totals[order], counts)]
    return chrf_of(totals)


def common_subsequence(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    return table[len(a)][len(b)]


def rouge_l(gold, predicted):
    """Google's rouge_score without stemming; of texts beyond ASCII, where the metric departs from it, none."""
    if not all(text.isascii() for text in [*predicted, *(each for several in gold for each in several)]):
        return None
    values = []
    for several, answer in zip(gold, predicted):
        tokens = re.findall("[a-z0-9]+", answer.lower())
        best = 0.0
        for reference in several:
            wanted = re.findall("[a-z0-9]+", reference.lower())
            common = common_subsequence(wanted, tokens)
            if common:
                precision, recall = common / len(tokens), common / len(wanted)
                best = max(best, 2 * precision * recall / (precision + recall))
        values.append(best)
    return sum(values) / len(values)


def error_rate(gold, predicted, tokens):
    edits = length = 0
    for several, answer in zip(gold, predicted):
        pairs = [(edit_distance(tokens(each), tokens(answer)), len(tokens(each))) for each in several]
        fewest = min(pairs, key=lambda pair: pair[0] / pair[1] if pair[1] else (math.inf if pair[0] else 0))
        edits += fewest[0]
        length += fewest[1]
    return edits / length if length else None


def text_case(name, gold, predicted, source=None, published=None):
    case = {
        "name": name,
        "gold": gold,
        "predicted": predicted,
        "bleu": bleu(gold, predicted),
        "chrf": chrf(gold, predicted),
        "rouge_l": rouge_l(gold, predicted),
        "wer": error_rate(gold, predicted, str.split),
        "cer": error_rate(gold, predicted, list),
    }
    for metric, value in (published or {}).items():
        digits = len(str(value).split(".")[1])
        assert round(case[metric], digits) == value, (name, metric, case[metric], value)
    return {**case, **({"source": source} if source else {})}


VOCABULARY = "the a cat dog sat on mat under table red, blue. 3.14 well-known (yes) 7-day and, over; \"quoted\" 1,000 it's".split()


def sentence():
    return " ".join(str(each) for each in rng.choice(VOCABULARY, int(rng.integers(4, 16))))


def altered(text):
    kept = [each if rng.random() < 0.75 else str(rng.choice(VOCABULARY)) for each in text.split() if rng.random() < 0.9]
    return " ".join([*kept, "the", "cat", "sat", "on"])


sentences = [sentence() for _ in range(40)]
readme = "sacreBLEU, README.md and test/test_bleu.py"
chrf_tests = "sacreBLEU, test/test_chrf.py, effective order"
text_cases = [
    text_case(
        "the example of sacreBLEU",
        [
            ["The dog bit the man.", "The dog had bit the man."],
            ["It was not unexpected.", "No one was surprised."],
            ["The man bit him first.", "The man had bitten the dog."],
        ],
        ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."],
        readme,
        {"bleu": 0.48530827, "chrf": 0.5973},
    ),
    text_case(
        "empty answers",
        [["The dog bit the man."], ["It was not unexpected."]],
        ["", ""],
        readme,
        {"bleu": 0.0},
    ),
    text_case("one character", [["a"]], ["a"], chrf_tests, {"chrf": 1.0}),
    text_case("spaces do not count", [["abc"]], ["a b c"], chrf_tests, {"chrf": 1.0}),
    text_case("half of the characters", [["a"], ["c"]], ["a", "b"], chrf_tests, {"chrf": 0.5}),
    text_case("a quarter", [["ab"]], ["aa"], chrf_tests, {"chrf": 0.25}),
    text_case("no answer", [["reference"]], [""], chrf_tests, {"chrf": 0.0}),
    text_case(
        "the example of rouge_score",
        [["The quick brown fox jumps over the lazy dog"]],
        ["The quick brown dog jumps on the log."],
        "Google's rouge_score, README.md",
        {"rouge_l": 0.5882352941176471},
    ),
    text_case("sentences", [[each] for each in sentences], [altered(each) for each in sentences]),
    text_case(
        "several references",
        [[each, altered(each), sentence()] for each in sentences],
        [altered(each) for each in sentences],
    ),
    text_case(
        "no four words in common",
        [["the cat sat on the mat today"], ["a dog lay under the table"]],
        ["the cat lay on a mat today", "the dog lay beneath a table"],
    ),
    text_case("answers too short for four words", [["the cat sat"], ["on the mat"]], ["the cat sat", "on a mat"]),
    text_case(
        "tokens",
        [['He said: "1,000.50 euro-cents, or 5-6%?" & left...', "&quot;Hi&quot; &amp; bye-\nbye\n<skipped>now"]],
        ['He said: "1,000.5 euro-cents , or 5 - 6 % ?" &amp; left. . .'],
    ),
    text_case(
        "beyond ASCII",
        [["Das Verhältnis ist nicht gerade freundschaftlich, né?"], ["北京是中国的首都。"], ["naïve 👍🏽 café"]],
        ["Die Beziehung ist nicht gerade freundlich, né?", "北京是首都。", "naive 👍 café 👍🏽"],
    ),
    text_case("thin\u2009and hard\u00a0spaces", [["a\u2009thin b\u00a0c"]], ["a thin\u3000b  c"]),
    text_case(
        "references as much longer as shorter",
        [["the cat sat on a mat", "the cat sat on", "the cat sat on the big red mat"]],
        ["the cat sat on the mat now"],
    ),
    text_case("a reference too short for six characters", [["abc"], ["a longer one"]], ["abcdefghi", "a longer word"]),
    text_case("empty beside others", [["the cat", ""], ["a longer one"]], ["", "a longer one"]),
    text_case(
        "more tokens",
        [["bye-\nbye, v.5,a,7 and 1-2 <skipped>now then"]],
        ["byebye , v . 5 , a , 7 and 1 - 2 now"],
    ),
    text_case("a reference without words", [["", "two words"], ["x"]], ["two", "x"]),
]

# numbers --------------------------------------------------------------------------------------------------------------------


def number_case(name, gold, predicted):
    varied = len(set(gold)) > 1 and len(set(predicted)) > 1
    return {
        "name": name,
        "gold": gold,
        "predicted": predicted,
        "mae": float(mean_absolute_error(gold, predicted)),
        "rmse": math.sqrt(mean_squared_error(gold, predicted)),
        "pearson": float(stats.pearsonr(gold, predicted)[0]) if varied else None,
        "spearman": float(stats.spearmanr(gold, predicted)[0]) if varied else None,
    }


prices = [round(float(each), 3) for each in rng.lognormal(3, 1, 60)]
stars = [int(each) for each in rng.integers(1, 6, 80)]
number_cases = [
    number_case("prices", prices, [round(each * float(rng.uniform(0.6, 1.5)), 3) for each in prices]),
    number_case("stars, with many ties", stars, [min(5, max(1, each + int(rng.integers(-1, 2)))) for each in stars]),
    number_case("far from zero", [1e9 + each for each in stars], [1e9 + each % 3 for each in stars]),
    number_case("the other way round", [1, 2, 3, 4], [-1, -20, -300, -4000]),
    number_case("one answer always", [1, 2, 3], [2, 2, 2]),
    number_case("all right", [0.1, -0.2, 3e-7], [0.1, -0.2, 3e-7]),
]

# ordered labels -------------------------------------------------------------------------------------------------------------


def rank_error_case(name, labels, gold, predicted):
    """With several acceptable labels, the nearest counts; an answer that is missing is as far off as a label can be."""
    expected, answered = [], []
    for each, answer in zip(gold, predicted):
        ranks = [labels.index(label) for label in (each if isinstance(each, list) else [each])]
        if answer is None:
            answered.append(max(0, len(labels) - 1, key=lambda rank: abs(rank - ranks[0])))
            expected.append(ranks[0])
        else:
            answered.append(labels.index(answer))
            expected.append(min(ranks, key=lambda rank: abs(rank - labels.index(answer))))
    value = float(mean_absolute_error(expected, answered))
    return {"name": name, "labels": labels, "gold": gold, "predicted": predicted, "value": value}


grades = ["poor", "fair", "good", "excellent"]
grade_gold = [str(each) for each in rng.choice(grades, 60)]
grade_answers = [
    grades[min(3, max(0, grades.index(each) + int(rng.integers(-1, 2))))] for each in grade_gold
]
rank_error_cases = [
    rank_error_case("four grades", grades, grade_gold, grade_answers),
    rank_error_case("all right", grades, grade_gold[:5], grade_gold[:5]),
    rank_error_case("the other end of the scale", grades, ["poor", "excellent"], ["excellent", "poor"]),
    rank_error_case("several acceptable labels", grades, [["poor", "good"], ["fair"], ["excellent", "fair"]], ["fair", "good", "poor"]),
    rank_error_case("answers missing", grades, ["poor", "fair", "good", "excellent"], [None, None, None, "excellent"]),
]

# tokens of spans ------------------------------------------------------------------------------------------------------------


def span_tokens(text):
    """Runs of letters, marks and digits; anything else but space alone, and so are Chinese and Japanese characters."""
    found, run = [], ""
    for character in unicodedata.normalize("NFC", text):
        by_character = unicodedata.name(character, "").startswith(("CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER"))
        if unicodedata.category(character)[0] in "LMN" and not by_character:
            run += character
            continue
        found += [run, "" if character.isspace() else character]
        run = ""
    return [each for each in [*found, run] if each]


def token_f1(gold, answer):
    if answer is None:
        return 0.0
    best = 0.0
    for reference in gold or [""]:
        left, right = Counter(span_tokens(reference)), Counter(span_tokens(answer))
        total = sum(left.values()) + sum(right.values())
        best = max(best, 2 * sum((left & right).values()) / total if total else 1.0)
    return best


def token_case(name, gold, predicted):
    value = float(np.mean([token_f1(each, answer) for each, answer in zip(gold, predicted)]))
    return {"name": name, "gold": gold, "predicted": predicted, "value": value}


token_cases = [
    token_case("articles and punctuation count", [["Denver Broncos"]], ["The Denver Broncos!"]),
    token_case("case counts", [["the cat"], ["The cat"]], ["The cat", "The cat"]),
    token_case("the best of several references", [["in the old town", "the town"], ["308"]], ["the old town", "308 yards"]),
    token_case("no reference, no answer, a bad answer", [[], [], ["x"], ["x"]], ["", "word", "", None]),
    token_case("repeated tokens", [["to be or not to be"]], ["to to to be"]),
    token_case("punctuation inside", [["3.14 (approx.)", "well-known"]], ["3,14 (approx)"]),
    token_case("Chinese and Japanese by character", [["北京大学"], ["ひらがなとカナ"]], ["北京大", "ひらがな"]),
    token_case("composed and decomposed", [["caf\u00e9 noir"]], ["cafe\u0301 noir"]),
]



def positions(span):
    return set() if span is None else set(range(*span))


def span_f1(gold, answer):
    """The F1 of sets of positions, by scikit-learn."""
    if answer is None:
        return 0.0
    best = 0.0
    for reference in gold:
        both = positions(reference) | positions(answer)
        if not both:
            best = 1.0
            continue
        truth = [place in positions(reference) for place in both]
        given = [place in positions(answer) for place in both]
        best = max(best, f1_score(truth, given, zero_division=0))
    return float(best)


def span_case(name, text, examples):
    """Each example: the correct spans and the given one, as (start, end) in characters; (0, 0) is no answer."""
    words = lambda span: None if span is None else text[slice(*span)]
    value = float(np.mean([span_f1(gold, answer) for gold, answer in examples]))
    return {
        "name": name,
        "text": text,
        "gold": [[words(span) for span in gold] for gold, _ in examples],
        "starts": [[span[0] for span in gold] for gold, _ in examples],
        "predicted": [words(answer) for _, answer in examples],
        "spans": [answer for _, answer in examples],
        "value": value,
    }


SPAN_TEXT = "In 1999 a \U0001f600 cat met a cat; the cat left in 1999."
span_cases = [
    span_case("the same and overlapping spans", SPAN_TEXT, [([(3, 7)], (3, 7)), ([(3, 7)], (0, 7)), ([(12, 19)], (14, 24))]),
    span_case("equal words in another place", SPAN_TEXT, [([(3, 7)], (43, 47)), ([(12, 15)], (22, 25))]),
    span_case("the best of several correct spans", SPAN_TEXT, [([(12, 15), (22, 25)], (20, 25))]),
    span_case("no answer, right and wrong, and a bad one", SPAN_TEXT, [([(0, 0)], (0, 0)), ([(0, 0)], (3, 7)), ([(3, 7)], (0, 0)), ([(3, 7)], None)]),
]

write("probabilities.json", probability_cases)
write("label-lists.json", label_list_cases)
write("texts.json", text_cases)
write("numbers.json", number_cases)
write(
    "metrics/mean_absolute_rank_error.json",
    {
        "metric": "mean_absolute_rank_error",
        "output": "label",
        "source": "scikit-learn: mean_absolute_error of the ranks; make-metric-golden.py",
        "cases": rank_error_cases,
    },
)
write(
    "metrics/token_f1.json",
    {
        "metric": "token_f1",
        "output": "span",
        "source": "the definition, over Python's unicodedata; make-metric-golden.py",
        "cases": token_cases,
    },
)
write(
    "metrics/span_f1.json",
    {
        "metric": "span_f1",
        "output": "span",
        "source": "scikit-learn: f1_score of the sets of positions; make-metric-golden.py",
        "cases": span_cases,
    },
)
