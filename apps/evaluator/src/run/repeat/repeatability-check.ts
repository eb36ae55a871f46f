import type { Repeatability } from '@assay/contracts/metrics';
import type { Failure } from '@assay/contracts/models';
import { SandboxUnavailable, type SandboxDriver, type SandboxSpecification } from '@assay/sandbox';
import { failpoint } from '@assay/observability';
import { disclosedFailure, faultFailure } from '../failure-sentence.js';
import { inSandbox } from '../session/model-sandbox.js';
import { isBad, type ModelSession } from '../session/model-session.js';
import type { FirstAnswer } from './repeat-sample.js';
import { agree } from './same-answer.js';
import type { TimeBudget } from '../session/time-budget.js';

const BATCH_ROWS = 64;

export interface RepeatabilityCheck {
  readonly driver: SandboxDriver;
  readonly specification: SandboxSpecification;
  /** Opens a session with the second container. */
  readonly session: (sandbox: Parameters<typeof inSandbox>[0]) => ModelSession;
  readonly first: readonly FirstAnswer[];
  readonly budget: TimeBudget;
  readonly signal: AbortSignal;
}

/**
 * Asks a fresh container for examples that were answered before, in different batches. Labels must
 * be equal, and probabilities must agree within 0.001. If the container cannot be asked, the model
 * does not fail: it has its scores, and the result says why they were not compared.
 */
export async function checkRepeatability(check: RepeatabilityCheck): Promise<Repeatability> {
  const { driver, specification, budget, signal } = check;
  if (budget.isOver) return notCompared('The run reached its time limit before a second container could be asked.');
  try {
    const started = await driver.start(specification, signal);
    if (started.kind !== 'ready') {
      return notCompared(whyNot(check, faultFailure(started, { phase: 'start' }, 'figures')));
    }
    return await inSandbox(started.sandbox, signal, () => askAgain(check, check.session(started.sandbox)));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SandboxUnavailable)) throw error;
    return notCompared('The platform could not start a second container.');
  }
}

async function askAgain(check: RepeatabilityCheck, session: ModelSession): Promise<Repeatability> {
  const { first, budget, signal } = check;
  failpoint('after-repeat-start');
  let compared = 0;
  let different = 0;
  for (let start = 0; start < first.length; start += BATCH_ROWS) {
    const batch = first.slice(start, start + BATCH_ROWS);
    if (budget.isOver)
      return { compared, different, why: 'The run reached its time limit before all examples were asked again.' };

    const outcome = await session.ask(
      batch.map(({ instance }) => instance),
      budget.requestDeadline,
    );
    signal.throwIfAborted();
    if (outcome.kind !== 'answers') {
      const place = { phase: 'dataset', done: compared, total: first.length } as const;
      const why = outcome.kind === 'fault' ? faultFailure(outcome.fault, place, 'figures') : outcome.failure;
      return { compared, different, why: whyNot(check, why) };
    }
    for (const [position, { answer }] of batch.entries()) {
      const again = outcome.answers[position]!;
      compared++;
      // two invalid answers count as the same
      const same = answer === null || isBad(again) ? answer === null && isBad(again) : agree(answer, again);
      if (!same) different++;
    }
  }
  return { compared, different };
}

const whyNot = ({ specification }: RepeatabilityCheck, why: Failure): string =>
  `A second container failed. ${disclosedFailure(why, specification.data).message}`;

const notCompared = (why: string): Repeatability => ({ compared: 0, different: 0, why });
