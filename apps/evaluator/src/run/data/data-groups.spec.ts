import type { Visibility } from '@assay/contracts/datasets';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { describe, expect, it } from '@jest/globals';
import { dataGroups, timedCells } from './data-groups.js';

const cell = (id: string, visibility: Visibility, original: object | null = null): Evaluation =>
  ({ id, datasetVersion: { original, dataset: { visibility } } }) as unknown as Evaluation;
const ids = (cells: readonly Evaluation[]) => cells.map(({ id }) => id);

describe('dataGroups', () => {
  it('puts readable data before hidden data, with the perturbed versions of each', () => {
    const groups = dataGroups([
      cell('a', 'hidden'),
      cell('b', 'inputs'),
      cell('c', 'public'),
      cell('d', 'hidden', {}),
      cell('e', 'public', {}),
    ]);
    expect(groups.map(({ data, cells }) => [data, ids(cells)])).toEqual([
      ['readable', ['b', 'c', 'e']],
      ['hidden', ['a', 'd']],
    ]);
  });

  it('is one group where all data is of one kind', () => {
    expect(dataGroups([cell('a', 'public'), cell('b', 'inputs')]).map(({ data }) => data)).toEqual(['readable']);
    expect(dataGroups([cell('a', 'hidden')]).map(({ data }) => data)).toEqual(['hidden']);
    expect(dataGroups([])).toEqual([]);
  });
});

describe('timedCells', () => {
  it.each([
    [['public', 'inputs', 'hidden'], ['public'], 'readable'],
    [['inputs', 'hidden'], ['inputs'], 'readable'],
    [['hidden'], ['hidden'], 'hidden'],
  ] as const)('of %j are %j', (visibilities, timed, data) => {
    const cells = visibilities.flatMap((each) => [cell(each, each), cell(`${each}~`, each, {})]);
    expect(timedCells(cells)).toMatchObject({ data, cells: timed.map((id) => ({ id })) });
  });

  it('are none without originals', () => {
    expect(timedCells([cell('a', 'public', {})]).cells).toEqual([]);
  });
});
