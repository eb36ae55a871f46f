import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** The reason why the body of a response cannot be parsed. */
export type Unreadable =
  | { readonly kind: 'not-json'; readonly why: string }
  | { readonly kind: 'too-deep' }
  /** An object has a key twice: readers disagree on which value counts. */
  | { readonly kind: 'repeated-key' };

/** The value of a response body, or why it cannot be parsed. */
export type ParsedValue = { readonly kind: 'value'; readonly value: unknown } | Unreadable;

/** The predictions in a response body, or why there are none. */
export type ParsedBody =
  | { readonly kind: 'predictions'; readonly predictions: readonly unknown[] }
  | { readonly kind: 'no-predictions' }
  | Unreadable;

/**
 * Maximum nesting depth of lists and objects. Deeper values need many times their size in memory
 * when they are parsed.
 */
export const DEEPEST = 64;

/**
 * Size in bytes above which a body is parsed in a worker thread: 50 MB would block the main thread
 * for two seconds.
 */
export const LARGE = 1_000_000;

/** Bytes or characters that the main thread processes before it yields to other work. */
const PIECE = 250_000;

// returns the predictions as strings, which are cheap to transfer, one piece per request of the
// main thread
const PARSER = `
  const { parentPort, workerData } = require('node:worker_threads');
  // 1e999 reads as Infinity, which JSON would write as null
  const exact = (_key, value) =>
    value === Infinity ? JSON.rawJSON('1e999') : value === -Infinity ? JSON.rawJSON('-1e999') : value;
  const membersOf = ${membersOf.toString()};
  function* answers() {
    let body;
    try {
      body = JSON.parse(Buffer.from(workerData).toString('utf8'));
    } catch (error) {
      yield { kind: 'not-json', why: error.message };
    }
    if (body === null || typeof body !== 'object' || !Array.isArray(body.predictions)) yield { kind: 'no-predictions' };
    let texts = [];
    let length = 0;
    for (const each of body.predictions) {
      const text = JSON.stringify(each, exact);
      if (length + text.length > ${PIECE} && texts.length > 0) {
        yield { kind: 'piece', texts, isLast: false };
        texts = [];
        length = 0;
      }
      texts.push(text);
      length += text.length;
    }
    yield { kind: 'piece', texts, isLast: true, members: membersOf(body) };
  }
  const all = answers();
  parentPort.on('message', () => parentPort.postMessage(all.next().value));
`;

type WorkersAnswer =
  | Exclude<ParsedBody, { kind: 'predictions' }>
  | { readonly kind: 'piece'; readonly texts: readonly string[]; readonly isLast: false }
  | {
      readonly kind: 'piece';
      readonly texts: readonly string[];
      readonly isLast: true;
      /** The number of keys of all objects in the body. */
      readonly members: number;
    };

/** Parses `{"predictions": [...]}`; a large body in a worker thread. */
export function parseBody(body: Buffer): ParsedBody | Promise<ParsedBody> {
  if (body.length > LARGE) return parseLarge(body);
  const parsed = parseSmall(body);
  if (parsed.kind !== 'value') return parsed;
  const { value } = parsed;
  return hasPredictions(value) ? { kind: 'predictions', predictions: value.predictions } : { kind: 'no-predictions' };
}

/** Parses a body of at most `LARGE` bytes on the main thread. */
export function parseSmall(body: Buffer): ParsedValue {
  const outline = new Outline(DEEPEST);
  if (outline.isTooDeep(body)) return { kind: 'too-deep' };
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return membersOf(value) === outline.members ? { kind: 'value', value } : { kind: 'repeated-key' };
  } catch (error) {
    return { kind: 'not-json', why: (error as Error).message };
  }
}

async function parseLarge(body: Buffer): Promise<ParsedBody> {
  const outline = new Outline(DEEPEST);
  for (let start = 0; start < body.length; start += PIECE) {
    if (outline.isTooDeep(body.subarray(start, start + PIECE))) return { kind: 'too-deep' };
    await nextTurn();
  }
  return parseElsewhere(body, outline.members);
}

const [QUOTE, BACKSLASH, COLON, BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x22, 0x5c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d];

/** Measures the nesting depth of JSON in UTF-8 and counts its keys, piece by piece, without parsing it. */
class Outline {
  /** The number of keys, with repetitions. */
  members = 0;
  private depth = 0;
  private inText = false;
  private isEscaped = false;

  constructor(private readonly limit: number) {}

  /** True if the nesting exceeds the limit within this piece. */
  isTooDeep(piece: Buffer): boolean {
    for (const byte of piece) {
      if (this.inText) this.takeOfText(byte);
      else if (byte === QUOTE) this.inText = true;
      else if (byte === COLON) this.members++;
      else if (byte === BRACKET || byte === BRACE) {
        if (++this.depth > this.limit) return true;
      } else if (byte === BRACKET_END || byte === BRACE_END) this.depth--;
    }
    return false;
  }

  private takeOfText(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.inText = false;
  }
}

/** Returns the number of keys of all objects in a parsed value. Also runs in a thread as text: it uses nothing else. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const values: unknown[] = Object.values(value);
  return values.reduce<number>((sum, each) => sum + membersOf(each), Array.isArray(value) ? 0 : values.length);
}

const hasPredictions = (value: unknown): value is { readonly predictions: readonly unknown[] } =>
  typeof value === 'object' && value !== null && 'predictions' in value && Array.isArray(value.predictions);

/** @param members the number of keys in the text of the body */
function parseElsewhere(body: Buffer, members: number): Promise<ParsedBody> {
  const worker = new Worker(PARSER, { eval: true, workerData: body, resourceLimits: { maxOldGenerationSizeMb: 1024 } });
  const predictions: unknown[] = [];
  return new Promise<ParsedBody>((resolve) => {
    worker.on('message', (answer: WorkersAnswer) => {
      if (answer.kind !== 'piece') {
        resolve(answer);
        return;
      }
      for (const text of answer.texts) predictions.push(JSON.parse(text));
      if (answer.isLast) {
        resolve(answer.members === members ? { kind: 'predictions', predictions } : { kind: 'repeated-key' });
      }
      // a port delivers all pending messages in one turn of the event loop, so the next piece is
      // requested in the next turn
      else setImmediate(() => worker.postMessage('next'));
    });
    // the response exceeds the memory limit of the thread: it is treated as invalid
    worker.once('error', (error) => resolve({ kind: 'not-json', why: (error as Error).message }));
    worker.postMessage('next');
  }).finally(() => void worker.terminate());
}
