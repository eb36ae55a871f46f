import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import type { DifferenceResult, DifferenceWork } from './difference-computation.js';

/** The most comparisons that are computed at the same time; each holds the scores of every example. */
const THREADS = Math.min(2, availableParallelism());
/** Milliseconds after which an idle thread ends. */
const IDLE_MILLISECONDS = 60_000;

/** The program of the threads. Tests run it from its source. */
const PROGRAM = import.meta.filename.endsWith('.ts')
  ? {
      filename: join(import.meta.dirname, 'difference-computation.ts'),
      execArgv: ['--import', join(import.meta.dirname, '../../../../scripts/typescript.mjs')],
    }
  : { filename: join(import.meta.dirname, 'difference-computation.js'), execArgv: [] };

/** Compares models in worker threads, which start when they are needed. */
export class DifferenceThreads {
  private readonly pool = new Piscina<DifferenceWork, DifferenceResult>({
    ...PROGRAM,
    name: 'computeDifferences',
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MILLISECONDS,
  });

  compute(work: DifferenceWork): Promise<DifferenceResult> {
    return this.pool.run(work);
  }

  /** Ends the threads. Work that is not done rejects. */
  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
