import type { Jobs } from '@assay/jobs';
import { HealthChecks } from '@assay/observability';
import { probeDatabase } from '@assay/persistence';
import { probeRoom } from '@assay/storage';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ModelHost } from './model-host.js';

/** Returns the health checks of everything that an evaluator needs to work. */
export function evaluatorHealth(em: EntityManager, jobs: Jobs, host: ModelHost, blobs: string): HealthChecks {
  return new HealthChecks([
    { name: 'database', probe: () => probeDatabase(em) },
    { name: 'queue', probe: () => jobs.depth('run').then(() => undefined) },
    { name: 'blobs', probe: () => probeRoom(blobs) },
    { name: 'docker', probe: () => host.probe() },
  ]);
}
