import type { NamedEvaluator } from '../marks/figure-marks.js';
import type { Baselines, BoardMatrix, MatrixMetric } from './board-matrix.js';

/**
 * A board matrix with the facts that a page shows about its models. Arrays are indexed by model.
 */
export interface MatrixFile {
  readonly task: string;
  readonly benchmarkVersion: number;
  readonly revision: number;
  /** ISO 8601. */
  readonly publishedAt: string;
  readonly matrix: BoardMatrix;
  readonly names: readonly string[];
  readonly owners: readonly string[];
  readonly kinds: readonly string[];
  /** Bytes of the artifact; null if unknown. */
  readonly sizes: readonly (number | null)[];
  /** When the artifact was accepted, ISO 8601; null if unknown. */
  readonly acceptedAt: readonly (string | null)[];
  /** Per model, the costs with a measurement under contention. Absent if there are none. */
  readonly contended?: readonly (readonly string[])[];
  /** Per model, the costs that were measured on few examples. Absent if there are none. */
  readonly short?: readonly (readonly string[])[];
  /** Per model, the evaluators of users that answered or measured. Absent if there are none. */
  readonly evaluators?: readonly (readonly NamedEvaluator[])[];
  /** Present if the task rounds scores on hidden data: whether they are rounded in this file. */
  readonly disclosure?: 'exact' | 'rounded';
  /** The datasets whose scores are rounded, by name. Absent if there are none. */
  readonly rounded?: readonly string[];
  /**
   * Contamination, models × datasets: 1 if the model was submitted before any of the data was
   * public.
   */
  readonly clean: Uint8Array;
}

/** The format of boards of schema 1, without `exchange`, and that of schema 2. */
const FORMATS = ['assay-matrix-2', 'assay-matrix-3'] as const;
type Format = (typeof FORMATS)[number];

type Parts = Pick<
  BoardMatrix,
  'ids' | 'performance' | 'datasets' | 'aggregate' | 'weights' | 'exchange' | 'rules' | 'amrs' | 'spreads'
> & {
  /** The rows of the baselines. */
  readonly baselines?: Baselines['rows'];
};

interface Header extends Omit<MatrixFile, 'matrix' | 'clean'>, Parts {
  readonly format: Format;
  /**
   * `cells`: models × datasets values. `models`: one value per model, the same on every dataset.
   * `hasErrors`: the standard error of at least one cell is known.
   */
  readonly metrics: readonly (MatrixMetric & { readonly shape: 'cells' | 'models'; readonly hasErrors: boolean })[];
}

/** Bytes of the header's length, a uint32 before the header. */
const LENGTH = 4;
const VALUE_BYTES = Float64Array.BYTES_PER_ELEMENT;
const ERROR_BYTES = Float32Array.BYTES_PER_ELEMENT;

/**
 * Returns the bytes of a matrix file, little-endian. Equal matrices give equal bytes. In this
 * order:
 *
 * - the header's length (uint32)
 * - the header: JSON, padded with spaces to end at a multiple of 8. `null` in a `range` is an
 *   unbounded end.
 * - for each metric its values, in its unit (float64, NaN if missing): models × datasets, row by
 *   row, or one per model if the value is the same on all datasets
 * - for each metric with errors the standard errors of its cells (float32, because nobody reads
 *   more digits of them)
 * - as bytes of 0 or 1: `own` (models × datasets), `isUndefined` (metrics × datasets) and `clean`
 *   (models × datasets)
 */
export function encodeMatrix({ matrix, clean, ...facts }: MatrixFile): Uint8Array {
  const { ids, performance, datasets, aggregate, weights, exchange, rules, baselines, amrs, spreads } = matrix;
  const columns = matrix.values.map((values) => compactColumn(values, datasets.length));
  const errors = matrix.values.map((_, column) => knownErrors(matrix.errors?.[column]));
  const header: Header = {
    format: exchange ? 'assay-matrix-3' : 'assay-matrix-2',
    ...facts,
    ...{ performance, datasets, aggregate, weights },
    ...(exchange && { exchange }),
    ...(rules && { rules }),
    ...(baselines && { baselines: baselines.rows }),
    ...{ amrs, spreads },
    metrics: matrix.metrics.map((metric, column) => ({
      ...metric,
      shape: columns[column]!.shape,
      hasErrors: errors[column] !== null,
    })),
    ids,
  };
  const json = paddedJson(header);
  const bytes = [matrix.own, matrix.isUndefined, clean];
  const size =
    LENGTH +
    json.length +
    columns.reduce((sum, { values }) => sum + values.byteLength, 0) +
    errors.reduce((sum, each) => sum + (each?.byteLength ?? 0), 0) +
    bytes.reduce((sum, each) => sum + each.length, 0);

  const file = new Uint8Array(size);
  const view = new DataView(file.buffer);
  view.setUint32(0, json.length, true);
  file.set(json, LENGTH);
  let at = LENGTH + json.length;
  for (const { values } of columns) {
    for (let cell = 0; cell < values.length; cell++) view.setFloat64(at + cell * VALUE_BYTES, values[cell]!, true);
    at += values.byteLength;
  }
  for (const known of errors.filter((each) => each !== null)) {
    for (let cell = 0; cell < known.length; cell++) view.setFloat32(at + cell * ERROR_BYTES, known[cell]!, true);
    at += known.byteLength;
  }
  for (const each of bytes) {
    file.set(each, at);
    at += each.length;
  }
  return file;
}

/** Returns the errors in single precision; null if no cell has one, as for costs. */
const knownErrors = (errors: Float64Array | undefined): Float32Array | null =>
  errors?.some((error) => !Number.isNaN(error)) ? Float32Array.from(errors) : null;

/**
 * Reduces a column to one value per model if the metric is the same on all datasets, as the costs
 * of a run are.
 */
function compactColumn(
  values: Float64Array,
  datasets: number,
): { readonly shape: 'cells' | 'models'; readonly values: Float64Array } {
  if (datasets === 0 || values.some((value, cell) => !Object.is(value, values[cell - (cell % datasets)]))) {
    return { shape: 'cells', values };
  }
  return { shape: 'models', values: values.filter((_, cell) => cell % datasets === 0) };
}

function paddedJson(header: Header): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const padded = new Uint8Array(json.length + ((8 - ((LENGTH + json.length) % 8)) % 8)).fill(0x20);
  padded.set(json);
  return padded;
}

/**
 * Decodes a matrix file.
 *
 * @throws RangeError if the header names another format, or if the data after it is truncated
 * @throws SyntaxError if the header is not valid JSON, for example because it is truncated
 */
export function decodeMatrix(file: Uint8Array): MatrixFile {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = view.getUint32(0, true);
  const { metrics, ...header } = headerOf(file.subarray(LENGTH, LENGTH + length));
  const { ids, performance, datasets, aggregate, weights, exchange, rules, baselines, amrs, spreads, ...facts } =
    header;
  const cells = ids.length * datasets.length;

  let at = LENGTH + length;
  const values = metrics.map(({ shape }) => {
    const column = readColumn(view, at, { cells, repeats: shape === 'models' ? datasets.length : 1 });
    at += (cells * VALUE_BYTES) / (shape === 'models' ? Math.max(1, datasets.length) : 1);
    return column;
  });
  const errors = metrics.map(({ hasErrors }) => {
    const column = new Float64Array(cells).fill(NaN);
    if (!hasErrors) return column;
    for (let cell = 0; cell < cells; cell++) column[cell] = view.getFloat32(at + cell * ERROR_BYTES, true);
    at += cells * ERROR_BYTES;
    return column;
  });
  const bytes = (count: number): Uint8Array => {
    if (at + count > file.length) throw new RangeError(`the matrix file of ${file.length} bytes is truncated`);
    return file.slice(at, (at += count));
  };
  const own = bytes(cells);
  const isUndefined = bytes(metrics.length * datasets.length);
  const clean = bytes(cells);
  const declared = metrics.map(({ shape: _shape, hasErrors: _hasErrors, range, ...metric }) => ({
    ...metric,
    ...(range && { range: unbounded(range) }),
  }));
  const matrix = {
    ...{ ids, performance, datasets, aggregate, weights, ...(exchange && { exchange }), amrs, spreads },
    ...(rules && { rules }),
    ...(baselines && { baselines: { rows: baselines, clean } }),
    ...{ metrics: declared, values, errors, own, isUndefined },
  };
  return { ...facts, clean, matrix };
}

/** Replaces `null` in a range by infinity, which JSON cannot represent. */
const unbounded = ([low, high]: readonly [number | null, number | null]): readonly [number, number] => [
  low ?? -Infinity,
  high ?? Infinity,
];

function readColumn(view: DataView, at: number, { cells, repeats }: { cells: number; repeats: number }): Float64Array {
  const column = new Float64Array(cells);
  for (let cell = 0; cell < cells; cell++) {
    const isRepeated = cell % repeats !== 0;
    column[cell] = isRepeated ? column[cell - 1]! : view.getFloat64(at + (cell / repeats) * VALUE_BYTES, true);
  }
  return column;
}

function headerOf(bytes: Uint8Array): Omit<Header, 'format'> {
  const { format, ...header } = JSON.parse(new TextDecoder().decode(bytes)) as Omit<Header, 'format'> & {
    readonly format: string;
  };
  if (!FORMATS.some((each) => each === format)) {
    throw new RangeError(`the file has the format ${format}, not ${FORMATS.join(' or ')}`);
  }
  return header;
}
