import type { Loop } from '@assay/api-client/fetch';
import { METRICS } from '@assay/contracts/metrics';
import { metricValue } from './numbers.js';

/** Formats the target models, each with the evidence for its promotion. */
export function loopText(task: string, { models, next = [] }: Loop): string {
  if (models.length === 0 && next.length === 0) return `No model is in the loop of ${task} yet.`;
  return [
    `In the loop of ${task}:`,
    ...models.map(({ model, since, evidence }) => {
      const values = Object.entries(evidence.values).map(
        ([name, value]) => `${name} ${metricValue(METRICS[name]?.unit ?? 'ratio', value)}`,
      );
      return (
        `  ${model.name} since ${since.slice(0, 16).replace('T', ' ')} UTC\n` +
        `    rank ${evidence.rank} of revision ${evidence.revision}, score ${evidence.dynascore.toFixed(1)} (${values.join(', ')})\n` +
        `    ${evidence.rule}`
      );
    }),
    ...(next.length > 0 ? ['Next:', ...next.map(({ model, why }) => `  ${model.name}: ${why}`)] : []),
  ].join('\n');
}
