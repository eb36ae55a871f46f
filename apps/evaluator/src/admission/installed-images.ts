import type { SandboxDriver } from '@assay/sandbox';

/**
 * The images that stay installed on the engine of an evaluator: those of the most recently used
 * models. Bounds the disk space that images take.
 */
export class InstalledImages {
  /** Digests, least recently used first. */
  private readonly used = new Set<string>();

  constructor(
    private readonly driver: Pick<SandboxDriver, 'uninstall'>,
    private readonly most = 16,
  ) {}

  /**
   * Marks `digest` as about to be used, and uninstalls the least recently used images beyond the
   * limit. An image that cannot be removed is tried again next time.
   */
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
