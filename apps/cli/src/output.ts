import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from './command-failure.js';

/**
 * Writes the output of a command: results to standard output, progress to standard error. Texts
 * come from users of the service, so their control characters are escaped before they reach a
 * terminal.
 */
export class Output {
  constructor(
    private readonly form: 'text' | 'json',
    private readonly stdout: NodeJS.WriteStream = process.stdout,
    private readonly stderr: NodeJS.WriteStream = process.stderr,
  ) {}

  /** True if lines on standard error can be redrawn. */
  get isLive(): boolean {
    return this.stderr.isTTY && process.env['TERM'] !== 'dumb';
  }

  get progress(): NodeJS.WriteStream {
    return this.stderr;
  }

  /** Width of the terminal in characters, else COLUMNS, else Infinity. */
  get width(): number {
    return this.stdout.columns || Number(process.env['COLUMNS']) || Infinity;
  }

  /** Prints the result: `value` as JSON for programs, or `text` for people. */
  result(value: unknown, text: string): void {
    // escaping keeps the JSON valid: outside strings it has no character that `printable` replaces
    this.stdout.write(`${printable(this.form === 'json' ? JSON.stringify(value, null, 2) : text)}\n`);
  }

  /** Prints a file of the service: unchanged, or escaped if standard output is a terminal. */
  raw(text: string): void {
    this.stdout.write(this.stdout.isTTY ? printable(text) : text);
  }

  /** Streams a file of the service: unchanged, or escaped if standard output is a terminal. */
  async stream(content: Readable): Promise<void> {
    if (!this.stdout.isTTY) return pipeline(content, this.stdout, { end: false });
    await pipeline(content.setEncoding('utf8'), printableParts, this.stdout, { end: false });
  }

  /** Reports progress on standard error. */
  tell(text: string): void {
    this.stderr.write(`${printable(text)}\n`);
  }

  failure({ code, message, exitCode, details }: CommandFailure): void {
    if (this.form === 'json') {
      const error = { code, message, exitCode, ...details };
      this.stdout.write(`${printable(JSON.stringify({ error }, null, 2))}\n`);
    }
    this.tell(message);
  }
}

async function* printableParts(parts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of parts) yield printable(part);
}

/**
 * Characters that a terminal would execute instead of displaying: control characters (C0 and C1,
 * and with them every escape sequence), and characters that change the text direction or break the
 * line. Tabs and line ends are excluded.
 */
const COMMANDS = /(?![\t\n]|\r\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Replaces those characters with JSON escapes such as `\u001b`, which are visible and harmless. */
export const printable = (text: string): string =>
  text.replace(COMMANDS, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`);
