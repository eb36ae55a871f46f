import type { Overview, Task, TaskWarning } from '@assay/api-client/fetch';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { datasetTable } from './dataset-text.js';
import { right, tableText } from './table.js';

/** Formats a task: its inputs, its output, its performance metric and its datasets. */
export function taskText(task: Task): string {
  const inputs = task.inputs.map(({ name, type }) => `${name} (${type})`).join(', ');
  const labels = 'labels' in task.output ? `: ${task.output.labels.join(', ')}` : '';
  const head = [
    `${task.slug} · ${task.name} · by ${task.owner}`,
    ...(task.description === '' ? [] : [task.description]),
    `${inputs} → ${task.output.name} (${task.output.type}${labels}), ranked by ${task.performance}`,
    task.benchmarkVersion === 0 ? 'No datasets are active yet.' : `Benchmark version ${task.benchmarkVersion}`,
  ].join('\n');
  if (task.datasets.length === 0)
    return `${head}\n\nNo datasets yet. Add one: assay dataset put ${task.slug} NAME FILE`;
  return [head, datasetTable(task.datasets), ...warningsText(task.warnings)].join('\n\n');
}

/** Formats the warnings about the hidden data of a task, one text per warning. */
export const warningsText = (warnings: readonly TaskWarning[] = []): readonly string[] =>
  warnings.map(({ detail }) => `Warning: ${detail}`);

/** A task with its entry in the overview. */
export type ListedTask = Pick<Task, 'slug' | 'name' | 'output' | 'rounds'> &
  Pick<Overview['items'][number], 'openRound' | 'models' | 'leaders'>;

/** Formats all tasks, one per line; without any, the command that creates the first one. */
export function tasksText(tasks: readonly ListedTask[]): string {
  if (tasks.length === 0) return 'No tasks yet. Create one: assay task create --ready NAME';
  return tableText(
    ['task', 'name', 'output', right('rounds'), right('open round'), right('ranked'), 'leader'],
    tasks.map(({ slug, name, output, rounds, openRound, models, leaders }) => [
      slug,
      name,
      `${output.name} (${output.type})`,
      String(rounds.length),
      openRound === null ? '–' : String(openRound),
      String(models),
      leaderText(leaders),
    ]),
  );
}

/**
 * Formats name and score of the first model, `Large and slow (55.1)`; others may share its rank.
 */
function leaderText([first, second]: ListedTask['leaders']): string {
  if (!first) return 'no ranked models yet';
  return `${first.model.name} (${first.dynascore.toFixed(1)})${second?.rank === first.rank ? ' and others' : ''}`;
}

/** Formats task definitions, one per line. */
export const readyTasksText = (tasks: readonly TaskDefinition[]): string =>
  tableText(
    ['name', 'title', 'inputs', 'output', 'ranked by'],
    tasks.map(({ slug, name, inputs, output, performance }) => [
      slug,
      name,
      inputs.map((input) => `${input.name} (${input.type})`).join(', '),
      `${output.name} (${output.type})`,
      performance,
    ]),
  );
