import { join } from 'node:path';
import { Piscina } from 'piscina';
import type { ShiftResult, ShiftWork } from './dataset-shift-computation.js';

/** Milliseconds after which an idle thread ends. */
const IDLE_MILLISECONDS = 60_000;

/** The program of the threads. Tests run it from its source. */
const PROGRAM = import.meta.filename.endsWith('.ts')
  ? {
      filename: join(import.meta.dirname, 'dataset-shift-computation.ts'),
      execArgv: ['--import', join(import.meta.dirname, '../../../../scripts/typescript.mjs')],
    }
  : { filename: join(import.meta.dirname, 'dataset-shift-computation.js'), execArgv: [] };

/** Compares datasets in a worker thread, which starts when it is needed. */
export class DatasetShiftThreads {
  private readonly pool = new Piscina<ShiftWork, ShiftResult>({
    ...PROGRAM,
    name: 'computeShift',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MILLISECONDS,
  });

  compute(work: ShiftWork): Promise<ShiftResult> {
    return this.pool.run(work);
  }

  /** Ends the thread. Work that is not done rejects. */
  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
