import type { MyModels } from '../../client/types.gen.js';

export type OwnModel = MyModels['items'][number];

/** What its owner can do with a model. */
export type ModelAction = 'upload' | 'cancel' | 'rerun' | 'publish' | 'withdraw';

/** What can be done with a model as it is now, the likeliest first. */
export function actionsOf({ state, published, withdrawn, failure }: OwnModel): readonly ModelAction[] {
  switch (state) {
    case 'awaiting-artifact':
      return ['upload'];
    case 'admitting':
    case 'queued':
    case 'running':
      return ['cancel'];
    case 'failed':
      // the same bytes would fail the same way by a fault of their own
      return failure?.fault === 'model' ? [] : ['rerun'];
    case 'cancelled':
      return ['rerun'];
    case 'scored':
      return [published && !withdrawn ? 'withdraw' : 'publish'];
  }
}

/** How a model stands, in words, and how that is to be taken. */
export interface ModelStatus {
  readonly words: string;
  readonly tone: 'good' | 'caution' | 'bad' | '';
}

export function statusOf({ state, published, withdrawn }: OwnModel): ModelStatus {
  switch (state) {
    case 'awaiting-artifact':
      return { words: $localize`waits for its file`, tone: 'caution' };
    case 'admitting':
      return { words: $localize`file is inspected`, tone: '' };
    case 'queued':
      return { words: $localize`waits to run`, tone: '' };
    case 'running':
      return { words: $localize`runs`, tone: '' };
    case 'failed':
      return { words: $localize`failed`, tone: 'bad' };
    case 'cancelled':
      return { words: $localize`cancelled`, tone: '' };
    case 'scored':
      if (withdrawn) return { words: $localize`withdrawn`, tone: '' };
      return published
        ? { words: $localize`scored`, tone: 'good' }
        : { words: $localize`scored, not shown`, tone: 'caution' };
  }
}

/** The tasks whose boards say where these models stand. */
export const boardsOf = (models: readonly OwnModel[]): readonly string[] => [
  ...new Set(
    models
      .filter(({ state, published, withdrawn }) => state === 'scored' && published && !withdrawn)
      .map(({ task }) => task),
  ),
];
