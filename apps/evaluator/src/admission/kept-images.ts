import type { SandboxDriver } from '@assay/sandbox';

/** The images that an evaluator leaves on its engine: those of the models that ran last, so that a disk does not fill up with all. */
export class KeptImages {
  /** Digests, the one used longest ago first. */
  private readonly used = new Set<string>();

  constructor(
    private readonly driver: Pick<SandboxDriver, 'uninstall'>,
    private readonly most = 16,
  ) {}

  /** Notes that `digest` is about to be run, and removes what was not used for longest. What can't be removed is left for the next time. */
  async use(digest: string): Promise<void> {
    this.used.delete(digest);
    this.used.add(digest);
    for (const oldest of [...this.used].slice(0, -this.most)) {
      const removed = await this.driver.uninstall(oldest).then(
        () => true,
        () => false,
      );
      if (removed) this.used.delete(oldest);
    }
  }
}
