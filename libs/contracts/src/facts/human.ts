import { z } from 'zod';
import { findMetric } from '@assay/scoring/metrics';
import { namedObject, namedStrictObject } from '../named-object.js';

const Figure = z
  .strictObject({
    value: z.number().describe('in the unit of the metric, such as 0.912 for 91.2% of a ratio'),
    low: z.number().optional().describe('lower bound of its 95% interval; default: unknown'),
    high: z.number().optional().describe('upper bound of its 95% interval; default: unknown'),
    n: z.int().positive().optional().describe('number of answers behind it; default: unknown'),
  })
  .check(({ value: figure, issues }) => {
    const { value, low = value, high = value } = figure;
    if (low <= value && value <= high) return;
    issues.push({ code: 'custom', message: 'low, value and high must be in this order', input: figure });
  });

/** Human performance on a dataset, as the owner of the task found it elsewhere. */
export const GivenHumanFigures = namedStrictObject('GivenHumanFigures', {
  source: z.string().trim().min(1).max(500).describe('where the figures are published, such as a paper'),
  metrics: z
    .record(z.string().max(100), Figure)
    .check(({ value: metrics, issues }) => {
      if (Object.keys(metrics).length === 0) {
        issues.push({ code: 'custom', message: 'needs at least one metric', input: metrics });
      }
      for (const [name, figure] of Object.entries(metrics)) {
        const [least, most] = findMetric(name)?.range ?? [-Infinity, Infinity];
        if (figure.value >= least && figure.value <= most) continue;
        const message = `must be between ${least} and ${most}`;
        issues.push({ code: 'custom', path: [name, 'value'], message, input: figure.value });
      }
    })
    .describe('by metric of the task'),
});
export type GivenHumanFigures = z.infer<typeof GivenHumanFigures>;

/** Human performance on a dataset, as boards show it. */
export const HumanPerformance = namedObject('HumanPerformance', {
  source: z
    .string()
    .nullable()
    .describe('where the owner of the task found the figures; null: measured here, from the answers of validators'),
  metrics: z
    .record(
      z.string(),
      z.object({
        value: z.number().describe('in the unit of the metric'),
        low: z.number().nullable().describe('lower bound of its 95% interval; null: unknown'),
        high: z.number().nullable().describe('upper bound of its 95% interval; null: unknown'),
        n: z.int().nullable().describe('number of answers behind it; null: unknown'),
      }),
    )
    .describe('by metric'),
});
export type HumanPerformance = z.infer<typeof HumanPerformance>;
