import type { AdmittedImage, Artifact } from '@assay/submissions/artifacts';

/**
 * The purpose of an installed image: `run` for a run, or `live` for live predictions. A target
 * model runs at the same time as runs of others on hidden data, so its image shares no layer with
 * theirs.
 */
export type ImageUse = 'run' | 'live';

/** Installs the images of admitted artifacts on this host. */
export interface ModelImages {
  /**
   * Installs an image.
   *
   * @param use default: `run`
   * @returns the digest under which a driver starts it
   * @throws SandboxUnavailable, or the error of the blob store
   */
  install(artifact: Artifact, image: AdmittedImage, signal: AbortSignal, use?: ImageUse): Promise<string>;
}
