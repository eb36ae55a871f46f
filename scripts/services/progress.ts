/**
 * Prints the progress of a script as lines: each step when it begins, and its duration when it is
 * done.
 */
export class Progress {
  private open = false;

  /** @param now returns the time in milliseconds */
  constructor(
    private readonly write: (text: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Runs a step. The text passed to `detail` is printed next to its duration. */
  async step<T>(what: string, work: (detail: (text: string) => void) => Promise<T>): Promise<T> {
    const started = this.now();
    let how = 'failed after ';
    let detail = '';
    this.beginLine(`${what} … `, true);
    try {
      const result = await work((text) => (detail = `${text}, `));
      how = detail;
      return result;
    } finally {
      const end = `${how}${((this.now() - started) / 1000).toFixed(1)} s\n`;
      this.write(this.open ? end : `${what}: ${end}`);
      this.open = false;
    }
  }

  /** Prints a line of its own, even in the middle of a step. */
  say(text: string): void {
    this.beginLine(`${text}\n`, false);
  }

  private beginLine(text: string, isOpen: boolean): void {
    this.write(`${this.open ? '\n' : ''}${text}`);
    this.open = isOpen;
  }
}
