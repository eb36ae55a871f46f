import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isolateImageArchive, SandboxUnavailable, type SandboxDriver } from '@assay/sandbox';
import { buildImage, projectFolder, type PlatformImage } from '@assay/sandbox/docker';
import { onnxModelImage } from '../../../../sandboxes/onnx-runner/image.js';
import type { AdmittedArtifact, ImageUse, ModelImages } from '../run/session/model-images.js';
import { inspectBundle } from './bundle-inspection.js';
import { InstalledImages } from './installed-images.js';

export interface StoredModelImagesParts {
  readonly driver: SandboxDriver;
  /** Returns the image of the ONNX runner on the engine. */
  readonly runner: () => Promise<PlatformImage>;
  readonly workFolder: string;
}

/**
 * Installs container models from their rebuilt archives, and builds the images of ONNX bundles on
 * demand.
 */
export class StoredModelImages implements ModelImages {
  private readonly installedImages: InstalledImages;

  constructor(private readonly parts: StoredModelImagesParts) {
    this.installedImages = new InstalledImages(parts.driver);
  }

  async install(artifact: AdmittedArtifact, signal: AbortSignal, use: ImageUse = 'run'): Promise<string> {
    const installed =
      artifact.kind === 'onnx'
        ? await this.installBundle(artifact, signal)
        : await this.installContainer(artifact, use);
    await this.installedImages.use(installed);
    return installed;
  }

  private async installContainer(artifact: AdmittedArtifact, use: ImageUse): Promise<string> {
    const { driver } = this.parts;
    if (use === 'live') return this.installIsolated(artifact);
    if (!(await driver.isInstalled(artifact.digest))) {
      await driver.install({ digest: artifact.digest, archive: await artifact.archive() });
    }
    return artifact.digest;
  }

  /**
   * Installs a container image that shares no layer with any other image (see
   * `isolateImageArchive`). ONNX bundles do not need this: their files are read by the platform's
   * runner only, which discloses nothing about them.
   */
  private async installIsolated(artifact: AdmittedArtifact): Promise<string> {
    const { driver, workFolder } = this.parts;
    const digest = createHash('sha256').update(`live ${artifact.digest}`).digest('hex');
    if (await driver.isInstalled(digest)) return digest;

    const folder = await mkdtemp(join(workFolder, 'live-'));
    try {
      const archive = join(folder, 'image.tar');
      await isolateImageArchive(await artifact.archive(), archive, digest);
      await driver.install({ digest, archive });
      return digest;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Installs the runner image with the bundle's files in a layer above it. Only that layer is
   * written, so a bundle takes only its own size. The digest includes the runner's ID, so a new
   * version of the platform rebuilds the image.
   */
  private async installBundle(artifact: AdmittedArtifact, signal: AbortSignal): Promise<string> {
    const { driver, workFolder } = this.parts;
    const runner = await this.parts.runner();
    const digest = createHash('sha256').update(`onnx ${runner.id} ${artifact.digest}`).digest('hex');
    if (await driver.isInstalled(digest)) return digest;

    const folder = await mkdtemp(join(workFolder, 'bundle-'));
    try {
      const source = {
        path: await artifact.archive(),
        destination: join(folder, 'files'),
        // the bundle was checked against the limit at admission, and unpacks to the same size again
        maxUnpackedBytes: Infinity,
      };
      const found = await inspectBundle(source, signal);
      if (found.kind === 'refused')
        throw new SandboxUnavailable(`the inspection refuses an admitted bundle: ${found.message}`);

      const archive = join(folder, 'image.tar');
      const without = new Set(runner.layers);
      await buildImage(onnxModelImage(projectFolder(), found.bundle.files), {
        path: archive,
        tag: `assay/model:${digest}`,
        without,
      });
      await driver.install({ digest, archive });
      return digest;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
