import { defineMetric } from '../metric.js';
import type { Span } from './spans.js';

/** The overlap of positions with the best-fitting correct span, so that equal words elsewhere do not count. */
export const spanF1 = defineMetric({
  name: 'span_f1',
  version: 1,
  label: 'span F1',
  description:
    'How far the position of the answer in the text overlaps with that of the best-fitting correct answer, averaged over the examples. The same words in another place count as wrong.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['span'],
  needs: 'positions',
  formula: [
    '2 · shared characters ÷ (characters of the answer + characters of the correct answer), the highest over the correct answers',
  ],
  notes: [
    'Positions are in Unicode characters. A model gives them as `start` and `end` of its answer, a dataset as `<output>_start` or `answer_start` beside its correct answers. Without a position, the first occurrence in the text counts; an answer that does not occur there is wrong. An empty answer is right where an empty one is correct.',
  ],
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted, _probabilities, _context, spans) => {
    if (!spans) return NaN;
    if (predicted === '' || gold.includes('')) return predicted === '' && gold.includes('') ? 1 : 0;
    if (predicted === null || !spans.predicted) return 0;
    return Math.max(0, ...spans.gold.map((span) => (span ? overlap(span, spans.predicted!) : 0)));
  },
});

function overlap(one: Span, other: Span): number {
  const shared = Math.min(one[1], other[1]) - Math.max(one[0], other[0]);
  return shared <= 0 ? 0 : (2 * shared) / (one[1] - one[0] + other[1] - other[0]);
}
