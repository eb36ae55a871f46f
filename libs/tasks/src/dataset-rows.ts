import type { Readable } from 'node:stream';
import { sliceFields, type TaskDefinition } from '@assay/contracts';
import { inputsOf, readExample, sliceValues } from './example.js';
import { lineGroups } from './line-groups.js';

/** A line of a dataset version, with what is needed to ask for it and to score it. */
export interface DatasetRow {
  /** Its place in the dataset, from 0. */
  readonly index: number;
  readonly id: string;
  /** What a model is sent, as JSON: the task's input fields alone. */
  readonly instance: string;
  readonly gold: readonly string[];
  readonly cluster: string | null;
  /** Values by slicing field. */
  readonly slices: Readonly<Record<string, readonly string[]>>;
  /** Of a slicing field that is matched: the group in which the example is compared. */
  readonly matches: Readonly<Record<string, string | null>>;
  /** Of a perturbed example: the id of its original, and what it was perturbed by. Null of an original. */
  readonly variant: { readonly original: string; readonly transform: string } | null;
}

/** A stored dataset does not read as it was taken in: the task was changed under it, or the blob is damaged. */
export class DatasetUnreadable extends Error {
  /** @param line from 1. @param why what is wrong with it; may repeat what stands there */
  constructor(
    readonly line: number,
    why: string,
    options?: ErrorOptions,
  ) {
    super(`line ${line} ${why}`, options);
    this.name = 'DatasetUnreadable';
  }
}

/** The rows of the JSON Lines in `source`, one after the other, in the dataset's order. @throws DatasetUnreadable */
export async function* datasetRows(task: TaskDefinition, source: Readable): AsyncGenerator<DatasetRow[]> {
  let index = 0;
  for await (const lines of lineGroups(source)) {
    const rows: DatasetRow[] = [];
    for (const line of lines) if (line !== '') rows.push(readRow(task, line, index++));
    yield rows;
  }
}

/**
 * The rows at some places of the JSON Lines in `source`; the others are not parsed, and nothing behind the last is read.
 * @param places ascending
 * @throws DatasetUnreadable
 */
export async function* datasetRowsAt(
  task: TaskDefinition,
  source: Readable,
  places: readonly number[],
): AsyncGenerator<DatasetRow> {
  let index = 0;
  let next = 0;
  for await (const lines of lineGroups(source)) {
    for (const line of lines) {
      if (line === '') continue;
      if (index === places[next]) {
        yield readRow(task, line, index);
        if (++next === places.length) return;
      }
      index++;
    }
  }
}

function readRow(task: TaskDefinition, line: string, index: number): DatasetRow {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch (error) {
    throw new DatasetUnreadable(index + 1, 'is no JSON', { cause: error });
  }
  const outcome = readExample(task, record, index + 1);
  if (!outcome.ok) throw new DatasetUnreadable(index + 1, outcome.why);

  const { id, gold, fields } = outcome.example;
  const slicings = sliceFields(task);
  return {
    index,
    id,
    instance: JSON.stringify(inputsOf(task, fields)),
    gold,
    cluster: task.cluster === undefined ? null : textOf(fields[task.cluster]),
    slices: Object.fromEntries(slicings.map(({ field }) => [field, sliceValues(fields[field])])),
    matches: Object.fromEntries(
      slicings.flatMap(({ field, match }) => (match === undefined ? [] : [[field, textOf(fields[match])]])),
    ),
    variant: variantOf(fields['input_id'], fields['transform']),
  };
}

/** Other datasets may have fields of these names too: whether they mean this, the version says. */
function variantOf(original: unknown, transform: unknown): DatasetRow['variant'] {
  const isNamed = typeof original === 'string' || typeof original === 'number';
  return isNamed && typeof transform === 'string' ? { original: String(original), transform } : null;
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
