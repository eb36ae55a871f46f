import { MEASURES, METRICS } from '@assay/scoring/metrics';
import { describe, expect, it } from '@jest/globals';
import { metricReading } from './metric-reading.js';

describe('metricReading', () => {
  it.each([...METRICS, ...MEASURES].map(({ name, unit, direction }) => [name, unit, direction === 'lower'] as const))(
    'reads %s as it is computed',
    (name, unit, isLowerBetter) => {
      expect(metricReading(name)).toEqual({ unit, isLowerBetter });
    },
  );

  it('reads the worst slice as the performance metric, and the gap as better the smaller it is', () => {
    expect(metricReading('worst:topic', 'mae')).toEqual({ unit: 'value', isLowerBetter: true });
    expect(metricReading('worst:topic', 'accuracy')).toEqual({ unit: 'ratio', isLowerBetter: false });
    expect(metricReading('gap:topic', 'accuracy')).toEqual({ unit: 'ratio', isLowerBetter: true });
  });
});
