/**
 * Prints the progress of a script as lines: each step when it begins, and its duration when it is
 * done.
 */
export class Progress {
  private readonly write: (text: string) => void;
  private readonly now: () => number;
  private open = false;

  /** @param now returns the time in milliseconds */
  constructor(write: (text: string) => void, now: () => number = () => performance.now()) {
    this.write = write;
    this.now = now;
  }

  /** Runs a step. The text passed to `detail` is printed next to its duration. */
  async step<T>(what: string, work: (detail: (text: string) => void) => Promise<T>): Promise<T> {
    const started = this.now();
    let detail = '';
    this.begin(what);
    try {
      const result = await work((text) => (detail = `${text}, `));
      this.end(what, `${detail}${seconds(this.now() - started)}`);
      return result;
    } catch (error) {
      this.end(what, `failed after ${seconds(this.now() - started)}`);
      throw error;
    }
  }

  /** Prints a line of its own, even in the middle of a step. */
  say(text: string): void {
    this.write(`${this.open ? '\n' : ''}${text}\n`);
    this.open = false;
  }

  private begin(what: string): void {
    this.write(`${this.open ? '\n' : ''}${what} … `);
    this.open = true;
  }

  private end(what: string, how: string): void {
    this.write(this.open ? `${how}\n` : `${what}: ${how}\n`);
    this.open = false;
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
