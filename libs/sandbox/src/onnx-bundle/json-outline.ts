import { createReadStream } from 'node:fs';

export type JsonKind = 'object' | 'array' | 'text' | 'other';

/** The structure of a JSON file without its content. */
export interface JsonOutline {
  readonly kind: JsonKind;
  /** The kinds of the first 1,000 members of a top-level object, by key. */
  readonly members: ReadonlyMap<string, JsonKind>;
}

const DEPTH = 100;
const MEMBERS = 1000;
const MAX_TEXT = 200;
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const LITERAL_LENGTH = 400;

const code = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COLON, COMMA] = [code('"'), code('\\'), code(':'), code(',')];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [code('{'), code('}'), code('['), code(']')];
const SPACES = new Set([' ', '\t', '\n', '\r'].map(code));
const PUNCTUATION = new Set([QUOTE, COLON, COMMA, OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, ...SPACES]);

/**
 * Reads the outline of the JSON file at `path` (RFC 8259) as a stream, in constant memory. A parser
 * would take two gigabytes and half a minute for 64 MB of brackets.
 * @throws SyntaxError if the file is not JSON or nests deeper than 100
 */
export async function jsonOutline(path: string): Promise<JsonOutline> {
  const reader = new OutlineReader();
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    reader.read(chunk as Buffer);
  }
  return reader.finish();
}

/**
 * The tokens that the grammar allows next: a value; a value or the end of an array; a key or the
 * end of an object; a key; a colon; or what follows a value.
 */
type Expected = 'value' | 'first-element' | 'first-key' | 'key' | 'colon' | 'next';

class OutlineReader {
  private readonly members = new Map<string, JsonKind>();
  private readonly open: ('object' | 'array')[] = [];
  private expected: Expected = 'value';
  private kind: JsonKind | undefined;
  private key = '';
  private at = 0;
  /** The first characters of the string or literal that is being read. */
  private kept = '';
  private inside: 'text' | 'literal' | undefined;
  private isEscaped = false;

  read(chunk: Buffer): void {
    for (const byte of chunk) {
      this.at++;
      if (this.inside === 'text') this.inText(byte);
      else if (this.inside === 'literal' && !PUNCTUATION.has(byte)) this.keep(byte);
      else {
        this.endLiteral();
        if (!SPACES.has(byte)) this.token(byte);
      }
    }
  }

  finish(): JsonOutline {
    this.endLiteral();
    if (this.inside === 'text' || this.open.length > 0 || this.kind === undefined) {
      throw new SyntaxError(`it ends early, after ${this.at} bytes`);
    }
    return { kind: this.kind, members: this.members };
  }

  private token(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.begin('text');
        return;
      case OPEN_OBJECT:
        this.opens('object');
        return;
      case OPEN_ARRAY:
        this.opens('array');
        return;
      case CLOSE_OBJECT:
        this.closes('object', 'first-key');
        return;
      case CLOSE_ARRAY:
        this.closes('array', 'first-element');
        return;
      case COLON:
        if (this.expected !== 'colon') throw this.unexpected();
        this.expected = 'value';
        return;
      case COMMA:
        if (this.expected !== 'next' || this.open.length === 0) throw this.unexpected();
        this.expected = this.open.at(-1) === 'object' ? 'key' : 'value';
        return;
      default:
        this.begin('literal');
        this.keep(byte);
    }
  }

  private begin(inside: 'text' | 'literal'): void {
    this.inside = inside;
    this.kept = '';
  }

  private inText(byte: number): void {
    if (byte < 0x20) throw this.unexpected();
    if (byte === QUOTE && !this.isEscaped) {
      this.inside = undefined;
      this.endText();
      return;
    }
    this.isEscaped = byte === BACKSLASH && !this.isEscaped;
    if (this.kept.length < MAX_TEXT) this.kept += String.fromCharCode(byte);
  }

  private endText(): void {
    if (this.expected === 'first-key' || this.expected === 'key') {
      this.key = this.kept;
      this.expected = 'colon';
    } else this.value('text');
  }

  private keep(byte: number): void {
    if (this.kept.length >= LITERAL_LENGTH) throw this.unexpected();
    this.kept += String.fromCharCode(byte);
  }

  private endLiteral(): void {
    if (this.inside !== 'literal') return;
    this.inside = undefined;
    if (!LITERAL.test(this.kept)) throw this.unexpected();
    this.value('other');
  }

  private opens(kind: 'object' | 'array'): void {
    this.value(kind);
    this.open.push(kind);
    if (this.open.length > DEPTH) {
      throw new SyntaxError(`it is nested too deeply at byte ${this.at} (limit: ${DEPTH} levels)`);
    }
    this.expected = kind === 'object' ? 'first-key' : 'first-element';
  }

  private closes(kind: 'object' | 'array', whenEmpty: Expected): void {
    if (this.open.at(-1) !== kind || (this.expected !== 'next' && this.expected !== whenEmpty)) throw this.unexpected();
    this.open.pop();
    this.expected = 'next';
  }

  private value(kind: JsonKind): void {
    if (this.expected !== 'value' && this.expected !== 'first-element') throw this.unexpected();
    this.expected = 'next';
    if (this.open.length === 0) this.kind = kind;
    else if (this.open.length === 1 && this.open[0] === 'object' && this.members.size < MEMBERS) {
      this.members.set(this.key, kind);
    }
  }

  private unexpected(): SyntaxError {
    return new SyntaxError(`unexpected character at byte ${this.at}`);
  }
}
