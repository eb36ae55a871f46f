import type { Explanation } from './explanation.js';

/** The explanations of metrics, by their API names. */
export const METRIC_TERMS = {
  accuracy: { name: $localize`accuracy`, sentence: $localize`The share of the examples that were answered right.` },
  macro_f1: {
    name: $localize`macro F1`,
    sentence: $localize`How well each label is found, without false finds, averaged over the labels: a rare label counts as much as a frequent one.`,
  },
  micro_f1: {
    name: $localize`micro F1`,
    sentence: $localize`How well labels are found, without false finds, counted over all answers together: frequent labels count more.`,
  },
  weighted_f1: {
    name: $localize`weighted F1`,
    sentence: $localize`How well each label is found, without false finds, averaged over the labels by how frequent they are.`,
  },
  balanced_accuracy: {
    name: $localize`balanced accuracy`,
    sentence: $localize`The share that was answered right for each label, averaged over the labels: always giving the most frequent one doesn't help.`,
  },
  mcc: {
    name: $localize`MCC`,
    sentence: $localize`How far answers and right labels go together: 100 always, 0 as by chance, below 0 worse than chance.`,
  },
  auroc: {
    name: $localize`AUROC`,
    sentence: $localize`How probable it is that a right example is held more likely than a wrong one: 100 always, 50 as by chance.`,
  },
  brier: {
    name: $localize`Brier score`,
    sentence: $localize`How far the probabilities that the model gives are from what is right; being sure and wrong costs most.`,
  },
  log_loss: {
    name: $localize`log loss`,
    sentence: $localize`How surprised the model is by what is right; being sure and wrong costs without limit.`,
  },
  ece: {
    name: $localize`ECE`,
    sentence: $localize`The average gap between confidence and accuracy. Predictions made with 90% confidence should be right 90% of the time.`,
  },
  jaccard: {
    name: $localize`Jaccard`,
    sentence: $localize`How much of the labels that were given or are right is in both, averaged over the examples.`,
  },
  exact_match: {
    name: $localize`exact match`,
    sentence: $localize`The share of the answers that are, but for capitals, articles and punctuation, one of the right ones.`,
  },
  squad_f1: {
    name: $localize`SQuAD F1`,
    sentence: $localize`How many words the answer shares with the right one, averaged over the examples.`,
  },
  bleu: {
    name: $localize`BLEU`,
    sentence: $localize`How many of the answers' runs of one to four words stand in the right texts; too short answers lose.`,
  },
  chrf: {
    name: $localize`chrF`,
    sentence: $localize`How many runs of up to six characters the answers share with the right texts.`,
  },
  rouge_l: {
    name: $localize`ROUGE-L`,
    sentence: $localize`How long the longest sequence of words is that the answer shares with the right text, in the same order.`,
  },
  wer: {
    name: $localize`WER`,
    sentence: $localize`How many words must be changed, added or removed to get the right text, for each of its words.`,
  },
  cer: {
    name: $localize`CER`,
    sentence: $localize`How many characters must be changed, added or removed to get the right text, for each of its characters.`,
  },
  mae: { name: $localize`MAE`, sentence: $localize`How far the numbers are from the right ones, on average.` },
  rmse: {
    name: $localize`RMSE`,
    sentence: $localize`How far the numbers are from the right ones, where a large error counts more than several small ones.`,
  },
  pearson: {
    name: $localize`Pearson`,
    sentence: $localize`How far the numbers rise and fall in proportion with the right ones: 100 always, 0 not at all.`,
  },
  spearman: {
    name: $localize`Spearman`,
    sentence: $localize`How far the numbers put the examples in the right order: 100 exactly, 0 as by chance.`,
  },
  fairness: {
    name: $localize`fairness`,
    sentence: $localize`Answered right, and still so with other genders and names in the text.`,
  },
  robustness: {
    name: $localize`robustness`,
    sentence: $localize`Answered right, and still so with typos, capitals and other harmless changes in the text.`,
  },
  fairness_stability: {
    name: $localize`fairness stability`,
    sentence: $localize`How far answers stay the same, right or wrong, with other genders and names in the text.`,
  },
  robustness_stability: {
    name: $localize`robustness stability`,
    sentence: $localize`How far answers stay the same, right or wrong, with typos and other harmless changes in the text.`,
  },
  throughput: {
    name: $localize`throughput`,
    sentence: $localize`Examples that the model answers in a second, in batches.`,
  },
  latency_p50: {
    name: $localize`latency p50`,
    sentence: $localize`Half of the requests, one at a time, are answered within this many milliseconds.`,
  },
  latency_p90: {
    name: $localize`latency p90`,
    sentence: $localize`90% of the requests, one at a time, are answered within this many milliseconds.`,
  },
  latency_p95: {
    name: $localize`latency p95`,
    sentence: $localize`95% of the requests, one at a time, are answered within this many milliseconds.`,
  },
  latency_p99: {
    name: $localize`latency p99`,
    sentence: $localize`99% of the requests, one at a time, are answered within this many milliseconds.`,
  },
  memory: { name: $localize`memory`, sentence: $localize`The most memory that the model needed while it ran.` },
  cold_start: {
    name: $localize`cold start`,
    sentence: $localize`How long the model takes from its start until it is ready to answer.`,
  },
  worst: {
    name: $localize`worst slice`,
    sentence: $localize`How the model does on the part of the examples where it does worst.`,
  },
  gap: {
    name: $localize`gap`,
    sentence: $localize`How far apart the model's results on its best and its worst part of the examples are.`,
  },
} as const satisfies Readonly<Record<string, Explanation>>;
