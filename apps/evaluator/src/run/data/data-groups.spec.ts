import type { Visibility } from '@assay/contracts/datasets';
import { describe, expect, it } from '@jest/globals';
import type { AssignedDataset } from '@assay/contracts/gateway';
import { dataGroups, timedDatasets } from './data-groups.js';

const dataset = (id: string, visibility: Visibility, isOriginal = true): AssignedDataset => ({
  id,
  version: id,
  visibility,
  isOriginal,
  examples: 1,
});
const ids = (datasets: readonly AssignedDataset[]) => datasets.map(({ id }) => id);

describe('dataGroups', () => {
  it('puts readable data before hidden data, with the perturbed versions of each', () => {
    const groups = dataGroups([
      dataset('a', 'hidden'),
      dataset('b', 'inputs'),
      dataset('c', 'public'),
      dataset('d', 'hidden', false),
      dataset('e', 'public', false),
    ]);
    expect(groups.map(({ data, datasets }) => [data, ids(datasets)])).toEqual([
      ['readable', ['b', 'c', 'e']],
      ['hidden', ['a', 'd']],
    ]);
  });

  it('is one group where all data is of one kind', () => {
    expect(dataGroups([dataset('a', 'public'), dataset('b', 'inputs')]).map(({ data }) => data)).toEqual(['readable']);
    expect(dataGroups([dataset('a', 'hidden')]).map(({ data }) => data)).toEqual(['hidden']);
    expect(dataGroups([])).toEqual([]);
  });
});

describe('timedDatasets', () => {
  it.each([
    [['public', 'inputs', 'hidden'], ['public'], 'readable'],
    [['inputs', 'hidden'], ['inputs'], 'readable'],
    [['hidden'], ['hidden'], 'hidden'],
  ] as const)('of %j are %j', (visibilities, timed, data) => {
    const datasets = visibilities.flatMap((each) => [dataset(each, each), dataset(`${each}~`, each, false)]);
    expect(timedDatasets(datasets)).toMatchObject({ data, datasets: timed.map((id) => ({ id })) });
  });

  it('are none without originals', () => {
    expect(timedDatasets([dataset('a', 'public', false)]).datasets).toEqual([]);
  });
});
