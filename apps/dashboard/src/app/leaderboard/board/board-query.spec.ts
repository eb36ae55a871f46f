import { describe, expect, it } from '@jest/globals';
import {
  type BoardQuery,
  filterCount,
  isCustom,
  parseBoardQuery,
  PLAIN_QUERY,
  weighingOf,
  writeBoardQuery,
} from './board-query.js';

const read = (address: string): BoardQuery => parseBoardQuery(new URLSearchParams(address));

const EVERYTHING: BoardQuery = {
  weights: { accuracy: 4, 'worst:domain': 0.25, memory: 0 },
  datasets: { 'round-1': 0.3 },
  asOf: 'r17',
  amrs: 'live',
  ownRounds: 'count',
  exposure: 'clean',
  against: 'previous',
  columns: ['accuracy', 'accuracy@round-1', 'size'],
  search: 'large & slow, or = not',
  kind: 'onnx',
  owner: 'ada',
  sizeFrom: 1.5,
  sizeTo: 2000,
  since: '2026-01-01',
  until: '2026-12-31',
  loop: 'out',
  sort: { by: 'worst:domain', descending: true },
  open: '01a205b3',
  axes: ['accuracy', 'memory'],
  models: ['01a205b3', '01a205b4'],
  x: 'memory',
  y: 'accuracy',
};

describe('the address of a board', () => {
  it('says nothing of what is as it always is', () => {
    expect(writeBoardQuery(PLAIN_QUERY)).toEqual({});
    expect(read('')).toEqual(PLAIN_QUERY);
  });

  it('says everything else, and is read as it was written', () => {
    const address = new URLSearchParams(writeBoardQuery(EVERYTHING)).toString();
    expect(read(address)).toEqual(EVERYTHING);
    expect(Object.keys(writeBoardQuery(EVERYTHING))).toHaveLength(Object.keys(PLAIN_QUERY).length);
  });

  it('is weighed as the API is asked', () => {
    expect(weighingOf(EVERYTHING)).toEqual({
      weights: 'accuracy:4,worst:domain:0.25,memory:0',
      datasets: 'round-1:0.3',
      amrs: 'live',
      ownRounds: 'count',
      exposure: 'clean',
    });
    expect([isCustom(EVERYTHING), isCustom({ ...PLAIN_QUERY, search: 'a' })]).toEqual([true, false]);
  });

  it('rounds weights to three digits', () => {
    expect(writeBoardQuery({ ...PLAIN_QUERY, weights: { accuracy: 1 / 3 } })).toEqual({ weights: 'accuracy:0.333' });
  });

  it('takes what it cannot read as not said', () => {
    const written = 'weights=accuracy:x,memory:-1,throughput:2,&kind=robot&since=soon&sizeTo=-3&amrs=guess&loop=';
    expect(read(written)).toEqual({ ...PLAIN_QUERY, weights: { throughput: 2 } });
  });

  it('can have no columns at all, which is not as always', () => {
    expect(read('cols=').columns).toEqual([]);
    expect(writeBoardQuery({ ...PLAIN_QUERY, columns: [] })).toEqual({ cols: '' });
  });

  it('counts its filters', () => {
    expect([filterCount(PLAIN_QUERY), filterCount(read('q=a&owner=ada&weights=accuracy:1'))]).toEqual([0, 2]);
  });
});
