import type { MatrixFile } from '@assay/scoring/board';
import { describe, expect, it } from '@jest/globals';
import { rankModels, TASKS_OWN, viewBoard } from './board-ranks.js';
import { performanceAlone, unrankedRows } from './unranked-rows.js';

const ACCURACY = { name: 'accuracy', unit: 'ratio', direction: 'higher', isScore: true, range: [0, 1] } as const;
const MEMORY = { name: 'memory', unit: 'GiB', direction: 'lower', isScore: false, limit: 4 } as const;
const WEIGHTS = { accuracy: 4, memory: 1 };

/** Models of these accuracies and memories on one dataset; NaN where a model has none. */
function boardOf(accuracy: readonly number[], memory: readonly number[]): MatrixFile {
  const ids = accuracy.map((_, model) => `m${model}`);
  const all = <T>(value: T): T[] => ids.map(() => value);
  return {
    ...{ task: 'moods', benchmarkVersion: 1, revision: 1, publishedAt: '2026-01-01T00:00:00.000Z' },
    ...{ names: ids, owners: all('ada'), kinds: all('predictions'), sizes: all(1), acceptedAt: all(null) },
    clean: Uint8Array.from(ids, (_, model) => (model === 1 ? 0 : 1)),
    matrix: {
      ids,
      metrics: [ACCURACY, MEMORY],
      performance: 'accuracy',
      datasets: [{ name: 'static', role: 'static', examples: 200 }],
      aggregate: { recency: 1, static: 0.5, minimumExamples: 10, ownRounds: 'adjust' },
      weights: WEIGHTS,
      amrs: null,
      spreads: {},
      values: [Float64Array.from(accuracy), Float64Array.from(memory)],
      errors: [new Float64Array(ids.length).fill(0.02), new Float64Array(ids.length).fill(NaN)],
      own: new Uint8Array(ids.length),
      isUndefined: new Uint8Array(2),
    },
  };
}

function unranked(file: MatrixFile, choice: Partial<typeof TASKS_OWN> = {}) {
  const view = viewBoard(file, TASKS_OWN);
  const asked = { ...TASKS_OWN, ...choice };
  const { models, lacking } = unrankedRows(view, rankModels(view, asked), asked.exposure);
  return [[...models], lacking];
}

describe('the scored models without a rank', () => {
  const predictions = boardOf([0.7, 0.9, 0.8], [NaN, NaN, NaN]);

  it('are, where costs weigh, all predictions by their performance', () =>
    expect(unranked(predictions)).toEqual([[1, 2, 0], ['memory']]));

  it('are ranked once the performance alone weighs', () => {
    const weights = performanceAlone(WEIGHTS, 'accuracy');
    expect(weights).toEqual({ memory: 0 });
    expect(unranked(predictions, { weights })).toEqual([[], []]);
    const view = viewBoard(predictions, TASKS_OWN);
    expect([...rankModels(view, { ...TASKS_OWN, weights }).ranks]).toEqual([3, 1, 2]);
    expect(performanceAlone({ memory: 1 }, 'accuracy')).toEqual({ accuracy: 1, memory: 0 });
  });

  it('are neither the ranked ones, nor those without a figure of the performance', () =>
    expect(unranked(boardOf([0.7, NaN, 0.8], [1, 2, NaN]))).toEqual([[2], ['memory']]));

  it('are only clean models where only those are asked for', () =>
    expect(unranked(predictions, { exposure: 'clean' })).toEqual([[2, 0], ['memory']]));
});
