import type { Visibility } from '@assay/contracts/datasets';
import { DomainError } from '@assay/kernel';
import { DatasetUnreadable } from '@assay/tasks/examples';
import { describe, expect, it } from '@jest/globals';
import { unreadableDataset } from './unreadable-dataset.js';

const MISSING = new DomainError('not-found', 'blob_missing', 'The stored file 0123456789ab… is not there.');
const DAMAGED = new DatasetUnreadable(7, 'has the gold "a secret"');

const dataset = (visibility: Visibility) => ({ name: 'riddles', visibility });
const messageOf = (error: unknown, visibility: Visibility) => unreadableDataset(error, dataset(visibility))?.message;

describe('unreadableDataset', () => {
  it.each([
    ['a missing file', MISSING],
    ['a damaged line', DAMAGED],
  ])('is the fault of the task for %s', (_what, error) => {
    expect(unreadableDataset(error, dataset('public'))).toMatchObject({ code: 'dataset_unavailable', fault: 'task' });
  });

  it('says of a public dataset what is wrong with it', () => {
    expect(messageOf(DAMAGED, 'public')).toBe(`The dataset "riddles" cannot be read: ${DAMAGED.message}.`);
    expect(messageOf(MISSING, 'public')).toContain('0123456789ab');
  });

  it.each(['inputs', 'hidden'] as const)(
    'names neither content nor digest of one whose visibility is %s',
    (visibility) => {
      expect(messageOf(DAMAGED, visibility)).toBe(
        `The dataset "riddles" cannot be read: line 7 is not a valid example of the task.`,
      );
      expect(messageOf(MISSING, visibility)).toBe(`The dataset "riddles" cannot be read: its file is missing.`);
    },
  );

  it('leaves other errors to its caller', () => {
    expect(unreadableDataset(new Error('the disk is gone'), dataset('public'))).toBeNull();
    expect(
      unreadableDataset(new DomainError('not-found', 'not_found', 'No such model.'), dataset('public')),
    ).toBeNull();
  });
});
