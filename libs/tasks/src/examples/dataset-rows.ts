import type { Readable } from 'node:stream';
import type { Answer } from '@assay/contracts';
import { sliceFields, type TaskDefinition, type TaskOutput } from '@assay/contracts/tasks';
import { firstSpan, lengthOf, metricNamed, type Span, type Spans } from '@assay/scoring/metrics';
import { clusterFields } from './cluster-fields.js';
import { inputsOf, readExample, sliceValues } from './example.js';
import { lineGroups } from './line-groups.js';

/**
 * A line of a dataset version, with everything that is needed to request a prediction and score it.
 */
export interface DatasetRow {
  /** Position in the dataset, from 0. */
  readonly index: number;
  readonly id: string;
  /** The model's input as JSON: only the input fields of the task. */
  readonly instance: string;
  readonly gold: readonly string[];
  /**
   * For spans whose positions a metric compares: the text that they are parts of, and where correct
   * answers stand.
   */
  readonly passage?: { readonly text: string; readonly gold: readonly (Span | null)[] };
  readonly cluster: string | null;
  /** The cluster in a second way, which crosses the first: only in a collected round. */
  readonly secondCluster?: string | null;
  /** Values by slice field. */
  readonly slices: Readonly<Record<string, readonly string[]>>;
  /** For each slice field with a `match` field: the group within which the example is compared. */
  readonly matches: Readonly<Record<string, string | null>>;
  /**
   * For a perturbed example: the id of its original and the name of the transform. Null for an
   * original.
   */
  readonly variant: { readonly original: string; readonly transform: string } | null;
  /** IDs of the models that the example was written against. Absent if they are not known. */
  readonly targets?: readonly string[];
}

/**
 * The error for a stored dataset that cannot be read as it was accepted, because the task has
 * changed since or the blob is damaged.
 */
export class DatasetUnreadable extends Error {
  /** @param line from 1 @param why the problem; may quote the content of the line */
  constructor(
    readonly line: number,
    why: string,
    options?: ErrorOptions,
  ) {
    super(`line ${line} ${why}`, options);
    this.name = 'DatasetUnreadable';
  }
}

/**
 * Yields the rows of the JSON Lines in `source`, in the order of the dataset.
 * @param isCollected see `clusterFields`
 * @throws DatasetUnreadable
 */
export async function* datasetRows(
  task: TaskDefinition,
  source: Readable,
  isCollected = false,
): AsyncGenerator<DatasetRow[]> {
  let index = 0;
  for await (const lines of lineGroups(source)) {
    yield lines.filter((line) => line !== '').map((line) => readRow(task, line, index++, isCollected));
  }
}

/**
 * Yields the rows at the given positions of the JSON Lines in `source`. Other rows are not parsed,
 * and nothing after the last position is read.
 * @param places positions in ascending order
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

function readRow(task: TaskDefinition, line: string, index: number, isCollected = false): DatasetRow {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch (error) {
    throw new DatasetUnreadable(index + 1, 'is not valid JSON', { cause: error });
  }
  const outcome = readExample(task, record, index + 1);
  if (!outcome.ok) throw new DatasetUnreadable(index + 1, outcome.why);

  const { id, gold, fields } = outcome.example;
  const slicings = sliceFields(task);
  const [cluster, second] = clusterFields(task, isCollected);
  const targets = targetsOf(fields['targets']);
  return {
    index,
    id,
    instance: JSON.stringify(inputsOf(task, fields)),
    gold,
    ...(task.output.type === 'span' && comparesPositions(task) && { passage: passageOf(task.output, gold, fields) }),
    cluster: cluster === undefined ? null : textOf(fields[cluster]),
    ...(second !== undefined && { secondCluster: textOf(fields[second]) }),
    slices: Object.fromEntries(slicings.map(({ field }) => [field, sliceValues(fields[field])])),
    matches: Object.fromEntries(
      slicings.flatMap(({ field, match }) => (match === undefined ? [] : [[field, textOf(fields[match])]])),
    ),
    variant: variantOf(fields['input_id'], fields['transform']),
    ...(targets && { targets }),
  };
}

const comparesPositions = ({ metrics = [] }: TaskDefinition): boolean =>
  metrics.some((metric) => metricNamed(metric).needs === 'positions');

/**
 * Returns where the correct answers stand: at the offsets of `<output>_start` or `answer_start`, one or a
 * list for each of them, or else at their first occurrence in the text. Perturbation moves answers, so the
 * offsets of a variant do not count.
 */
function passageOf(
  { name, of }: Extract<TaskOutput, { readonly type: 'span' }>,
  gold: readonly string[],
  fields: Readonly<Record<string, unknown>>,
): NonNullable<DatasetRow['passage']> {
  const text = String(fields[of]);
  const given = fields['transform'] === undefined ? (fields[`${name}_start`] ?? fields['answer_start']) : undefined;
  const starts = Array.isArray(given) ? (given as readonly unknown[]) : [given];
  return {
    text,
    gold: gold.flatMap((answer, place) => {
      const known = answer === '' ? [] : [starts[place]].flat().filter(isStart);
      if (known.length === 0) return [firstSpan(text, answer)];
      return known.map((start): Span => [start, start + lengthOf(answer)]);
    }),
  };
}

const isStart = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

/** Returns where the correct answers and the answer of a model stand; undefined for outputs that are no spans. */
export function spansOf({ passage }: Pick<DatasetRow, 'passage'>, answer: Answer | null): Spans | undefined {
  if (!passage) return undefined;
  return { gold: passage.gold, predicted: answer && (answer.span ?? firstSpan(passage.text, answer.text)) };
}

/**
 * Reads the variant from the fields `input_id` and `transform`. An original dataset may have fields
 * of these names too; whether they have this meaning depends on the dataset version.
 */
function variantOf(original: unknown, transform: unknown): DatasetRow['variant'] {
  const isNamed = typeof original === 'string' || typeof original === 'number';
  return isNamed && typeof transform === 'string' ? { original: String(original), transform } : null;
}

/** Reads the field `targets` of frozen rounds. A field of another form says nothing about models. */
const targetsOf = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : null;

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
