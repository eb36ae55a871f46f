import type { Estimate } from '@assay/contracts/metrics';
import { type TestedDifference } from '@assay/scoring/comparison';
import { twoSidedNormal, Z95 } from '@assay/scoring/intervals';

/** The performance of a model on the datasets of a benchmark version. */
export interface VersionScores {
  readonly datasets: readonly { readonly name: string; readonly version: number }[];
  /** By dataset name. */
  readonly weights: Readonly<Record<string, number>>;
  /** The performance by dataset name. */
  readonly scores: Readonly<Record<string, Estimate | undefined>>;
  /** The datasets that were collected against the model, which are left out. */
  readonly own: readonly string[];
}

/** A score on a dataset version with its share in the mean. */
interface Part {
  readonly share: number;
  readonly score: Estimate;
}

/**
 * Returns how much the weighted mean performance of a model on a benchmark version differs from that
 * on an earlier version. On a dataset version that both have, the answers are the same, so its error
 * counts by the difference of its shares; the errors on other dataset versions are independent.
 * There is no interval and no test if nothing can differ by chance. Returns null if the model lacks
 * a score on either version.
 */
export function versionDifference(now: VersionScores, before: VersionScores): TestedDifference | null {
  const [nowParts, partsBefore] = [partsOf(now), partsOf(before)];
  if (!nowParts || !partsBefore) return null;
  let value = 0;
  let variance = 0;
  for (const key of new Set([...nowParts.keys(), ...partsBefore.keys()])) {
    const [one, other] = [nowParts.get(key), partsBefore.get(key)];
    value += amountOf(one, ({ value: score }) => score) - amountOf(other, ({ value: score }) => score);
    variance += (amountOf(one, errorOf) - amountOf(other, errorOf)) ** 2;
  }
  const standardError = Math.sqrt(variance);
  if (!(standardError > 0)) return { difference: { value, low: null, high: null, standardError: null }, p: null };
  const reach = Z95 * standardError;
  return {
    difference: { value, low: value - reach, high: value + reach, standardError },
    p: twoSidedNormal(value / standardError),
  };
}

/** Returns the parts by dataset version; null if a score is missing, or if all datasets are left out. */
function partsOf({ datasets, weights, scores, own }: VersionScores): ReadonlyMap<string, Part> | null {
  const counted = datasets.filter(({ name }) => (weights[name] ?? 0) > 0 && !own.includes(name));
  const sum = counted.reduce((before, { name }) => before + weights[name]!, 0);
  const parts = new Map<string, Part>();
  for (const { name, version } of counted) {
    const score = scores[name];
    if (!score) return null;
    parts.set(`${name} v${version}`, { share: weights[name]! / sum, score });
  }
  return parts.size > 0 ? parts : null;
}

const amountOf = (part: Part | undefined, of: (score: Estimate) => number): number =>
  part ? part.share * of(part.score) : 0;

/** NaN if the error is unknown. */
const errorOf = ({ standardError = null }: Estimate): number => standardError ?? NaN;
