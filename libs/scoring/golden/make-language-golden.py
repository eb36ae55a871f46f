"""Writes the golden cases of texts in several languages: exact match and F1 by the rules of MLQA's evaluation script, written out
plainly, and BLEU by sacreBLEU. No code of the library is used.

Run by hand: python3 libs/scoring/golden/make-language-golden.py (PyPI: sacrebleu 2.6.0), then
npx prettier --write libs/scoring/golden.
"""

import json
import os
import string
import unicodedata
from collections import Counter

from sacrebleu.metrics import BLEU

HERE = os.path.dirname(os.path.abspath(__file__))

# answers --------------------------------------------------------------------------------------------------------------------

ARTICLES = {
    "de": "ein eine einen einem eines einer der die das den dem des".split(),
    "es": "un una unos unas el la los las".split(),
    "vi": "của là cái chiếc những".split(),
}


def is_word_character(character):
    return character.isalnum() or character == "_"


def runs(text):
    """The longest runs of word characters, and the characters between them."""
    found = []
    for character in text:
        if found and is_word_character(character) and is_word_character(found[-1][-1]):
            found[-1] += character
        else:
            found.append(character)
    return found


def answer_words(answer, language):
    text = "".join(
        each for each in answer.lower() if each not in string.punctuation and not unicodedata.category(each).startswith("P")
    )
    if language == "ar":
        text = text.replace("ال", " ")
    articles = ARTICLES.get(language, [])
    text = "".join(" " if run in articles else run for run in runs(text))
    if language == "zh":
        text = "".join(f" {each} " if "\u4e00" <= each <= "\u9fa5" else each for each in text)
    return text.split()


def overlap_f1(gold, answer):
    same = sum((Counter(gold) & Counter(answer)).values())
    if same == 0:
        return float(gold == answer)
    precision, recall = same / len(answer), same / len(gold)
    return 2 * precision * recall / (precision + recall)


def answer_case(language, gold, predicted):
    answer = answer_words(predicted, language)
    references = [answer_words(each, language) for each in gold]
    return {
        "language": language,
        "gold": gold,
        "predicted": predicted,
        "exact_match": max(float(each == answer) for each in references),
        "squad_f1": max(overlap_f1(each, answer) for each in references),
    }


answers = [
    answer_case("zh", ["北京大学"], "北京大"),
    answer_case("zh", ["《红楼梦》。"], "红楼梦"),
    answer_case("zh", ["清华大学 Tsinghua University"], "清华 tsinghua"),
    answer_case("zh", ["1949年10月1日"], "1949年"),
    answer_case("de", ["die Bundesrepublik Deutschland"], "Bundesrepublik Deutschland"),
    answer_case("de", ["„Faust“ – eine Tragödie"], "Faust. Tragödie"),
    answer_case("de", ["den derben Dienst"], "derben Dienst des Denkens"),
    answer_case("es", ["¿el Museo del Prado?"], "Museo del Prado"),
    answer_case("es", ["unas 300 personas", "300"], "las personas: 300"),
    answer_case("vi", ["những con mèo của tôi"], "con mèo tôi"),
    answer_case("ar", ["جامعة القاهرة"], "القاهرة، جامعة"),
    answer_case("ar", ["السلام"], "سلام"),
    answer_case("hi", ["भारत की राजधानी।"], "राजधानी भारत"),
    answer_case("hi", ["नई दिल्ली"], "दिल्ली"),
]

# translations ---------------------------------------------------------------------------------------------------------------


def bleu_case(language, tokeniser, gold, predicted):
    # sacreBLEU wants the references as columns; a row without its last one repeats the first
    most = max(len(each) for each in gold)
    columns = [[each[place] if place < len(each) else each[0] for each in gold] for place in range(most)]
    score = BLEU(tokenize=tokeniser).corpus_score(predicted, columns)
    return {
        "language": language,
        "tokeniser": tokeniser,
        "gold": gold,
        "predicted": predicted,
        "bleu": score.score / 100,
    }


translations = [
    bleu_case(
        "zh",
        "zh",
        [["我今天去北京大学上课。"], ["“天安门”位于北京市中心,建于1420年。", "天安门在北京。"], ["价格是 3.5 USD(约25元)"]],
        ["今天我去北京大学上课。", "“天安门”在北京市中心,建于1420年。", "价格为 3.5 USD(25元)"],
    ),
    bleu_case(
        "ja",
        "char",
        [["私は昨日、東京タワーへ行きました。"], ["カタカナ と ひらがな"]],
        ["私は昨日東京タワーに行きました。", "カタカナとひらがな"],
    ),
    bleu_case("th", "char", [["ฉันรักประเทศไทย"]], ["ฉันรักไทย"]),
    bleu_case(
        "ru",
        "intl",
        [["«Мы, — сказал он, — вернёмся в 12:30…»"], ["Цена выросла на 3,5 % до 1.200 €."]],
        ["«Мы» — сказал он — «вернёмся в 12:30»", "Цена выросла на 3,5% до 1.200 €."],
    ),
    bleu_case("hi", "intl", [["यह एक बड़ा घर है। वह छोटा है।"]], ["यह एक बड़ा घर है, वह छोटा है।"]),
    bleu_case("el", "intl", [["Πού είναι ο σταθμός; Εκεί, στο 1994."]], ["Πού είναι ο σταθμός; Στο 1994."]),
    bleu_case("de", "13a", [["Er sagte: „Das ist gut.“"], ["Am 7. Mai 1999 kostete es 3,50 €."]], ["Er sagte: „Das war gut.“", "Am 7. Mai 1999 kostete es 3,50€."]),
    bleu_case("en", "13a", [["The price rose by 3.5% in May."]], ["The price had risen by 3.5% in May."]),
]

with open(os.path.join(HERE, "languages.json"), "w", encoding="utf-8") as file:
    json.dump({"answers": answers, "translations": translations}, file, indent=1, ensure_ascii=False)
    file.write("\n")
