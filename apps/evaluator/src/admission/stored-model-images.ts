import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isolateImageArchive, rebuildImageArchive, SandboxUnavailable, type SandboxDriver } from '@assay/sandbox';
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

/** The most rebuilt archives that wait for the first run of their model. */
const MOST_KEPT = 2;

/**
 * Builds the images of models on demand from the bytes as uploaded, and installs them on the engine.
 * The archives that it builds are temporary.
 */
export class StoredModelImages implements ModelImages {
  private readonly installedImages: InstalledImages;
  /** The paths of kept archives by digest, oldest first. */
  private readonly kept = new Map<string, string>();

  constructor(private readonly parts: StoredModelImagesParts) {
    this.installedImages = new InstalledImages(parts.driver);
  }

  async install(artifact: AdmittedArtifact, signal: AbortSignal, use: ImageUse = 'run'): Promise<string> {
    const digest = await this.digestOf(artifact, use);
    if (!(await this.parts.driver.isInstalled(digest))) await this.build(artifact, digest, { use, signal });
    await this.installedImages.use(digest);
    return digest;
  }

  async keep(digest: string, archive: string): Promise<void> {
    const path = join(this.parts.workFolder, `rebuilt-${digest}.tar`);
    await rename(archive, path);
    this.kept.delete(digest);
    this.kept.set(digest, path);
    for (const [oldest, file] of [...this.kept].slice(0, -MOST_KEPT)) {
      this.kept.delete(oldest);
      await rm(file, { force: true });
    }
  }

  /**
   * The digest of the image of a bundle includes the runner's ID, so a new version of the platform
   * builds another image.
   */
  private async digestOf({ kind, digest }: AdmittedArtifact, use: ImageUse): Promise<string> {
    if (kind === 'onnx') return sha256(`onnx ${(await this.parts.runner()).id} ${digest}`);
    return use === 'live' ? sha256(`live ${digest}`) : digest;
  }

  private async build(
    artifact: AdmittedArtifact,
    digest: string,
    { use, signal }: { readonly use: ImageUse; readonly signal: AbortSignal },
  ): Promise<void> {
    const { driver, workFolder } = this.parts;
    const folder = await mkdtemp(join(workFolder, 'image-'));
    try {
      const rebuilt =
        artifact.kind === 'onnx'
          ? await this.withRunner(artifact, digest, folder, signal)
          : await this.rebuilt(artifact, folder, signal);
      // the files of a bundle are read by the platform's runner only, which discloses nothing about them
      const isIsolated = artifact.kind !== 'onnx' && use === 'live';
      const archive = isIsolated ? join(folder, 'isolated.tar') : rebuilt;
      // shares no layer with any other image
      if (isIsolated) await isolateImageArchive(rebuilt, archive, digest);
      await driver.install({ digest, archive });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Rebuilds a submitted image as admission did, unless admission has just done so on this host. */
  private async rebuilt({ digest, command, source, onRebuilt }: AdmittedArtifact, folder: string, signal: AbortSignal) {
    const archive = join(folder, 'image.tar');
    const kept = this.kept.get(digest);
    this.kept.delete(digest);
    if (kept !== undefined) {
      await rename(kept, archive);
      return archive;
    }
    const admission = await rebuildImageArchive(await source(), archive, {
      digest,
      // the image was checked against the limit at admission, and unpacks to the same size again
      maxUnpackedBytes: Infinity,
      workDirectory: folder,
      ...(command && { command }),
      signal,
    });
    if (admission.kind === 'refused') throw refusedNow(admission);
    const { port, protocol, unpackedBytes } = admission.image;
    onRebuilt?.({ port, protocol, unpackedBytes });
    return archive;
  }

  /**
   * Builds the runner image with the bundle's files in a layer above it. Only that layer is written,
   * so a bundle takes only its own size.
   */
  private async withRunner({ source }: AdmittedArtifact, digest: string, folder: string, signal: AbortSignal) {
    const { layers } = await this.parts.runner();
    const bundle = { path: await source(), destination: join(folder, 'files'), maxUnpackedBytes: Infinity };
    const found = await inspectBundle(bundle, signal);
    if (found.kind === 'refused') throw refusedNow(found);

    const archive = join(folder, 'image.tar');
    await buildImage(onnxModelImage(projectFolder(), found.bundle.files), {
      path: archive,
      tag: `assay/model:${digest}`,
      without: new Set(layers),
    });
    return archive;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const refusedNow = ({ message }: { readonly message: string }): SandboxUnavailable =>
  new SandboxUnavailable(`the inspection refuses an admitted artifact: ${message}`);
