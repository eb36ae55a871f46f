import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from './command-failure.js';

/** Where a command writes: what it found to standard output, what it is doing to standard error. */
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
    this.stdout.write(`${this.form === 'json' ? JSON.stringify(value, null, 2) : text}\n`);
  }

  /** What is written already, as it is. */
  raw(text: string): void {
    this.stdout.write(text);
  }

  /** Content that comes bit by bit, as it is. */
  async stream(content: Readable): Promise<void> {
    await pipeline(content, this.stdout, { end: false });
  }

  /** What is going on. */
  tell(text: string): void {
    this.stderr.write(`${text}\n`);
  }

  failure({ code, message, exitCode, details }: CommandFailure): void {
    if (this.form === 'json') {
      this.stdout.write(`${JSON.stringify({ error: { code, message, exitCode, ...details } }, null, 2)}\n`);
    }
    this.tell(message);
  }
}
