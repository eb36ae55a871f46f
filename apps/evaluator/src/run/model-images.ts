import type { AdmittedImage, Artifact } from '@assay/submissions';

/** Brings the image of an admitted artifact onto this host. */
export interface ModelImages {
  /** @returns the digest under which a driver starts it. @throws SandboxUnavailable, or what the blob store throws */
  install(artifact: Artifact, image: AdmittedImage, signal: AbortSignal): Promise<string>;
}
