import { METRIC_TERMS } from './metric-terms.js';
import { WORD_TERMS } from './word-terms.js';

export const TERMS = { ...METRIC_TERMS, ...WORD_TERMS } as const;

/** Names are anchors of the help: `/help#accuracy`. */
export type TermName = keyof typeof TERMS;

/** The anchor of a metric or word in the help; of `worst:<field>` that of `worst`. Undefined: nothing is written about it. */
export function termAnchor(name: string): TermName | undefined {
  const anchor = slicing(name)?.kind ?? name;
  return Object.hasOwn(TERMS, anchor) ? (anchor as TermName) : undefined;
}

/** What a metric is called for people: `macro F1`, `AUROC`, `worst by topic`; as the API has it where it is not known. */
export function metricName(name: string): string {
  const slice = slicing(name);
  if (slice?.kind === 'worst') return $localize`worst by ${slice.field}:field:`;
  if (slice?.kind === 'gap') return $localize`gap by ${slice.field}:field:`;
  return Object.hasOwn(TERMS, name) ? TERMS[name as TermName].name : name.replaceAll('_', ' ');
}

/** The unit of a metric as the header of a column has it; empty where the figure has none. */
export function unitName(unit: string): string {
  if (unit === 'ratio') return '%';
  return unit === 'value' ? '' : unit;
}

function slicing(name: string): { readonly kind: 'worst' | 'gap'; readonly field: string } | undefined {
  const [, kind, field] = /^(worst|gap):(.+)$/s.exec(name) ?? [];
  return kind && field ? { kind: kind as 'worst' | 'gap', field } : undefined;
}
