import type { DockerEngine } from './docker-engine.js';

/** The layers of the images on an engine. */
export class EngineLayers {
  /** Digests of uncompressed layers by the ID of the image, lowest first. */
  private known = new Map<string, readonly string[]>();

  constructor(private readonly engine: Pick<DockerEngine, 'images' | 'image'>) {}

  /** Returns how many of the lowest of these layers (`sha256:…`) some image on the engine has. */
  async present(layers: readonly string[]): Promise<number> {
    if (layers.length === 0) return 0;
    const known = new Map<string, readonly string[]>();
    for (const id of await this.engine.images()) {
      const found = this.known.get(id) ?? (await this.engine.image(id))?.RootFS.Layers;
      if (found) known.set(id, found);
    }
    this.known = known;
    return Math.max(0, ...[...known.values()].map((others) => sharedBy(layers, others)));
  }
}

function sharedBy(layers: readonly string[], others: readonly string[]): number {
  const first = layers.findIndex((layer, place) => layer !== others[place]);
  return first === -1 ? layers.length : first;
}
