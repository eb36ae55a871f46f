import type { HealthParts } from '@assay/observability';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { WorkerPresenceRepository } from './worker-presence.repository.js';

/** The heartbeat of a worker, with its health, which the API reads for its readiness check. */
export class Heartbeat {
  private readonly logger = new Logger(Heartbeat.name);

  constructor(
    private readonly em: EntityManager,
    private readonly name: string,
    private readonly health: HealthParts,
  ) {}

  start(): Promise<void> {
    return this.presences().recordStart(this.name);
  }

  async beat(): Promise<void> {
    const problems = (await this.health()).filter(({ ready }) => !ready).map(({ name }) => name);
    if (problems.length > 0) this.logger.warn(`not ready: ${problems.join(', ')}`);
    await this.presences().recordSeen(this.name, problems);
  }

  stop(): Promise<void> {
    return this.presences().remove(this.name);
  }

  private presences(): WorkerPresenceRepository {
    return new WorkerPresenceRepository(this.em.fork());
  }
}
