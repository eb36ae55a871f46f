import type { Loop } from '@assay/api-client/fetch';
import { metricValue, timeText, unitOf } from './numbers.js';

/** Formats the target models, each with the evidence for its promotion. */
export function loopText(task: string, { models, next = [] }: Loop): string {
  if (models.length === 0 && next.length === 0) return `No model is in the loop of ${task} yet.`;
  return [
    `In the loop of ${task}:`,
    ...models.map(({ model, since, evidence }) => {
      const values = Object.entries(evidence.values).map(
        ([name, value]) => `${name} ${metricValue(unitOf(name), value)}`,
      );
      return (
        `  ${model.name} since ${timeText(since)}\n` +
        `    rank ${evidence.rank} of revision ${evidence.revision}, score ${evidence.dynascore.toFixed(1)} (${values.join(', ')})\n` +
        `    ${evidence.rule}`
      );
    }),
    ...(next.length > 0 ? ['Next:', ...next.map(({ model, why }) => `  ${model.name}: ${why}`)] : []),
  ].join('\n');
}
