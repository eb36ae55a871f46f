import { describe, expect, it } from '@jest/globals';
import type { FigureColumn } from '../board/board-columns.js';
import { radarAxes, radarPlace } from './radar-panel.js';

const column = (name: string, direction: 'higher' | 'lower', isScore = true): FigureColumn =>
  ({ type: 'metric', id: name, place: 0, metric: { name, direction, isScore, unit: 'ratio', range: [0, 1] } }) as never;

describe('the place on an axis', () => {
  it.each([
    ['higher', 0.9, 1],
    ['higher', 0.5, 0],
    ['lower', 0.5, 1],
    ['lower', 0.8, 0.25],
  ] as const)('is outside for the best: %s, %d', (direction, value, place) => {
    expect(radarPlace(column('a', direction), value, [0.5, 0.9])).toBeCloseTo(place, 12);
  });

  it('is the edge where all are the same', () => {
    expect(radarPlace(column('a', 'higher'), 0.5, [0.5, 0.5])).toBe(1);
  });
});

describe('the axes', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => column(name, 'higher'));

  it('are those that weigh, the heaviest first, filled up to five', () => {
    expect(radarAxes(all, null, { b: 0.2, d: 0.8 }).map(({ id }) => id)).toEqual(['d', 'b', 'a', 'c', 'e']);
  });

  it('are those that were chosen and exist', () => {
    expect(radarAxes(all, ['f', 'x', 'a'], {}).map(({ id }) => id)).toEqual(['a', 'f']);
  });
});
