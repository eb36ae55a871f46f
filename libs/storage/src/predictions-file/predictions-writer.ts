import type { Answer } from '@assay/contracts';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { ByteWriter, ParquetWriter, type Writer } from 'hyparquet-writer';
import { ANSWER_COLUMN, compressors, probabilityColumn, schemaOf, SPAN_COLUMNS } from './columns.js';

export interface PredictionsWriterOptions {
  /**
   * The number of labels of the task, and so of the probabilities of an answer; 0 for tasks without
   * labels.
   */
  readonly labels: number;
  /** True for spans, whose offsets are stored. Default: false. */
  readonly spans?: boolean;
}

const GROUP_ROWS = 50_000;
/** The most UTF-16 code units of buffered text, so that long answers do not fill the memory. */
const GROUP_TEXT = 8_000_000;

/**
 * Writes the predictions of one evaluation as a Parquet file. Row i answers line i of the dataset
 * version. Buffers rows until they fill a row group, so memory does not grow with the dataset.
 */
export class PredictionsWriter {
  private answers: (string | null)[] = [];
  private probabilities: (number | null)[][];
  private spans: (readonly [number, number] | null)[] = [];
  private text = 0;
  private rows = 0;
  private bad = 0;

  private constructor(
    readonly path: string,
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
      schema: schemaOf(options.labels, options.spans ?? false),
      codec: 'ZSTD',
      compressors,
      statistics: false,
      createdBy: 'assay',
    });
    return new PredictionsWriter(path, file, parquet, options);
  }

  /** The number of invalid answers so far. */
  get invalid(): number {
    return this.bad;
  }

  /**
   * Appends the next rows, in the order of the dataset's lines. Null stands for a tolerated invalid
   * answer.
   */
  async append(answers: readonly (Answer | null)[]): Promise<void> {
    for (const answer of answers) {
      if (!answer) this.bad++;
      this.answers.push(answer?.text ?? null);
      this.text += answer?.text.length ?? 0;
      if (this.options.spans) this.spans.push(answer?.span ?? null);
      for (let label = 0; label < this.options.labels; label++) {
        this.probabilities[label]!.push(answer?.probabilities?.[label] ?? null);
      }
      if (this.answers.length >= GROUP_ROWS || this.text >= GROUP_TEXT) await this.flush();
    }
  }

  /**
   * Writes the buffered rows and the footer, and waits until the file is on disk.
   * @returns the number of rows
   */
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

  /** Closes and removes the file. Does nothing to one that was finished and moved. */
  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(this.path, { force: true });
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
        ...(this.options.spans ? SPAN_COLUMNS : []).map((name, end) => ({
          name,
          data: this.spans.map((span) => span?.[end] ?? null),
          offsetIndex: false,
        })),
      ],
      rowGroupSize: rows,
    });
    this.rows += rows;
    this.answers = [];
    this.probabilities = this.emptyProbabilities();
    this.spans = [];
    this.text = 0;
  }

  private emptyProbabilities(): (number | null)[][] {
    return Array.from({ length: this.options.labels }, () => []);
  }
}

/** Returns a writer that flushes each row group to the file without blocking the event loop. */
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
