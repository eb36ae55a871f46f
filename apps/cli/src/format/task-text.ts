import type { TaskDefinition } from '@assay/contracts';
import type { Schemas } from '../connection/api.js';
import { datasetTable } from './dataset-text.js';
import { tableText } from './table.js';

/** A task for a person: what goes in, what comes out, and on what it is scored. */
export function taskText(task: Schemas['Task']): string {
  const inputs = task.inputs.map(({ name, type }) => `${name} (${type})`).join(', ');
  const labels = 'labels' in task.output ? `: ${task.output.labels.join(', ')}` : '';
  const head = [
    `${task.slug} · ${task.name} · by ${task.owner}`,
    ...(task.description === '' ? [] : [task.description]),
    `${inputs} → ${task.output.name} (${task.output.type}${labels}), ranked by ${task.performance}`,
    task.benchmarkVersion === 0 ? 'Nothing is active yet.' : `Benchmark version ${task.benchmarkVersion}`,
  ].join('\n');
  if (task.datasets.length === 0) return `${head}\n\nNo dataset yet: assay dataset put ${task.slug} NAME FILE`;
  return `${head}\n\n${datasetTable(task.datasets)}`;
}

/** Definitions, one a line. */
export const readyTasksText = (tasks: readonly TaskDefinition[]): string =>
  tableText(
    ['name', 'what', 'inputs', 'output', 'ranked by'].map((title) => ({ title })),
    tasks.map(({ slug, name, inputs, output, performance }) => [
      slug,
      name,
      inputs.map((input) => `${input.name} (${input.type})`).join(', '),
      `${output.name} (${output.type})`,
      performance,
    ]),
  );
