import type { Metric } from '../metric.js';
import { isEnglish, localeOf, type TextRules } from './text-rules.js';

/**
 * Returns the signature of a metric of texts, in sacreBLEU's notation: the choices of the metric, the
 * Unicode normalisation (`norm`), and the version of the metric (`assay`). Null if the metric compares
 * no texts.
 */
export function signatureOf(metric: Pick<Metric, 'signature' | 'version'>, rules: TextRules): string | null {
  if (!metric.signature) return null;
  const { normalise = [] } = rules;
  const norm = [normalise.includes('nfkc') ? 'nfkc' : 'nfc', ...(normalise.includes('quotes') ? ['quotes'] : [])];
  return `${metric.signature(rules)}|norm:${norm.join('+')}|assay:${metric.version}`;
}

/** The signature of the metrics that compare the words of an answer (see `answerWords`). */
export const answerSignature = (rules: TextRules): string =>
  isEnglish(rules)
    ? 'case:lc|lang:en|rules:squad-1.1'
    : `case:lc|lang:${localeOf(rules.language!).language}|rules:mlqa`;
