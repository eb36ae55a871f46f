import type { DockerEngine } from './docker-engine.js';
import { evictPages } from './page-cache.js';

/** Evicts the files of images from the page cache, where the engine stores them on this host and they may be read. */
export class LayerPages {
  private readonly said = new Set<string>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly log: (message: string) => void = () => undefined,
  ) {}

  /**
   * Evicts all layers of an image that no sandbox runs any more. Where that is not possible it says so, each reason once:
   * a run that has ended well does not fail for it.
   */
  async evict(image: string): Promise<void> {
    try {
      const folders = await this.foldersOf(image);
      const { files, pages, failed } = await evictPages(folders);
      if (failed > 0)
        this.say(`${failed} of ${files + failed} files of ${image} could not be evicted from the page cache`);
      // such as those of Node, which the relay of another sandbox maps
      if (pages > 0) this.log(`${pages} pages of ${image} stay in the page cache: other processes use them`);
    } catch (error) {
      this.say(
        `hidden inputs may leave traces in the page cache, which cannot be evicted: ${(error as Error).message}`,
      );
    }
  }

  /** The folders of its layers on the engine's host; none where the image is gone. */
  async foldersOf(image: string): Promise<string[]> {
    const inspected = await this.engine.image(image);
    if (!inspected) return [];
    const { Name, Data } = inspected.GraphDriver as { Name: string; Data: Record<string, string> | null };
    const folders = [Data?.['UpperDir'], ...(Data?.['LowerDir']?.split(':') ?? [])].filter(
      (folder): folder is string => folder !== undefined && folder !== '',
    );
    if (folders.length === 0) throw new Error(`the storage driver "${Name}" does not say where layers are`);
    return folders;
  }

  private say(message: string): void {
    if (this.said.has(message)) return;
    this.said.add(message);
    this.log(message);
  }
}
