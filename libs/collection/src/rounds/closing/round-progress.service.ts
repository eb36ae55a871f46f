import { CLOSING_STEPS, type ClosingStep } from '@assay/contracts/collection';
import type { CloseRound } from '@assay/contracts/rounds';
import { inTransaction } from '@assay/persistence/queries';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { Round } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { DatasetsService } from '@assay/tasks/datasets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { RoundRepository } from '../round.repository.js';
import { closeRound } from '../rounds.service.js';
import { STEPS } from './closing-steps.js';
import type { FreezeServices } from './freeze.js';
import { keepSoFar, saturationOf } from './saturation.js';

/**
 * Observes the closing steps: `written` before the transaction commits, `committed` after. For
 * tests of crash recovery.
 */
export type StepWatcher = (step: ClosingStep, moment: 'written' | 'committed') => void;

/**
 * Advances rounds: closes them when their turning rule applies, and runs the steps of their
 * closing.
 */
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
   * Advances a round as far as possible now. Each step is one transaction under the lock of the
   * round, so concurrent calls are safe. After a crash, the interrupted step runs again.
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
    // checked without the lock first, so that writers are not blocked for nothing
    const em = this.em.fork();
    const now = new Date();
    if (await turnOf(em, seen, now)) {
      await inTransaction(em, async (tx) => {
        const round = await new RoundRepository(tx).getForUpdate(roundId);
        const turn = round.state === 'open' ? await turnOf(tx, round, now) : null;
        if (turn) closeRound(tx, round, { ...turn, actor: null });
      });
    } else if (seen.settings?.turn.saturation !== undefined) {
      await inTransaction(em, async (tx) => {
        const round = await new RoundRepository(tx).getForUpdate(roundId);
        if (round.state === 'open') await keepSoFar(tx, round, this.services, now);
      });
    }
  }

  /** @returns the completed step; null if there is none, or it must wait */
  private async step(roundId: string, watch: StepWatcher): Promise<ClosingStep | null> {
    return inTransaction(this.em, async (em) => {
      const round = await new RoundRepository(em).getForUpdate(roundId);
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

/** The reason why a round closes, and whether pending validations are awaited. */
interface Turn {
  readonly by: string;
  readonly pending: CloseRound['pending'];
}

/** Applies the turning rule of an open round; null if it stays open. */
async function turnOf(em: EntityManager, round: Round, now: Date): Promise<Turn | null> {
  const turn = round.settings?.turn;
  if (!turn) return null;
  const { closesAt, examples, validated } = turn;
  // recent examples are of no use before they are validated, so they are awaited; after a count of
  // validated examples or saturation there are enough
  const awaiting = { pending: turn.pending ?? 'await' } as const;
  const leaving = { pending: turn.pending ?? 'leave' } as const;
  if (closesAt !== undefined && Date.parse(closesAt) <= now.getTime()) {
    return { by: `date reached: ${closesAt}`, ...awaiting };
  }
  if (examples !== undefined || validated !== undefined) {
    const counts = await new RoundRepository(em).counts(round.id);
    if (validated !== undefined && counts.validated >= validated) {
      return { by: `count reached: ${counts.validated} validated examples`, ...leaving };
    }
    if (examples !== undefined && counts.examples >= examples) {
      return { by: `count reached: ${counts.examples} examples`, ...awaiting };
    }
  }
  const saturated = await saturationOf(em, round);
  return saturated === null ? null : { by: saturated, ...leaving };
}
