import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from './command-failure.js';
import { printable } from './format/printable.js';

/**
 * Where a command writes: what it found to standard output, what it is doing to standard error. Texts come from users of the service, so no control
 * character of theirs reaches the terminal.
 */
export class Output {
  constructor(
    private readonly form: 'text' | 'json',
    private readonly stdout: NodeJS.WriteStream = process.stdout,
    private readonly stderr: NodeJS.WriteStream = process.stderr,
  ) {}

  /** Whether lines on standard error may be drawn anew. */
  get isLive(): boolean {
    return this.stderr.isTTY && process.env['TERM'] !== 'dumb';
  }

  get progress(): NodeJS.WriteStream {
    return this.stderr;
  }

  /** Of the terminal, in characters, or as COLUMNS has it; without either there is room for everything. */
  get width(): number {
    return this.stdout.columns || Number(process.env['COLUMNS']) || Infinity;
  }

  /** The result: `value` for a program, or `text` for a person. */
  result(value: unknown, text: string): void {
    // outside of strings JSON has no character that is escaped here
    this.stdout.write(`${printable(this.form === 'json' ? JSON.stringify(value, null, 2) : text)}\n`);
  }

  /** A file of the service: as it is, unless a terminal shows it. */
  raw(text: string): void {
    this.stdout.write(this.stdout.isTTY ? printable(text) : text);
  }

  /** The same, bit by bit. */
  async stream(content: Readable): Promise<void> {
    if (!this.stdout.isTTY) return pipeline(content, this.stdout, { end: false });
    await pipeline(content.setEncoding('utf8'), printableParts, this.stdout, { end: false });
  }

  /** What is going on. */
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
