import { sliceMetric } from './metric.js';

/** A ratio as percent with one decimal: 57.0. */
export const percent = (ratio: number): string => (ratio * 100).toFixed(1);

/** A whole number with its thousands apart: 12,400. */
export const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 0 });

/** With three significant digits, never in powers of ten: 0.0213, 4.21, 118, 12,400. */
export function threeDigits(value: number): string {
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(3));
  if (Math.abs(rounded) >= 100) return count(rounded);
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded))));
  return rounded.toFixed(Math.min(decimals, 6));
}

/** A value of a metric in the unit of its column, rounded the same wherever it is shown: percent of a ratio, three digits of a cost. */
export const metricValue = (unit: string, value: number): string =>
  unit === 'ratio' ? percent(value) : threeDigits(value);

/** A probability of being wrong: two significant digits, and no smaller than what is worth telling apart. */
export function pValue(p: number): string {
  if (p < 0.0001) return '<0.0001';
  return p >= 0.0995 ? p.toFixed(2) : Number(p.toPrecision(2)).toString();
}

/** Words of metric names that are no words of a sentence. */
const SPELLINGS: Readonly<Record<string, string>> = {
  auroc: 'AUROC',
  bleu: 'BLEU',
  brier: 'Brier score',
  cer: 'CER',
  chrf: 'chrF',
  ece: 'ECE',
  f1: 'F1',
  mae: 'MAE',
  mcc: 'MCC',
  pearson: 'Pearson',
  rmse: 'RMSE',
  rouge_l: 'ROUGE-L',
  spearman: 'Spearman',
  squad: 'SQuAD',
  wer: 'WER',
};

/** What a metric is called for a person: `macro F1`, `AUROC`, `worst:group` (the field as it is). */
export function metricWords(name: string): string {
  if (sliceMetric(name)) return name;
  return (
    SPELLINGS[name] ??
    name
      .split('_')
      .map((word) => SPELLINGS[word] ?? word)
      .join(' ')
  );
}
