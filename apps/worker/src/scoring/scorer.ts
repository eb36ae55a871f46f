import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { AnswersToScore, ScoringResult } from '@assay/evaluation/scoring';
import { Piscina } from 'piscina';

/** Computes scores. */
export abstract class Scorer {
  /** @throws the errors of the platform, such as a full disk */
  abstract score(answers: AnswersToScore): Promise<ScoringResult>;
}

/** The message to a scoring thread. */
export interface ScoringWork {
  readonly answers: AnswersToScore;
  /** Path of the blob store. */
  readonly blobs: string;
}

/** The most answers that are scored at the same time. */
export const SCORING_THREADS = Math.min(4, availableParallelism());
/** Milliseconds after which an idle thread ends, except the first. */
const IDLE_MILLISECONDS = 60_000;

/** The program of the threads. Tests run it from its source. */
const PROGRAM = import.meta.filename.endsWith('.ts')
  ? {
      filename: join(import.meta.dirname, 'scoring-thread.ts'),
      execArgv: ['--import', join(import.meta.dirname, '../../../../scripts/typescript.mjs')],
    }
  : { filename: join(import.meta.dirname, 'scoring-thread.js'), execArgv: [] };

/**
 * Computes scores in worker threads, so that the process can renew its leases meanwhile. The threads end with the
 * process: a hook would end them before the jobs that they work for.
 */
export class ThreadScorer extends Scorer {
  private readonly pool: Piscina<ScoringWork, ScoringResult>;

  /**
   * @param blobs path of the blob store
   * @param threads the most that compute at the same time
   */
  constructor(
    private readonly blobs: string,
    threads: number,
  ) {
    super();
    const { filename, execArgv } = PROGRAM;
    const sizes = { minThreads: 1, maxThreads: threads, idleTimeout: IDLE_MILLISECONDS };
    this.pool = new Piscina({ filename, name: 'scoreInThread', execArgv, ...sizes });
  }

  override score(answers: AnswersToScore): Promise<ScoringResult> {
    return this.pool.run({ answers, blobs: this.blobs });
  }

  /** Ends the threads. Work that is not done rejects. */
  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
