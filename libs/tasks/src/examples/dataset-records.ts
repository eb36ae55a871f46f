import { createHash } from 'node:crypto';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { DomainError } from '@assay/kernel';
import { parse as csvParser } from 'csv-parse';
import { z } from 'zod';
import { type JsonBounds, parseBounded, unstorable } from './json-shape.js';
import { lineGroups, LineTooLong } from './line-groups.js';
import { SquadArticles, UnreadableDocument } from './squad-articles.js';

export type DatasetFormat = 'jsonl' | 'csv' | 'squad';

export interface LineBounds extends JsonBounds {
  /** Bytes. */
  readonly longest: number;
}

/** The bounds of an uploaded line. A line may contain an image, so anything larger is a mistake. */
export const UPLOADED_LINE: LineBounds = { longest: 16 * 2 ** 20, depth: 32, values: 50_000 };
/**
 * The bounds of a line that the service wrote itself, which can join an uploaded context with an
 * uploaded example.
 */
export const WRITTEN_LINE: LineBounds = { longest: 64 * 2 ** 20, depth: 64, values: 200_000 };

/** The longest row of a CSV file in characters (rows contain no images), and the most columns. */
const LONGEST_ROW = 4 * 2 ** 20;
const MOST_COLUMNS = 1_000;

/**
 * Yields the records of a stream of JSON Lines in UTF-8 of any length.
 * @throws DomainError `bad_line`, `not_utf8`
 */
export const recordsOf = (source: Readable): AsyncGenerator<Placed> =>
  onlyGood(storable(jsonLines(hashed(source, createHash('sha256')), UPLOADED_LINE)));

interface Placed {
  /** Number of the line in the file, from 1. In SQuAD JSON: number of the question. */
  readonly place: number;
  readonly record: unknown;
}

/** A hash that is updated with the bytes of a stream. */
interface Hashing {
  update(bytes: Uint8Array): unknown;
}

/** A line that is not a valid record. */
interface BadLine {
  readonly place: number;
  readonly why: string;
}

/**
 * Yields the records of a dataset and its invalid lines, and updates `hash` with all bytes read.
 * @throws DomainError if the rest cannot be read
 */
export function records(
  bytes: Readable,
  hash: Hashing,
  format: DatasetFormat,
  task: TaskDefinition,
  bounds: LineBounds = UPLOADED_LINE,
): AsyncGenerator<Placed | BadLine> {
  const source = hashed(bytes, hash);
  switch (format) {
    case 'jsonl':
      return storable(jsonLines(source, bounds));
    case 'csv':
      return storable(csvRecords(source, numericFields(task)));
    case 'squad':
      return storable(squadQuestions(source));
  }
}

/**
 * Yields the records of `lines` and throws at the first invalid line.
 * @throws DomainError `bad_line`
 */
export async function* onlyGood(lines: AsyncIterable<Placed | BadLine>): AsyncGenerator<Placed> {
  for await (const line of lines) {
    if ('why' in line) throw badLine(line.place, line.why);
    yield line;
  }
}

/** Turns records with a text that cannot be stored into invalid lines. */
async function* storable(lines: AsyncIterable<Placed | BadLine>): AsyncGenerator<Placed | BadLine> {
  for await (const line of lines) {
    const why = 'why' in line ? null : unstorable(line.record);
    yield why === null ? line : { place: line.place, why };
  }
}

/** Yields the records of JSON Lines in order. Empty lines are skipped. */
async function* jsonLines(source: Readable, bounds: LineBounds): AsyncGenerator<Placed | BadLine> {
  let place = 0;
  try {
    for await (const lines of lineGroups(source, bounds.longest)) {
      for (const line of lines) {
        place++;
        // trim also removes a byte order mark
        const text = line.trim();
        if (text === '') continue;
        const parsed = parseBounded(text, bounds);
        yield parsed.ok ? { place, record: parsed.value } : { place, why: parsed.why };
      }
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    throw badLine(error.line, `is longer than ${error.longest / 2 ** 20} MiB`);
  }
}

/** Returns the names of the CSV columns that contain numbers. All other columns are texts. */
const numericFields = (task: TaskDefinition): readonly string[] =>
  [...task.inputs, task.output].filter((field) => field.type === 'number').map((field) => field.name);

async function* csvRecords(source: Readable, numeric: readonly string[]): AsyncGenerator<Placed> {
  const parser = csvParser({
    columns: (names: string[]) => {
      if (names.length > MOST_COLUMNS) throw badLine(1, `has ${names.length} columns; the limit is ${MOST_COLUMNS}`);
      return names;
    },
    bom: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: LONGEST_ROW,
  });
  try {
    for await (const row of piped(source, parser)) {
      const { record, info } = row as { record: Record<string, string>; info: { lines: number } };
      yield { place: info.lines, record: withNumbers(record, numeric) };
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const place = (error as { lines?: number }).lines ?? 1;
    throw badLine(place, `is not valid CSV: ${(error as Error).message}`);
  }
}

/**
 * Converts the numeric columns to numbers. A value that is not a number stays a text, and is
 * rejected later as such.
 */
const withNumbers = (record: Readonly<Record<string, string>>, numeric: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(record).map(([name, text]) => {
      const number = numeric.includes(name) && text.trim() !== '' ? Number(text) : Number.NaN;
      return [name, Number.isFinite(number) ? number : text];
    }),
  );

const SquadArticle = z.object({
  title: z.string().optional(),
  paragraphs: z.array(
    z.object({
      context: z.string(),
      qas: z.array(
        z.object({
          id: z.string(),
          question: z.string(),
          answers: z.array(z.object({ text: z.string(), answer_start: z.int().optional() })).default([]),
        }),
      ),
    }),
  ),
});
type SquadArticle = z.infer<typeof SquadArticle>;

async function* squadQuestions(source: Readable): AsyncGenerator<Placed> {
  const articles = new SquadArticles();
  let place = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      for (const bytes of articles.read(chunk)) {
        const article = squadPart(bytes, SquadArticle, ['data', articles.count - 1]);
        for (const record of questionsOf(article)) yield { place: ++place, record };
        await othersTurn();
      }
    }
  } catch (error) {
    throw error instanceof UnreadableDocument ? badLine(1, error.message) : error;
  }
  squadPart(articles.rest(), z.object({ data: z.array(z.literal('')).length(articles.count) }), []);
}

function* questionsOf({ title, paragraphs }: SquadArticle): Generator<object> {
  for (const { context, qas } of paragraphs) {
    for (const { id, question, answers } of qas) {
      const places = Map.groupBy(answers, (answer) => answer.text);
      const texts = [...places.keys()];
      const starts = [...places.values()].map((each) => each.flatMap(({ answer_start: start }) => start ?? []));
      yield {
        id,
        context,
        question,
        answers: texts,
        answer: texts,
        ...(starts.flat().length > 0 && { answer_start: starts }),
        title,
      };
    }
  }
}

/** Parses a part of a SQuAD document. @param path location of the part in the document */
function squadPart<T>(bytes: Buffer, schema: z.ZodType<T>, path: readonly (string | number)[]): T {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw badLine(1, `is not valid JSON: ${(error as Error).message}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw badLine(1, `is not a SQuAD file: ${[...path, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? ''}`);
}

/** Pipes `source` through `transform`. An error of either ends the iteration with that error. */
function piped(source: Readable, transform: Transform): AsyncIterable<unknown> {
  const out = new PassThrough({ objectMode: true });
  pipeline(source, transform, out).catch((error: unknown) => out.destroy(error as Error));
  return out;
}

function hashed(source: Readable, hash: Hashing): Readable {
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

/** Returns the error for an invalid line, which rejects the whole file. */
export function badLine(place: number, why: string, code = 'bad_line'): DomainError {
  return new DomainError('invalid', code, `Line ${place}: ${why}. Nothing was stored.`, [
    { path: `line ${place}`, message: why },
  ]);
}
