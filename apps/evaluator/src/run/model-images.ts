import type { AdmittedImage, Artifact } from '@assay/submissions';

/**
 * The purpose of an installed image: `run`, a run of its own, or `live`, live predictions. A live model runs beside the runs of
 * others on hidden data, so its image shares no layer with theirs.
 */
export type ImageUse = 'run' | 'live';

/** Brings the image of an admitted artifact onto this host. */
export interface ModelImages {
  /**
   * @param use default: `run`
   * @returns the digest under which a driver starts it. @throws SandboxUnavailable, or what the blob store throws
   */
  install(artifact: Artifact, image: AdmittedImage, signal: AbortSignal, use?: ImageUse): Promise<string>;
}
