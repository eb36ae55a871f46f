import {
  COST_METRICS,
  METRICS,
  OUTPUT_TYPES,
  PERFORMANCE_METRICS,
  PERTURBATION_METRICS,
} from '@assay/contracts/metrics';
import { MEASURES, METRICS as SCORED, metricsFor } from '@assay/scoring/metrics';
import { describe, expect, it } from '@jest/globals';

describe('the metrics that the contracts name and those that scoring computes', () => {
  it.each(Object.entries(PERFORMANCE_METRICS))('agree on %s', (name, { direction, unit, outputs }) => {
    const metrics = SCORED.filter((metric) => metric.name === name);

    expect(metrics.flatMap((metric) => metric.outputs)).toEqual(outputs);
    for (const metric of metrics) {
      expect([metric.direction, metric.unit, metric.range]).toEqual([direction, unit, metrics[0]!.range]);
    }
  });

  it.each(Object.entries(COST_METRICS))('agree on %s', (name, { direction, unit }) => {
    expect(MEASURES.find((measure) => measure.name === name)).toMatchObject({ direction, unit });
  });

  it.each(OUTPUT_TYPES)('are the same ones for an output of type %s', (output) => {
    const named = Object.entries(PERFORMANCE_METRICS).filter(([, { outputs }]) =>
      outputs.some((each) => each === output),
    );

    expect(metricsFor(output).map(({ name }) => name)).toEqual(named.map(([name]) => name));
  });

  it('are all that there are, beside perturbations and costs', () => {
    expect([...new Set(SCORED.map(({ name }) => name))]).toEqual(Object.keys(PERFORMANCE_METRICS));
    expect(Object.keys(METRICS)).toEqual(
      [PERFORMANCE_METRICS, PERTURBATION_METRICS, COST_METRICS].flatMap((metrics) => Object.keys(metrics)),
    );
  });
});
