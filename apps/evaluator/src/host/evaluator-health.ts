import { join } from 'node:path';
import { Jobs } from '@assay/jobs';
import { healthParts, type HealthProbes } from '@assay/observability';
import { probeDatabase } from '@assay/persistence';
import { probeRoom } from '@assay/storage';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EvaluatorSettings } from './evaluator-settings.js';
import { ModelHost } from './model-host.js';

/** Checks the parts that an evaluator needs to work. */
@Injectable()
export class EvaluatorHealth {
  private readonly probes: HealthProbes;

  constructor(em: EntityManager, jobs: Jobs, host: ModelHost, settings: EvaluatorSettings) {
    this.probes = {
      database: () => probeDatabase(em),
      queue: () => jobs.depth('placement').then(() => undefined),
      blobs: () => probeRoom(join(settings.home, 'blobs')),
      docker: () => host.probe(),
    };
  }

  /** Returns all parts, with whether each is ready. */
  readonly parts = () => healthParts(this.probes);
}
