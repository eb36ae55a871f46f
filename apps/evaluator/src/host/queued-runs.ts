import { setTimeout as sleep } from 'node:timers/promises';
import type { EvaluationRuns } from '@assay/evaluation/execution';
import { QueuedRunSignal, type RunnableOn, RunRepository, type RunStage } from '@assay/evaluation/runs';
import { continued } from '@assay/observability';
import type { Notifications } from '@assay/persistence/outbox';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';

/** Milliseconds after which a queued run is looked for again without a notification. */
const LOOK_MILLISECONDS = 2000;
/** Milliseconds until the next attempt after a failure, or while this host cannot run models. */
const PAUSE_MILLISECONDS = 5000;

/** An evaluator with access to the database runs everything, within its own ceilings. */
const EVERYTHING: RunnableOn = {
  owner: null,
  runtimes: ['runc', 'runsc'],
  memoryBytes: Number.MAX_SAFE_INTEGER,
  cpus: Number.MAX_SAFE_INTEGER,
};

export interface QueuedRunsParts {
  readonly em: EntityManager;
  readonly notifications: Notifications;
  readonly runs: EvaluationRuns;
  /** The number of models that are evaluated at the same time. One artifact is admitted beside them. */
  readonly concurrency: number;
}

/** Finds queued runs of containers and ONNX bundles in the database, and executes them. */
export class QueuedRuns {
  private readonly logger = new Logger(QueuedRuns.name);
  private readonly leaving = new AbortController();
  private readonly queued = new QueuedRunSignal();
  private loops: readonly Promise<void>[] = [];

  constructor(private readonly parts: QueuedRunsParts) {}

  async start(): Promise<void> {
    await this.queued.listen(this.parts.notifications);
    const stages: RunStage[] = ['admission', ...Array<RunStage>(this.parts.concurrency).fill('evaluation')];
    this.loops = stages.map((stage) => this.work(stage));
  }

  /** Leases nothing more, and releases the runs that are held. */
  async leave(): Promise<void> {
    this.leaving.abort();
    this.queued.wake();
    await this.parts.runs.leave();
    await Promise.all(this.loops);
  }

  private async work(stage: RunStage): Promise<void> {
    const { signal } = this.leaving;
    while (!signal.aborted) {
      // subscribed before the look, so that no notification is missed between them
      const more = this.queued.next(stage, LOOK_MILLISECONDS);
      const found = await this.executeNext(stage).catch((error: unknown) => {
        this.logger.warn(`no run can be leased now: ${(error as Error).message}`);
        return 'unable' as const;
      });
      if (found === 'none') await more;
      if (found === 'unable') await sleep(PAUSE_MILLISECONDS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Executes the next run at the stage, if there is one and this host can run it. */
  private async executeNext(stage: RunStage): Promise<'none' | 'unable' | 'executed'> {
    const { em, runs } = this.parts;
    const next = await new RunRepository(em.fork()).next(stage, EVERYTHING);
    if (!next) return 'none';
    const isAble = await continued(next.origin ?? undefined, () => runs.execute(next.id, stage));
    return isAble ? 'executed' : 'unable';
  }
}
