import { isDeepStrictEqual } from 'node:util';
import { type BenchmarkChange } from '@assay/contracts/datasets';
import { type PublishedDigest } from '@assay/contracts/results';
import { type BenchmarkVersion, BOARD_PARTS } from './benchmark-version.js';
import { BOARD, type ChangedVersion, changedVersions, INTERVALS } from './definition-versions.js';

export interface NamedVersion extends PublishedDigest {
  readonly name: string;
  readonly version: number;
}

/** A benchmark version with the original datasets it names. Perturbed datasets are left out. */
export type BenchmarkContent = Pick<BenchmarkVersion, 'definition' | 'metricVersions'> & {
  readonly datasets: readonly NamedVersion[];
};

const PARTS = {
  performance: 'The performance metric changed.',
  metrics: 'The metrics changed.',
  weights: 'The weights changed.',
  exchange: 'Scores use fixed exchange rates.',
  exchangeRates: 'The exchange rates of costs changed.',
  referenceCosts: 'The reference values of costs changed.',
  baseline: 'The baseline model changed.',
  utilities: 'The utilities changed.',
  aggregate: 'The aggregation of datasets changed.',
  limits: 'The limits of a run changed.',
  slices: 'The slices changed.',
  cluster: 'The clustering of examples changed.',
  perturbations: 'The perturbations changed.',
  language: 'The language whose rules the metrics use changed.',
  normalise: 'The normalisation of texts changed.',
  strictProbabilities: 'The rule for labels that are not the most probable one changed.',
} as const satisfies Record<keyof BenchmarkVersion['definition'], string>;

const AMRS = 'Scores use the published Dynascore, with exchange rates from the models on the board.';

/** Returns whether rates came or went because the task exchanges costs in another way. */
const followsExchange = (kind: string, before: BenchmarkContent, after: BenchmarkContent): boolean =>
  (kind === 'exchangeRates' || kind === 'referenceCosts') && before.definition.exchange !== after.definition.exchange;

/**
 * Returns the differences between a benchmark version and its predecessor, as data and as
 * sentences.
 */
export function benchmarkChanges(before: BenchmarkContent, after: BenchmarkContent): BenchmarkChange[] {
  return [
    ...datasetChanges(before.datasets, after.datasets),
    ...BOARD_PARTS.flatMap((kind): BenchmarkChange[] => {
      const [old, now] = [before.definition[kind], after.definition[kind]];
      if (isDeepStrictEqual(old, now) || followsExchange(kind, before, after)) return [];
      return [{ kind, before: old, after: now, text: now === 'amrs' ? AMRS : PARTS[kind] }];
    }),
    ...metricVersionChanges(before, after),
  ];
}

function datasetChanges(before: readonly NamedVersion[], after: readonly NamedVersion[]): BenchmarkChange[] {
  const earlier = new Map(before.map((each) => [each.name, each]));
  const names = new Set(after.map(({ name }) => name));
  const removed = before.filter(({ name }) => !names.has(name));
  return [
    ...after.flatMap((each): BenchmarkChange[] => {
      const { name, version } = each;
      const old = earlier.get(name);
      if (!old) return [{ kind: 'dataset-added', name, after: version, text: `The dataset "${name}" was added.` }];
      if (old.digest === each.digest) return [];
      const text = `Version ${version} of the dataset "${name}" replaces version ${old.version}.`;
      return [{ kind: 'dataset-replaced', name, before: old.version, after: version, text }];
    }),
    ...removed.map(({ name, version }): BenchmarkChange => ({
      kind: 'dataset-removed',
      name,
      before: version,
      text: `The dataset "${name}" was removed.`,
    })),
  ];
}

/** Returns the changed versions of the definitions that both benchmark versions are computed by. */
function metricVersionChanges(before: BenchmarkContent, after: BenchmarkContent): BenchmarkChange[] {
  const versions = { before: before.metricVersions, after: after.metricVersions };
  const earlier = new Set(changedVersions(before.definition, versions).map(({ name }) => name));
  return changedVersions(after.definition, versions)
    .filter(({ name }) => earlier.has(name))
    .map((change): BenchmarkChange => ({ kind: 'metric-version', ...change, text: versionText(change) }));
}

function versionText({ name, after }: ChangedVersion): string {
  if (name === INTERVALS) return `Intervals are now computed by definition ${after}.`;
  if (name === BOARD) return `The board is now computed by version ${after} of its rules.`;
  return `${name} is now computed by its version ${after}.`;
}
