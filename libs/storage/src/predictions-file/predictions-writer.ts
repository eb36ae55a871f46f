import type { Answer } from '@assay/contracts';
import { type FileHandle, open } from 'node:fs/promises';
import { ByteWriter, ParquetWriter, type Writer } from 'hyparquet-writer';
import { ANSWER_COLUMN, compressors, probabilityColumn, schemaOf } from './columns.js';

export const PREDICTIONS_MEDIA_TYPE = 'application/vnd.apache.parquet';

export interface PredictionsWriterOptions {
  /** How many labels the task has, so how many probabilities an answer may carry; 0 for tasks without labels. */
  readonly labels: number;
}

const GROUP_ROWS = 50_000;
/** UTF-16 units of text that are held back at most, so that long answers do not fill the memory. */
const GROUP_TEXT = 8_000_000;

/**
 * Writes the predictions of one evaluation: a Parquet file whose row i answers line i of the dataset's version. Rows are
 * held until there are enough for a row group, so memory does not grow with the dataset.
 */
export class PredictionsWriter {
  private answers: (string | null)[] = [];
  private probabilities: (number | null)[][];
  private text = 0;
  private rows = 0;

  private constructor(
    private readonly file: FileHandle,
    private readonly parquet: ParquetWriter,
    private readonly options: PredictionsWriterOptions,
  ) {
    this.probabilities = this.emptyProbabilities();
  }

  static async create(path: string, options: PredictionsWriterOptions): Promise<PredictionsWriter> {
    const file = await open(path, 'w', 0o600);
    const writer = writerTo(file);
    const parquet = new ParquetWriter({
      writer,
      schema: schemaOf(options.labels),
      codec: 'ZSTD',
      compressors,
      statistics: false,
      createdBy: 'assay',
    });
    return new PredictionsWriter(file, parquet, options);
  }

  /** The next rows, in the order of the dataset's lines. Null for an answer that was tolerated as bad. */
  async append(answers: readonly (Answer | null)[]): Promise<void> {
    for (const answer of answers) {
      this.answers.push(answer?.text ?? null);
      this.text += answer?.text.length ?? 0;
      for (let label = 0; label < this.options.labels; label++) {
        this.probabilities[label]!.push(answer?.probabilities?.[label] ?? null);
      }
      if (this.answers.length >= GROUP_ROWS || this.text >= GROUP_TEXT) await this.flush();
    }
  }

  /** Writes what is held and the footer, and waits until all of it is on the disk. @returns the number of rows. */
  async finish(): Promise<number> {
    try {
      await this.flush();
      await this.parquet.finish();
      await this.file.sync();
      return this.rows;
    } finally {
      await this.file.close();
    }
  }

  /** Lets go of the file without a footer; the caller removes it. */
  async abandon(): Promise<void> {
    await this.file.close();
  }

  private async flush(): Promise<void> {
    const rows = this.answers.length;
    if (rows === 0) return;
    await this.parquet.write({
      columnData: [
        { name: ANSWER_COLUMN, data: this.answers, offsetIndex: false },
        ...this.probabilities.map((data, label) => ({
          name: probabilityColumn(label),
          data,
          encoding: 'BYTE_STREAM_SPLIT' as const,
          offsetIndex: false,
        })),
      ],
      rowGroupSize: rows,
    });
    this.rows += rows;
    this.answers = [];
    this.probabilities = this.emptyProbabilities();
    this.text = 0;
  }

  private emptyProbabilities(): (number | null)[][] {
    return Array.from({ length: this.options.labels }, () => []);
  }
}

/** Bytes to a file, row group by row group, without blocking the loop on the disk. */
function writerTo(file: FileHandle): Writer {
  const writer = new ByteWriter() as ByteWriter & Writer;
  const flush = async (): Promise<void> => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    for (let written = 0; written < bytes.length;) {
      written += (await file.write(bytes, written)).bytesWritten;
    }
  };
  writer.flush = flush;
  writer.finish = flush;
  return writer;
}
