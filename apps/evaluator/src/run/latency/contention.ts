import type { Sandbox } from '@assay/sandbox';

/** The contention of a sandbox, for several readers. */
export class Contention {
  private found = false;

  constructor(private readonly sandbox: Pick<Sandbox, 'contended'>) {}

  /** Returns whether something disturbed the timings since the last `take`. */
  async isFound(): Promise<boolean> {
    this.found = (await this.sandbox.contended()) || this.found;
    return this.found;
  }

  /** Returns the same, and starts again. */
  async take(): Promise<boolean> {
    const found = await this.isFound();
    this.found = false;
    return found;
  }
}
