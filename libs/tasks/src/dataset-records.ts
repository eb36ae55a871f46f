import { createHash } from 'node:crypto';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TaskDefinition } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { parse as csvParser } from 'csv-parse';
import split2 from 'split2';
import { z } from 'zod';

export type DatasetFormat = 'jsonl' | 'csv' | 'squad';

/** One line may hold an image; more than this is a mistake. */
const LONGEST_LINE = 64 * 2 ** 20;
/** A SQuAD file is one JSON document, so it is held whole. */
const LARGEST_DOCUMENT = 512 * 2 ** 20;

/** The records of a stream of JSON Lines in UTF-8, whatever its length. @throws DomainError `bad_line`, `not_utf8` */
export const recordsOf = (source: Readable): AsyncGenerator<Placed> =>
  onlyGood(jsonLines(hashed(source, createHash('sha256'))));

export interface Placed {
  /** Number of the line in the file, from 1; of the question, in SQuAD JSON. */
  readonly place: number;
  readonly record: unknown;
}

/** A line that holds no record. */
export interface BadLine {
  readonly place: number;
  readonly why: string;
}

/** The records of a dataset's bytes, which `hash` takes in, and the lines between them that hold none. @throws DomainError where reading can't go on */
export function records(
  bytes: Readable,
  hash: ReturnType<typeof createHash>,
  format: DatasetFormat,
  task: TaskDefinition,
): AsyncGenerator<Placed | BadLine> {
  const source = hashed(bytes, hash);
  switch (format) {
    case 'jsonl':
      return jsonLines(source);
    case 'csv':
      return csvRecords(source, numericFields(task));
    case 'squad':
      return squadQuestions(source);
  }
}

/** The same, without any bad line. @throws DomainError `bad_line` */
export async function* onlyGood(lines: AsyncIterable<Placed | BadLine>): AsyncGenerator<Placed> {
  for await (const line of lines) {
    if ('why' in line) throw badLine(line.place, line.why);
    yield line;
  }
}

/** The lines of JSON Lines, one after the other; empty ones are passed over. */
async function* jsonLines(source: Readable): AsyncGenerator<Placed | BadLine> {
  let place = 0;
  for await (const line of splitLines(source, () => place + 1)) {
    place++;
    const text = String(line).replace(/^\uFEFF/, '');
    if (text.trim() === '') continue;
    let record: unknown;
    try {
      record = JSON.parse(text);
    } catch (error) {
      yield { place, why: `is no JSON: ${(error as Error).message}` };
      continue;
    }
    yield { place, record };
  }
}

async function* splitLines(source: Readable, next: () => number): AsyncGenerator {
  try {
    yield* piped(source, split2({ maxLength: LONGEST_LINE }));
  } catch (error) {
    if (!(error instanceof Error) || error.message !== 'maximum buffer reached') throw error;
    throw badLine(next(), `is longer than ${LONGEST_LINE / 2 ** 20} MiB`);
  }
}

/** The columns of a CSV file that hold numbers; all others are texts. */
const numericFields = (task: TaskDefinition): readonly string[] =>
  [...task.inputs, task.output].filter((field) => field.type === 'number').map((field) => field.name);

async function* csvRecords(source: Readable, numeric: readonly string[]): AsyncGenerator<Placed> {
  const parser = csvParser({
    columns: true,
    bom: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: LONGEST_LINE,
  });
  try {
    for await (const row of piped(source, parser)) {
      const { record, info } = row as { record: Record<string, string>; info: { lines: number } };
      yield { place: info.lines, record: withNumbers(record, numeric) };
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const place = (error as { lines?: number }).lines ?? 1;
    throw badLine(place, `is no CSV: ${(error as Error).message}`);
  }
}

/** A column that holds no number stays the text that it is, and is refused as such. */
const withNumbers = (record: Readonly<Record<string, string>>, numeric: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(record).map(([name, text]) => {
      const number = numeric.includes(name) && text.trim() !== '' ? Number(text) : Number.NaN;
      return [name, Number.isFinite(number) ? number : text];
    }),
  );

const SquadDocument = z.object({
  data: z.array(
    z.object({
      title: z.string().optional(),
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(
            z.object({
              id: z.string(),
              question: z.string(),
              answers: z.array(z.object({ text: z.string() })).default([]),
            }),
          ),
        }),
      ),
    }),
  ),
});

async function* squadQuestions(source: Readable): AsyncGenerator<Placed> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_DOCUMENT)
      throw new DomainError('too-large', 'dataset_too_large', 'A SQuAD file may have 512 MiB.');
    chunks.push(chunk);
  }
  let place = 0;
  for (const { title, paragraphs } of squadDocument(Buffer.concat(chunks).toString('utf8')).data) {
    for (const { context, qas } of paragraphs) {
      for (const { id, question, answers } of qas) {
        place++;
        const texts = [...new Set(answers.map((answer) => answer.text))];
        yield { place, record: { id, context, question, answers: texts, answer: texts, title } };
      }
    }
  }
}

function squadDocument(text: string): z.infer<typeof SquadDocument> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw badLine(1, `is no JSON: ${(error as Error).message}`);
  }
  const parsed = SquadDocument.safeParse(document);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw badLine(1, `is no SQuAD file: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

/** `source` through `transform`, where an error of either ends the reading with that error. */
function piped(source: Readable, transform: Transform): AsyncIterable<unknown> {
  const out = new PassThrough({ objectMode: true });
  pipeline(source, transform, out).catch((error: unknown) => out.destroy(error as Error));
  return out;
}

function hashed(source: Readable, hash: ReturnType<typeof createHash>): Readable {
  return Readable.from(
    (async function* () {
      const utf8 = new TextDecoder('utf-8', { fatal: true });
      for await (const chunk of source as AsyncIterable<Buffer>) {
        hash.update(chunk);
        checkUtf8(() => utf8.decode(chunk, { stream: true }));
        yield chunk;
      }
      checkUtf8(() => utf8.decode());
    })(),
  );
}

function checkUtf8(decode: () => unknown): void {
  try {
    decode();
  } catch {
    throw new DomainError('invalid', 'not_utf8', 'The dataset is not in UTF-8.');
  }
}

/** A line of a file is refused, and with it the file. */
export function badLine(place: number, why: string): DomainError {
  return new DomainError('invalid', 'bad_line', `Line ${place}: ${why}. Nothing was kept.`, [
    { path: `line ${place}`, message: why },
  ]);
}
