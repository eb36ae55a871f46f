import { METRIC_TERMS } from '../metrics/metric-terms.js';
import { WORD_TERMS } from './word-terms.js';

export const TERMS = { ...METRIC_TERMS, ...WORD_TERMS } as const;

/** The name of a term, which is also its anchor in the help: `/help#accuracy`. */
export type TermName = keyof typeof TERMS;

/**
 * Returns the help anchor of a metric or glossary term; for `worst:<field>` that of `worst`.
 * Undefined if there is no explanation.
 */
export function termAnchor(name: string): TermName | undefined {
  const anchor = slicing(name)?.kind ?? name;
  return Object.hasOwn(TERMS, anchor) ? (anchor as TermName) : undefined;
}

/**
 * Returns the display name of a metric: `macro F1`, `AUROC`, `worst by topic`. An unknown metric
 * keeps its API name, with spaces for underscores.
 */
export function metricName(name: string): string {
  const slice = slicing(name);
  if (slice?.kind === 'worst') return $localize`worst by ${slice.field}:field:`;
  if (slice?.kind === 'gap') return $localize`gap by ${slice.field}:field:`;
  return Object.hasOwn(TERMS, name) ? TERMS[name as TermName].name : name.replaceAll('_', ' ');
}

/** Returns the unit of a metric for a column header; empty if it has none. */
export function unitName(unit: string): string {
  if (unit === 'ratio') return '%';
  if (unit === 's/example') return $localize`ms/example`;
  return unit === 'value' ? '' : unit;
}

function slicing(name: string): { readonly kind: 'worst' | 'gap'; readonly field: string } | undefined {
  const [, kind, field] = /^(worst|gap):(.+)$/s.exec(name) ?? [];
  return kind && field ? { kind: kind as 'worst' | 'gap', field } : undefined;
}
