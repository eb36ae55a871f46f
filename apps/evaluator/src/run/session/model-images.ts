import type { ModelKind } from '@assay/contracts/models';

/**
 * The purpose of an installed image: `run` for a run, or `live` for live predictions. A target
 * model runs at the same time as runs of others on hidden data, so its image shares no layer with
 * theirs.
 */
export type ImageUse = 'run' | 'live';

/** An admitted artifact. */
export interface AdmittedArtifact {
  readonly kind: ModelKind;
  /** sha256 of the bytes as uploaded, in hexadecimal. */
  readonly digest: string;
  /** Returns the path of a local file with the admitted archive. */
  readonly archive: () => Promise<string>;
}

/** Installs the images of admitted artifacts on this host. */
export interface ModelImages {
  /**
   * Installs an image.
   *
   * @param use default: `run`
   * @returns the digest under which a driver starts it
   * @throws SandboxUnavailable, or the error of `archive`
   */
  install(artifact: AdmittedArtifact, signal: AbortSignal, use?: ImageUse): Promise<string>;
}
