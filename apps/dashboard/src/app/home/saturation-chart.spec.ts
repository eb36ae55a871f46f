import { describe, expect, it } from '@jest/globals';
import { saturationLine, saturationNow, taskSaturation } from './saturation-chart.js';

const model = { id: '1', name: 'One', owner: 'ada' };
const overall = (points: readonly (readonly [string, number | null])[]) => ({
  first: 0.5,
  human: 0.9,
  reason: null,
  datasets: ['one'],
  points: points.map(([at, saturation]) => ({ at, model, best: 0.5, saturation })),
});

describe('the line of saturation', () => {
  const day = (of: number): string => `2026-01-0${of}T00:00:00.000Z`;

  it('continues to now at the height of the best', () => {
    const line = saturationLine(
      overall([
        [day(1), -1],
        [day(2), -0.5],
      ]),
      Date.parse(day(5)),
    );
    expect(line).toEqual([
      [Date.parse(day(1)), -1],
      [Date.parse(day(2)), -0.5],
      [Date.parse(day(5)), -0.5],
    ]);
  });

  it('ends at people where a model is as good as they are', () =>
    expect(
      saturationNow(
        overall([
          [day(1), -1],
          [day(2), 0],
        ]),
      ),
    ).toEqual({ value: 0 }));

  it('is empty where nobody knows how people do', () => {
    const unknown = overall([[day(1), null]]);
    expect(saturationLine(unknown, Date.parse(day(5)))).toEqual([]);
    expect(saturationNow(unknown)).toBeUndefined();
  });

  it('is left out for a task without a board', () => {
    const of = { performance: 'accuracy', ...overall([]) };
    expect(taskSaturation({ task: 'empty', name: 'Empty', saturation: null })).toEqual([]);
    expect(taskSaturation({ task: 'tone', name: 'Tone', saturation: of })).toMatchObject([
      { task: 'tone', performance: 'accuracy', overall: { human: 0.9 } },
    ]);
  });
});
