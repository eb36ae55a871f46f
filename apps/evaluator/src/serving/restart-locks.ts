import type { Held } from '@assay/persistence/locks';
import type { MeasuringLocks } from '../host/measuring-locks.js';

/** Milliseconds within which a deployment that was held back must be leased here again. */
const AWAY_MILLISECONDS = 15_000;

/**
 * The restart locks of deployments that people ask and that runs on hidden data hold back. A lock
 * is kept while its deployment is queued, so that no such run begins before the model starts.
 */
export class RestartLocks {
  private readonly held = new Map<string, Held>();
  private readonly expiries = new Map<string, NodeJS.Timeout>();

  constructor(private readonly locks: Pick<MeasuringLocks, 'tryRestart'>) {}

  /** Keeps a lock for the deployment until it is back here, if it is free. It expires after 15 s. */
  async keep(deployment: string, owners: readonly string[]): Promise<void> {
    const held = this.held.get(deployment) ?? (await this.locks.tryRestart(owners));
    if (!held) return;
    this.held.set(deployment, held);
    const expiry = setTimeout(() => void this.release(deployment), AWAY_MILLISECONDS);
    this.expiries.set(deployment, expiry);
  }

  /** The deployment is leased here again: its lock does not expire. */
  returned(deployment: string): void {
    clearTimeout(this.expiries.get(deployment));
    this.expiries.delete(deployment);
  }

  async release(deployment: string): Promise<void> {
    this.returned(deployment);
    const held = this.held.get(deployment);
    this.held.delete(deployment);
    await held?.release();
  }

  async releaseAll(): Promise<void> {
    for (const deployment of this.held.keys()) await this.release(deployment);
  }
}
