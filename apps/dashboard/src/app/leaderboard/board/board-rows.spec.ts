import type { MatrixFile } from '@assay/scoring/board';
import { describe, expect, it } from '@jest/globals';
import { parseBoardQuery } from './board-query.js';
import { matchingModels, shownPlaces } from './board-rows.js';

const FILE = {
  names: ['Lexicon', 'Large and slow', 'Uploaded'],
  owners: ['ada', 'kim', 'ada'],
  kinds: ['container', 'onnx', 'predictions'],
  sizes: [2 ** 20, 300 * 2 ** 20, null],
  acceptedAt: ['2026-01-01T23:59:00.000Z', '2026-02-01T00:00:00.000Z', null],
  matrix: { ids: ['a', 'b', 'c'] },
} as unknown as MatrixFile;

const shown = (address: string): readonly string[] => {
  const matches = matchingModels(FILE, parseBoardQuery(new URLSearchParams(address)), new Set(['b']));
  return FILE.names.filter((_, model) => matches[model] === 1);
};

describe('the models that filters let through', () => {
  it.each([
    ['', ['Lexicon', 'Large and slow', 'Uploaded']],
    ['q=SLOW large', ['Large and slow']],
    ['q=ada', ['Lexicon', 'Uploaded']],
    ['kind=onnx', ['Large and slow']],
    ['owner=ada&kind=container', ['Lexicon']],
    ['sizeTo=1', ['Lexicon']],
    ['sizeFrom=2', ['Large and slow']],
    ['since=2026-02-01', ['Large and slow']],
    ['until=2026-01-01', ['Lexicon']],
    ['loop=in', ['Large and slow']],
    ['loop=out', ['Lexicon', 'Uploaded']],
  ])('%s', (address, names) => {
    expect(shown(address)).toEqual(names);
  });
});

describe('the order of rows', () => {
  const ranking = { order: Int32Array.of(2, 0, 1, 3) };
  const all = Uint8Array.of(1, 1, 1, 1);
  const keys = [5, NaN, 5, 7];
  const key = (model: number): number => keys[model]!;

  it('is by rank, without those that are not shown', () => {
    expect([...shownPlaces(ranking, all, null)]).toEqual([0, 1, 2, 3]);
    expect([...shownPlaces(ranking, Uint8Array.of(0, 1, 1, 0), null)]).toEqual([0, 2]);
  });

  it('is by what they are sorted by: equal ones by rank, those without a value last either way', () => {
    expect([...shownPlaces(ranking, all, { key, descending: true })]).toEqual([3, 0, 1, 2]);
    expect([...shownPlaces(ranking, all, { key, descending: false })]).toEqual([0, 1, 3, 2]);
  });
});
