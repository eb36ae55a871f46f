import { existsSync } from 'node:fs';
import { TaskDefinition, TaskLimits, type TaskOutput } from '@assay/contracts';
import { usageFailure } from '../command-failure.js';
import { readDefinition } from '../commands/task.command.js';
import { contentOf, type Api } from '../connection/api.js';

/** What a model is held against. */
export interface CheckTerms {
  /** Null where no task was named: any text in, and answers that are counted but not judged. */
  readonly task: string | null;
  readonly inputs: TaskDefinition['inputs'];
  readonly output: TaskOutput | null;
  readonly limits: TaskLimits;
  readonly runtime: TaskDefinition['runtime'];
  /** Names of the datasets that anybody may read. */
  readonly publicDatasets: readonly string[];
}

/** The terms of a task of the server's (`task` is its slug), of a definition on this machine, or of no task. */
export async function checkTerms(task: string | undefined, api: () => Promise<Api>): Promise<CheckTerms> {
  if (task === undefined) {
    const inputs: CheckTerms['inputs'] = [{ name: 'text', type: 'text' }];
    return { task: null, inputs, output: null, limits: TaskLimits.parse({}), runtime: 'runc', publicDatasets: [] };
  }
  if (existsSync(task)) return termsOfDefinition(task);

  const slug = task;
  const view = await contentOf((await api()).GET('/api/v1/tasks/{slug}', { params: { path: { slug } } }));
  return {
    task: slug,
    inputs: view.inputs,
    output: view.output,
    limits: TaskLimits.parse(view.limits),
    runtime: view.runtime,
    publicDatasets: view.datasets.filter(({ visibility }) => visibility === 'public').map(({ name }) => name),
  };
}

async function termsOfDefinition(file: string): Promise<CheckTerms> {
  const parsed = TaskDefinition.safeParse(await readDefinition(file));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
    throw usageFailure([`${file} is not a valid task definition:`, ...lines].join('\n'));
  }
  const { slug, inputs, output, limits, runtime } = parsed.data;
  return { task: slug, inputs, output, limits, runtime, publicDatasets: [] };
}
