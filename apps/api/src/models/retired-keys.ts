import { type RetiredKeyAt, retiredKeys } from '@assay/leaderboard/results';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** Milliseconds for which the retired keys are cached, because every view of a model shows them. */
const CACHED = 1000;

/** The retired signing keys, as at most a second ago. */
@Injectable()
export class RetiredKeys {
  private cached: { readonly keyAt: RetiredKeyAt; readonly until: number } | null = null;

  constructor(private readonly em: EntityManager) {}

  async keyAt(): Promise<RetiredKeyAt> {
    if (this.cached && performance.now() < this.cached.until) return this.cached.keyAt;
    const keyAt = await retiredKeys(this.em);
    this.cached = { keyAt, until: performance.now() + CACHED };
    return keyAt;
  }
}
