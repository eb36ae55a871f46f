import type { Run } from '@assay/api-client/angular';
import type { Numbers } from '../ui/index.js';
import type { ModelState } from './model-events.js';

/**
 * Returns the state of a model's evaluation as text, with its queue position and a note on retries.
 */
export function runSentence(state: ModelState, run: Run | undefined, numbers: Pick<Numbers, 'count'>): string {
  const sentence = SENTENCES[state];
  const waiting = run?.state === 'waiting' ? queueSentence(run, numbers) : '';
  const again =
    run && run.attempt > 1 ? $localize`It is tried again after a fault of the platform, which costs no quota.` : '';
  return [sentence, waiting, again].filter((each) => each !== '').join(' ');
}

const SENTENCES: Readonly<Record<ModelState, string>> = {
  'awaiting-artifact': $localize`Its artifact has not come yet.`,
  admitting: $localize`Its artifact is inspected: nothing of it runs before that is done.`,
  queued: $localize`Queued. It starts automatically.`,
  running: $localize`It runs in a sandbox without a network. Each dataset is scored as soon as it is answered.`,
  scored: $localize`All of it is scored.`,
  failed: $localize`It has failed.`,
  cancelled: $localize`It was cancelled.`,
};

function queueSentence({ ahead }: Run, numbers: Pick<Numbers, 'count'>): string {
  if (ahead === undefined) return '';
  if (ahead === 0) return $localize`It is next in line.`;
  return ahead === 1
    ? $localize`One run is ahead of it.`
    : $localize`${numbers.count(ahead)}:count: runs are ahead of it.`;
}
