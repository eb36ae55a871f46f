import { currentOrigin } from '@assay/observability';
import { notifyChannel, Outbox } from '@assay/persistence/outbox';
import type { RunSpecification } from '@assay/submissions';
import type { EntityManager } from '@mikro-orm/postgresql';
import { QUEUE_SECONDS, RunRepository } from './run.repository.js';
import { Run, RUN_PRIORITY, RUN_QUEUED_CHANNEL, type RunStage } from './run.js';

/**
 * Returns the ID of the live run of the scope that evaluates or measures, or of a new one. The lock of the
 * specification ensures that there is never a second one.
 */
export async function ensureRun(
  em: EntityManager,
  { specification, task }: { readonly specification: RunSpecification; readonly task: string },
  stage: RunStage,
  { priority = RUN_PRIORITY.evaluation, ...more }: Partial<Pick<Run, 'priority' | 'notBefore' | 'deadline'>> = {},
): Promise<string> {
  const runs = new RunRepository(em);
  const scope = { specification: specification.id, task };
  const purpose = priority === RUN_PRIORITY.evaluation ? 'evaluation' : 'measures';
  const live = await runs.live(scope, purpose);
  if (live) return live.id;

  const { kind } = (await em.populate(specification, ['artifact'])).artifact;
  const { owner, expectedSeconds } = await runs.terms(scope, { kind, purpose });
  const run = em.create(Run, {
    specification,
    task,
    owner,
    expectedSeconds,
    stage,
    kind,
    purpose,
    priority,
    origin: currentOrigin(),
    deadline: new Date(Date.now() + QUEUE_SECONDS * 1000),
    ...more,
  });
  Outbox.add(em, 'run.requested', { runId: run.id, stage, attempt: 0, kind });
  await em.flush();
  await notifyChannel(em, RUN_QUEUED_CHANNEL, stage);
  return run.id;
}
