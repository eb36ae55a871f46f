import { existsSync } from 'node:fs';
import { tasksGet } from '@assay/api-client/fetch';
import { TaskDefinition, TaskLimits, type TaskOutput } from '@assay/contracts/tasks';
import { usageFailure } from '../command-failure.js';
import { readDefinition } from '../commands/task.command.js';
import { contentOf, type Api } from '../connection/api.js';

/** The requirements that a model is checked against. */
export interface CheckTerms {
  /**
   * Slug of the task. Null without a task: any text is then a valid input, and the answers are
   * counted but not validated.
   */
  readonly task: string | null;
  readonly inputs: TaskDefinition['inputs'];
  readonly output: TaskOutput | null;
  readonly limits: TaskLimits;
  readonly runtime: TaskDefinition['runtime'];
  /** Names of the public datasets. */
  readonly publicDatasets: readonly string[];
}

/**
 * Returns the requirements of a task on the server (`task` is its slug), of a task definition file
 * on this machine, or the defaults without a task.
 *
 * @throws CommandFailure if the file is not a valid task definition
 */
export async function checkTerms(task: string | undefined, api: () => Promise<Api>): Promise<CheckTerms> {
  if (task === undefined) {
    const inputs: CheckTerms['inputs'] = [{ name: 'text', type: 'text' }];
    return { task: null, inputs, output: null, limits: TaskLimits.parse({}), runtime: 'runc', publicDatasets: [] };
  }
  if (existsSync(task)) return termsOfDefinition(task);

  const slug = task;
  const view = await contentOf(tasksGet({ client: await api(), path: { slug } }));
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
