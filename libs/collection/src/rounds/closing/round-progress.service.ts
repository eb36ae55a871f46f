import { CLOSING_STEPS, type ClosingStep } from '@assay/contracts';
import { inTransaction } from '@assay/persistence';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { BenchmarksService, DatasetsService, Round } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { lockRound } from '../round-lock.js';
import { closeRound } from '../rounds.service.js';
import { STEPS } from './closing-steps.js';
import type { FreezeServices } from './freeze.js';
import { keepSoFar } from './saturation.js';
import { turnOf } from './turning-rule.js';

/** Told of a step: `written` before its transaction commits, `committed` after. For tests of what a crash leaves. */
export type StepWatcher = (step: ClosingStep, moment: 'written' | 'committed') => void;

/** What a round does by itself: it turns where its rule says so, and goes through the steps of its closing. */
@Injectable()
export class RoundProgress {
  private readonly services: FreezeServices;

  constructor(
    private readonly em: EntityManager,
    datasets: DatasetsService,
    benchmarks: BenchmarksService,
    @Inject(BLOB_STORE) blobs: BlobStore,
  ) {
    this.services = { datasets, benchmarks, blobs };
  }

  /**
   * Goes as far as it can now. Each step is one transaction under the lock of the round, so it may be called anywhere, by many, at any
   * time; after a crash the step that was under way is done again.
   */
  async advance(roundId: string, watch: StepWatcher = () => undefined): Promise<void> {
    await this.turn(roundId);
    for (;;) {
      const done = await this.step(roundId, watch);
      if (done === null) return;
      watch(done, 'committed');
    }
  }

  private async turn(roundId: string): Promise<void> {
    const seen = await this.em.fork().findOne(Round, roundId, { populate: ['task'] });
    if (seen?.state !== 'open') return;
    // looked at without the lock first: nobody who writes is held up for nothing
    const em = this.em.fork();
    const now = new Date();
    if (await turnOf(em, seen, now)) {
      await inTransaction(em, async (tx) => {
        const round = await lockRound(tx, roundId);
        const turn = round.state === 'open' ? await turnOf(tx, round, now) : null;
        if (turn) closeRound(tx, round, { ...turn, actor: null });
      });
    } else if (seen.settings?.turn.saturation !== undefined) {
      await inTransaction(em, async (tx) => {
        const round = await lockRound(tx, roundId);
        if (round.state === 'open') await keepSoFar(tx, round, this.services, now);
      });
    }
  }

  /** @returns the step that was done; null where there is none, or it has to wait */
  private async step(roundId: string, watch: StepWatcher): Promise<ClosingStep | null> {
    return inTransaction(this.em, async (em) => {
      const round = await lockRound(em, roundId);
      const { closingStep: step } = round;
      if (round.state !== 'closing' || !step) return null;
      if (!(await STEPS[step](em, round, this.services, new Date()))) return null;
      round.closingStep = CLOSING_STEPS[CLOSING_STEPS.indexOf(step) + 1] ?? null;
      await em.flush();
      watch(step, 'written');
      return step;
    });
  }
}
