import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** The reason why the body of a response cannot be parsed. */
export type Unreadable = { readonly kind: 'not-json'; readonly why: string } | { readonly kind: 'too-deep' };

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
    yield { kind: 'piece', texts, isLast: true };
  }
  const all = answers();
  parentPort.on('message', () => parentPort.postMessage(all.next().value));
`;

type WorkersAnswer =
  | Exclude<ParsedBody, { kind: 'predictions' }>
  | { readonly kind: 'piece'; readonly texts: readonly string[]; readonly isLast: boolean };

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
  if (new Depth(DEEPEST).isPassed(body)) return { kind: 'too-deep' };
  try {
    return { kind: 'value', value: JSON.parse(body.toString('utf8')) };
  } catch (error) {
    return { kind: 'not-json', why: (error as Error).message };
  }
}

async function parseLarge(body: Buffer): Promise<ParsedBody> {
  const depth = new Depth(DEEPEST);
  for (let start = 0; start < body.length; start += PIECE) {
    if (depth.isPassed(body.subarray(start, start + PIECE))) return { kind: 'too-deep' };
    await nextTurn();
  }
  return parseElsewhere(body);
}

const [QUOTE, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Measures the nesting depth of JSON in UTF-8 piece by piece, without parsing it. */
class Depth {
  private depth = 0;
  private inText = false;
  private isEscaped = false;

  constructor(private readonly limit: number) {}

  /** True if the nesting exceeds the limit within this piece. */
  isPassed(piece: Buffer): boolean {
    for (const byte of piece) {
      if (this.inText) this.takeOfText(byte);
      else if (byte === QUOTE) this.inText = true;
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

const hasPredictions = (value: unknown): value is { readonly predictions: readonly unknown[] } =>
  typeof value === 'object' && value !== null && 'predictions' in value && Array.isArray(value.predictions);

function parseElsewhere(body: Buffer): Promise<ParsedBody> {
  const worker = new Worker(PARSER, { eval: true, workerData: body, resourceLimits: { maxOldGenerationSizeMb: 1024 } });
  const predictions: unknown[] = [];
  return new Promise<ParsedBody>((resolve) => {
    worker.on('message', (answer: WorkersAnswer) => {
      if (answer.kind !== 'piece') {
        resolve(answer);
        return;
      }
      for (const text of answer.texts) predictions.push(JSON.parse(text));
      if (answer.isLast) resolve({ kind: 'predictions', predictions });
      // a port delivers all pending messages in one turn of the event loop, so the next piece is
      // requested in the next turn
      else setImmediate(() => worker.postMessage('next'));
    });
    // the response exceeds the memory limit of the thread: it is treated as invalid
    worker.once('error', (error) => resolve({ kind: 'not-json', why: (error as Error).message }));
    worker.postMessage('next');
  }).finally(() => void worker.terminate());
}
