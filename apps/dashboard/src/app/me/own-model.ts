import type { MyModels } from '@assay/api-client/angular';

export type OwnModel = MyModels['items'][number];

/** An action that the owner of a model can take. */
export type ModelAction = 'upload' | 'cancel' | 'rerun' | 'publish' | 'withdraw';

/** Returns the actions that the model's current state allows, the most likely first. */
export function actionsOf({ state, published, withdrawn, failure }: OwnModel): readonly ModelAction[] {
  switch (state) {
    case 'awaiting-artifact':
      return ['upload'];
    case 'admitting':
    case 'queued':
    case 'running':
      return ['cancel'];
    case 'failed':
      // after a failure caused by the model, the same bytes would fail again
      return failure?.fault === 'model' ? [] : ['rerun'];
    case 'cancelled':
      return ['rerun'];
    case 'scored':
      return [published && !withdrawn ? 'withdraw' : 'publish'];
  }
}

/** The label for the state of a model, and the tone to show it in. */
interface ModelStatus {
  readonly words: string;
  readonly tone: 'good' | 'caution' | 'bad' | '';
}

const STATUSES: Readonly<Record<OwnModel['state'], ModelStatus>> = {
  'awaiting-artifact': { words: $localize`waits for its file`, tone: 'caution' },
  admitting: { words: $localize`file is inspected`, tone: '' },
  queued: { words: $localize`waits to run`, tone: '' },
  running: { words: $localize`runs`, tone: '' },
  failed: { words: $localize`failed`, tone: 'bad' },
  cancelled: { words: $localize`cancelled`, tone: '' },
  scored: { words: $localize`scored`, tone: 'good' },
};

export function statusOf({ state, published, withdrawn }: OwnModel): ModelStatus {
  if (state !== 'scored' || (published && !withdrawn)) return STATUSES[state];
  return withdrawn
    ? { words: $localize`withdrawn`, tone: '' }
    : { words: $localize`scored, not shown`, tone: 'caution' };
}

/**
 * Returns the tasks whose leaderboards can rank these models: scored, published and not withdrawn.
 */
export const boardsOf = (models: readonly OwnModel[]): readonly string[] => [
  ...new Set(
    models
      .filter(({ state, published, withdrawn }) => state === 'scored' && published && !withdrawn)
      .map(({ task }) => task),
  ),
];
