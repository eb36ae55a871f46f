const code = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA] = [code('"'), code('\\'), code(',')];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [code('{'), code('}'), code('['), code(']')];

/** The limits on a JSON text. */
export interface JsonBounds {
  /** Nesting depth of arrays and objects. */
  readonly depth: number;
  /** Number of arrays, objects and commas. */
  readonly values: number;
}

/**
 * Measures the cost of parsing JSON, one byte or character at a time. `[[],[],[],…` takes 13 times
 * its length in memory.
 */
export class JsonShape {
  /** Number of open arrays and objects. */
  depth = 0;
  /** The greatest depth so far. */
  deepest = 0;
  /** Number of arrays, objects and commas so far. */
  values = 0;
  private inText = false;
  private escaped = false;

  take(next: number): void {
    if (this.inText) this.takeText(next);
    else if (next === QUOTE) this.inText = true;
    else if (next === COMMA) this.values++;
    else if (next === OPEN_OBJECT || next === OPEN_ARRAY) {
      this.deepest = Math.max(this.deepest, ++this.depth);
      this.values++;
    } else if (next === CLOSE_OBJECT || next === CLOSE_ARRAY) this.depth--;
  }

  /**
   * Returns the problem with `count` values at the depth so far, or null if they are within bounds.
   */
  problem({ depth, values }: JsonBounds, count = this.values): string | null {
    if (this.deepest > depth) return `is nested too deeply: the limit is ${depth} levels`;
    return count > values ? `has more than ${values.toLocaleString('en-US')} values` : null;
  }

  private takeText(next: number): void {
    if (this.escaped) this.escaped = false;
    else if (next === BACKSLASH) this.escaped = true;
    else if (next === QUOTE) this.inText = false;
  }
}

/** Returns the problem with a JSON text before it is parsed, or null if it is within bounds. */
function jsonProblem(text: string, bounds: JsonBounds): string | null {
  const shape = new JsonShape();
  for (let place = 0; place < text.length; place++) {
    const before = shape.values;
    shape.take(text.charCodeAt(place));
    if (shape.values === before) continue;
    const problem = shape.problem(bounds);
    if (problem !== null) return problem;
  }
  return null;
}

export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** Parses an untrusted JSON text. Returns its value, or the problem with it. */
export function parseBounded(text: string, bounds: JsonBounds): ParsedJson {
  const why = jsonProblem(text, bounds);
  if (why !== null) return { ok: false, why };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, why: `is not valid JSON: ${(error as Error).message}` };
  }
}

/**
 * Returns the reason why PostgreSQL cannot store a value, or null if it can. Recursive, so only for
 * values of bounded depth.
 */
export function unstorable(value: unknown): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : UNSTORABLE;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key) || unstorable(inner) !== null) return UNSTORABLE;
  }
  return null;
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const UNSTORABLE = 'has a text with the character U+0000 or half of a surrogate pair, which cannot be stored';
