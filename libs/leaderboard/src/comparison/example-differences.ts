import type { Answer } from '@assay/contracts';
import type { ExampleDifference, ExampleDifferences } from '@assay/contracts/comparison';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { DomainError } from '@assay/kernel';
import type { ExampleMetric } from '@assay/scoring/metrics';
import type { BlobStore } from '@assay/storage';
import type { DatasetVersion } from '@assay/tasks/datasets';
import type { DatasetRow } from '@assay/tasks/examples';
import { exampleView, givenAnswer } from '../answers/answer-views.js';
import { answeredRows } from './answered-rows.js';
import { expectRightness, isRight } from './rightness.js';

export interface ExamplesPage {
  readonly limit: number;
  /** The cursor that the previous page returned. */
  readonly cursor: string | undefined;
}

/**
 * Returns the examples of a dataset version that exactly one of two evaluations answered correctly,
 * in the order of the dataset. The caller checks who may read them.
 * @throws AnswersUnreadable, DomainError `no_right_or_wrong`, `unknown_cursor`
 */
export async function exampleDifferences(
  blobs: BlobStore,
  definition: TaskDefinition,
  version: DatasetVersion,
  pair: readonly [Evaluation, Evaluation],
  { limit, cursor }: ExamplesPage,
): Promise<ExampleDifferences> {
  const metric = expectRightness(definition);
  const start = startOf(cursor);
  const items: ExampleDifference[] = [];
  let last = -1;
  let hasMore = false;
  search: for await (const { rows, answers } of answeredRows(blobs, definition, version, pair)) {
    for (const [place, row] of rows.entries()) {
      if (row.index < start) continue;
      const given = [answers[0]![place] ?? null, answers[1]![place] ?? null] as const;
      const right = onlyRight(metric, definition, row, given);
      if (!right) continue;
      hasMore = items.length === limit;
      if (hasMore) break search;
      items.push(differenceView(definition, row, given, right));
      last = row.index;
    }
  }
  return {
    dataset: version.dataset.name,
    version: version.number,
    metric: metric.name,
    items,
    ...(hasMore && { nextCursor: String(last + 1) }),
  };
}

function startOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new DomainError('invalid', 'unknown_cursor', 'Invalid cursor. Repeat the request without `cursor`.');
}

function onlyRight(
  metric: ExampleMetric,
  definition: TaskDefinition,
  row: DatasetRow,
  [a, b]: readonly [Answer | null, Answer | null],
): 'a' | 'b' | null {
  const rightA = isRight(metric, definition, row, a);
  if (rightA === isRight(metric, definition, row, b)) return null;
  return rightA ? 'a' : 'b';
}

function differenceView(
  { output }: TaskDefinition,
  row: DatasetRow,
  [a, b]: readonly [Answer | null, Answer | null],
  right: 'a' | 'b',
): ExampleDifference {
  const { id, inputs, gold } = exampleView(row);
  return { id, inputs, gold, right, a: givenAnswer(output, a), b: givenAnswer(output, b) };
}
