// npm run generate writes this file from the metrics in libs/scoring/src/metrics
import type { Explanation } from '../terms/explanation.js';

export const PERFORMANCE_TERMS = {
  accuracy: {
    name: $localize`accuracy`,
    sentence: $localize`The share of examples answered correctly.`,
  },
  auroc: {
    name: $localize`AUROC`,
    sentence: $localize`Area under the ROC curve: how often an example with a label gets a higher probability of that label than an example without it. 100% is perfect, 50% is chance level.`,
  },
  balanced_accuracy: {
    name: $localize`balanced accuracy`,
    sentence: $localize`The recall of each label, averaged over the labels. Always predicting the most frequent label gains nothing.`,
  },
  brier: {
    name: $localize`Brier score`,
    sentence: $localize`The squared error of the predicted probabilities. Confident errors cost most.`,
  },
  ece: {
    name: $localize`ECE`,
    sentence: $localize`Expected calibration error: the average gap between confidence and accuracy. Predictions made with 90% confidence should be right 90% of the time.`,
  },
  log_loss: {
    name: $localize`log loss`,
    sentence: $localize`The negative logarithm of the probability of the correct label. Confident errors cost most.`,
  },
  macro_f1: {
    name: $localize`macro F1`,
    sentence: $localize`The F1 score of each label (the harmonic mean of precision and recall), averaged over the labels. A rare label counts as much as a frequent one.`,
  },
  mcc: {
    name: $localize`MCC`,
    sentence: $localize`Matthews correlation coefficient: the correlation of predicted and gold labels. 100% is perfect, 0 is chance level, and below 0 is worse than chance.`,
  },
  mean_absolute_rank_error: {
    name: $localize`mean rank error`,
    sentence: $localize`Mean absolute rank error: how many steps the predicted label is from the correct one on an ordered scale, on average.`,
  },
  micro_f1: {
    name: $localize`micro F1`,
    sentence: $localize`The F1 score over the pooled predictions of all labels. Frequent labels count more.`,
  },
  quadratic_kappa: {
    name: $localize`quadratic kappa`,
    sentence: $localize`Quadratic weighted kappa: the agreement of predicted and gold labels on an ordered scale, where an error costs the square of its distance. 100% is perfect, 0 is chance level, and below 0 is worse than chance.`,
  },
  weighted_f1: {
    name: $localize`weighted F1`,
    sentence: $localize`The F1 score of each label, averaged over the labels and weighted by how frequent they are.`,
  },
  jaccard: {
    name: $localize`Jaccard`,
    sentence: $localize`The overlap of predicted and gold labels: labels in both, divided by labels in either, averaged over the examples.`,
  },
  exact_match: {
    name: $localize`exact match`,
    sentence: $localize`The share of answers that equal a correct answer, ignoring case, articles and punctuation.`,
  },
  span_f1: {
    name: $localize`span F1`,
    sentence: $localize`How far the position of the answer in the text overlaps with that of the best-fitting correct answer, averaged over the examples. The same words in another place count as wrong.`,
  },
  squad_f1: {
    name: $localize`SQuAD F1`,
    sentence: $localize`The word overlap of the answer with the best-fitting correct answer, averaged over the examples.`,
  },
  token_f1: {
    name: $localize`token F1`,
    sentence: $localize`The token overlap of the answer with the best-fitting correct answer, averaged over the examples. Case, articles and punctuation count.`,
  },
  bleu: {
    name: $localize`BLEU`,
    sentence: $localize`The precision of n-grams of one to four words in the answers against the references, with a penalty for short answers.`,
  },
  cer: {
    name: $localize`CER`,
    sentence: $localize`Character error rate: the characters to substitute, insert or delete to get the reference, for each of its characters.`,
  },
  chrf: {
    name: $localize`chrF`,
    sentence: $localize`The F-score of n-grams of one to six characters in the answers against the references.`,
  },
  rouge_l: {
    name: $localize`ROUGE-L`,
    sentence: $localize`The F1 score of the longest sequence of words that the answer shares with the reference in the same order, averaged over the examples.`,
  },
  wer: {
    name: $localize`WER`,
    sentence: $localize`Word error rate: the words to substitute, insert or delete to get the reference, for each of its words.`,
  },
  mae: {
    name: $localize`MAE`,
    sentence: $localize`Mean absolute error: how far the predicted numbers are from the correct ones, on average.`,
  },
  pearson: {
    name: $localize`Pearson`,
    sentence: $localize`The linear correlation of predicted and correct numbers. 100% is perfect, 0 is none.`,
  },
  rmse: {
    name: $localize`RMSE`,
    sentence: $localize`Root mean squared error: how far the predicted numbers are from the correct ones, where large errors count more.`,
  },
  spearman: {
    name: $localize`Spearman`,
    sentence: $localize`The rank correlation of predicted and correct numbers. 100% is the same order, 0 is none.`,
  },
} as const satisfies Readonly<Record<string, Explanation>>;
