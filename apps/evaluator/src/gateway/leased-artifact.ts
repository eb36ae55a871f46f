import type { Assignment } from '@assay/contracts/gateway';
import type { ArtifactCache, CachedArtifact } from './artifact-cache.js';
import { downloadArtifact } from './artifact-download.js';
import type { ServiceClient } from './service-client.js';

export interface LeasedArtifactParts {
  readonly client: ServiceClient;
  readonly artifacts: ArtifactCache;
  /** Ends the download. */
  readonly signal: AbortSignal;
}

/** The artifact of a lease. It is downloaded when it is first needed. */
export class LeasedArtifact {
  private cached: Promise<CachedArtifact> | null = null;

  /** @param path the path of the request for the bytes as uploaded */
  constructor(
    private readonly parts: LeasedArtifactParts,
    private readonly facts: Pick<Assignment['artifact'], 'digest' | 'size'>,
    private readonly path: string,
  ) {}

  /**
   * Returns the path of a local file, which stays until `release`.
   * @throws Error if the bytes do not have the digest
   */
  async file(): Promise<string> {
    const { client, artifacts, signal } = this.parts;
    const { digest, size } = this.facts;
    const request = (headers: Readonly<Record<string, string>>) =>
      client.open({ method: 'GET', path: this.path, headers }, signal);
    this.cached ??= artifacts.use(digest, size, (path) => downloadArtifact(path, this.facts, request, signal));
    try {
      return (await this.cached).path;
    } catch (error) {
      this.cached = null;
      throw error;
    }
  }

  async release(): Promise<void> {
    const artifact = await this.cached?.catch(() => null);
    artifact?.release();
  }
}
