import { join } from 'node:path';
import { Jobs } from '@assay/jobs';
import { healthParts, type HealthProbes } from '@assay/observability';
import { probeDatabase } from '@assay/persistence';
import { probeRoom } from '@assay/storage';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { WorkerSettings } from '../worker-settings.js';

/** Checks the parts that a worker needs to work. */
@Injectable()
export class WorkerHealth {
  private readonly probes: HealthProbes;

  constructor(em: EntityManager, jobs: Jobs, settings: WorkerSettings) {
    this.probes = {
      database: () => probeDatabase(em),
      queue: () => jobs.depth('publish').then(() => undefined),
      blobs: () => probeRoom(join(settings.home, 'blobs')),
    };
  }

  /** Returns all parts, with whether each is ready. */
  readonly parts = () => healthParts(this.probes);
}
