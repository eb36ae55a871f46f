import type { EvaluatorList, QueueStates, RunningSandboxes } from '@assay/api-client/angular';

/** The waiting time of a run after which an administrator should act, in seconds. */
const LONG_WAIT = 600;
/**
 * The same limit for an event, in seconds. A worker usually turns an event into jobs in seconds.
 */
const LONG_WAIT_OF_EVENTS = 60;

/** A sentence about the state of the platform. `caution`: an administrator should act. */
export interface Verdict {
  readonly tone: 'good' | 'caution';
  readonly text: string;
}

const caution = (text: string): Verdict => ({ tone: 'caution', text });

// Live regions announce these sentences, so none contains a figure that changes without an event.

/** Summarises the state of the queues for an administrator. Shows the most severe problem only. */
export function queuesInWords({ runs, events }: QueueStates): Verdict {
  if ((events.oldestSeconds ?? 0) > LONG_WAIT_OF_EVENTS) {
    return caution(
      $localize`Events have waited for more than a minute to reach the queues, so no new work starts: check that a worker runs and that Redis answers.`,
    );
  }
  const failed = runs.reduce((sum, { platformFailedInDay }) => sum + platformFailedInDay, 0);
  const waitsLong = runs.some(({ oldestQueuedSeconds }) => (oldestQueuedSeconds ?? 0) > LONG_WAIT);
  const nobodyWorks = runs.every(({ leased }) => leased === 0);
  if (waitsLong && nobodyWorks) {
    return caution(
      $localize`Runs wait for more than 10 minutes, and no evaluator works on any: see whether one is there.`,
    );
  }
  if (failed === 1) {
    return caution($localize`One run failed because of the platform in the last 24 hours: its model’s page says how.`);
  }
  if (failed > 1) {
    return caution(
      $localize`${failed}:count: runs failed because of the platform in the last 24 hours: their models’ pages say how.`,
    );
  }
  if (waitsLong) {
    return caution($localize`Runs wait for more than 10 minutes: the evaluators have more to do than they can.`);
  }
  return { tone: 'good', text: $localize`All healthy.` };
}

/** Summarises which evaluators are live and which are not. */
export function evaluatorsInWords({ items }: EvaluatorList): Verdict {
  const silent = items.filter(({ isLive }) => !isLive).map(({ name }) => name);
  const live = items.length - silent.length;
  if (live === 0) {
    return caution(
      $localize`No evaluator is there that has access to the database: only registered evaluators can run models.`,
    );
  }
  const there = live === 1 ? $localize`One evaluator is there.` : $localize`${live}:count: evaluators are there.`;
  if (silent.length === 0) return { tone: 'good', text: there };
  const names = silent.join(', ');
  const gone = $localize`Not heard of for a minute or more: ${names}:names:. What it held is taken by another.`;
  return caution(`${there} ${gone}`);
}

/** Summarises how many models are running. */
export function sandboxesInWords({ items }: RunningSandboxes): string {
  if (items.length === 0) return $localize`No model runs now.`;
  return items.length === 1 ? $localize`One model runs now.` : $localize`${items.length}:count: models run now.`;
}
