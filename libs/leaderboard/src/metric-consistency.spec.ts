import { describe, expect, it } from '@jest/globals';
import { COST_METRICS, METRICS, PERFORMANCE_METRICS, PERTURBATION_METRICS } from '@assay/contracts';
import { findMeasure, findMetric, METRICS as SCORED } from '@assay/scoring';

describe('the metrics that the contracts name and those that scoring computes', () => {
  it.each(Object.entries(PERFORMANCE_METRICS))('agree on %s', (name, { direction, unit, outputs }) => {
    const metric = findMetric(name);
    expect(metric && { direction: metric.direction, unit: metric.unit, outputs: [...metric.outputTypes] }).toEqual({
      direction,
      unit,
      outputs: [...outputs],
    });
  });

  it.each(Object.entries(COST_METRICS))('agree on %s', (name, { direction, unit }) => {
    expect(findMeasure(name)).toMatchObject({ direction, unit });
  });

  it('are the same ones', () => {
    expect(SCORED.map(({ name }) => name).toSorted()).toEqual(Object.keys(PERFORMANCE_METRICS).toSorted());
    expect(Object.keys(METRICS)).toEqual(
      [PERFORMANCE_METRICS, PERTURBATION_METRICS, COST_METRICS].flatMap((metrics) => Object.keys(metrics)),
    );
  });
});
