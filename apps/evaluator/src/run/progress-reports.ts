import { tellModels, type RunScope } from '@assay/evaluation';
import type { NamedExamples } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

const INTERVAL_MILLISECONDS = 500;

/** Tells at most twice a second how far a run is with a dataset. A report that is lost is no harm: the next one follows. */
export class ProgressReports {
  private last = -Infinity;

  constructor(
    private readonly em: EntityManager,
    private readonly scope: RunScope,
  ) {}

  /** @returns what to call with the number of examples that are done */
  ofExamples(examples: NamedExamples, total: number): (done: number) => void {
    const started = performance.now();
    return (done) => {
      const now = performance.now();
      if (now - this.last < INTERVAL_MILLISECONDS && done < total) return;
      this.last = now;
      const examplesPerSecond = Math.round((done / Math.max(now - started, 1)) * 10_000) / 10;
      void tellModels(this.em.fork(), {
        ...this.scope,
        event: { type: 'progress', ...examples, done, total, examplesPerSecond },
      }).catch(() => undefined);
    };
  }
}
