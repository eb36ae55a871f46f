import { asyncBufferFromFile, type ColumnData, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { ANSWER_COLUMN, decompressors, labelsOf, probabilityColumn } from './columns.js';

export interface PredictionsShape {
  readonly rows: number;
  /** The number of probabilities that a row may have. */
  readonly labels: number;
}

/** Rows `start` to `start + answers.length - 1` of an evaluation's predictions. */
export interface PredictionsBatch {
  readonly start: number;
  /** Null for a tolerated invalid answer. */
  readonly answers: readonly (string | null)[];
  /**
   * rows × labels, row by row; NaN if the model gave none. Null if the file has no labels or was
   * read without probabilities.
   */
  readonly probabilities: Float32Array | null;
}

export interface ReadPredictionsOptions {
  /** True to read the probabilities too. Default: false. */
  readonly probabilities?: boolean;
  /**
   * Returns whether the rows from `start` to `end - 1` are needed. A row group of which no row is
   * needed is skipped.
   */
  readonly wants?: (start: number, end: number) => boolean;
}

export async function readPredictionsShape(path: string): Promise<PredictionsShape> {
  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path));
  return { rows: Number(metadata.num_rows), labels: labelsOf(metadata.schema) };
}

/** Reads the predictions that a `PredictionsWriter` wrote to `path`, one row group at a time. */
export async function* readPredictions(
  path: string,
  options: ReadPredictionsOptions = {},
): AsyncGenerator<PredictionsBatch> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const labels = options.probabilities ? labelsOf(metadata.schema) : 0;
  const columns = [ANSWER_COLUMN, ...Array.from({ length: labels }, (_, label) => probabilityColumn(label))];

  let start = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    if (options.wants?.(start, start + rows) === false) {
      start += rows;
      continue;
    }
    const chunks = new Map<string, ColumnData[]>(columns.map((name) => [name, []]));
    await parquetRead({
      file,
      metadata,
      columns,
      rowStart: start,
      rowEnd: start + rows,
      compressors: decompressors,
      onChunk: (chunk) => chunks.get(chunk.columnName)?.push(chunk),
    });
    yield {
      start,
      answers: answersOf(chunks.get(ANSWER_COLUMN)!, start, rows),
      probabilities: labels === 0 ? null : probabilitiesOf(chunks, labels, start, rows),
    };
    start += rows;
  }
}

function answersOf(chunks: readonly ColumnData[], start: number, rows: number): (string | null)[] {
  const answers = new Array<string | null>(rows).fill(null);
  for (const { rowStart, columnData } of chunks) {
    for (let index = 0; index < columnData.length; index++) {
      answers[rowStart - start + index] = (columnData[index] as string | null | undefined) ?? null;
    }
  }
  return answers;
}

function probabilitiesOf(
  chunks: ReadonlyMap<string, readonly ColumnData[]>,
  labels: number,
  start: number,
  rows: number,
): Float32Array {
  const probabilities = new Float32Array(rows * labels).fill(Number.NaN);
  for (let label = 0; label < labels; label++) {
    for (const { rowStart, columnData } of chunks.get(probabilityColumn(label)) ?? []) {
      for (let index = 0; index < columnData.length; index++) {
        const value = columnData[index] as number | null | undefined;
        if (value !== null && value !== undefined) probabilities[(rowStart - start + index) * labels + label] = value;
      }
    }
  }
  return probabilities;
}
