import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';

export const ANSWER_COLUMN = 'answer';
/** Where a span starts and ends. */
export const SPAN_COLUMNS = ['start', 'end'] as const;
export const probabilityColumn = (label: number): string => `p_${label}`;

const PROBABILITY_COLUMN = /^p_\d+$/;

/**
 * The schema of a predictions file: one text column, one float32 column per label of the task, and two
 * int32 columns for spans. A null answer is a tolerated invalid answer.
 */
export function schemaOf(labels: number, hasSpans: boolean): SchemaElement[] {
  const spans = hasSpans ? SPAN_COLUMNS : [];
  return [
    { name: 'root', num_children: 1 + labels + spans.length },
    { name: ANSWER_COLUMN, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    ...Array.from({ length: labels }, (_, label): SchemaElement => ({
      name: probabilityColumn(label),
      type: 'FLOAT',
      repetition_type: 'OPTIONAL',
    })),
    ...spans.map((name): SchemaElement => ({ name, type: 'INT32', repetition_type: 'OPTIONAL' })),
  ];
}

/** The number of labels that have a column of probabilities. */
export function labelsOf(schema: readonly SchemaElement[]): number {
  return schema.filter(({ name }) => PROBABILITY_COLUMN.test(name)).length;
}

/** Returns whether a file has the offsets of spans. */
export const hasSpans = (schema: readonly SchemaElement[]): boolean =>
  schema.some(({ name }) => name === SPAN_COLUMNS[0]);

const LEVEL = 9;

export const compressors = {
  ZSTD: (input: Uint8Array): Uint8Array =>
    zstdCompressSync(input, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } }),
};

export const decompressors = {
  ZSTD: (input: Uint8Array): Uint8Array => zstdDecompressSync(input),
};
