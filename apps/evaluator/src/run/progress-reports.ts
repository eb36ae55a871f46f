import { tellModels, type RunScope } from '@assay/evaluation';
import type { SandboxData } from '@assay/sandbox';
import type { NamedExamples } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

const INTERVAL_MILLISECONDS = 500;
/** Reports on a hidden dataset: when each one comes is for the model to choose. */
const HIDDEN_REPORTS = 10;

/**
 * Reports at most twice a second how far a run is with a dataset; of a hidden one at most ten times, in tenths and with a rate of one digit. A
 * report that is lost is no harm: the next one follows.
 */
export class ProgressReports {
  private last = -Infinity;

  constructor(
    private readonly em: EntityManager,
    private readonly scope: RunScope,
  ) {}

  /** @returns what to call with the number of examples that are done */
  ofExamples(examples: NamedExamples, total: number, data: SandboxData): (done: number) => void {
    const started = performance.now();
    let tenths = 0;
    return (done) => {
      const now = performance.now();
      if (now - this.last < INTERVAL_MILLISECONDS && done < total) return;
      const reached = Math.floor((HIDDEN_REPORTS * done) / total);
      if (data === 'hidden' && reached === tenths) return;
      tenths = reached;
      this.last = now;
      const perSecond = Math.round((done / Math.max(now - started, 1)) * 10_000) / 10;
      const progress =
        data === 'hidden'
          ? {
              done: Math.floor((reached * total) / HIDDEN_REPORTS),
              examplesPerSecond: Number(perSecond.toPrecision(1)),
            }
          : { done, examplesPerSecond: perSecond };
      void tellModels(this.em.fork(), {
        ...this.scope,
        event: { type: 'progress', ...examples, total, ...progress },
      }).catch(() => undefined);
    };
  }
}
