import type { LoopPolicy } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { boardContent, published } from '../../../../test/factories/models/board-content.js';
import { previewLoop } from './loop-preview.js';

const MODELS: Parameters<typeof boardContent>[0] = {
  best: { accuracy: 0.9, memory: 3 },
  good: { accuracy: 0.85, memory: 1, owner: 'ada' },
  fair: { accuracy: 0.8, memory: 1, owner: 'ada' },
  file: { accuracy: 0.7, kind: 'predictions' },
  poor: { accuracy: 0.59, memory: 1 },
};

const preview = (
  loop: Partial<LoopPolicy>,
  incumbents: readonly string[] = [],
  excluded: Readonly<Record<string, string>> = {},
) => {
  const board = published(boardContent(MODELS, { loop, weights: { accuracy: 1 } }));
  const { models } = previewLoop(board, {
    incumbents: new Set(incumbents),
    excluded: new Map(Object.entries(excluded)),
  });
  return models.map(({ model, would, why }) => [model.id, would, why]);
};
const full = (size: number) => `The loop has ${size} places, and the selected models are ahead of it.`;
const file = 'It is a predictions file and cannot answer requests.';

describe('the preview of a loop', () => {
  it('names whom the policy takes, and why not the others', () => {
    expect(preview({ size: 2 })).toEqual([
      ['best', 'join', 'It meets the bounds and has rank 1 with 90.00 points of Dynascore.'],
      ['good', 'join', 'It meets the bounds and has rank 2 with 85.00 points of Dynascore.'],
      ['fair', 'stay-out', full(2)],
      ['file', 'stay-out', file],
      ['poor', 'stay-out', full(2)],
    ]);
  });

  it('names the selected model that another one is a copy of', () => {
    const known = { copies: 3 };
    const models = { best: { accuracy: 0.9, known }, copy: { accuracy: 0.9, known }, fair: { accuracy: 0.8 } };
    const board = published(boardContent(models, { loop: { size: 2 }, weights: { accuracy: 1 } }));
    const preview = previewLoop(board, { incumbents: new Set(), excluded: new Map() });
    expect(preview.models.map(({ model, would }) => [model.id, would])).toEqual([
      ['best', 'join'],
      ['fair', 'join'],
      ['copy', 'stay-out'],
    ]);
    expect(preview.models[2]!.why).toBe('It is a copy of "Model best", which is selected.');
  });

  it('names the bound that a model misses', () => {
    expect(preview({ size: 3, minimum: { accuracy: 0.6 }, maximum: { memory: 2 } }).slice(1)).toEqual([
      ['fair', 'join', expect.any(String)],
      ['best', 'stay-out', 'Its memory is 3.00 GiB, above 2.00 GiB.'],
      ['file', 'stay-out', file],
      ['poor', 'stay-out', 'Its accuracy is 59.0%, below 60.0%.'],
    ]);
    const [, , , , poor] = preview({ size: 1, minimum: { accuracy: 'baseline' } });
    expect(poor).toEqual([
      'poor',
      'stay-out',
      'The interval of its accuracy is not entirely better than the baseline, 60.0%.',
    ]);
  });

  it('says by how much a challenger leads, and who would leave', () => {
    expect(preview({ margin: 10 }, ['good']).slice(0, 2)).toEqual([
      ['good', 'stay', 'It is in the loop, meets the bounds, and no challenger leads it by enough.'],
      [
        'best',
        'stay-out',
        'It leads "Model good", which is in the loop, by 5.00 points. It needs a lead of more than 10.',
      ],
    ]);
    expect(preview({}, ['fair', 'gone']).map(([id, would]) => [id, would])).toEqual([
      ['best', 'join'],
      ['good', 'stay-out'],
      ['fair', 'leave'],
      ['file', 'stay-out'],
      ['poor', 'stay-out'],
    ]);
  });

  it('says who is kept out, by their owner or because the owner has enough', () => {
    expect(preview({ size: 3, perOwner: 1 }, [], { best: 'Its owner withdrew it.' }).slice(2)).toEqual([
      ['best', 'stay-out', 'Its owner withdrew it.'],
      ['fair', 'stay-out', 'Its owner has 1 in the loop, the limit of `perOwner`.'],
      ['file', 'stay-out', file],
    ]);
    expect(preview({ size: 0 })[0]).toEqual(['best', 'stay-out', 'The policy selects no models.']);
  });
});
