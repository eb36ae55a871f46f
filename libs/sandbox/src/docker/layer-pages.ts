import type { DockerEngine } from './docker-engine.js';
import { evictPages } from './page-cache.js';

/**
 * Evicts the files of images from the page cache, if the engine stores them on this host and they
 * are readable.
 */
export class LayerPages {
  private readonly said = new Set<string>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly log: (message: string) => void = () => undefined,
  ) {}

  /**
   * Evicts all layers of an image that no sandbox runs any more. Logs each reason why this is not
   * possible once; a run that has succeeded does not fail because of it.
   */
  async evict(image: string): Promise<void> {
    try {
      const folders = await this.foldersOf(image);
      const { files, pages, failed } = await evictPages(folders);
      if (failed > 0)
        this.say(`${failed} of ${files + failed} files of ${image} could not be evicted from the page cache`);
      // for example those of Node, which the relay of another sandbox maps
      if (pages > 0) this.log(`${pages} pages of ${image} stay in the page cache: other processes use them`);
    } catch (error) {
      this.say(
        `hidden inputs may leave traces in the page cache, which cannot be evicted: ${(error as Error).message}`,
      );
    }
  }

  /** Returns the folders of the image's layers on the engine's host; none if the image is gone. */
  async foldersOf(image: string): Promise<string[]> {
    const inspected = await this.engine.image(image);
    if (!inspected) return [];
    const { Name, Data } = inspected.GraphDriver as { Name: string; Data: Record<string, string> | null };
    const folders = [Data?.['UpperDir'], ...(Data?.['LowerDir']?.split(':') ?? [])].filter(
      (folder): folder is string => folder !== undefined && folder !== '',
    );
    if (folders.length === 0) throw new Error(`the storage driver "${Name}" does not report where layers are stored`);
    return folders;
  }

  private say(message: string): void {
    if (this.said.has(message)) return;
    this.said.add(message);
    this.log(message);
  }
}
