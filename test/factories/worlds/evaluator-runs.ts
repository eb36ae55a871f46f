import { join } from 'node:path';
import { RunLeases } from '@assay/evaluation/runs';
import { newId } from '@assay/kernel';
import type { FakeSandboxDriver } from '@assay/sandbox';
import { LocalBlobStore } from '@assay/storage';
import { measuringLocks } from '../../../apps/evaluator/src/host/measuring-locks.js';
import { EvaluationRuns } from '@assay/evaluation/execution';
import { allStages } from './all-stages.js';
import { scoreWaiting } from './answer-scoring.js';
import type { ApiWorld } from './api-world.js';

/** Executes all queued runs and scores their answers, with models that are scripts. */
export async function runWaiting(world: ApiWorld, driver: FakeSandboxDriver): Promise<void> {
  const em = world.orm.em.fork();
  const workFolder = join(world.home, 'work');
  const blobs = new LocalBlobStore(join(world.home, 'blobs'));
  const stages = allStages({
    em,
    driver,
    runner: () => Promise.reject(new Error('there is no engine here')),
    blobs,
    workFolder,
    measuring: { retakes: 0, patienceSeconds: 0 },
    locks: measuringLocks(newId()),
  });
  const runs = new EvaluationRuns(em, new RunLeases(em, 'evaluator'), stages, workFolder);
  for (;;) {
    const [next] = await em.execute<{ id: string; stage: 'admission' | 'evaluation' }[]>(
      `select id, stage from run where state = 'queued' order by created_at limit 1`,
    );
    if (!next) return scoreWaiting(em, blobs);
    await runs.execute(next.id, next.stage);
  }
}
