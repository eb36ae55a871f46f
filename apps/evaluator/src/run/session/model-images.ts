import type { ModelKind } from '@assay/contracts/models';
import type { ImageFacts } from '../../gateway/leased-run.js';

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
  /** The submission's command, which replaces that of the image. */
  readonly command: readonly string[] | null;
  /** Returns the path of a local file with the bytes as uploaded. */
  readonly source: () => Promise<string>;
  /** Called with what this host finds if it rebuilds a container that it has not admitted itself just now. */
  readonly onRebuilt?: (image: ImageFacts) => void;
}

/** Installs the images of admitted artifacts on this host. */
export interface ModelImages {
  /**
   * Installs an image.
   *
   * @param use default: `run`
   * @returns the digest under which a driver starts it
   * @throws SandboxUnavailable, the reason of `signal`, or the error of `source`
   */
  install(artifact: AdmittedArtifact, signal: AbortSignal, use?: ImageUse): Promise<string>;
  /**
   * Keeps the archive that admission has rebuilt of a container, so that `install` need not rebuild
   * it. Moves the file.
   *
   * @param digest sha256 of the bytes as uploaded, in hexadecimal
   */
  keep(digest: string, archive: string): Promise<void>;
}
