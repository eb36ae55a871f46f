import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ServiceWorld } from '../factories/worlds/service-world.js';
import { TusUpload } from '../factories/models/tus-upload.js';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** An upload of a model that belongs to the user `ada`. */
export class ResumableUpload extends TusUpload {
  private constructor(
    private readonly world: ServiceWorld,
    model: string,
    token: string,
  ) {
    super(`${world.url}/api/v1/models/${model}/upload`, token);
  }

  static async of(world: ServiceWorld, model: string): Promise<ResumableUpload> {
    return new ResumableUpload(world, model, await world.user('ada'));
  }

  /**
   * Announces all of `bytes`, sends the first `count`, and is cut off by `cut` once they have
   * arrived.
   */
  async cutAt(count: number, bytes: Uint8Array, cut: () => Promise<void>): Promise<void> {
    await this.sendPart(bytes, { end: count }, async () => {
      await this.world.until(() => Promise.resolve(statSync(this.file).size === count), 60_000);
      await cut();
    });
  }

  /** The path of the file that holds the received bytes. */
  get file(): string {
    return join(this.world.home, 'uploads', basename(this.url));
  }
}
