import { asyncBufferFromFile, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { ANSWER_COLUMN, decompressors, hasSpans, labelsOf, probabilityColumn, SPAN_COLUMNS } from './columns.js';

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
  /**
   * The start and the end of each span, row by row; −1 if the model gave none. Null if the file has
   * no spans or was read without them.
   */
  readonly spans: Int32Array | null;
}

export interface ReadPredictionsOptions {
  /** True to read the probabilities too. Default: false. */
  readonly probabilities?: boolean;
  /** True to read the offsets of spans too. Default: false. */
  readonly spans?: boolean;
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
  const offsets = options.spans === true && hasSpans(metadata.schema) ? SPAN_COLUMNS : [];
  const columns: readonly string[] = [
    ANSWER_COLUMN,
    ...Array.from({ length: labels }, (_, label) => probabilityColumn(label)),
    ...offsets,
  ];

  let start = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    if (options.wants?.(start, start + rows) === false) {
      start += rows;
      continue;
    }
    const answers = new Array<string | null>(rows).fill(null);
    const probabilities = labels === 0 ? null : new Float32Array(rows * labels).fill(Number.NaN);
    const spans = offsets.length === 0 ? null : new Int32Array(2 * rows).fill(-1);
    await parquetRead({
      file,
      metadata,
      columns: [...columns],
      rowStart: start,
      rowEnd: start + rows,
      compressors: decompressors,
      onChunk: ({ columnName, columnData, rowStart }) => {
        const label = columns.indexOf(columnName) - 1;
        for (let index = 0; index < columnData.length; index++) {
          const value = (columnData[index] as string | number | null | undefined) ?? null;
          const row = rowStart - start + index;
          if (label < 0) answers[row] = value as string | null;
          else if (value === null) continue;
          else if (label < labels) probabilities![row * labels + label] = value as number;
          else spans![2 * row + label - labels] = value as number;
        }
      },
    });
    yield { start, answers, probabilities, spans };
    start += rows;
  }
}
