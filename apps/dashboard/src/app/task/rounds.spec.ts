import type { CollectionGroup, DatasetSummary, Round } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { roundSummaries } from './rounds.js';

const round = (number: number, imported: boolean): Round =>
  ({ number, imported, state: 'closed', openedAt: null, closedAt: null, models: [] }) as unknown as Round;
const dataset = (of: number, examples: number): DatasetSummary =>
  ({ role: 'round', round: of, examples }) as DatasetSummary;

describe('rounds at a glance', () => {
  it('count what was written in a round, and the files of one that came as files', () => {
    const group = { key: '2', submitted: 40, attested: { examples: 2 } } as CollectionGroup;
    const summaries = roundSummaries(
      [round(1, true), round(2, false), round(3, false)],
      [group],
      [dataset(1, 100), dataset(1, 20), dataset(2, 30)],
    );
    expect(summaries.map(({ examples }) => examples)).toEqual([120, 42, 0]);
  });
});
