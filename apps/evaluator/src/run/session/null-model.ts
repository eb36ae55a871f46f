import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxDriver } from '@assay/sandbox';
import { planImage, projectFolder, writeImage, type PlatformImage } from '@assay/sandbox/docker';
import { nullModelImage } from '../../../../../sandboxes/null-model/image.js';

export interface NullModelParts {
  readonly driver: SandboxDriver;
  /** A platform image on the engine, with which the null model shares its lowest layer. */
  readonly runner: () => Promise<PlatformImage>;
  readonly workFolder: string;
}

/**
 * Returns a function that installs the null model and returns its digest. It is installed like any
 * model, so that it is started and confined in the same way.
 */
export function nullModel({ driver, runner, workFolder }: NullModelParts): () => Promise<string> {
  return async () => {
    const { layers } = await runner();
    const image = await planImage(nullModelImage(projectFolder()));
    const digest = createHash('sha256').update(`null-model ${image.digest}`).digest('hex');
    if (await driver.isInstalled(digest)) return digest;

    const folder = await mkdtemp(join(workFolder, 'null-model-'));
    try {
      const archive = join(folder, 'image.tar');
      await writeImage(image, { path: archive, tag: `assay/model:${digest}`, without: new Set(layers) });
      await driver.install({ digest, archive });
      return digest;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}
