import type { BoardMatrix, MatrixMetric } from './board-matrix.js';

/** A matrix with what a page shows of its models; all by their place. */
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
  /** Models × datasets: 1 where the model was submitted before any of the data was public. */
  readonly clean: Uint8Array;
}

export const MATRIX_FORMAT = 'assay-matrix-1';

type Parts = Pick<BoardMatrix, 'ids' | 'performance' | 'datasets' | 'aggregate' | 'weights' | 'amrs' | 'spreads'>;

interface Header extends Omit<MatrixFile, 'matrix' | 'clean'>, Parts {
  readonly format: typeof MATRIX_FORMAT;
  /** `cells`: models × datasets values; `models`: one a model, the same on every dataset. */
  readonly metrics: readonly (MatrixMetric & { readonly shape: 'cells' | 'models' })[];
}

/** The header's length as uint32, before it. */
const LENGTH = 4;

/**
 * The bytes of a matrix file, little-endian: the header's length (uint32); the header, JSON padded with spaces so that it ends at a multiple of 8;
 * for each metric its values in its unit (float64, NaN where missing), models × datasets row by row, or one a model where it is the same on all
 * datasets; then as bytes of 0 or 1 `own` (models × datasets), `isUndefined` (metrics × datasets) and `clean` (models × datasets). Standard errors
 * are not in it. The same matrix is the same bytes.
 */
export function encodeMatrix({ matrix, clean, ...facts }: MatrixFile): Uint8Array {
  const { ids, performance, datasets, aggregate, weights, amrs, spreads } = matrix;
  const columns = matrix.values.map((values) => compactColumn(values, datasets.length));
  const header: Header = {
    format: MATRIX_FORMAT,
    ...facts,
    ...{ performance, datasets, aggregate, weights, amrs, spreads },
    metrics: matrix.metrics.map((metric, column) => ({ ...metric, shape: columns[column]!.shape })),
    ids,
  };
  const json = paddedJson(header);
  const bytes = [matrix.own, matrix.isUndefined, clean];
  const size =
    LENGTH +
    json.length +
    columns.reduce((sum, { values }) => sum + values.byteLength, 0) +
    bytes.reduce((sum, each) => sum + each.length, 0);

  const file = new Uint8Array(size);
  const view = new DataView(file.buffer);
  view.setUint32(0, json.length, true);
  file.set(json, LENGTH);
  let at = LENGTH + json.length;
  for (const { values } of columns) for (const value of values) at = writeNumber(view, at, value);
  for (const each of bytes) {
    file.set(each, at);
    at += each.length;
  }
  return file;
}

function writeNumber(view: DataView, at: number, value: number): number {
  view.setFloat64(at, value, true);
  return at + Float64Array.BYTES_PER_ELEMENT;
}

/** One value a model where a metric is the same on all datasets, as the costs of a run are. */
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

/** Reads a matrix file. Throws a RangeError where it is none, or cut. */
export function decodeMatrix(file: Uint8Array): MatrixFile {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = view.getUint32(0, true);
  const header = headerOf(file.subarray(LENGTH, LENGTH + length));
  const { names, owners, kinds, task, benchmarkVersion, revision, publishedAt, metrics, ...parts } = header;
  const cells = parts.ids.length * parts.datasets.length;

  let at = LENGTH + length;
  const values = metrics.map(({ shape }) => {
    const column = new Float64Array(cells);
    const repeats = shape === 'models' ? parts.datasets.length : 1;
    for (let cell = 0; cell < cells; cell++) {
      column[cell] = cell % repeats === 0 ? view.getFloat64(at, true) : column[cell - 1]!;
      if (cell % repeats === 0) at += Float64Array.BYTES_PER_ELEMENT;
    }
    return column;
  });
  const bytes = (count: number): Uint8Array => {
    if (at + count > file.length) throw new RangeError(`a matrix file of ${file.length} bytes is cut`);
    return file.slice(at, (at += count));
  };
  const own = bytes(cells);
  const isUndefined = bytes(metrics.length * parts.datasets.length);
  const clean = bytes(cells);
  const declared = metrics.map(({ shape: _shape, ...metric }) => metric);
  const { ids, performance, datasets, aggregate, weights, amrs, spreads } = parts;
  const matrix = {
    ...{ ids, performance, datasets, aggregate, weights, amrs, spreads },
    ...{ metrics: declared, values, errors: null, own, isUndefined },
  };
  return { task, benchmarkVersion, revision, publishedAt, names, owners, kinds, clean, matrix };
}

function headerOf(bytes: Uint8Array): Header {
  const header = JSON.parse(new TextDecoder().decode(bytes)) as Omit<Header, 'format'> & { readonly format: string };
  if (header.format !== MATRIX_FORMAT) throw new RangeError(`this is no ${MATRIX_FORMAT} file`);
  return { ...header, format: MATRIX_FORMAT };
}
