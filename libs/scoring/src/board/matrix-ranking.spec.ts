import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { calibrate } from './dynascore.js';
import { whyDegenerate } from './matrix-ranking.js';
import { prepareBoard } from '../../../../test/factories/models/ranked-rows.js';

const METRICS = [{ name: 'accuracy', unit: 'ratio', direction: 'higher' }] as const;

it('knows whether a board is degenerate as calibrating it would tell', () => {
  const near = fc.integer({ min: 0, max: 30 }).map((steps) => 0.8 + steps * 0.00003);
  const accuracy = fc.oneof(near, fc.constant(0.8), fc.constantFrom(0.5, 0.80008, 0.800081));
  fc.assert(
    fc.property(fc.array(accuracy, { maxLength: 12 }), (accuracies) => {
      const rows = accuracies.map((each, n) => ({ id: String(n), metrics: { accuracy: each } }));
      const board = prepareBoard(rows, METRICS, 'accuracy');
      const weights = { accuracy: 1 };
      expect(whyDegenerate(board, weights)).toBe(calibrate(board, weights, 'median').degenerate);
    }),
    { numRuns: 500 },
  );
});
