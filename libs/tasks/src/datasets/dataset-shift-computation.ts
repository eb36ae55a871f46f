import { createReadStream } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DatasetShift, MOST_SHIFTED_WORDS } from '@assay/contracts/facts';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { inTurns } from '@assay/scoring';
import {
  ClusterColumn,
  documentWords,
  labelWords,
  separability,
  unseenShare,
  wordCounts,
  type WordCounts,
} from '@assay/scoring/artefacts';
import { proportionEstimate } from '@assay/scoring/intervals';
import { type DatasetRow } from '../examples/dataset-rows.js';
import { clusteredRows } from '../examples/identical-inputs.js';

/** The largest number of examples of each dataset that are read. */
const MOST_EXAMPLES = 20_000;
const Z95 = 1.96;

/** A dataset version to read: its file, and the number of its examples with repeated inputs. */
export interface ShiftedFile {
  readonly path: string;
  readonly repeats: number | null;
  /** True for a collected round, whose examples are clustered by annotator and context. */
  readonly collected: boolean;
}

/** The datasets to compare, as a message to a thread. */
export interface ShiftWork {
  readonly definition: TaskDefinition;
  readonly before: ShiftedFile;
  readonly after: ShiftedFile;
  /** Seeds the folds of the classifier. */
  readonly seed: string;
}

/** The result of a thread: all of a shift but the identity of its datasets. */
export interface ShiftResult extends Pick<DatasetShift, 'separability' | 'differs' | 'labels' | 'inputs' | 'words'> {
  readonly examples: readonly [before: number, after: number];
}

/** Compares the examples of two datasets. Runs in a worker thread: see dataset-shift-threads.ts. */
export async function computeShift({ definition, before, after, seed }: ShiftWork): Promise<ShiftResult> {
  const [earlier, later] = [await rowsOf(definition, before), await rowsOf(definition, after)];
  const rows = [...earlier, ...later];
  const isSecond = new Uint8Array(rows.length).fill(1, earlier.length);
  const clusters = clustersOf(rows);
  const instances = rows.map(({ instance }) => JSON.parse(instance) as Record<string, unknown>);
  const names = definition.inputs.filter(({ type }) => type === 'text').map(({ name }) => name);
  const all: string[][] = rows.map(() => []);
  const inputs: DatasetShift['inputs'][number][] = [];
  const words: DatasetShift['words'][number][] = [];
  for (const input of names) {
    const documents = instances.map((instance) => documentWords(textOf(instance[input]), definition.language));
    for (const [index, document] of documents.entries()) {
      all[index]!.push(...document.map((word) => `${input} ${word}`));
    }
    const own = await inTurns(separability(documents, isSecond, clusters, seed), nextTurn);
    inputs.push({ input, separability: intervalOf(own), ...wordsOf(documents, earlier.length) });
    const found = await inTurns(labelWords(documents, { labels: isSecond, count: 2 }), nextTurn);
    words.push(...found.map(({ label, ...word }) => ({ input, ...word, dataset: SIDES[label]! })));
  }
  const separable = intervalOf(await inTurns(separability(all, isSecond, clusters, seed), nextTurn));
  return {
    examples: [earlier.length, later.length],
    separability: separable,
    differs: separable && separable.low > 0.5,
    labels: labelShares(definition, earlier, later),
    inputs,
    words: words.toSorted((a, b) => b.z - a.z).slice(0, MOST_SHIFTED_WORDS),
  };
}

const SIDES = ['before', 'after'] as const;

async function rowsOf(task: TaskDefinition, { path, repeats, collected }: ShiftedFile): Promise<readonly DatasetRow[]> {
  const rows: DatasetRow[] = [];
  for await (const group of clusteredRows(task, () => createReadStream(path), repeats, collected)) {
    rows.push(...group);
    if (rows.length >= MOST_EXAMPLES) break;
  }
  return rows.slice(0, MOST_EXAMPLES);
}

function clustersOf(rows: readonly DatasetRow[]) {
  const column = new ClusterColumn();
  for (const { cluster, secondCluster } of rows) column.add(cluster, secondCluster);
  return column.clusters;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function intervalOf(
  estimate: { readonly value: number; readonly low: number | null; readonly high: number | null } | null,
): DatasetShift['separability'] {
  if (!estimate || estimate.low === null || estimate.high === null) return null;
  return { value: estimate.value, low: estimate.low, high: estimate.high };
}

function wordsOf(
  documents: readonly (readonly string[])[],
  earlier: number,
): Pick<DatasetShift['inputs'][number], 'length' | 'vocabulary' | 'unseen'> {
  const [before, after] = [wordCounts(documents.slice(0, earlier)), wordCounts(documents.slice(earlier))];
  return {
    length: { before: quartilesOf(before), after: quartilesOf(after) },
    vocabulary: { before: before.counts.size, after: after.counts.size },
    unseen: { before: unseenShare(before, after), after: unseenShare(after, before) },
  };
}

function quartilesOf({ lengths }: WordCounts): DatasetShift['inputs'][number]['length']['before'] {
  if (!lengths) return null;
  const [lowerQuartile, median, upperQuartile] = lengths;
  return { lowerQuartile, median, upperQuartile };
}

function labelShares(
  { output }: TaskDefinition,
  earlier: readonly DatasetRow[],
  later: readonly DatasetRow[],
): DatasetShift['labels'] {
  if (output.type !== 'label' || earlier.length === 0 || later.length === 0) return [];
  const clusters = [clustersOf(earlier), clustersOf(later)];
  return output.labels.map((label) => {
    const [before, after] = [earlier, later].map((rows, side) =>
      proportionEstimate(
        rows.map(({ gold }) => (gold[0] === label ? 1 : 0)),
        clusters[side]!,
      ),
    ) as [ReturnType<typeof proportionEstimate>, ReturnType<typeof proportionEstimate>];
    const value = after.value - before.value;
    const isKnown = before.standardError !== null && after.standardError !== null;
    const half = isKnown ? Z95 * Math.hypot(before.standardError, after.standardError) : null;
    return {
      label,
      before: before.value,
      after: after.value,
      difference: {
        value,
        low: half === null ? null : Math.max(-1, value - half),
        high: half === null ? null : Math.min(1, value + half),
      },
    };
  });
}
