import { join } from 'node:path';
import { DatabaseRun, type ServiceStores } from '@assay/evaluation/gateway';
import type { RunMaterial } from '@assay/evaluation/execution';
import type { RunClaim } from '@assay/evaluation/runs';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { UserStorageService } from '@assay/submissions/artifacts';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { Environment } from '../environment.js';

/** A claim of a run. */
export type ClaimReference = Pick<RunClaim, 'runId' | 'fence'>;

/** The stores and settings that the runs of registered evaluators use. */
@Injectable()
export class GatewayStores {
  /** Seconds for which a lease is valid without a renewal. */
  readonly leaseSeconds: number;
  /** Seconds after its first evaluation in which a model is measured by itself. */
  readonly measureAfterSeconds: number;
  private readonly stores: Omit<ServiceStores, 'workFolder'>;
  private readonly home: string;

  constructor(
    em: EntityManager,
    @Inject(BLOB_STORE) blobs: BlobStore,
    storage: UserStorageService,
    { home, leaseSeconds, measureAfterSeconds }: Environment,
  ) {
    this.home = home;
    this.leaseSeconds = leaseSeconds;
    this.measureAfterSeconds = measureAfterSeconds;
    this.stores = { em, blobs, storage };
  }

  run(claim: RunClaim, material: RunMaterial): DatabaseRun {
    const stores = { ...this.stores, workFolder: this.folderOf(claim) };
    return new DatabaseRun(stores, claim, material, this.leaseSeconds);
  }

  /**
   * Returns the folder for files of a claim. The garbage collection removes it when nobody has changed
   * it for long.
   */
  folderOf({ runId, fence }: ClaimReference): string {
    return join(this.home, 'work', `${runId}-${fence}`);
  }
}
