import { Worker } from 'node:worker_threads';

/** The predictions of an answer's body, or why it has none. */
export type ParsedBody =
  | { readonly kind: 'predictions'; readonly predictions: readonly unknown[] }
  | { readonly kind: 'not-json'; readonly why: string }
  | { readonly kind: 'no-predictions' }
  | { readonly kind: 'too-deep' };

/** Lists and objects in each other. Deeper ones cost the reader many times their size in memory. */
export const DEEPEST = 64;

/** Bytes above which a body is parsed in a thread of its own: 50 MB would block the main loop for two seconds. */
const LARGE = 1_000_000;

// the predictions come back as texts, which are cheap to hand over, and are read one at a time
const PARSER = `
  const { parentPort, workerData } = require('node:worker_threads');
  // 1e999 reads as Infinity, which JSON would write as null
  const exact = (_key, value) =>
    value === Infinity ? JSON.rawJSON('1e999') : value === -Infinity ? JSON.rawJSON('-1e999') : value;
  let answer;
  try {
    const body = JSON.parse(Buffer.from(workerData).toString('utf8'));
    answer = body !== null && typeof body === 'object' && Array.isArray(body.predictions)
      ? { kind: 'predictions', predictions: body.predictions.map((each) => JSON.stringify(each, exact)) }
      : { kind: 'no-predictions' };
  } catch (error) {
    answer = { kind: 'not-json', why: error.message };
  }
  parentPort.postMessage(answer);
`;

/** Reads `{"predictions": [...]}`, off the main loop where the body is large. */
export function parseBody(body: Buffer): ParsedBody | Promise<ParsedBody> {
  if (isDeeper(body, DEEPEST)) return { kind: 'too-deep' };
  return body.length > LARGE ? parseElsewhere(body) : parseHere(body);
}

const [QUOTE, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Whether JSON in UTF-8 nests deeper than `limit`, without reading it. */
function isDeeper(body: Buffer, limit: number): boolean {
  let depth = 0;
  let inText = false;
  for (let place = 0; place < body.length; place++) {
    const byte = body[place];
    if (inText) {
      if (byte === BACKSLASH) place++;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (byte === BRACKET || byte === BRACE) {
      if (++depth > limit) return true;
    } else if (byte === BRACKET_END || byte === BRACE_END) depth--;
  }
  return false;
}

function parseHere(body: Buffer): ParsedBody {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (error) {
    return { kind: 'not-json', why: (error as Error).message };
  }
  return hasPredictions(value) ? { kind: 'predictions', predictions: value.predictions } : { kind: 'no-predictions' };
}

const hasPredictions = (value: unknown): value is { readonly predictions: readonly unknown[] } =>
  typeof value === 'object' && value !== null && 'predictions' in value && Array.isArray(value.predictions);

function parseElsewhere(body: Buffer): Promise<ParsedBody> {
  const worker = new Worker(PARSER, { eval: true, workerData: body, resourceLimits: { maxOldGenerationSizeMb: 1024 } });
  return new Promise<ParsedBody>((resolve) => {
    worker.once('message', (answer: ParsedBody) => {
      if (answer.kind !== 'predictions') resolve(answer);
      else
        resolve({
          kind: 'predictions',
          predictions: answer.predictions.map((text) => JSON.parse(text as string) as unknown),
        });
    });
    // what does not fit in the thread's memory is an answer that nobody asked for
    worker.once('error', (error) => resolve({ kind: 'not-json', why: (error as Error).message }));
  }).finally(() => void worker.terminate());
}
